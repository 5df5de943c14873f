"""Arrays as they are given, brought into the one form that the library reads."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

# After a fork the threads of OpenMP are gone, and who waits for them waits for ever: a child works with one thread, which
# gives the same bits.
_forked = False


def _note_fork() -> None:
    global _forked
    _forked = True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_note_fork)


def numbers(name: str, given: Any) -> np.ndarray:
    """A row-major array of floats in the machine's byte order; no copy if it is one already.

    Takes what NumPy takes, and anything with ``__dlpack__`` on the CPU.
    """
    if not isinstance(given, np.ndarray) and hasattr(given, "__dlpack__") and not hasattr(given, "__array__"):
        given = np.from_dlpack(given)
    if getattr(given, "requires_grad", False):
        raise TypeError(
            f"mno: {name}: this tensor carries gradients, which end here: ask mno.torch.predict, or give {name}.detach()."
        )
    try:
        array = np.asarray(given)
    except (TypeError, ValueError, RuntimeError) as error:
        raise TypeError(f"mno: {name}: expected an array of numbers, got {_what(given)}: {error}") from error
    if isinstance(given, np.ma.MaskedArray) and np.ma.is_masked(given):
        raise ValueError(f"mno: {name}: expected an array without masked entries: fill them first.")
    if array.dtype.kind not in "fiub":
        raise TypeError(f"mno: {name}: expected an array of real numbers, got one of type {array.dtype}.")
    short = array.dtype.kind == "f" and array.dtype.itemsize <= 4
    return np.require(array, dtype=np.float32 if short else np.float64, requirements="C").reshape(array.shape)


def floats(name: str, given: Any) -> np.ndarray:
    """The same in single precision, which the operators work in."""
    if type(given) is np.ndarray and given.dtype == np.float32 and given.flags.c_contiguous:
        return given  # what is asked most often, in a fraction of a microsecond
    array = numbers(name, given)
    if array.dtype == np.float32:
        return array
    with np.errstate(over="ignore"):
        single = array.astype(np.float32)
    if not np.array_equal(np.isfinite(array), np.isfinite(single)):
        raise ValueError(f"mno: {name}: expected values that single precision can hold, got some beyond 3.4e38.")
    return single


def times(given: Any) -> np.ndarray:
    """Times as a row of floats."""
    if type(given) in (int, float) and 0 <= given <= 3e38:  # what is asked most often, in microseconds
        return np.array([given], dtype=np.float32)
    t = np.atleast_1d(floats("t", given))
    if t.ndim != 1 or t.size == 0:
        raise ValueError(f"mno: t: expected one time or a row of times, got an array of shape {t.shape}.")
    if not np.all(np.isfinite(t)) or np.any(t < 0):
        raise ValueError("mno: t: expected finite times that are not negative.")
    return t


def whole(name: str, given: Any, least: int = 0) -> int:
    """A whole number."""
    if isinstance(given, (bool, np.bool_)) or not isinstance(given, (int, np.integer)):
        raise TypeError(f"mno: {name}: expected a whole number, got {_what(given)}.")
    if not least <= given < 2**63:
        raise ValueError(f"mno: {name}: expected a whole number from {least} up, got {given}.")
    return int(given)


def real(name: str, given: Any) -> float:
    """A finite number."""
    if isinstance(given, (str, bytes)) or np.ndim(given) != 0:
        raise TypeError(f"mno: {name}: expected a number, got {_what(given)}.")
    try:
        value = float(given)
    except (TypeError, ValueError) as error:
        raise TypeError(f"mno: {name}: expected a number, got {_what(given)}.") from error
    if not np.isfinite(value):
        raise ValueError(f"mno: {name}: expected a finite number, got {value}.")
    return value


def threads_for(asked: Any) -> int:
    """As many threads as asked for; 0: as this process may use."""
    count = whole("threads", asked)
    if _forked:
        return 1
    if count > 0:
        return count
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _what(given: Any) -> str:
    text = repr(given)
    return text if len(text) <= 60 else f"an object of type {type(given).__name__}"
