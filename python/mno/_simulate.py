"""Ensembles of stochastic equations."""

from __future__ import annotations

from typing import Any, Sequence

from . import _core
from ._arrays import numbers, threads_for, whole


def equations() -> list[str]:
    """The equations that can be simulated, as the program ``mno simulate`` calls them.

    Examples
    --------
    >>> import mno
    >>> "burgers" in mno.equations()
    True
    """
    return list(_core.equations())


def simulate(
    name: str,
    *,
    samples: int = 256,
    ensemble: int = 64,
    seed: int = 0,
    first_sample: int = 0,
    times: Sequence[float] = (),
    threads: int = 0,
    **constants: Any,
) -> dict[str, Any]:
    """Draw ensembles of a stochastic equation.

    Parameters
    ----------
    name : str
        One of ``mno.equations()``.
    samples, ensemble : int
        Initial fields, and draws of u_t for each.
    seed : int
        All draws depend on it alone.
    first_sample : int
        Where in the seed's sequence to begin: test data is another piece of it.
    times : increasing numbers, optional
        Query times; every initial field is then there once for each. None: the final time.
    threads : int
        0: all.
    constants
        Of the equation: "time", "sigma", "points" and so on, as ``mno simulate NAME --help`` lists them, with
        _ for -.

    Returns
    -------
    dict
        "u0", "uT", "t", "length" and "bounded", and "fields" where an equation has known ones, such as a force:
        the arguments of ``Operator.fit``.

    Examples
    --------
    >>> import mno
    >>> data = mno.simulate("heat", samples=4, ensemble=3, seed=1, points=16)
    >>> data["u0"].shape, data["uT"].shape, data["t"].shape
    ((4, 1, 16), (4, 3, 1, 16), (4,))
    """
    if not isinstance(name, str):
        raise TypeError(f"mno.simulate: name: expected a text, got {name!r}.")
    queries = [float(t) for t in numbers("times", list(times)).reshape(-1)]
    return _core.simulate(
        name,
        constants,
        whole("samples", samples, 1),
        whole("ensemble", ensemble, 1),
        whole("seed", seed),
        whole("first_sample", first_sample),
        queries,
        threads_for(threads),
    )
