"""PyTorch's side of the comparison on a GPU: answers the commands of compare/protocol.hpp with the tasks of
compare/gpu_worker.hpp.

    python gpu_worker.py <variant> <shape> <float|tf32> <cuda|cpu> FILE

Variants: usual, compiled, graphs, hand, hand_compiled, hand_graphs; `graphs` is torch.compile in its mode
reduce-overhead, which replays CUDA graphs. Without a GPU it can be tried on the processor.
"""

import sys

import torch

import model as models
from tools import answer_commands
from worker import Worker

DRAWS = 256


class GpuWorker(Worker):
    def __init__(self, variant, shape, precision, device, path):
        # Products and convolutions alike: as installed, PyTorch has TF32 on for convolutions and off for products.
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = precision == "tf32"
        super().__init__(variant, shape, torch.get_num_threads(), path, device)
        self.device, self.graphs = device, variant.endswith("graphs")
        self.host = self.u.cpu(), self.t.cpu()
        self.host_one = tuple(part.cpu() for part in self.one)
        mean, factor = (self.model.restore(field) for field in self.predict(*self.host_one))
        self.one_law = mean.reshape(-1).clone(), factor.reshape(-1, models.RANK).clone()  # (entry), (entry, k)

    def begin(self):
        """What CUDA graphs gave before may be overwritten."""
        if self.graphs:
            torch.compiler.cudagraph_mark_step_begin()

    def wait(self):
        if self.device == "cuda":
            torch.cuda.synchronize()

    def backward(self):
        self.begin()
        return super().backward()

    def step(self):
        super().step()
        self.wait()

    def forward(self, u, t):
        self.begin()
        moments = super().forward(u, t)
        self.wait()
        return moments

    @torch.inference_mode()
    def predict(self, u, t):
        """Mean and factor, from the host to the host."""
        self.begin()
        return [field.cpu() for field in self.law(u.to(self.device), t.to(self.device))]

    @torch.inference_mode()
    def sample(self):
        mean, factor = (part.to(self.device) for part in self.one_law)
        xi = torch.randn(DRAWS, models.RANK, device=self.device)
        return torch.addmm(mean, xi, factor.t()).cpu()

    def tasks(self):
        return {
            "train": self.step,
            "forward": lambda: self.forward(self.u, self.t),
            "predict": lambda: self.predict(*self.host),
            "latency": lambda: self.predict(*self.host_one),
            "sample": self.sample,
        }


if __name__ == "__main__":
    answer_commands(GpuWorker(*sys.argv[1:]))
