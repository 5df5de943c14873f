"""PyTorch's side of the comparison of single layers.

    python layers.py first|last

with channels before the grid, PyTorch's usual layout, or behind it. Prints "ready" and answers the commands of
layer_worker.cpp; `check LAYER FILE` reads what mno computed, and answers with the largest relative difference to it.
"""

import sys

import torch
from safetensors.torch import load_file
from torch import nn

from tools import repeat

CHANNELS, MODES = 48, 16
FORMAT = torch.channels_last if sys.argv[1] == "last" else torch.contiguous_format


class Factorised(nn.Module):
    """Along every axis a transform, the lowest modes mixed, and back: as it is usually written."""

    def __init__(self):
        super().__init__()
        shape = (CHANNELS, CHANNELS, MODES, 2)
        self.weights = nn.ParameterList([nn.Parameter(torch.rand(shape) / CHANNELS**2) for _ in range(2)])

    def forward(self, x):
        n = x.shape[-1]
        total = 0
        for axis, letters in enumerate(("bikj,iok->bokj", "bijk,iok->bojk")):
            z = torch.fft.rfft(x, dim=2 + axis).narrow(2 + axis, 0, MODES)
            mixed = torch.einsum(letters, z, torch.view_as_complex(self.weights[axis]))
            total = total + torch.fft.irfft(mixed, n=n, dim=2 + axis)
        return total


def channels_of(name):
    """Of the input and of the output."""
    return 3 if "_first" in name else CHANNELS, 3 if "_head" in name else CHANNELS


def layer_of(name):
    kind, *rest = name.split("_")
    if kind == "conv":
        edge = {"circular": "circular", "reflecting": "reflect"}.get(rest[0], "zeros")
        stride = 2 if rest[0] == "stride" else 1
        return nn.Conv2d(*channels_of(name), 3, padding=1, padding_mode=edge, stride=stride)
    if kind == "norm":
        return nn.GroupNorm(8, CHANNELS)
    return nn.MaxPool2d(2) if kind == "maxpool" else Factorised()


def from_ours(name, values):
    """Our flat parameters, or their cotangents, in the order and shape of PyTorch's."""
    kind = name.split("_")[0]
    if kind == "conv":
        inputs, outputs = channels_of(name)
        return [values[:-outputs].reshape(3, 3, inputs, outputs).permute(3, 2, 0, 1), values[-outputs:]]
    if kind == "norm":
        return [values[:CHANNELS], values[CHANNELS:]]
    if kind == "factorised":  # ours: (axis, mode, re|im, input, output)
        return list(values.reshape(2, MODES, 2, CHANNELS, CHANNELS).permute(0, 3, 4, 1, 2))
    return []


class Case:
    def __init__(self, name):
        points = int(name.split("_")[-1])
        self.name, self.layer = name, layer_of(name)
        if isinstance(self.layer, nn.Conv2d):
            self.layer = self.layer.to(memory_format=FORMAT)
        self.x = torch.randn(8, channels_of(name)[0], points, points).to(memory_format=FORMAT).requires_grad_()
        with torch.no_grad():
            self.bar = torch.randn_like(self.layer(self.x)).to(memory_format=FORMAT)

    def forward(self):
        with torch.no_grad():
            return self.layer(self.x)

    def both(self):
        self.x.grad = None
        for parameter in self.layer.parameters():
            parameter.grad = None
        y = self.layer(self.x)
        y.backward(self.bar)
        return y

    def check(self, file):
        ours = load_file(file)
        first = lambda field: field.permute(0, 3, 1, 2)  # (sample, channel, grid…)
        with torch.no_grad():
            self.x.copy_(first(ours["x"]))
            self.bar.copy_(first(ours["ybar"]))
            for parameter, value in zip(self.layer.parameters(), from_ours(self.name, ours.get("w"))):
                parameter.copy_(value)
        y = self.both().detach()
        pairs = [(y, first(ours["y"])), (self.x.grad, first(ours["xbar"]))]
        pairs += [(p.grad, v) for p, v in zip(self.layer.parameters(), from_ours(self.name, ours.get("wbar")))]
        return max(float((a - b).norm() / b.norm()) for a, b in pairs)


torch.set_num_threads(1)
cases = {}
print("ready", flush=True)
for line in sys.stdin:
    command, name, *rest = line.split()
    if name not in cases:
        cases[name] = Case(name)
    case = cases[name]
    if command == "check":
        print(case.check(rest[0]), flush=True)
    else:
        print(repeat(float(rest[0]), rest[1], case.both if command == "both" else case.forward), flush=True)
