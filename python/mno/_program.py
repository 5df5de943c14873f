"""The benchmarks and pages of the program ``mno``, where it is installed: run from Python, with their rows as data."""

from __future__ import annotations

import json
import os
from typing import Any, Iterable, Union

PathLike = Union[str, "os.PathLike[str]"]


def experiment(
    name: str, folder: PathLike, *, full: bool = False, program: PathLike | None = None, progress: bool = True, **options: Any
) -> list[dict[str, Any]]:
    """Run a benchmark of the program ``mno`` from nothing to a page: data, operators, rivals, floors.

    Parameters
    ----------
    name : str
        As ``mno experiment --help`` lists them: "burgers", "phi4", "risk" and so on.
    folder : path
        For report.html, results.json and run.json. Given again, it goes on where it was interrupted.
    full : bool
        The whole benchmark, which may take an hour; otherwise a reduced one of minutes.
    program : path, optional
        Of the program. None: what the variable MNO_PROGRAM names, else ``mno`` in PATH.
    progress : bool
        Say what is done, on standard error.
    options
        Those of ``mno experiment NAME --help``, with _ for -: ``pairs=2``, ``rivals=["noise-fno"]``.

    Returns
    -------
    list of dict
        Rows with "method", "metric", "value", "floor" and so on, as results.json has them.

    Ctrl-C stops it, and what is trained stays.
    """
    given = {"full": full, **options, "output": folder}
    _run(program, ["experiment", name], given, progress)
    with open(os.path.join(folder, "results.json"), encoding="utf-8") as file:
        return json.load(file)["rows"]


def report(*folders: PathLike, output: PathLike | None = None, program: PathLike | None = None) -> str:
    """Make the page of a run, or of several side by side.

    Parameters
    ----------
    folders : paths
        Where ``experiment`` or ``mno evaluate -o`` left run.json.
    output : path, optional
        The page to write. None: report.html in the folder, or here if there are several.
    program : path, optional
        As for ``experiment``.

    Returns
    -------
    str
        The page, which any browser opens.
    """
    if not folders:
        raise ValueError("mno.report: expected at least one folder with a run.json.")
    page = os.fspath(output) if output is not None else os.path.join(folders[0] if len(folders) == 1 else "", "report.html")
    _run(program, ["report", *map(os.fspath, folders)], {"output": page}, False)
    return page


def _found(program: PathLike | None) -> str:
    import shutil

    wanted = os.fspath(program) if program is not None else os.environ.get("MNO_PROGRAM") or "mno"
    found = shutil.which(wanted)
    if found is None:
        raise FileNotFoundError(
            f"mno: the program {wanted!r} is not there. It is no part of the Python package: build it by ./quickstart or install "
            "its Debian package, and put it into PATH or name it by program= or the variable MNO_PROGRAM."
        )
    return found


def _flags(options: dict[str, Any]) -> Iterable[str]:
    for name, value in options.items():
        if value is None or value is False:
            continue
        yield "--" + name.replace("_", "-")
        if value is not True:
            yield from map(str, value if isinstance(value, (list, tuple)) else [value])


def _run(program: PathLike | None, words: list[str], options: dict[str, Any], progress: bool) -> None:
    """Runs it to its end. What it says on standard error passes by, and its end becomes the sentence of an exception."""
    import signal
    import subprocess
    import sys

    command = [_found(program), *words, *_flags(options)]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
    assert child.stderr is not None
    said = b""
    try:
        while piece := os.read(child.stderr.fileno(), 4096):
            said = (said + piece)[-8192:]
            if progress:
                sys.stderr.write(piece.decode("utf-8", "replace"))
                sys.stderr.flush()
        child.wait()
    except BaseException:  # Ctrl-C: it writes down what it has, and ends
        os.killpg(child.pid, signal.SIGINT)
        child.wait()
        raise
    finally:
        child.stderr.close()
    sentence = "\n".join(said.decode("utf-8", "replace").replace("\r", "\n").strip().splitlines()[-4:])
    if child.returncode == 2:
        raise ValueError(sentence)
    if child.returncode == 3:
        raise KeyboardInterrupt
    if child.returncode != 0:
        raise RuntimeError(sentence or f"mno: the program ended with {child.returncode}.")
