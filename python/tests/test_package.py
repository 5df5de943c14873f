"""The package as it is installed: what it brings, what it needs, and that its documentation runs."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mno
import mno._arrays
import mno._law
import mno._operator
import mno._score
import mno._simulate

HERE = Path(mno.__file__).parent
ROOT = Path(__file__).resolve().parents[2]


def run(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )


def test_the_package_is_the_installed_one():
    assert ROOT / "python" not in HERE.parents  # else the tests would say nothing about what pip installs


def test_importing_is_quick_and_brings_numpy_alone():
    code = (
        "import numpy, sys, time; there = set(sys.modules); before = time.process_time(); import mno;"
        "print(time.process_time() - before);"
        "rest = ('scipy', 'sklearn', 'torch', 'jax', 'xarray', 'matplotlib', 'pandas', 'tempfile', 'pathlib');"
        "print([name for name in rest if name in set(sys.modules) - there])"
    )
    seconds = []
    for _ in range(3):
        took, brought = run(code).stdout.split("\n")[:2]
        assert brought == "[]"
        seconds.append(float(took))
    assert min(seconds) < 0.2


def test_headers_are_inside_and_libraries_are_not():
    assert (HERE / "include/mno/train/fit.hpp").is_file() and (HERE / "include/eigen3/Eigen/Core").is_file()
    assert (HERE / "py.typed").is_file()
    brought = {path.name for path in HERE.rglob("*.so*")}
    assert len(brought) == 1 and next(iter(brought)).startswith("_core.")
    if sys.version_info >= (3, 12):
        assert brought == {"_core.abi3.so"}
    assert not [path for path in HERE.rglob("*") if "fftw3" in path.name]
    assert re.fullmatch(r"\d+\.\d+\.\d+", mno.__version__)


def test_operators_use_the_one_openmp_of_the_system_and_no_fftw(operator, data):
    operator.predict(data[0], 1.0)
    libraries = {line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if ".so" in line}
    assert not [path for path in libraries if "fftw" in path]
    ours = {path for path in libraries if re.search(r"/lib(gomp|omp|iomp5)\.so", path)}
    assert len(ours) <= 1 and not any(str(HERE) in path for path in ours)


def test_without_a_compiler_a_sentence_says_what_to_install(tmp_path):
    code = (
        "import numpy as np, mno\n"
        "mno.Operator(rank=3, width=6, modes=3, depth=1).fit(np.zeros((4, 8)), np.random.rand(4, 3, 8), 1.0)\n"
    )
    answer = run(code, MNO_CXX=str(tmp_path / "no-compiler"), MNO_CACHE_DIR=str(tmp_path / "cache"))
    assert answer.returncode == 1 and "RuntimeError: mno: there is no operator with" in answer.stderr
    assert "no-compiler" in answer.stderr and "MNO_CXX" in answer.stderr


@pytest.mark.parametrize("module", [mno, mno._law, mno._operator, mno._score, mno._simulate])
def test_examples_of_the_docstrings_run(module):
    failed, tried = doctest.testmod(module)
    assert failed == 0 and tried > 0


def test_everything_public_has_a_docstring():
    for name in mno.__all__:
        one = getattr(mno, name)
        assert one.__doc__, name
        if isinstance(one, type):
            for member, value in vars(one).items():
                if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                    assert value.__doc__, f"{name}.{member}"


def test_the_page_of_the_documentation_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs/python.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 4
    names = {}
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), names)
    assert isinstance(names["law"], mno.Law) and np.isfinite(names["law"].mean).all()
    first = blocks[0].strip().splitlines()
    assert len([line for line in first if line.strip()]) <= 10  # ten lines to a law
