"""Values and gradients of every loss term by automatic differentiation, in double precision.

    python reference.py > reference.txt

Terms are written from the ensemble's members, not from its statistics. A line is a name, a count and numbers.
The law of two samples is on five points with two channels and rank three, the ensemble has six members; one
point has a variance below the floor and one above the ceiling.
"""
import math
import sys

import torch

torch.manual_seed(7)
torch.set_default_dtype(torch.float64)
S, N, C, R, M, Q = 2, 5, 2, 3, 6, 4  # samples, points, channels, rank, members, factors of the ensemble

mean = torch.randn(S, N, C, requires_grad=True)
raw = 0.6 * torch.randn(S, N, R, C)
raw[0, 0] *= 1e-3
raw[1, 2, :, 1] += 9
factor = raw.clone().requires_grad_(True)  # B_k(c, x) in channel k·C + c
members = 0.2 + 0.8 * torch.randn(S, M, N, C)

centre = members.mean(1)
variance = members.var(1, unbiased=True)
centred = (members - centre[:, None]).reshape(S, M, N * C) / math.sqrt(M - 1)
_, singular, right = torch.linalg.svd(centred, full_matrices=False)
Y = singular[:, :Q, None] * right[:, :Q]  # (S, Q, N·C)


def philox(counter, key):
    counter, key, mask = list(counter), list(key), 0xFFFFFFFF
    for _ in range(10):
        a, b = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
        counter = [(b >> 32) ^ counter[1] ^ key[0], b & mask, (a >> 32) ^ counter[3] ^ key[1], a & mask]
        key = [(key[0] + 0x9E3779B9) & mask, (key[1] + 0xBB67AE85) & mask]
    return counter


def probes(seed, step, sample, count, n):
    a2 = 1 - math.sqrt(2 / 3)
    table = [math.sqrt(a2)] * 3 + [math.sqrt(4 - 3 * a2)]
    table += [-x for x in table]
    words = (n + 7) // 8 * count
    bits = [w for block in range((words + 3) // 4)
            for w in philox([block, 0x70726F62, sample, step], [seed & 0xFFFFFFFF, seed >> 32])]
    per_row = (n + 7) // 8
    return torch.tensor([[table[bits[p * per_row + i // 8] >> 4 * (i % 8) & 7] for i in range(n)]
                         for p in range(count)])


def law_variance():
    return (factor**2).sum(2)


def clamped():
    return law_variance().clamp(1e-5, 1e2)


def flat_factor():  # B: (S, R, N·C)
    return factor.permute(0, 2, 1, 3).reshape(S, R, N * C)


def norm(x):
    return (x**2).mean((1, 2)).sqrt()


def likelihood(v):  # over members
    return 0.5 * (v.log()[:, None] + (members - mean[:, None]) ** 2 / v[:, None])


def student(nu):
    scale = (clamped() * (nu - 2) / nu).sqrt()[:, None]
    density = torch.distributions.StudentT(torch.tensor(float(nu)), mean[:, None], scale)
    return (-density.log_prob(members) - 0.5 * math.log(2 * math.pi)).mean()


def crps():
    sigma = clamped().sqrt()[:, None]
    omega = (members - mean[:, None]) / sigma
    normal = torch.distributions.Normal(0.0, 1.0)
    return (sigma * (omega * (2 * normal.cdf(omega) - 1) + 2 * normal.log_prob(omega).exp()
                     - 1 / math.sqrt(math.pi))).mean()


def hilbert_schmidt():
    B = flat_factor()
    difference = B.transpose(1, 2) @ B - Y.transpose(1, 2) @ Y
    size = (Y.transpose(1, 2) @ Y).pow(2).sum((1, 2))
    return ((difference.pow(2).sum((1, 2)) / size + 1e-6).sqrt() - 1e-3).mean()


def hutchinson(seed, step, count):
    B, total = flat_factor(), 0
    for s in range(S):
        V = probes(seed, step, s, count, N * C)
        predicted, empirical = ((V @ B[s].T) ** 2).sum(1), ((V @ Y[s].T) ** 2).sum(1)
        total = total + ((predicted - empirical) ** 2).sum() / (empirical**2).sum()
    return total / S


terms = {
    "gaussian_nll": lambda: likelihood(clamped()).mean(),
    "decoupled_nll": lambda: 0.5 * (clamped().log() + variance / clamped()).mean(),
    "beta_nll": lambda: (clamped().detach()[:, None] ** 0.5 * likelihood(clamped())).mean(),
    "student_nll": lambda: student(5),
    "crps": crps,
    "variance_consistency": lambda: (norm(law_variance() - variance) / (norm(variance) + 1e-12)).mean(),
    "hilbert_schmidt": hilbert_schmidt,
    "hutchinson": lambda: hutchinson(12345678901234, 3, 8),
    "centring": lambda: (members - mean[:, None]).mean(1).pow(2).mean(),
    "mean_error": lambda: (norm(mean - centre) / (norm(centre) + 1e-8)).mean(),
    "mean_squared_error": lambda: ((members - mean[:, None]) ** 2).mean(),
    "factor_regularisation": lambda: (factor**2).mean(),
}


def write(name, values):
    values = values.detach().reshape(-1).tolist()
    sys.stdout.write(f"{name} {len(values)} " + " ".join(f"{x:.17g}" for x in values) + "\n")


write("mean", mean)
write("factor", factor)
write("members", members)
write("covariance_factor", Y.reshape(S, Q, N, C).permute(0, 2, 1, 3))
for name, term in terms.items():
    value = term()
    bars = torch.autograd.grad(value, (mean, factor), allow_unused=True)
    write(f"{name}.value", value)
    write(f"{name}.mean_bar", torch.zeros_like(mean) if bars[0] is None else bars[0])
    write(f"{name}.factor_bar", torch.zeros_like(factor) if bars[1] is None else bars[1])
