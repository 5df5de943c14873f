"""PyTorch's side of the comparison on processors: answers the commands of compare/protocol.hpp.

    python worker.py <variant> <shape> <threads> FILE

Variants: usual, compiled, hand, hand_compiled, neuraloperator. The allocator is set from outside, by the
environment.
"""

import sys

import torch
from safetensors import safe_open

import model as models
from tools import answer_commands, repeat, status


class NeuralOperator(torch.nn.Module):
    """neuraloperator's FNO with the same width, depth, kept modes and outputs; its layers have parts of their own
    (a channel MLP, soft-gated skips), so it does other work: it is here because it is what users have."""

    def __init__(self, points, factor_scale):
        super().__init__()
        from neuralop.models import FNO

        self.dimension, self.factor_scale = len(points), factor_scale
        self.grid = tuple(range(2, 2 + self.dimension))
        # of n_modes it keeps n/2 + 1 on the last axis: 30 are the wavenumbers 0 … 15
        modes = (2 * models.MODES - 1,) * (self.dimension - 1) + (2 * models.MODES - 2,)
        self.net = FNO(
            n_modes=modes, in_channels=2, out_channels=1 + models.RANK, hidden_channels=models.WIDTH,
            n_layers=models.DEPTH, positional_embedding=None,
        )  # fmt: skip

    def law(self, u, t):
        t = t.reshape(-1, 1, *[1] * self.dimension)
        out = self.net(torch.cat([u, t.expand_as(u)], 1))
        return u + t * out[:, :1], (t * self.factor_scale) * out[:, 1:]

    moments, loss, arrange, restore = (
        models.Usual.moments, models.Usual.loss, models.Usual.arrange, models.Usual.restore,
    )  # fmt: skip


def compiled(variant, call):
    """As the variant's name ends; `graphs` are CUDA's, on a processor the same as `compiled`."""
    if variant.endswith("graphs"):
        return torch.compile(call, mode="reduce-overhead")
    return torch.compile(call) if variant.endswith("compiled") else call


class Worker:
    def __init__(self, variant, shape, threads, path, device="cpu"):
        torch.set_num_threads(threads)
        torch.set_num_interop_threads(1)
        points = tuple(int(n) for n in shape.split("x"))
        with safe_open(path, "pt") as file:
            scale = float(file.metadata()["factor_scale"])
            tensors = {key: file.get_tensor(key) for key in file.keys()}
        if variant == "neuraloperator":
            torch.manual_seed(0)
            self.model = NeuralOperator(points, scale)
        elif variant.startswith("hand"):
            self.model = models.Hand(points, scale)
        else:
            self.model = models.Usual(len(points), scale)
        if variant != "neuraloperator":
            self.model.load({k: v for k, v in tensors.items() if not k.startswith("data.")})
        self.model.to(device)
        tensors = {k: v.to(device) for k, v in tensors.items() if k.startswith("data.")}
        fields = [self.model.arrange(tensors[f"data.{key}"]) for key in ("initial", "mean", "variance")]
        self.u, self.mean, self.variance = fields
        self.t = tensors["data.times"]
        self.one = self.model.arrange(tensors["data.initial"][:1]), self.t[:1].clone()
        # PyTorch's fused AdamW takes no complex parameters; neuraloperator has some.
        fused = not any(p.is_complex() for p in self.model.parameters())
        self.optimiser = torch.optim.AdamW(self.model.parameters(), lr=1e-4, weight_decay=1e-2, fused=fused)
        self.loss, self.moments, self.law = (
            compiled(variant, call) for call in (self.model.loss, self.model.moments, self.model.law)
        )

    def backward(self):
        self.optimiser.zero_grad(set_to_none=True)
        loss = self.loss(self.u, self.t, self.mean, self.variance)
        loss.backward()
        return loss

    def step(self):
        self.backward()
        self.optimiser.step()

    @torch.inference_mode()
    def forward(self, u, t):
        return self.moments(u, t)

    def check(self, path):
        """The largest relative difference (Euclidean norm) to loss, gradients, mean and variance in our side's file,
        and of which of them."""
        mean, variance = (self.model.restore(field).clone() for field in self.forward(self.u, self.t))
        loss = self.backward().detach()
        theirs = {"loss": loss, "mean": mean, "variance": variance} | self.model.gradients()
        with safe_open(path, "pt") as file:
            ours = {key: file.get_tensor(key).double() for key in file.keys()}
        theirs = {key: value.cpu() for key, value in theirs.items()}
        assert set(ours) == set(theirs), f"other tensors: {sorted(set(ours) ^ set(theirs))}"
        differences = [
            ((value - theirs[key].detach().reshape(value.shape)).norm() / value.norm(), key)
            for key, value in ours.items()
        ]
        assert all(difference.isfinite() for difference, _ in differences)
        worst, where = max(differences)
        return f"{worst.item():.3e} {where}"

    def answer(self, command, argument=None, clock="wall"):
        if command == "check":
            return self.check(argument)
        if command == "steps":
            first = self.backward().item()
            for _ in range(int(argument)):
                self.step()
            return f"{first:.9g} {self.backward().item():.9g}"
        if command == "memory":
            return f"{status('VmHWM:')} {status('VmRSS:')}"
        return repeat(float(argument), clock, self.tasks()[command])

    def tasks(self):
        return {
            "train": self.step,
            "forward": lambda: self.forward(self.u, self.t),
            "latency": lambda: self.forward(*self.one),
        }


def main():
    variant, shape, threads, path = sys.argv[1:]
    answer_commands(Worker(variant, shape, int(threads), path))


if __name__ == "__main__":
    main()
