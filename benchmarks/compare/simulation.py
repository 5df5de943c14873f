"""How the side of a Python library simulates, whatever the equation is.

A back end has run(initial, steps, noisy), initial being (member, point…), array(), repeat() and the number of members that
advance together, batch.
"""

import random
import sys

import numpy
from safetensors.numpy import load_file

from tools import repeat


class Worker:
    def __init__(self, back_end, draw, stride, samples, members, steps):
        self.back_end, self.stride = back_end, stride
        self.samples, self.members, self.steps = samples, members, steps
        numbers = random.Random(1)
        self.initial = back_end.array([draw(numbers) for _ in range(samples)])

    def simulate(self):
        everyone, batch = self.back_end.repeat(self.initial, self.members), self.back_end.batch
        return [self.back_end.run(everyone[i : i + batch], self.steps, True)[..., :: self.stride]
                for i in range(0, len(everyone), batch)]  # fmt: skip

    def check(self, path):
        """Relative difference of u_T without noise, and the ratio of mean variances with it, to our file's."""
        ours = load_file(path)
        initial = self.back_end.array(ours["initial"].tolist())
        quiet = numpy.asarray(self.back_end.run(initial, self.steps, False))
        difference = numpy.linalg.norm(quiet - ours["quiet"]) / numpy.linalg.norm(quiet)
        noisy = numpy.asarray(self.back_end.run(self.back_end.repeat(initial, self.members), self.steps, True))
        variance = noisy.reshape(self.samples, self.members, *quiet.shape[1:]).var(1, ddof=1)
        return f"{difference:.3e} {variance.mean() / ours['variance'].mean():.4f}"

    def answer(self, command, argument, clock="wall"):
        return self.check(argument) if command == "check" else repeat(float(argument), clock, self.simulate)


def main(numpy_side, torch_side, draw, stride=1):
    """stride: of the points of the last axis every so-many-th is kept."""
    library, threads, *sizes = sys.argv[1], *(int(word) for word in sys.argv[2:])
    worker = Worker((numpy_side if library == "numpy" else torch_side)(threads), draw, stride, *sizes)
    print("ready", flush=True)
    for line in sys.stdin:
        print(worker.answer(*line.split()), flush=True)
