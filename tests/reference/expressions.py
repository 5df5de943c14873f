#!/usr/bin/env python3
"""Expressions in PyTorch, differentiated by autograd: a U-Net, a ResNet, Euler-Maruyama steps, a modulated layer on a
coarser grid.

They are written from the formulas with PyTorch's own convolutions, norms and paddings, and the noise with a Philox of
its own, so that nothing is shared with the library but the names and layouts of the parameters. A case becomes one
file in the format of generate.py, with the arrays

    points, length, x, y, y_bar, parameter/<leaf>, gradient/<leaf>, gradient/x    of <y_bar, y>,
    seed    of the noise, where there is any

    python tests/reference/expressions.py       # writes all files; the same seeds give the same numbers
"""

import itertools
import math

import torch
from torch.nn.functional import avg_pool1d, avg_pool2d, conv1d, conv2d, gelu, group_norm, interpolate, pad, silu

from generate import Parameters, drawing, fourier_series, interpolant, pointwise, spectral_convolution, write

# ---- layers, on fields (batch, channel, grid…) -------------------------------------------------------------------

PADDING = {"circular": "circular", "zero": "constant", "reflecting": "reflect"}


def dimension(v):
    return v.dim() - 2


def conv(p, name, v, outputs, size, edge, stride=1):
    """The library keeps a weight (tap, in, out), the taps of the last axis fastest; PyTorch wants (out, in, taps…)."""
    inputs, d = v.shape[1], dimension(v)
    weight = p(f"{name}.weight", (size**d, inputs, outputs), 1 / math.sqrt(inputs * size**d))
    kernel = weight.reshape(*[size] * d, inputs, outputs).permute(d + 1, d, *range(d))
    padded = pad(v, [size // 2] * (2 * d), mode=PADDING[edge])
    return (conv1d, conv2d)[d - 1](padded, kernel, p(f"{name}.bias", (outputs,), 0.5), stride=stride)


def norm(p, name, v, groups):
    """Groups of several channels: with one channel each, a bias before the norm would have no effect, and a gradient
    of zero to compare rounding errors with."""
    channels = v.shape[1]
    assert channels > groups
    return group_norm(v, groups, p(f"{name}.scale", (channels,), 1.0), p(f"{name}.shift", (channels,), 0.5), eps=1e-5)


def half(v):
    return (avg_pool1d, avg_pool2d)[dimension(v) - 1](v, 2)


def double(v):
    return interpolate(v, scale_factor=2, mode="nearest")


def channel_last(v):
    return v.movedim(1, -1)


def channel_first(v):
    return v.movedim(-1, 1)


# ---- noise -------------------------------------------------------------------------------------------------------


def philox(counter, key):
    """Philox4x32-10 of Salmon et al. (2011): two 32-bit products and a change of places per round."""
    c, k = list(counter), list(key)
    for _ in range(10):
        left, right = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [right >> 32 ^ c[1] ^ k[0], right & 0xFFFFFFFF, left >> 32 ^ c[3] ^ k[1], left & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


# What the authors publish for the counter and the key 0, and for digits of pi.
assert philox([0] * 4, [0] * 2) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
assert philox([0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344], [0xA4093822, 0x299F31D0]) == [
    0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1]  # fmt: skip


def normals(seed, sample, visit):
    """An endless sequence: two words make a uniform number in (0,1), two of these a pair of normal ones."""
    words = lambda n: (n & 0xFFFFFFFF, n >> 32)
    for block in itertools.count():
        a, b, c, d = philox([block, visit, *words(sample)], words(seed))
        u, v = ((((high << 32 | low) >> 12) + 0.5) / 2**52 for high, low in ((a, b), (c, d)))
        radius = math.sqrt(-2 * math.log(u))
        yield radius * math.cos(2 * math.pi * v)
        yield radius * math.sin(2 * math.pi * v)


def noise(seed, visit, batch, points, channels, modes):
    """xi(x) = n^(-1/2) sum over k_D >= 0 of sqrt(m_k) Re(zeta_k e^{2 pi i k.x/L}), n = (2 modes - 1)^D, over the
    waves that the grid carries; zeta is drawn for all of them, (mode, re|im, channel). Result (batch, channel, grid…)."""
    d = len(points)
    shape = (modes * (2 * modes - 1) ** (d - 1), 2, channels)
    zeta = [list(itertools.islice(normals(seed, b, visit), math.prod(shape))) for b in range(batch)]
    zeta = torch.tensor(zeta).reshape(batch, *shape)
    last = torch.arange(shape[0]) % modes
    share = torch.where(last == 0, 1.0, 0.5**0.5).reshape(1, -1, 1, 1)  # fourier_series has m_k: sqrt(m_k) is wanted
    return channel_first(fourier_series(zeta * share, modes, points)) / (2 * modes - 1) ** (d / 2)


# ---- expressions ---------------------------------------------------------------------------------------------------


def u_net(p, x, s):
    """Three scales: a strided convolution and a mean of blocks lead down, repeated points lead up, and what was there
    before the way down is joined to what comes up."""
    block = lambda i, v, width, stride=1: silu(
        norm(p, f"norm{i}", conv(p, f"conv{i}", v, width, 3, s["edge"], stride), groups=width // 2)
    )
    fine = block(0, x, 2)
    middle = block(1, fine, 6, stride=2)
    coarse = block(2, half(middle), 6)
    middle = block(3, torch.cat([middle, double(coarse)], 1), 6)
    fine = block(4, torch.cat([fine, double(middle)], 1), 2)
    return conv(p, "conv5", fine, 1, 1, s["edge"])


def res_net(p, x, s):
    """x + conv(gelu(norm(conv(x)))), three times, between a convolution and a pointwise layer."""
    v = conv(p, "conv", x, 5, 3, s["edge"])
    for i in range(3):
        layer = f"layer{i}"
        w = gelu(norm(p, f"{layer}.norm", conv(p, f"{layer}.conv0", v, 5, s["size"], s["edge"]), 1))
        v = v + conv(p, f"{layer}.conv1", w, 5, 3, s["edge"])
    return channel_first(pointwise(p, "pointwise", channel_last(v), 2))


def euler_maruyama(p, x, s):
    """x + f(x) h + g(x) sqrt(h) xi, three times with the same f and g: f has a Fourier layer, g a convolution. The
    visits of the noise are numbered for themselves: 0, 1, 2."""
    h, modes, channels = 0.125, s["modes"], x.shape[1]
    count = modes * (2 * modes - 1) ** (dimension(x) - 1)
    mixing = p("spectral.weight", (count, 2, channels, channels), 1 / channels)
    for step in range(3):
        v = channel_last(x)
        v = gelu(spectral_convolution(v, mixing, modes) + pointwise(p, "pointwise0", v, channels))
        f = channel_first(pointwise(p, "pointwise1", v, channels))
        g = torch.tanh(conv(p, "conv", x, channels, 3, "circular"))
        xi = noise(s["seed"], step, x.shape[0], s["points"], channels, s["noise_modes"])
        x = x + h * f + math.sqrt(h) * g * xi
    return x


def modulated(p, x, s):
    """A convolution modulated by two others, (1 + a) v + b, then v plus a factorised Fourier layer of v on every second
    point, between trigonometric interpolants. One axis at a time, the other points are further samples."""
    v, a, b = (conv(p, f"conv{i}", x, 3, 3, "zero") for i in range(3))
    v = (1 + a) * v + b
    resampled = lambda field, points: torch.cat([interpolant(channel_last(one[None]), points) for one in field])
    coarse = resampled(v, [n // 2 for n in s["points"]])  # (batch, grid…, channel)
    weight = p("factorised-spectral.weight", (dimension(x), s["modes"], 2, 3, 3), 1 / 3)
    mixed = 0
    for axis in range(dimension(x)):
        moved = coarse.movedim(axis + 1, -2)
        lines = spectral_convolution(moved.flatten(0, -3), weight[axis], s["modes"])
        mixed = mixed + lines.reshape(moved.shape).movedim(-2, axis + 1)
    return v + channel_first(resampled(channel_first(torch.tanh(mixed)), s["points"]))


CASES = {
    "1d_u_net_circular": dict(expression=u_net, points=(12,), channels=2, edge="circular"),
    "1d_u_net_zero": dict(expression=u_net, points=(8,), channels=2, edge="zero"),
    "2d_u_net_circular": dict(expression=u_net, points=(8, 4), channels=2, edge="circular"),
    "2d_u_net_zero": dict(expression=u_net, points=(4, 12), channels=2, edge="zero"),
    "1d_res_net_circular": dict(expression=res_net, points=(5,), channels=3, edge="circular", size=5),
    "1d_res_net_reflecting": dict(expression=res_net, points=(7,), channels=3, edge="reflecting", size=5),
    "2d_res_net_zero": dict(expression=res_net, points=(3, 5), channels=3, edge="zero", size=3),
    "2d_res_net_reflecting": dict(expression=res_net, points=(5, 4), channels=3, edge="reflecting", size=3),
    "1d_euler_maruyama": dict(expression=euler_maruyama, points=(9,), channels=2, modes=3, noise_modes=4, batch=11,
                              seed=3),
    "1d_euler_maruyama_coarse": dict(expression=euler_maruyama, points=(6,), channels=2, modes=5, noise_modes=6,
                                     batch=11, seed=2**40 + 7, length=(2.5,)),
    "2d_euler_maruyama": dict(expression=euler_maruyama, points=(5, 4), channels=2, modes=3, noise_modes=3, batch=11,
                              seed=2**33 + 1),
    "1d_modulated": dict(expression=modulated, points=(12,), channels=2, modes=3),
    "2d_modulated": dict(expression=modulated, points=(6, 8), channels=2, modes=3),
}  # fmt: skip


def generate(name, s):
    draw, p = drawing(name), Parameters(drawing(f"{name} parameters"))
    x = draw((s.get("batch", 3), *s["points"], s["channels"])).requires_grad_()
    y = channel_last(s["expression"](p, channel_first(x), s))
    y_bar = draw(y.shape)
    arrays = {
        "points": torch.tensor(s["points"]),
        "length": torch.tensor(s.get("length", (1.0,) * len(s["points"]))),
        "x": x,
        "y": y,
        "y_bar": y_bar,
    }
    if "seed" in s:
        arrays["seed"] = torch.tensor([s["seed"]])
    wanted = dict(p, x=x)
    arrays |= {f"parameter/{leaf}": value for leaf, value in p.items()}
    gradients = torch.autograd.grad((y_bar * y).sum(), list(wanted.values()))
    arrays |= {f"gradient/{leaf}": gradient for leaf, gradient in zip(wanted, gradients)}
    about = {key: value.__name__ if callable(value) else value for key, value in s.items()}
    write(name, arrays, ", ".join(f"{key} {value}" for key, value in about.items()))


if __name__ == "__main__":
    for case, given in CASES.items():
        generate(case, given)
