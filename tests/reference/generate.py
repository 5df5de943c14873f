#!/usr/bin/env python3
"""Whole models in PyTorch, differentiated by autograd: what the hand-derived gradients are measured against.

Written from the formulas, with full complex Fourier transforms, so that it shares nothing with the library but
the names and layouts of the parameters. Every case becomes one file data/<case>.txt:

    # <one line: PyTorch version, what the case is about>
    <array name> <number of dimensions> <dimensions …>
    <values, row-major>

A case holds the grid (points, length), parameter/<leaf>, the condition (initial, times, known or stored), the
cotangents (mean_bar, factor_bar), what the model gives (mean, factor), and gradient/<leaf or condition> of
<mean_bar, mean> + <factor_bar, factor>. Whatever is drawn is a multiple of 1/256, exact in float as well.

    python tests/reference/generate.py          # writes all files; the same seeds give the same numbers

expressions.py beside it does the same for expressions that are no models of the library: a U-Net, say.
"""

import itertools
import math
import zlib
from pathlib import Path

import torch
from torch.nn.functional import gelu, linear, silu

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)
DATA = Path(__file__).parent / "data"


# ---- Fourier ---------------------------------------------------------------------------------------------------


def signed_waves(modes, points):
    """All k with |k_d| < modes that a grid carries, |k_d| <= N_d/2, of either sign on every axis."""
    axes = [[k for k in range(1 - modes, modes) if 2 * abs(k) <= n] for n in points]
    return itertools.product(*axes)


def stored(weight, k, modes):
    """The learned entry of a wave with k_D >= 0; axes before the last store k from -(modes-1)."""
    index = 0
    for d, k_d in enumerate(k):
        last = d + 1 == len(k)
        index = index * (modes if last else 2 * modes - 1) + k_d + (0 if last else modes - 1)
    return weight[..., index, :, :]


def hermitian(weight, k, modes):
    """The entry of any wave: half-space data continued by conj(-k), and made Hermitian where both are stored."""
    minus = tuple(-k_d for k_d in k)
    if k[-1] > 0:
        return stored(weight, k, modes)
    if k[-1] < 0:
        return stored(weight, minus, modes).conj()
    return (stored(weight, k, modes) + stored(weight, minus, modes).conj()) / 2


def spectral_convolution(v, weight, modes):
    """v: (batch, grid…, in); weight: (mode, re|im, in, out). On an even axis the waves N/2 and -N/2 are one
    coefficient of the transform, of which each gets half."""
    points, axes = v.shape[1:-1], tuple(range(1, v.dim() - 1))
    r = torch.complex(weight[:, 0], weight[:, 1])
    v_hat = torch.fft.fftn(v, dim=axes, norm="forward")
    mixed = {}
    for k in signed_waves(modes, points):
        share = math.prod(0.5 if 2 * abs(k_d) == n else 1.0 for k_d, n in zip(k, points))
        bin_ = tuple(k_d % n for k_d, n in zip(k, points))
        coefficient = v_hat[(slice(None), *bin_)] * share
        mixed[bin_] = mixed.get(bin_, 0) + coefficient @ hermitian(r, k, modes)
    y_hat = torch.zeros(*v.shape[:-1], weight.shape[-1], dtype=torch.complex128)
    for bin_, value in mixed.items():
        y_hat[(slice(None), *bin_)] = value
    y = torch.fft.ifftn(y_hat, dim=axes, norm="forward")
    assert y.imag.abs().max() < 1e-13 * (1 + y.real.abs().max()), "the synthesis must be real"
    with torch.no_grad():
        half = half_space_convolution(v, r, modes)
        assert (y.real - half).abs().max() < 1e-12 * (1 + half.abs().max()), "two ways, one operator"
    return y.real


def half_space_convolution(v, r, modes):
    """The same by real transforms, as Fourier neural operators are usually written; a check on the above."""
    points, axes = v.shape[1:-1], tuple(range(1, v.dim() - 1))
    v_hat = torch.fft.rfftn(v, dim=axes, norm="forward")
    y_hat = torch.zeros(*v_hat.shape[:-1], r.shape[-1], dtype=torch.complex128)
    for k in signed_waves(modes, points):
        if k[-1] >= 0:
            share = math.prod(0.5 if 2 * abs(k_d) == n else 1.0 for k_d, n in zip(k[:-1], points))
            at = (slice(None), *(k_d % n for k_d, n in zip(k[:-1], points)), k[-1])
            y_hat[at] += share * v_hat[at] @ stored(r, k, modes)
    if len(axes) > 1:
        y_hat = torch.fft.ifftn(y_hat, dim=axes[:-1], norm="forward")
    return torch.fft.irfft(y_hat, n=points[-1], dim=axes[-1], norm="forward")


def coordinates(points):
    """x_d / L_d at every point, per axis."""
    return torch.meshgrid(*(torch.arange(n) / n for n in points), indexing="ij")


def fourier_series(coefficients, modes, points):
    """f(x) = sum over k_D >= 0 of m_k Re(c_k e^{2 pi i k.x/L}), m_k = 1 where k_D = 0 and 2 elsewhere, over the
    waves the grid carries; coefficients: (term, mode, re|im, channel); result: (term, grid…, channel)."""
    x = coordinates(points)
    result = 0
    for k in signed_waves(modes, points):
        if k[-1] < 0:
            continue
        angle = sum(2 * math.pi * k_d * x_d for k_d, x_d in zip(k, x))[None, ..., None]
        c = stored(coefficients, k, modes)  # (term, re|im, channel)
        c = c.reshape(c.shape[0], 2, *[1] * len(points), c.shape[-1])
        result = result + (1 if k[-1] == 0 else 2) * (c[:, 0] * angle.cos() - c[:, 1] * angle.sin())
    return result


def interpolant(field, points):
    """The trigonometric interpolant of field (1, grid…, channel) at the points of another grid, without the waves
    that one of the grids can't carry."""
    source, axes = field.shape[1:-1], tuple(range(1, field.dim() - 1))
    hat = torch.fft.fftn(field, dim=axes, norm="forward")
    x = coordinates(points)
    result = 0
    for k in signed_waves(max(source) + max(points), [min(n, m) for n, m in zip(source, points)]):
        share = math.prod(0.5 if 2 * abs(k_d) == n else 1.0 for k_d, n in zip(k, source))
        angle = sum(2 * math.pi * k_d * x_d for k_d, x_d in zip(k, x))[None, ..., None]
        coefficient = hat[(slice(None), *(k_d % n for k_d, n in zip(k, source)))]
        coefficient = coefficient.reshape(1, *[1] * len(points), -1)
        result = result + share * (coefficient * torch.exp(1j * angle)).real
    return result


# ---- models ----------------------------------------------------------------------------------------------------


class Parameters(dict):
    """Leaves by name, drawn when first asked for."""

    def __init__(self, draw):
        super().__init__()
        self.draw = draw

    def __call__(self, name, shape, scale):
        if name not in self:
            self[name] = self.draw(shape, scale).requires_grad_()
        return self[name]

    def set(self, name, value):
        self[name] = torch.tensor([value], requires_grad=True)
        return self[name]


def pointwise(p, name, v, outputs):
    inputs = v.shape[-1]
    weight = p(f"{name}.weight", (outputs, inputs), 1 / math.sqrt(inputs))
    return linear(v, weight, p(f"{name}.bias", (outputs,), 0.5))


def backbone(p, prefix, x, s):
    width, d = s["width"], len(s["points"])
    modes = s["modes"] * (2 * s["modes"] - 1) ** (d - 1)
    v = pointwise(p, f"{prefix}lift", x, width)
    for i in range(s["depth"]):
        layer = f"{prefix}layer{i}"
        weight = p(f"{layer}.spectral.weight", (modes, 2, width, width), 1 / width)
        v = gelu(spectral_convolution(v, weight, s["modes"]) + pointwise(p, f"{layer}.pointwise", v, width))
    return v


def projection(p, head, v, outputs, s):
    return pointwise(p, f"{head}.pointwise1", gelu(pointwise(p, f"{head}.pointwise0", v, s["projection"])), outputs)


def cell(s):
    return math.prod(s["length"]) / math.prod(s["points"])


def grid_mean(x):
    return x.flatten(1, -2).mean(1)


def separable_drift(p, head, v, u, s):
    """A = sum_i alpha_i phi_i <psi_i, u_0>, the inner product over points and channels."""
    terms, channels = s["terms"], s["channels"]
    modes = s["modes"] * (2 * s["modes"] - 1) ** (len(s["points"]) - 1)
    alpha = grid_mean(projection(p, head, v, terms, s))  # (batch, term)
    shape = (terms, modes, 2, channels)
    phi = fourier_series(p(f"{head}.separable.actuation", shape, 0.5), s["modes"], s["points"])
    psi = fourier_series(p(f"{head}.separable.sensing", shape, 0.5), s["modes"], s["points"])
    sensed = cell(s) * torch.einsum("i...,b...->bi", psi, u)
    return torch.einsum("bi,i...->b...", alpha * sensed, phi)


def mercer_factor(p, head, v, s):
    """B_k = sqrt(lambda_k) psi_k by Gram-Schmidt in L2."""
    rank, channels, bound = s["rank"], s["channels"], s["bound"]
    out = projection(p, head, v, rank * channels + rank, s)
    eigenvalue = bound * torch.tanh(torch.exp(grid_mean(out[..., rank * channels :])) / bound)  # (batch, rank)
    inner = lambda f, g: cell(s) * (f * g).flatten(1).sum(1).reshape(-1, *[1] * (f.dim() - 1))
    psi = []
    for k in range(rank):
        raw = out[..., k * channels : (k + 1) * channels]
        rest = raw - sum((inner(raw, psi_j) * psi_j for psi_j in psi), torch.zeros(()))
        # The library's norm has a term eps |raw|^2, which shows in float where fields are close to dependent.
        assert (inner(raw, raw) < 25 * inner(rest, rest)).all(), "draw fields that are further apart"
        psi.append(rest / inner(rest, rest).sqrt())
    root = eigenvalue.sqrt().reshape(-1, rank, *[1] * (v.dim() - 1))
    return torch.cat([root[:, k] * psi[k] for k in range(rank)], -1)


def per_sample(g, like):
    return g.reshape(-1, *[1] * (like.dim() - 1))


def gate(p, prefix, t, s):
    alpha = p.set(f"{prefix}gate.alpha", s["alpha"])
    return 1 - torch.exp(-alpha.abs() * t)


def power_gate(p, prefix, t, s):
    """(1 - e^{-|alpha| t})^h; at t = 0 the library takes the value and all derivatives as zero."""
    alpha, eta = p.set(f"{prefix}gate.alpha", 1.25), p.set(f"{prefix}gate.eta", s["eta"])
    open_ = t > 0
    base = 1 - torch.exp(-alpha.abs() * torch.where(open_, t, torch.ones(())))
    return torch.where(open_, base ** torch.log(1 + torch.exp(eta)), torch.zeros(()))


def model(p, u, t, known, s):
    """(mean, factor), or (value, None) of the deterministic operator."""
    x = [u, per_sample(t, u).expand(*u.shape[:-1], 1)]
    if known is not None:
        x.append(known)
    for x_d in coordinates(s["points"]):
        for h in range(1, s["harmonics"] + 1):
            for wave in (torch.cos, torch.sin):
                x.append(wave(2 * math.pi * h * x_d)[None, ..., None].expand(*u.shape[:-1], 1))
    x = torch.cat(x, -1)

    mean_name, factor_name = ("mean.", "residual.") if s["power"] else ("", "")
    if s["split"]:
        mean_name, factor_name = f"{mean_name}drift_operator.", f"{factor_name}factor_operator."
        v_mean, v_factor = backbone(p, mean_name, x, s), backbone(p, factor_name, x, s)
    else:
        v_mean = v_factor = backbone(p, "", x, s)

    if s["separable"]:
        drift = separable_drift(p, f"{mean_name}drift", v_mean, u, s)
    else:
        drift = projection(p, f"{mean_name}drift", v_mean, s["channels"], s)
    if s["deterministic"]:
        return drift, None
    if s["mercer"]:
        factor = mercer_factor(p, f"{factor_name}factor", v_factor, s)
    else:
        factor = projection(p, f"{factor_name}factor", v_factor, s["rank"] * s["channels"], s)

    if s["power"]:
        g_mean, g_factor = gate(p, "mean.", t, s), power_gate(p, "residual.", t, s)
    else:
        g_mean = g_factor = gate(p, "", t, s)
    return u + per_sample(g_mean, u) * drift, per_sample(g_factor, u) * factor


# ---- cases -----------------------------------------------------------------------------------------------------

DEFAULTS = dict(
    channels=1, rank=2, width=4, modes=3, depth=2, projection=5, split=False, separable=False, mercer=False,
    power=False, deterministic=False, terms=3, bound=10.0, known=0, known_batch=None, stored_points=None,
    harmonics=0, alpha=0.875, eta=-0.5, times=(0.375, 0.0, 1.5), batch=None, length=None,
)  # fmt: skip

LINE = dict(modes=4)
KNOWN = dict(known=2, harmonics=2, length=(2.5,))
BOTH = dict(channels=2, rank=3, separable=True, mercer=True)

CASES = {
    "1d_shared_odd": dict(LINE, points=(9,)),
    "1d_shared_nyquist": dict(LINE, points=(6,)),
    "1d_shared_coarse": dict(LINE, points=(4,)),
    "1d_negative_alpha": dict(LINE, points=(8,), alpha=-0.75, times=(0.625,), batch=2),
    "1d_channels": dict(points=(7,), channels=2, rank=3),
    "1d_split": dict(points=(8,), split=True, depth=1),
    "1d_power_gate": dict(points=(7,), power=True),
    "1d_power_gate_split": dict(points=(7,), power=True, split=True, depth=1, eta=1.25),
    "1d_known": dict(KNOWN, points=(10,)),
    "1d_known_one_set": dict(KNOWN, points=(9,), known_batch=1),
    "1d_known_stored": dict(KNOWN, points=(9,), stored_points=(6,)),
    "1d_known_stored_fine": dict(KNOWN, points=(6,), stored_points=(11,)),
    "1d_many_modes": dict(points=(520,), width=3, modes=34, depth=1, rank=1, times=(0.25, 1.0)),
    "1d_fno": dict(points=(8,), channels=2, deterministic=True),
    "1d_separable": dict(points=(8,), modes=5, separable=True, length=(2.5,)),
    "1d_mercer": dict(points=(9,), channels=2, rank=3, mercer=True, length=(2.5,)),
    "1d_mercer_bound": dict(points=(8,), mercer=True, bound=1.5, length=(0.5,)),
    "1d_both_heads": dict(BOTH, points=(8,), length=(2.5,)),
    "1d_both_heads_split": dict(BOTH, points=(7,), length=(2.5,), split=True, power=True, depth=1),
    "2d_shared_odd_even": dict(points=(5, 6), depth=1),
    "2d_shared_even_odd": dict(points=(6, 5), depth=1),
    "2d_nyquist": dict(points=(6, 4), width=3, modes=4),
    "2d_nyquist_square": dict(points=(6, 6), width=3, modes=4),
    "2d_split": dict(points=(4, 7), channels=2, width=3, depth=1, split=True),
    "2d_known": dict(points=(5, 6), width=3, depth=1, known=1, harmonics=1, length=(2.0, 0.75)),
    "2d_known_stored": dict(points=(7, 4), stored_points=(4, 6), width=3, depth=1, known=1, harmonics=1,
                            length=(2.0, 0.75)),
    "2d_blocks": dict(points=(24, 22), width=3, modes=2, depth=1, rank=1, times=(0.25, 1.0)),
    "2d_both_heads": dict(BOTH, points=(6, 6), width=3, modes=4, depth=1, rank=2, length=(2.0, 0.75)),
    "2d_fno": dict(points=(6, 5), width=3, deterministic=True),
    "3d_shared": dict(points=(4, 5, 4), width=3, modes=3, depth=1, projection=4, times=(0.25, 1.0),
                      length=(2.0, 1.0, 0.75)),
}  # fmt: skip


def drawing(name):
    """draw(shape, scale): normal numbers, rounded to multiples of 1/256, the same for every run of a case."""
    random = torch.Generator().manual_seed(zlib.crc32(name.encode()))

    def draw(shape, scale=1.0):
        return (torch.randn(*shape, generator=random) * scale * 256).round() / 256

    return draw


def generate(name, given):
    s = dict(DEFAULTS, **given)
    s["length"] = s["length"] or (1.0,) * len(s["points"])
    batch = s["batch"] or len(s["times"])
    draw = drawing(name)

    condition = {"initial": draw((batch, *s["points"], s["channels"])).requires_grad_()}
    times = torch.tensor(s["times"])
    condition["times"] = times.expand(batch).clone().requires_grad_()
    arrays = {"points": torch.tensor(s["points"]), "length": torch.tensor(s["length"])}
    arrays |= {"initial": condition["initial"], "times": times}
    if s["stored_points"]:
        arrays["stored"] = draw((1, *s["stored_points"], s["known"]))
        condition["known"] = interpolant(arrays["stored"], s["points"])
    elif s["known"]:
        arrays["known"] = condition["known"] = draw((s["known_batch"] or batch, *s["points"], s["known"]))
    if s["known"]:
        condition["known"] = condition["known"].expand(batch, *s["points"], s["known"]).clone().requires_grad_()

    p = Parameters(draw)
    mean, factor = model(p, condition["initial"], condition["times"], condition.get("known"), s)
    arrays |= {"mean": mean, "mean_bar": draw(mean.shape)}
    loss = (arrays["mean_bar"] * mean).sum()
    if factor is not None:
        arrays |= {"factor": factor, "factor_bar": draw(factor.shape)}
        loss = loss + (arrays["factor_bar"] * factor).sum()
    arrays |= {f"parameter/{leaf}": value for leaf, value in p.items()}
    wanted = dict(p, **condition)
    gradients = torch.autograd.grad(loss, list(wanted.values()), allow_unused=True)
    for leaf, gradient in zip(wanted, gradients):
        assert gradient is not None and gradient.isfinite().all(), f"{name}: gradient of {leaf}"
        arrays[f"gradient/{leaf}"] = gradient
    write(name, arrays, ", ".join(f"{key} {value}" for key, value in given.items()))


def activations():
    """Values and derivatives, far into the tails."""
    near = torch.linspace(-6, 6, 49)
    far = torch.tensor([8.0, 12.0, 20.0, 30.0, 100.0, 1000.0, 10000.0])
    x = torch.cat([-far.flip(0), near, far]).requires_grad_()
    arrays = {"x": x}
    for f in (gelu, silu, torch.tanh, torch.relu):
        y = f(x)
        arrays |= {f.__name__: y, f"{f.__name__}_slope": torch.autograd.grad(y.sum(), x)[0]}

    # torch computes gelu by 1 + erf, which loses all digits in the left tail; erfc keeps them.
    tail = torch.linspace(-12, -1, 23).requires_grad_()
    y = tail * torch.special.erfc(-tail / math.sqrt(2)) / 2
    arrays |= {"tail": tail, "gelu_tail": y, "gelu_tail_slope": torch.autograd.grad(y.sum(), tail)[0]}
    write("activations", arrays, "values and derivatives of the activations")


def write(name, arrays, about):
    with open(DATA / f"{name}.txt", "w") as file:
        file.write(f"# PyTorch {torch.__version__.split('+')[0]}, float64: {name}: {about}\n")
        for key, value in arrays.items():
            file.write(" ".join(map(str, [key, value.dim(), *value.shape])) + "\n")
            file.write(" ".join(f"{v:.17g}" for v in value.detach().flatten().tolist()) + "\n")


if __name__ == "__main__":
    DATA.mkdir(exist_ok=True)
    for case, given in CASES.items():
        generate(case, given)
    activations()
