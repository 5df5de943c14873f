"""The model and loss of the comparison in PyTorch, twice: as it is usually written, and by hand for speed.

Both are exactly mno::Mno of width 48, modes 16, depth 4, rank 16 with the loss Recipe::decoupled() on the
ensemble's mean and variance. They differ in layout alone, so each loads the weights and returns the gradient in
the library's own layout (spectral weights: mode, re|im, input, output).
"""

import math

import torch
from torch import nn
from torch.nn.functional import gelu

WIDTH, MODES, DEPTH, RANK, PROJECTION, MEMBERS = 48, 16, 4, 16, 128, 192


def decoupled_loss(mean, factor_square, factor_mean_square, target_mean, target_variance, points):
    """Recipe::decoupled(). Fields of one sample lie along the axes `points`; channels are one.

    factor_square is the law's variance, sum over k of B_k^2; factor_mean_square the mean of all B^2."""
    difference = (mean - target_mean).square().mean(points)
    mean_error = (difference.sqrt() / (target_mean.square().mean(points).sqrt() + 1e-8)).mean()
    v = factor_square.clamp(1e-5, 1e2)
    likelihood = 0.5 * (v.log() + target_variance / v).mean()
    distance = (factor_square - target_variance).square().mean(points).sqrt()
    consistency = (distance / (target_variance.square().mean(points).sqrt() + 1e-12)).mean()
    squared_error = difference.mean() + target_variance.mean() * ((MEMBERS - 1) / MEMBERS)
    return 10 * mean_error + likelihood + 0.1 * consistency + 0.1 * squared_error + 0.01 * factor_mean_square


class SpectralConv(nn.Module):
    """Channel-first, real transform, complex weights: as Fourier neural operators are usually written."""

    def __init__(self, dimension):
        super().__init__()
        self.dimension = dimension
        if dimension == 1:
            shapes = [(MODES,)]
        else:  # wavenumbers 0 … 15 and -15 … -1 of the first axis
            shapes = [(MODES, MODES), (MODES - 1, MODES)]
        # Stored as real, seen as complex: PyTorch's fused AdamW takes no complex parameters.
        self.weights = nn.ParameterList(torch.zeros(WIDTH, WIDTH, *shape, 2) for shape in shapes)

    def forward(self, x):
        weights = [torch.view_as_complex(w) for w in self.weights]
        if self.dimension == 1:
            x_hat = torch.fft.rfft(x)
            y_hat = x_hat.new_zeros(x_hat.shape)
            y_hat[:, :, :MODES] = torch.einsum("bix,iox->box", x_hat[:, :, :MODES], weights[0])
            return torch.fft.irfft(y_hat, n=x.shape[-1])
        x_hat = torch.fft.rfft2(x)
        y_hat = x_hat.new_zeros(x_hat.shape)
        top, bottom = slice(0, MODES), slice(-(MODES - 1), None)
        for rows, weight in zip((top, bottom), weights):
            y_hat[:, :, rows, :MODES] = torch.einsum("bixy,ioxy->boxy", x_hat[:, :, rows, :MODES], weight)
        return torch.fft.irfft2(y_hat, s=x.shape[-2:])

    def load(self, stored):
        """stored: (mode, re|im, input, output), the first axis' wavenumbers from -15."""
        stored = stored.permute(2, 3, 0, 1)
        if self.dimension == 1:
            self.weights[0].copy_(stored)
        else:
            stored = stored.unflatten(2, (2 * MODES - 1, MODES))
            self.weights[0].copy_(stored[:, :, MODES - 1 :])
            self.weights[1].copy_(stored[:, :, : MODES - 1])

    def gradient(self):
        parts = [w.grad for w in self.weights]
        full = parts[0] if self.dimension == 1 else torch.cat([parts[1], parts[0]], 2).flatten(2, 3)
        return full.permute(2, 3, 0, 1)


class Usual(nn.Module):
    """(batch, channel, grid…), 1x1 convolutions, FFT, complex einsum."""

    def __init__(self, dimension, factor_scale):
        super().__init__()
        conv = nn.Conv1d if dimension == 1 else nn.Conv2d
        self.dimension, self.factor_scale = dimension, factor_scale
        self.grid = tuple(range(2, 2 + dimension))
        self.lift = conv(2, WIDTH, 1)
        self.spectral = nn.ModuleList(SpectralConv(dimension) for _ in range(DEPTH))
        self.pointwise = nn.ModuleList(conv(WIDTH, WIDTH, 1) for _ in range(DEPTH))
        self.drift = nn.Sequential(conv(WIDTH, PROJECTION, 1), nn.GELU(), conv(PROJECTION, 1, 1))
        self.factor = nn.Sequential(conv(WIDTH, PROJECTION, 1), nn.GELU(), conv(PROJECTION, RANK, 1))
        self.alpha = nn.Parameter(torch.ones(1))

    def law(self, u, t):
        t = t.reshape(-1, 1, *[1] * self.dimension)
        v = self.lift(torch.cat([u, t.expand_as(u)], 1))
        for spectral, pointwise in zip(self.spectral, self.pointwise):
            v = gelu(spectral(v) + pointwise(v))
        gate = 1 - torch.exp(-self.alpha.abs() * t)
        return u + gate * self.drift(v), (gate * self.factor_scale) * self.factor(v)

    def moments(self, u, t):
        mean, factor = self.law(u, t)
        return mean, factor.square().sum(1, keepdim=True)

    def loss(self, u, t, target_mean, target_variance):
        mean, factor = self.law(u, t)
        square = factor.square()
        return decoupled_loss(
            mean, square.sum(1, keepdim=True), square.mean(), target_mean, target_variance, self.grid
        )

    def arrange(self, field):  # (batch, grid…, 1) as the files have it
        return field.movedim(-1, 1).contiguous()

    def restore(self, field):
        return field.movedim(1, -1)

    def layers(self):
        """The library's name of every pointwise layer."""
        named = {"lift": self.lift}
        for i, pointwise in enumerate(self.pointwise):
            named[f"layer{i}.pointwise"] = pointwise
        for head in ("drift", "factor"):
            module = getattr(self, head)
            named |= {f"{head}.pointwise0": module[0], f"{head}.pointwise1": module[2]}
        return named

    @torch.no_grad()
    def load(self, leaves):
        for name, module in self.layers().items():
            module.weight.copy_(leaves[f"{name}.weight"].reshape(module.weight.shape))
            module.bias.copy_(leaves[f"{name}.bias"])
        for i, spectral in enumerate(self.spectral):
            spectral.load(leaves[f"layer{i}.spectral.weight"])
        self.alpha.copy_(leaves["gate.alpha"])

    def gradients(self):
        result = {"gate.alpha": self.alpha.grad}
        for name, module in self.layers().items():
            result[f"{name}.weight"] = module.weight.grad.flatten(1)
            result[f"{name}.bias"] = module.bias.grad
        for i, spectral in enumerate(self.spectral):
            result[f"layer{i}.spectral.weight"] = spectral.gradient()
        return result


class HandSpectral(nn.Module):
    """Products with cosine and sine tables instead of an FFT, and real batched products instead of complex ones.

    Fields are (grid…, batch·channel) with the last axis of the grid in front, so that a transform is one product
    of matrices, and its result is mode-major without a copy. In 2D the second axis is a batched product."""

    def __init__(self, points):
        super().__init__()
        self.points, self.dimension = points, len(points)
        last = points[-1]
        k, j = torch.arange(MODES, dtype=torch.float64), torch.arange(last, dtype=torch.float64)
        angle = 2 * math.pi * torch.outer(k, j) / last
        twice = torch.where(k == 0, 1.0, 2.0)[:, None]  # -k is not stored
        analysis = torch.stack([angle.cos(), -angle.sin()], 1).reshape(2 * MODES, last) / last
        synthesis = torch.stack([twice * angle.cos(), -twice * angle.sin()], 1).reshape(2 * MODES, last).t()
        self.register_buffer("analysis", analysis.float().contiguous())  # (mode·re|im, point)
        self.register_buffer("synthesis", synthesis.float().contiguous())  # (point, mode·re|im)
        self.count = MODES
        if self.dimension == 2:
            first = points[0]
            k = torch.arange(1 - MODES, MODES, dtype=torch.float64)
            angle = 2 * math.pi * torch.outer(k, torch.arange(first, dtype=torch.float64)) / first
            c, s = angle.cos(), angle.sin()  # (wave, point)
            # e^{-i angle} on (re, im): rows (wave, re|im), columns (re|im, point)
            analysis = torch.stack([torch.stack([c, s], 1), torch.stack([-s, c], 1)], 1) / first
            synthesis = torch.stack([torch.stack([c, -s], 1), torch.stack([s, c], 1)], 1)
            waves = 2 * MODES - 1
            # analysis: (wave, out re|im, in re|im, point); synthesis: (wave, out re|im, in re|im, point)
            self.register_buffer("analysis1", analysis.reshape(2 * waves, 2 * first).float().contiguous())
            turned = synthesis.permute(1, 3, 0, 2).reshape(2 * first, 2 * waves)
            self.register_buffer("synthesis1", turned.float().contiguous())
            self.count *= waves
        self.weight = nn.Parameter(torch.zeros(self.count, WIDTH, 2 * WIDTH))  # (mode, input, re|im·output)

    def forward(self, v, skip):
        """skip + F^-1(R F v), all (last axis, [first axis,] batch, channel)."""
        batch = v.shape[-2]
        if self.dimension == 1:
            z = torch.mm(self.analysis, v.reshape(v.shape[0], -1))
        else:
            z = torch.mm(self.analysis, v.reshape(v.shape[0], -1)).view(MODES, 2 * self.points[0], -1)
            z = torch.matmul(self.analysis1, z)  # (mode, wave·re|im, batch·channel)
        z = z.view(self.count, 2 * batch, WIDTH)
        p = torch.bmm(z, self.weight).view(self.count, 2, batch, 2, WIDTH)
        mixed = torch.stack([p[:, 0, :, 0] - p[:, 1, :, 1], p[:, 0, :, 1] + p[:, 1, :, 0]], 1)
        if self.dimension == 2:
            mixed = torch.matmul(self.synthesis1, mixed.view(MODES, 2 * (2 * MODES - 1), -1))
        mixed = mixed.view(2 * MODES, -1)
        return torch.addmm(skip.reshape(skip.shape[0], -1), self.synthesis, mixed).view(v.shape)

    def load(self, stored):
        self.weight.copy_(self.arrange(stored).permute(0, 2, 1, 3).reshape(self.weight.shape))

    def gradient(self):
        return self.restore(self.weight.grad.view(self.count, WIDTH, 2, WIDTH).permute(0, 2, 1, 3))

    def arrange(self, stored):  # the last axis' modes in front
        if self.dimension == 1:
            return stored
        return stored.unflatten(0, (2 * MODES - 1, MODES)).transpose(0, 1).flatten(0, 1)

    def restore(self, arranged):
        if self.dimension == 1:
            return arranged
        return arranged.unflatten(0, (MODES, 2 * MODES - 1)).transpose(0, 1).flatten(0, 1)


class Hand(nn.Module):
    """(grid…, batch, channel): every pointwise layer is one product of matrices, so is a transform."""

    def __init__(self, points, factor_scale):
        super().__init__()
        self.dimension, self.factor_scale = len(points), factor_scale
        self.grid = tuple(range(self.dimension))
        self.lift = nn.Linear(2, WIDTH)
        self.spectral = nn.ModuleList(HandSpectral(points) for _ in range(DEPTH))
        self.pointwise = nn.ModuleList(nn.Linear(WIDTH, WIDTH) for _ in range(DEPTH))
        self.drift = nn.Sequential(nn.Linear(WIDTH, PROJECTION), nn.GELU(), nn.Linear(PROJECTION, 1))
        self.factor = nn.Sequential(nn.Linear(WIDTH, PROJECTION), nn.GELU(), nn.Linear(PROJECTION, RANK))
        self.alpha = nn.Parameter(torch.ones(1))

    def law(self, u, t):
        t = t[:, None]  # (batch, channel)
        v = self.lift(torch.cat([u, t.expand_as(u)], -1))
        for spectral, pointwise in zip(self.spectral, self.pointwise):
            v = gelu(spectral(v, pointwise(v)))
        gate = 1 - torch.exp(-self.alpha.abs() * t)
        return u + gate * self.drift(v), (gate * self.factor_scale) * self.factor(v)

    def moments(self, u, t):
        mean, factor = self.law(u, t)
        return mean, factor.square().sum(-1, keepdim=True)

    def loss(self, u, t, target_mean, target_variance):
        mean, factor = self.law(u, t)
        variance = factor.square().sum(-1, keepdim=True)
        return decoupled_loss(
            mean, variance, variance.mean() / RANK, target_mean, target_variance, self.grid
        )

    def arrange(self, field):  # (batch, first, last, 1) -> (last, first, batch, 1)
        return field.transpose(0, -2).contiguous()

    def restore(self, field):
        return field.transpose(0, -2)

    layers, load, gradients = Usual.layers, Usual.load, Usual.gradients
