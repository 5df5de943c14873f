"""The stochastic Navier-Stokes equation in batched NumPy and PyTorch: the scheme of mno::spde::NavierStokes.

    python navier_stokes.py numpy|torch <threads> <samples> <members> <steps>

w_t = -u.grad w + nu Laplace w + A cos(m y) + sigma dW on [0,2 pi)^2: Heun with the linear part, the force and the noise
solved exactly, the 2/3 rule, two products per evaluation. Members of all initial conditions advance together, in single
precision, in batches of the size that is fastest; real transforms, of which only the waves that are kept are multiplied.
"""

import math

import numpy

import simulation

NU, AMPLITUDE, WAVENUMBER, SIGMA, DT, POINTS, NOISE_WAVES = 0.02, 0.75, 4, 0.05, 0.02, 64, 4
HIGHEST = (POINTS - 1) // 3
ROWS = [*range(HIGHEST + 1), *range(-HIGHEST, 0)]  # k_x of what is kept; k_y is 0 … HIGHEST


def tables():
    """Arrays (k_x, k_y) of what is kept."""
    kx, ky = numpy.meshgrid(numpy.array(ROWS, float), numpy.arange(HIGHEST + 1, dtype=float), indexing="ij")
    squared = kx**2 + ky**2
    rate = -NU * squared
    inverse = 1 / numpy.where(squared == 0, numpy.inf, squared)
    amplitude = numpy.where((squared > 0) & (squared <= NOISE_WAVES**2), 1 / (1 + squared), 0)
    both = numpy.where(ky > 0, 2, 1)  # a wave of k_y > 0 stands for its mirror image too
    spread = numpy.sqrt(numpy.where(squared == 0, DT, numpy.expm1(2 * rate * DT) / numpy.where(squared == 0, 1, 2 * rate)))
    force = numpy.where((kx == 0) & (ky == WAVENUMBER), AMPLITUDE / 2, 0)
    return {
        "decay": numpy.exp(rate * DT),
        "u": 1j * ky * inverse,
        "v": -1j * kx * inverse,
        "mixed": DT / 2 * (kx**2 - ky**2),
        "difference": -DT / 2 * kx * ky,
        "force": force * numpy.expm1(rate * DT) / numpy.where(squared == 0, 1, rate),
        "noise": SIGMA * amplitude / numpy.sqrt((both * amplitude**2).sum()) * spread / math.sqrt(2),
    }


class Scheme:
    """The steps, for a library whose transforms and random numbers a class below has."""

    shape = (POINTS, POINTS)

    def half_step(self, z):
        """½dt N of the waves z, (member, k_x, k_y)."""
        u, v = self.to_points(self.u * z), self.to_points(self.v * z)
        return self.mixed * self.to_waves(u * v) + self.difference * self.to_waves((u - v) * (u + v))

    def run(self, initial, steps, noisy):
        """initial: (member, x, y)."""
        z = self.to_waves(initial)
        for _ in range(steps):
            half = self.half_step(z)
            half_decayed = self.decay * half
            z = self.decay * z
            z += half_decayed
            z += half_decayed
            z += self.force
            if noisy:
                self.add_noise(z)
            half = self.half_step(z)
            half -= half_decayed
            z += half
        return self.to_points(z)

    def add_noise(self, z):
        """Waves |k| ≤ 4: rows 0 … 4 and −4 … −1; of k_y = 0 one half is the mirror image of the other."""
        rows, n = self.noise_rows, NOISE_WAVES + 1
        eta = self.noise * self.normal((len(z), len(rows), n))
        eta[:, n:, 0] = self.reversed(eta[:, 1:n, 0].conj())
        z[:, :n, :n] += eta[:, :n]
        z[:, -NOISE_WAVES:, :n] += eta[:, n:]


class NumPy(Scheme):
    batch = 32  # members that advance together: the fastest of 8 … 192

    def __init__(self, threads):
        import scipy.fft

        self.fft, self.threads = scipy.fft, threads
        self.random = numpy.random.Generator(numpy.random.SFC64(1))
        for name, table in tables().items():
            setattr(self, name, table.astype(numpy.complex64 if numpy.iscomplexobj(table) else numpy.float32))
        self.noise_rows = [r for r in ROWS if abs(r) <= NOISE_WAVES]
        self.noise = self.noise[[ROWS.index(r) for r in self.noise_rows], : NOISE_WAVES + 1]

    def to_points(self, z):
        padded = numpy.zeros((len(z), POINTS, HIGHEST + 1), numpy.complex64)
        padded[:, : HIGHEST + 1] = z[:, : HIGHEST + 1]
        padded[:, -HIGHEST:] = z[:, -HIGHEST:]
        half = self.fft.ifft(padded, axis=1, norm="forward", overwrite_x=True, workers=self.threads)
        return self.fft.irfft(half, n=POINTS, axis=2, norm="forward", workers=self.threads)

    def to_waves(self, x):
        half = self.fft.rfft(x, axis=2, norm="forward", workers=self.threads)[..., : HIGHEST + 1]
        full = self.fft.fft(half, axis=1, norm="forward", workers=self.threads)
        return numpy.concatenate([full[:, : HIGHEST + 1], full[:, -HIGHEST:]], 1)

    def reversed(self, rows):
        return rows[:, ::-1]

    def normal(self, shape):
        return self.random.standard_normal((*shape, 2), dtype=numpy.float32).view(numpy.complex64)[..., 0]

    def array(self, rows):
        return numpy.asarray(rows, numpy.float32)

    def repeat(self, initial, members):
        return numpy.repeat(initial, members, 0)


class Torch(Scheme):
    batch = 32

    def __init__(self, threads):
        import torch

        self.torch = torch
        torch.set_num_threads(threads)
        torch.set_grad_enabled(False)
        for name, table in tables().items():
            setattr(self, name, torch.tensor(table).to(torch.cfloat if numpy.iscomplexobj(table) else torch.float))
        self.noise_rows = [r for r in ROWS if abs(r) <= NOISE_WAVES]
        self.noise = self.noise[[ROWS.index(r) for r in self.noise_rows], : NOISE_WAVES + 1]

    def to_points(self, z):
        padded = self.torch.zeros(len(z), POINTS, HIGHEST + 1, dtype=self.torch.cfloat)
        padded[:, : HIGHEST + 1] = z[:, : HIGHEST + 1]
        padded[:, -HIGHEST:] = z[:, -HIGHEST:]
        half = self.torch.fft.ifft(padded, dim=1, norm="forward")
        return self.torch.fft.irfft(half, n=POINTS, dim=2, norm="forward")

    def to_waves(self, x):
        half = self.torch.fft.rfft(x, dim=2, norm="forward")[..., : HIGHEST + 1]
        full = self.torch.fft.fft(half, dim=1, norm="forward")
        return self.torch.cat([full[:, : HIGHEST + 1], full[:, -HIGHEST:]], 1)

    def reversed(self, rows):
        return rows.flip(1)

    def normal(self, shape):
        return self.torch.view_as_complex(self.torch.randn(*shape, 2))

    def array(self, rows):
        return self.torch.tensor(rows)

    def repeat(self, initial, members):
        return initial.repeat_interleave(members, 0)


def draw(random):
    """Waves |k| ≤ 5 with deviations ∝ (|k|² + 4)^−1.25, one at every point together."""
    waves = [(x, y) for x in range(6) for y in range(-5, 6) if (x > 0 or y > 0) and x * x + y * y <= 25]
    sizes = [(x * x + y * y + 4) ** -1.25 for x, y in waves]
    size = 1 / math.sqrt(sum(s * s for s in sizes))
    points = 2 * math.pi * numpy.arange(POINTS) / POINTS
    field = numpy.zeros((POINTS, POINTS))
    for (x, y), s in zip(waves, sizes):
        angle = x * points[:, None] + y * points
        field += size * s * (random.gauss(0, 1) * numpy.cos(angle) + random.gauss(0, 1) * numpy.sin(angle))
    return field.astype(numpy.float32).tolist()


if __name__ == "__main__":
    simulation.main(NumPy, Torch, draw)
