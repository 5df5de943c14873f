"""JAX's side of the comparison on processors: answers the commands of compare/protocol.hpp.

    python jax_worker.py <variant> <shape> <threads> FILE

Variants: jax (FFT, complex products) and jax_dft (transforms as products of matrices, real products). Both are compiled by
XLA, a training step as a whole. The model is that of compare/model.py. Fields are (batch, grid…, channel), and weights and
gradients have the library's own layout (spectral weights: mode, re|im, input, output).
"""

import functools
import math
import os
import sys

import jax
import jax.numpy as jnp
import numpy as np
from safetensors import safe_open

from tools import answer_commands, repeat, status

MODES, DEPTH, RANK, MEMBERS = 16, 4, 16, 192
LEARNING_RATE, WEIGHT_DECAY, BETA1, BETA2, EPSILON = 1e-4, 1e-2, 0.9, 0.999, 1e-8


def pointwise(p, name, v):
    return v @ p[f"{name}.weight"].T + p[f"{name}.bias"]


def with_fft(w, v):
    """F^-1(R F v): the way an FNO is usually written."""
    points = v.shape[1:-1]
    w = w[:, 0] + 1j * w[:, 1]  # (mode, input, output)
    if len(points) == 1:
        y = jnp.einsum("bki,kio->bko", jnp.fft.rfft(v, axis=1)[:, :MODES], w)
        y = jnp.pad(y, ((0, 0), (0, points[0] // 2 + 1 - MODES), (0, 0)))
        return jnp.fft.irfft(y, n=points[0], axis=1)
    low = MODES - 1  # wavenumbers -15 … -1 of the first axis, then 0 … 15
    v = jnp.fft.rfft2(v, axes=(1, 2))[:, :, :MODES]
    v = jnp.concatenate([v[:, -low:], v[:, :MODES]], 1)
    y = jnp.einsum("bqki,qkio->bqko", v, w.reshape(low + MODES, MODES, *w.shape[1:]))
    y = jnp.pad(y, ((0, 0), (0, 0), (0, points[1] // 2 + 1 - MODES), (0, 0)))
    gap = jnp.zeros((y.shape[0], points[0] - low - MODES, *y.shape[2:]), y.dtype)
    return jnp.fft.irfft2(jnp.concatenate([y[:, low:], gap, y[:, :low]], 1), s=points, axes=(1, 2))


def tables(points):
    """Cosines and sines of the last axis (mode, re|im, point), there and back, and of the first axis
    (wave, re|im of the result, re|im, point)."""
    last = points[-1]
    k = np.arange(MODES)
    angle = 2 * math.pi * np.outer(k, np.arange(last)) / last
    twice = np.where(k == 0, 1.0, 2.0)[:, None]  # -k is not stored
    there = np.stack([np.cos(angle), -np.sin(angle)], 1) / last
    back = np.stack([twice * np.cos(angle), -twice * np.sin(angle)], 1)
    if len(points) == 1:
        return [table.astype(np.float32) for table in (there, back)]
    first = points[0]
    angle = 2 * math.pi * np.outer(np.arange(1 - MODES, MODES), np.arange(first)) / first
    c, s = np.cos(angle), np.sin(angle)
    there1 = np.stack([np.stack([c, s], 1), np.stack([-s, c], 1)], 1) / first
    back1 = np.stack([np.stack([c, -s], 1), np.stack([s, c], 1)], 1)
    return [table.astype(np.float32) for table in (there, back, there1, back1)]


def with_dft(tables, w, v):
    """The same by products with the tables."""
    batch, channels = v.shape[0], v.shape[-1]
    if v.ndim == 3:
        z = jnp.einsum("krn,bnc->krbc", tables[0], v)
    else:
        z = jnp.einsum("krn,bmnc->krbmc", tables[0], v)
        z = jnp.einsum("qorm,krbmc->qkobc", tables[2], z)
    z = z.reshape(-1, 2 * batch, channels)  # (mode, re|im·batch, input)
    r = w.transpose(0, 2, 1, 3).reshape(w.shape[0], w.shape[2], -1)  # (mode, input, re|im·output)
    p = jnp.matmul(z, r).reshape(-1, 2, batch, 2, w.shape[3])
    y = jnp.stack([p[:, 0, :, 0] - p[:, 1, :, 1], p[:, 0, :, 1] + p[:, 1, :, 0]], 1)  # (mode, re|im, batch, output)
    if v.ndim == 3:
        return jnp.einsum("krn,krbo->bno", tables[1], y)
    y = y.reshape(2 * MODES - 1, MODES, *y.shape[1:])
    y = jnp.einsum("qorm,qkrbc->kobmc", tables[3], y)
    return jnp.einsum("krn,krbmc->bmnc", tables[1], y)


def law(spectral, scale, p, u, t):
    gelu = functools.partial(jax.nn.gelu, approximate=False)
    t = t.reshape(-1, *[1] * (u.ndim - 1))
    v = pointwise(p, "lift", jnp.concatenate([u, jnp.broadcast_to(t, u.shape)], -1))
    for i in range(DEPTH):
        v = gelu(spectral(p[f"layer{i}.spectral.weight"], v) + pointwise(p, f"layer{i}.pointwise", v))
    head = lambda name: pointwise(p, f"{name}.pointwise1", gelu(pointwise(p, f"{name}.pointwise0", v)))
    gate = 1 - jnp.exp(-jnp.abs(p["gate.alpha"]) * t)
    return u + gate * head("drift"), (gate * scale) * head("factor")


def loss(law, p, u, t, target_mean, target_variance):
    """Recipe::decoupled(), as compare/model.py has it."""
    mean, factor = law(p, u, t)
    axes = tuple(range(1, u.ndim - 1))
    average = lambda field: field.mean(axes)
    square = (factor * factor).sum(-1, keepdims=True)
    difference = average((mean - target_mean) ** 2)
    mean_error = (jnp.sqrt(difference) / (jnp.sqrt(average(target_mean**2)) + 1e-8)).mean()
    v = jnp.clip(square, 1e-5, 1e2)
    likelihood = 0.5 * (jnp.log(v) + target_variance / v).mean()
    distance = jnp.sqrt(average((square - target_variance) ** 2))
    consistency = (distance / (jnp.sqrt(average(target_variance**2)) + 1e-12)).mean()
    squared_error = difference.mean() + target_variance.mean() * ((MEMBERS - 1) / MEMBERS)
    return 10 * mean_error + likelihood + 0.1 * consistency + 0.1 * squared_error + 0.01 * square.mean() / RANK


def adamw(p, state, gradient):
    first, second, step = state
    step = step + 1
    first = jax.tree.map(lambda m, g: BETA1 * m + (1 - BETA1) * g, first, gradient)
    second = jax.tree.map(lambda v, g: BETA2 * v + (1 - BETA2) * g * g, second, gradient)
    a, b = LEARNING_RATE / (1 - BETA1**step), 1 / jnp.sqrt(1 - BETA2**step)
    move = lambda w, m, v: w * (1 - LEARNING_RATE * WEIGHT_DECAY) - a * m / (b * jnp.sqrt(v) + EPSILON)
    return jax.tree.map(move, p, first, second), (first, second, step)


class Worker:
    def __init__(self, variant, shape, threads, path):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])  # XLA has a thread for every processor
        jax.config.update("jax_platforms", "cpu")
        with safe_open(path, "np") as file:
            scale = float(file.metadata()["factor_scale"])
            tensors = {key: jnp.asarray(file.get_tensor(key)) for key in file.keys()}
        self.p = {key: value for key, value in tensors.items() if not key.startswith("data.")}
        points = tuple(int(n) for n in shape.split("x"))
        spectral = with_fft if variant == "jax" else functools.partial(with_dft, tables(points))
        model = functools.partial(law, spectral, scale)
        value = functools.partial(loss, model)

        def moments(p, u, t):
            mean, factor = model(p, u, t)
            return mean, (factor * factor).sum(-1, keepdims=True)

        def step(p, state, *data):
            first, gradient = jax.value_and_grad(value)(p, *data)
            return adamw(p, state, gradient) + (first,)

        self.gradient = jax.jit(jax.value_and_grad(value))
        self.moments, self.train = jax.jit(moments), jax.jit(step, donate_argnums=(0, 1))
        self.data = tuple(tensors[f"data.{key}"] for key in ("initial", "times", "mean", "variance"))
        self.one = self.data[0][:1], self.data[1][:1]
        zeros = lambda: {key: jnp.zeros_like(value) for key, value in self.p.items()}
        self.state = zeros(), zeros(), jnp.zeros(())

    def wait(self, result):
        return jax.block_until_ready(result)

    def step(self):
        self.p, self.state, value = self.train(self.p, self.state, *self.data)
        self.wait(self.p)
        return value

    def forward(self, u, t):
        return self.wait(self.moments(self.p, u, t))

    def check(self, path):
        """As worker.py."""
        mean, variance = self.forward(*self.data[:2])
        value, gradient = self.gradient(self.p, *self.data)
        theirs = {"loss": value, "mean": mean, "variance": variance} | gradient
        with safe_open(path, "np") as file:
            ours = {key: file.get_tensor(key).astype(np.float64) for key in file.keys()}
        assert set(ours) == set(theirs), f"other tensors: {sorted(set(ours) ^ set(theirs))}"
        norm = lambda x: float(np.linalg.norm(x.ravel()))
        differences = [
            (norm(value - np.asarray(theirs[key]).reshape(value.shape)) / norm(value), key)
            for key, value in ours.items()
        ]
        assert all(math.isfinite(difference) for difference, _ in differences)
        worst, where = max(differences)
        return f"{worst:.3e} {where}"

    def answer(self, command, argument=None, clock="wall"):
        if command == "check":
            return self.check(argument)
        if command == "steps":
            first = float(self.gradient(self.p, *self.data)[0])
            for _ in range(int(argument)):
                self.step()
            return f"{first:.9g} {float(self.gradient(self.p, *self.data)[0]):.9g}"
        if command == "memory":
            return f"{status('VmHWM:')} {status('VmRSS:')}"
        tasks = {
            "train": self.step,
            "forward": lambda: self.forward(*self.data[:2]),
            "latency": lambda: self.forward(*self.one),
        }
        return repeat(float(argument), clock, tasks[command])


def main():
    variant, shape, threads, path = sys.argv[1:]
    answer_commands(Worker(variant, shape, int(threads), path))


if __name__ == "__main__":
    main()
