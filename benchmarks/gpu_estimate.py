#!/usr/bin/env python3
"""How long a training step should take on a GPU: an estimate from launches, bytes and arithmetic, not a measurement.

Goes through a step of mno::Trainer with mno::Cuda (Recipe::decoupled(), float) call by call, as include/mno/cuda has
it, and counts for each call what it launches, reads, writes and computes. A call takes as long as the slowest of
three: launching it, moving its bytes between the card's memory and its processors, its arithmetic at the card's peak.
That is a lower bound in what libraries and kernels reach of the peaks, and an upper bound in that nothing is taken to
stay in the card's cache between two calls.

Launches, products and transforms are counted in the code itself by gpu_counts, which the test of this file
(gpu_estimate_test.py) compares; bytes are by hand, from what each kernel reads and writes.
"""

import argparse
import json
import math
from collections import defaultdict
from dataclasses import asdict, dataclass

SHAPES = {"64": 256, "256": 256, "64x64": 32}  # points: batch
WIDTH, MODES, DEPTH, RANK, PROJECTION, CHANNELS = 48, 16, 4, 16, 128, 1
INPUTS, TERMS = CHANNELS + 1, 12  # [u_0, t]; terms of a Recipe, with weight or without
FLOAT, COMPLEX, DOUBLE = 4, 8, 8
THREADS, MOST_BLOCKS, TERMS_PER_THREAD = 256, 65535, 32  # cuda/launch.hpp, cuda/reduce.hpp
CHUNK = 4096  # parameters whose squares make one sum: device/communicator.hpp


@dataclass
class Card:
    name: str
    fp32: float  # FLOP/s
    tf32: float
    bandwidth: float  # bytes/s
    launch: float  # seconds per call; of no data sheet, an assumption


# Peaks as published for the A100 80GB SXM: 19.5 TFLOPS in FP32, 156 in TF32 without sparsity, 2039 GB/s.
CARDS = {"A100": Card("A100 80GB SXM", 19.5e12, 156e12, 2039e9, 4e-6)}


@dataclass
class Call:
    part: str
    name: str
    kind: str  # kernel, product or transform
    bytes: float
    flops: float = 0
    blocks: int = 0

    def seconds(self, card, tf32):
        peak = card.tf32 if tf32 and self.kind == "product" else card.fp32
        return max(card.launch, self.bytes / card.bandwidth, self.flops / peak)


class Device:
    """Collects calls, as mno::Cuda queues them."""

    def __init__(self):
        self.calls, self.part = [], ""

    def for_each(self, name, items, bytes_each):
        blocks = min(-(-items // THREADS), MOST_BLOCKS)
        self.calls.append(Call(self.part, name, "kernel", items * bytes_each, blocks=blocks))

    def multiply(self, name, rows, depth, columns, count=1, number=FLOAT, add=False):
        """count times (rows x depth)(depth x columns); added to what is there, or set."""
        size = count * (rows * depth + depth * columns + (2 if add else 1) * rows * columns)
        each = 2 if number == FLOAT else 8
        self.calls.append(Call(self.part, name, "product", number * size, each * rows * depth * columns * count))

    def transform(self, name, fields, points, half):
        """Real fields to or from half spectra; a further axis is a further pass over the spectra."""
        n = math.prod(points)
        size = fields * (FLOAT * n + COMPLEX * half + 2 * COMPLEX * half * (len(points) - 1))
        self.calls.append(Call(self.part, name, "transform", size, fields * 2.5 * n * math.log2(n)))

    def reduce(self, name, segments, n, bytes_each, number):
        """Sums of n terms in every segment, 32 to a thread, until one number per segment is left."""
        parts = -(-n // TERMS_PER_THREAD)
        self.for_each(name, segments * parts, (bytes_each * n / parts) + number)
        if parts > 1:
            self.reduce(name, segments, parts, number, number)


class Step:
    """A batch through the model and back; every method is the function of that name in include/mno/cuda."""

    def __init__(self, points, batch):
        self.device = Device()
        self.points, self.batch, self.n = points, batch, math.prod(points)
        self.rows = batch * self.n
        self.half = math.prod(points[:-1]) * (points[-1] // 2 + 1)
        last = min(MODES - 1, points[-1] // 2) + 1
        self.modes = last * math.prod(2 * min(MODES - 1, p // 2) + 1 for p in points[:-1])
        stored = MODES * (2 * MODES - 1) ** (len(points) - 1)
        layer = 2 * stored * WIDTH * WIDTH + WIDTH * WIDTH + WIDTH
        head = lambda outputs: (WIDTH + 1) * PROJECTION + (PROJECTION + 1) * outputs
        self.heads = (CHANNELS, RANK * CHANNELS)
        self.outputs = sum(self.heads)
        self.parameters = (INPUTS + 1) * WIDTH + DEPTH * layer + sum(head(o) for o in self.heads) + 1

    # --- cuda/transform.hpp, cuda/spectral.hpp

    def project(self):
        fields = self.batch * WIDTH
        self.device.for_each("Apart", fields * self.n, 2 * FLOAT)
        self.device.transform("cuFFT", fields, self.points, self.half)
        self.device.for_each("Truncate", self.modes * fields, 2 * COMPLEX)

    def expand(self, add):
        fields = self.batch * WIDTH
        self.device.for_each("Pad", fields * self.half, COMPLEX * (1 + self.modes / self.half))
        self.device.transform("cuFFT", fields, self.points, self.half)
        self.device.for_each("Together", fields * self.n, (3 if add else 2) * FLOAT)

    def spectral(self):
        self.device.for_each("Interleave", self.modes * WIDTH * WIDTH, 2 * COMPLEX)
        self.project()
        self.device.multiply("mixing", self.batch, WIDTH, WIDTH, self.modes, COMPLEX)
        self.expand(add=False)

    def spectral_adjoint(self):
        self.project()
        self.device.multiply("mixing, weights", WIDTH, self.batch, WIDTH, self.modes, COMPLEX)
        self.device.for_each("Separate", self.modes * WIDTH * WIDTH, 3 * COMPLEX)
        self.device.multiply("mixing, input", self.batch, WIDTH, WIDTH, self.modes, COMPLEX)
        self.expand(add=True)

    # --- cuda/elementwise.hpp, cuda/pointwise.hpp, cuda/fourier.hpp

    def column_sums(self, channels):
        self.device.reduce("column sums", channels, self.rows, FLOAT, FLOAT)
        self.device.for_each("AddTo", channels, 3 * FLOAT)

    def product_adjoint(self, inputs, outputs, input_bar=True, add=False):
        self.device.multiply("weights", outputs, self.rows, inputs, add=True)
        if input_bar:
            self.device.multiply("input", self.rows, outputs, inputs, add=add)

    def lift(self):
        self.device.for_each("PutRows", self.rows * WIDTH, FLOAT)
        self.device.multiply("product", self.rows, INPUTS, WIDTH, add=True)

    def lift_adjoint(self):
        self.product_adjoint(INPUTS, WIDTH, input_bar=False)
        self.column_sums(WIDTH)

    def layer(self, recording):
        self.spectral()
        self.device.multiply("product", self.rows, WIDTH, WIDTH, add=True)
        self.device.for_each("Finish", self.rows * WIDTH, (3 if recording else 2) * FLOAT)

    def layer_adjoint(self):
        self.device.for_each("ActivateAdjoint", self.rows * WIDTH, 3 * FLOAT)
        self.product_adjoint(WIDTH, WIDTH)
        self.column_sums(WIDTH)
        self.spectral_adjoint()

    def head(self, outputs, recording):
        self.device.multiply("first product", self.rows, WIDTH, PROJECTION)
        self.device.for_each("Finish", self.rows * PROJECTION, (3 if recording else 2) * FLOAT)
        self.device.for_each("PutRows", self.rows * outputs, FLOAT)
        self.device.multiply("second product", self.rows, PROJECTION, outputs, add=True)

    def head_adjoint(self, outputs, add):
        self.product_adjoint(PROJECTION, outputs)
        self.column_sums(outputs)
        self.device.for_each("ActivateAdjoint", self.rows * PROJECTION, 3 * FLOAT)
        self.product_adjoint(WIDTH, PROJECTION, add=add)
        self.column_sums(PROJECTION)

    # --- cuda/nodes.hpp, model/gradient.hpp

    def forward(self, recording):
        self.device.part = "lift"
        self.device.for_each("Assemble", self.rows * INPUTS, 2 * FLOAT)
        self.lift()
        self.device.part = "layers"
        for _ in range(DEPTH):
            self.layer(recording)
        self.device.part = "heads"
        for outputs in self.heads:
            self.head(outputs, recording)
        self.device.part = "gate and law"
        self.device.for_each("GateValues", self.batch, 2 * FLOAT)
        self.device.for_each("ScaleSamples", self.rows * self.outputs, 2 * FLOAT)
        self.device.for_each("MeanInto", self.rows * CHANNELS, 3 * FLOAT)
        self.device.for_each("Transfer", self.rows * RANK * CHANNELS, 2 * FLOAT)

    def adjoint(self):
        self.device.part = "gate and law"
        self.device.for_each("SetTo", self.rows * self.outputs, FLOAT)
        self.device.for_each("Transfer", self.rows * RANK * CHANNELS, 2 * FLOAT)
        self.device.for_each("ScaleSamples", self.rows * self.outputs, 2 * FLOAT)
        self.device.reduce("InnerProduct", self.batch, self.n * self.outputs, 2 * FLOAT, FLOAT)
        self.device.for_each("GateAdjoint", self.batch, 3 * FLOAT)
        self.device.reduce("ColumnTerm", 1, self.batch, FLOAT, FLOAT)
        self.device.for_each("AddTo", 1, 3 * FLOAT)
        self.device.part = "heads"
        for i, outputs in enumerate(self.heads):
            self.head_adjoint(outputs, add=i > 0)
        self.device.part = "layers"
        for _ in range(DEPTH):
            self.layer_adjoint()
        self.device.part = "lift"
        self.lift_adjoint()

    # --- cuda/loss.hpp

    def loss(self):
        entries = self.rows * CHANNELS
        device, each = self.device, self.n * CHANNELS
        device.part = "loss"
        device.for_each("BeginVariance", entries, (RANK + 2) * FLOAT)
        device.for_each("Fill", TERMS * self.batch, DOUBLE)
        for term in ("decoupled_nll", "variance_consistency", "mean_error", "mean_squared_error", "regularisation"):
            relative = term in ("variance_consistency", "mean_error")
            reads = 2 if relative else 4
            number = 2 * DOUBLE if relative else DOUBLE
            device.reduce(term, self.batch, each, reads * FLOAT, number)
            device.for_each(f"{term}, value", self.batch, number + DOUBLE + (DOUBLE if relative else 0))
            device.for_each(f"{term}, cotangent", entries, (reads + (2 if relative else 4)) * FLOAT)
        device.for_each("EndVariance", entries, (3 * RANK + 1) * FLOAT)
        device.reduce("values", TERMS, self.batch, DOUBLE, DOUBLE)

    # --- cuda/train.hpp and what gpu_benchmark calls forward

    def train(self):
        self.device.part = "optimiser"
        self.device.for_each("Fill", self.parameters, FLOAT)
        self.forward(recording=True)
        self.loss()
        self.adjoint()
        self.device.part = "optimiser"
        self.device.reduce("norm", -(-self.parameters // CHUNK), CHUNK, FLOAT, DOUBLE)
        self.device.for_each("AdamW", self.parameters, 7 * FLOAT)
        return self.device.calls

    def predict(self):
        self.forward(recording=False)
        self.device.for_each("VarianceInto", self.rows * CHANNELS, (RANK + 1) * FLOAT)
        return self.device.calls


def calls_of(shape, batch, task):
    step = Step([int(p) for p in shape.split("x")], batch)
    return step.train() if task == "train" else step.predict()


def total(calls):
    of = lambda kind: [c for c in calls if c.kind == kind]
    return {
        "launches": len(of("kernel")), "blocks": sum(c.blocks for c in calls),
        "products": len(of("product")), "product_flops": sum(c.flops for c in of("product")),
        "transforms": len(of("transform")), "transform_flops": sum(c.flops for c in of("transform")),
        "calls": len(calls), "bytes": sum(c.bytes for c in calls), "flops": sum(c.flops for c in calls),
    }  # fmt: skip


def estimate(calls, card):
    """Seconds if one thing alone took time, and the estimate; what binds is the largest of the first four."""
    t = total(calls)
    other = t["flops"] - t["product_flops"]
    alone = {
        "launches": t["calls"] * card.launch,
        "bytes": t["bytes"] / card.bandwidth,
        "flops": t["flops"] / card.fp32,
        "flops_tf32": t["product_flops"] / card.tf32 + other / card.fp32,
    }
    return alone | {
        "float": sum(c.seconds(card, False) for c in calls), "tf32": sum(c.seconds(card, True) for c in calls),
        "binds": max(("launches", "bytes", "flops"), key=lambda k: alone[k]),
    }  # fmt: skip


def by_part(calls, card):
    parts = defaultdict(list)
    for call in calls:
        parts[call.part].append(call)
    return {part: total(some) | {"ms": 1e3 * estimate(some, card)["float"]} for part, some in parts.items()}


def table(card):
    lines = [f"Estimated, not measured, for an {card.name}; {card.launch * 1e6:g} µs per call are assumed.", ""]
    lines += ["| | calls | launching them, ms | GB | moving them, ms | GFLOP | ms | ms with TF32 | binds | estimate, ms | with TF32 |"]
    lines += ["|---" * 11 + "|"]
    details = []
    for task, label in {"train": "training step", "forward": "forward"}.items():
        for shape, batch in SHAPES.items():
            calls = calls_of(shape, batch, task)
            t, e = total(calls), estimate(calls, card)
            ms = lambda key: f"{1e3 * e[key]:.3g}"
            lines.append(
                f"| {shape.replace('x', '×')} points, batch {batch}: {label} | {t['calls']} | {ms('launches')} "
                f"| {t['bytes'] / 1e9:.3g} | {ms('bytes')} | {t['flops'] / 1e9:.3g} | {ms('flops')} | {ms('flops_tf32')} "
                f"| {e['binds']} | **{ms('float')}** | {ms('tf32')} |"
            )  # fmt: skip
            if task == "train":
                details.append((shape, batch, by_part(calls, card)))
    lines += ["", "Training step by part: calls, GB, GFLOP, estimated ms.", ""]
    parts = list(details[0][2])
    lines += ["| | " + " | ".join(parts) + " |", "|---" * (len(parts) + 1) + "|"]
    for shape, batch, some in details:
        cell = lambda p: f"{p['calls']}, {p['bytes'] / 1e9:.2g}, {p['flops'] / 1e9:.2g}, {p['ms']:.2g}"
        cells = [cell(some[part]) for part in parts]
        lines.append(f"| {shape.replace('x', '×')}, batch {batch} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--card", choices=list(CARDS), default="A100")
    parser.add_argument("--launch", type=float, help="microseconds per call, instead of the card's")
    parser.add_argument("--calls", choices=list(SHAPES), help="every call of a training step of this shape as JSON")
    options = parser.parse_args()
    card = CARDS[options.card]
    if options.launch is not None:
        card.launch = 1e-6 * options.launch
    if options.calls:
        for call in calls_of(options.calls, SHAPES[options.calls], "train"):
            print(json.dumps(asdict(call) | {"microseconds": 1e6 * call.seconds(card, False)}))
    else:
        print(table(card))


if __name__ == "__main__":
    main()
