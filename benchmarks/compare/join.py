"""Lines of JSON, one for what a side took for a task, joined to tables of ratios.

A line has side, device, shape, batch, precision, task, median_ms, quartiles_ms and repetitions: gpu_benchmark prints
such lines, compare_gpu writes them for all sides.
"""

import json

from tools import OURS

TASKS = {
    "train": "training step", "forward": "forward, on the device", "predict": "law of the batch, host to host",
    "latency": "law of one sample, host to host", "sample": "256 draws of one law, host to host",
}  # fmt: skip
KEYS = ("device", "shape", "batch", "precision", "task")


def read_lines(paths):
    lines = []
    for path in paths:
        for number, text in enumerate(path.read_text().splitlines(), 1):
            try:
                line = json.loads(text)
                missing = {*KEYS, "side", "median_ms"} - set(line)
            except (json.JSONDecodeError, TypeError):
                raise RuntimeError(f"{path}:{number} is no line of JSON.") from None
            if missing:
                raise RuntimeError(f"{path}:{number} does not say {', '.join(sorted(missing))}.")
            if not line["median_ms"] > 0:
                raise RuntimeError(f"{path}:{number} has a median of {line['median_ms']} ms.")
            lines.append(line)
    return lines


def join(lines):
    """{(device, shape, batch, precision, task): {side: {median_ms, ratio}}}, ratios to ours."""
    cases = {}
    for line in lines:
        case = cases.setdefault(tuple(line[key] for key in KEYS), {})
        if line["side"] in case:
            raise RuntimeError(f"{line['side']} has two results for {describe(line)}.")
        case[line["side"]] = {"median_ms": line["median_ms"]}
    for key, case in cases.items():
        if OURS not in case:
            raise RuntimeError(f"There is no result of {OURS} for {describe(dict(zip(KEYS, key)))}.")
        for entry in case.values():
            entry["ratio"] = entry["median_ms"] / case[OURS]["median_ms"]
    return cases


def describe(line):
    return ", ".join(f"{key} {line[key]}" for key in KEYS)


def markdown(lines):
    """A table for every device and precision: medians, and in brackets how many times longer than ours."""
    cases = join(lines)
    sides = list(dict.fromkeys([OURS] + [line["side"] for line in lines]))
    text = []
    for group in dict.fromkeys((key[0], key[3]) for key in cases):
        text += ["", f"## {', '.join(group)}", "", "| | " + " | ".join(sides) + " |", "|---" * (len(sides) + 1) + "|"]
        for (device, shape, batch, precision, task), case in cases.items():
            if (device, precision) == group:
                label = f"{shape.replace('x', '×')} points, batch {batch}: {TASKS.get(task, task)}"
                text.append(f"| {label} | " + " | ".join(cell(side, case) for side in sides) + " |")
    return "\n".join(text).strip() + "\n"


def cell(side, case):
    if side not in case:
        return "–"
    median = f"{case[side]['median_ms']:.3g}"
    return f"**{median}**" if side == OURS else f"{median} ({case[side]['ratio']:.2f}×)"
