"""What the comparisons share: an environment with PyTorch, our workers, processes that take turns, and numbers."""

import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = ROOT / "build"
RESULTS = BUILD / "comparison"
TORCH = "2.9.1"
OURS = "mno"
ASIDE = 0.02  # seconds between two sides, for threads of the last to fall asleep
# malloc keeps what is freed, instead of giving it back to the kernel and taking it anew, page by page.
TUNED = {
    "MALLOC_MMAP_THRESHOLD_": str(4 << 30),
    "MALLOC_TRIM_THRESHOLD_": str(16 << 30),
    "MALLOC_TOP_PAD_": str(256 << 20),
}


def say(text):
    print(text, flush=True)


def run(command, **options):
    say("  " + " ".join(str(word) for word in command))
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL, **options)


def python_with_torch(folder, cuda=False):
    """The interpreter of an environment of its own with PyTorch, NumPy, SciPy and safetensors; with a PyTorch that can use a
    GPU, if it is asked for."""
    python = folder / "bin/python"
    pip = [folder / "bin/pip", "install", "-q", "--disable-pip-version-check"]
    if not python.exists():
        run([sys.executable, "-m", "venv", folder])
    wanted = f"torch.__version__.startswith('{TORCH}')" + (" and torch.version.cuda" if cuda else "")
    if not has(python, f"import torch; assert {wanted}"):
        say(f"Installing PyTorch {TORCH} into {folder} …")
        if cuda or not small_torch(pip):
            run([*pip, f"torch=={TORCH}"])
    return python_with(folder)


def python_with(folder):
    """The interpreter of an environment with NumPy, SciPy and safetensors."""
    python = folder / "bin/python"
    if not python.exists():
        run([sys.executable, "-m", "venv", folder])
    if not has(python, "import numpy, scipy, safetensors"):
        run([folder / "bin/pip", "install", "-q", "--disable-pip-version-check", "numpy", "scipy", "safetensors"])
    return python


def small_torch(pip):
    """Whether PyTorch could be had without CUDA: a fifth of the size, and the same kernels for processors."""
    index = ["--index-url", "https://download.pytorch.org/whl/cpu", "--retries", "0", "--timeout", "15"]
    try:
        run([*pip, *index, f"torch=={TORCH}"], stderr=subprocess.DEVNULL)
        return True
    except subprocess.CalledProcessError:
        say("  PyTorch's own index does not answer; the build of the default index, which is larger.")
        return False


def has(python, code):
    return python.exists() and subprocess.run([python, "-c", code], capture_output=True).returncode == 0


def with_package(folder, package, imports):
    """Whether the package can be imported beside PyTorch, after an attempt to install it."""
    python = folder / "bin/python"
    if not has(python, imports):
        pip = [folder / "bin/pip", "install", "-q", "--disable-pip-version-check"]
        try:
            run([*pip, package, f"torch=={TORCH}"])
        except subprocess.CalledProcessError:
            return False
    return has(python, imports)


def build(target, wanted=True, preset="benchmark"):
    """Our side's program, built first unless what is there is to be used."""
    program = BUILD / preset / "bin" / target
    if wanted:
        say("Building our side …")
        run(["cmake", "--preset", preset], cwd=ROOT)
        run(["cmake", "--build", "--preset", preset, "--target", target], cwd=ROOT)
    elif not program.exists():
        raise RuntimeError(f"{program} is not there: run without --no-build.")
    return program


class Side:
    """A process that waits for commands and answers each with one line."""

    def __init__(self, name, command, threads, environment):
        self.name, self.log = name, RESULTS / f"{name}.log"
        environment = dict(os.environ, OMP_NUM_THREADS=str(threads), MKL_NUM_THREADS=str(threads), **environment)
        self.process = subprocess.Popen(
            [str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self.log.open("w"), text=True, env=environment,
        )  # fmt: skip
        if self._answer() != "ready":
            raise RuntimeError(f"{name} did not start; see {self.log}")

    def _answer(self):
        return self.process.stdout.readline().strip()

    def ask(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        line = self._answer()
        if not line:
            raise RuntimeError(f"{self.name} stopped at '{command}'; see {self.log}")
        return line

    def numbers(self, command):
        return [float(word) for word in self.ask(command).split()]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def check_equal(sides, largest):
    """Loss, gradients, mean and variance of all sides, and the loss after three steps of AdamW: no relative difference
    to ours may be larger."""
    file = RESULTS / "mno.safetensors"
    sides[OURS].ask(f"check {file}")
    losses = sides[OURS].numbers("steps 3")
    report = {}
    for name, side in sides.items():
        if name == OURS:
            continue
        worst, where = side.ask(f"check {file}").split()
        after = max(abs(a - b) / abs(a) for a, b in zip(losses, side.numbers("steps 3")))
        say(f"  {name}: largest relative difference {worst} ({where}); losses over 3 steps {after:.1e}")
        if not max(float(worst), after) <= largest:
            raise RuntimeError(f"{name} does not compute what mno computes.")
        report[name] = {"largest_relative_difference": float(worst), "tensor": where, "losses": after}
    return report


def take_turns(sides, command, rounds):
    """Milliseconds of every side by turns, the sides one after the other; one turn before the first is not counted."""
    times = {name: [] for name in sides}
    for side in sides.values():  # caches, pools, torch.compile
        side.numbers(command)
    for _ in range(rounds):
        for name, side in sides.items():
            time.sleep(ASIDE)
            times[name].append(side.numbers(command))
    return times


def status(key):
    """A line of this process's status: VmHWM or VmRSS, in KiB."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(key))


def answer_commands(worker):
    """A worker's life: one line for every line."""
    print("ready", flush=True)
    for line in sys.stdin:
        print(worker.answer(*line.split()), flush=True)


def repeat(seconds, clock, call):
    """A worker's answer: milliseconds of every call, made for so long; of wall or cpu (all threads') time."""
    now = time.process_time if clock == "cpu" else time.perf_counter
    times, end = [], time.perf_counter() + seconds
    while not times or time.perf_counter() < end:
        start = now()
        call()
        times.append(1e3 * (now() - start))
    return " ".join(f"{t:.6g}" for t in times)


def summary(times):
    """Of {name: milliseconds by turns}: medians, quartiles, and how many times longer than ours, with the quartiles of that
    over the turns."""
    quartiles = lambda values: statistics.quantiles(values, n=4)[::2] if len(values) > 1 else [values[0]] * 2
    result = {}
    for name, turns in times.items():
        values = [ms for turn in turns for ms in turn]
        result[name] = {
            "median_ms": statistics.median(values), "quartiles_ms": quartiles(values), "repetitions": len(values),
        }  # fmt: skip
    for name, entry in result.items():
        entry["ratio"] = entry["median_ms"] / result[OURS]["median_ms"]
        turns = zip(times[name], times[OURS])
        entry["ratio_quartiles"] = quartiles([statistics.median(a) / statistics.median(b) for a, b in turns])
    return result


def machine():
    name = platform.processor()
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            name = line.split(":")[1].strip()
    return {"processor": name, "cores": os.cpu_count(), "date": time.strftime("%Y-%m-%d")}
