"""The stochastic Burgers equation in batched NumPy and PyTorch: the scheme of mno::spde::Burgers.

    python burgers.py numpy|torch <threads> <samples> <members> <steps>

u_t = nu u_xx - u u_x + sigma dW on [0,1): exponential Euler in Fourier modes, exact Ornstein-Uhlenbeck noise, the 2/3
rule. Members of all initial conditions advance together, in single precision, in batches of the size that is fastest.
"""

import math

import numpy

import simulation

NU, SIGMA, DT, POINTS, KEPT, NOISE_MODES = 0.02, 0.008, 1 / 2000, 128, 64, 8
HIGHEST = (POINTS - 1) // 3


def coefficients():
    """Per mode 0 … HIGHEST: decay, gain of (u^2)^, and the noise's deviation of real and imaginary part."""
    scale = 1 / math.sqrt(sum(1 / k**2 for k in range(1, NOISE_MODES + 1)))
    decay, gain, noise = [], [], []
    for k in range(HIGHEST + 1):
        rate = -NU * (2 * math.pi * k) ** 2
        phi = DT if k == 0 else math.expm1(rate * DT) / rate
        decay.append(math.exp(rate * DT))
        gain.append(-math.pi * k * phi)  # times i
        spread = math.sqrt(math.expm1(2 * rate * DT) / (2 * rate)) if k else 0.0
        noise.append(SIGMA * scale / k * spread / math.sqrt(2) if 1 <= k <= NOISE_MODES else 0.0)
    return decay, gain, noise


class NumPy:
    batch = 192  # members that advance together: the fastest of 96 … 1536

    def __init__(self, threads):
        self.np, self.random = numpy, numpy.random.Generator(numpy.random.SFC64(1))
        decay, gain, noise = (numpy.array(c, numpy.float32) for c in coefficients())
        self.decay, self.gain = decay, (1j * gain).astype(numpy.complex64)
        self.noise = noise[1 : NOISE_MODES + 1]

    def run(self, initial, steps, noisy):
        """initial: (member, point)."""
        np = self.np
        modes = HIGHEST + 1
        z = np.fft.rfft(initial.astype(np.float32), norm="forward")[:, :modes]
        padded = np.zeros((len(initial), POINTS // 2 + 1), np.complex64)
        drawn = np.empty((len(initial), NOISE_MODES, 2), np.float32)
        for _ in range(steps):
            padded[:, :modes] = z
            u = np.fft.irfft(padded, n=POINTS, norm="forward")
            np.square(u, out=u)
            z = self.decay * z + self.gain * np.fft.rfft(u, norm="forward")[:, :modes]
            if noisy:
                self.random.standard_normal(dtype=np.float32, out=drawn)
                z[:, 1 : NOISE_MODES + 1] += self.noise * drawn.view(np.complex64)[..., 0]
        padded[:, :modes] = z
        return np.fft.irfft(padded, n=POINTS, norm="forward")

    def array(self, rows):
        return self.np.array(rows, self.np.float32)

    def repeat(self, initial, members):
        return self.np.repeat(initial, members, 0)


class Torch:
    batch = 1536  # the fastest of 96 … 1536

    def __init__(self, threads):
        import torch

        self.torch = torch
        torch.set_num_threads(threads)
        torch.set_grad_enabled(False)
        decay, gain, noise = (torch.tensor(c) for c in coefficients())
        self.decay, self.gain, self.noise = decay, 1j * gain, noise[1 : NOISE_MODES + 1]

    def run(self, initial, steps, noisy):
        torch = self.torch
        modes = HIGHEST + 1
        z = torch.fft.rfft(initial, norm="forward")[:, :modes].contiguous()
        padded = torch.zeros(len(initial), POINTS // 2 + 1, dtype=torch.cfloat)
        drawn = torch.empty(len(initial), NOISE_MODES, 2)
        for _ in range(steps):
            padded[:, :modes] = z
            u = torch.fft.irfft(padded, n=POINTS, norm="forward").square_()
            z.mul_(self.decay).addcmul_(self.gain, torch.fft.rfft(u, norm="forward")[:, :modes])
            if noisy:
                z[:, 1 : NOISE_MODES + 1] += self.noise * torch.view_as_complex(drawn.normal_())
        padded[:, :modes] = z
        return torch.fft.irfft(padded, n=POINTS, norm="forward")

    def array(self, rows):
        return self.torch.tensor(rows)

    def repeat(self, initial, members):
        return initial.repeat_interleave(members, 0)


def draw(random):
    size = 1 / math.sqrt(sum(k**-3 for k in range(1, 7)))
    waves = [(k, *(random.gauss(0, size * k**-1.5) for _ in range(2))) for k in range(1, 7)]
    angle = lambda k, j: 2 * math.pi * k * j / POINTS
    return [sum(a * math.cos(angle(k, j)) + b * math.sin(angle(k, j)) for k, a, b in waves) for j in range(POINTS)]


if __name__ == "__main__":
    simulation.main(NumPy, Torch, draw, POINTS // KEPT)
