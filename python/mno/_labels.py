"""Arrays with named axes and coordinates: xarray's, where it is installed. It is never imported before somebody asks."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._law import Law


def labelled(given: Any) -> bool:
    """Is it a DataArray? Who has one has imported xarray."""
    xarray = sys.modules.get("xarray")
    return xarray is not None and isinstance(given, xarray.DataArray)


def for_fit(u0: Any, uT: Any, length: Any) -> tuple[Any, Any]:
    """Draws with their axes in the order of u0, and the lengths of the box by the coordinates, if nothing is said."""
    if not labelled(u0):
        return uT, length
    if length is None:
        length = _lengths(u0, u0.dims[1:] if u0.ndim == 2 else u0.dims[2:])
    if labelled(uT):
        import xarray  # type: ignore[import-not-found, import-untyped, unused-ignore]

        others = [name for name in uT.dims if name not in u0.dims]
        missing = [name for name in u0.dims[1:] if name not in uT.dims]
        if len(others) > 1 or missing:
            raise ValueError(f"mno: uT: expected the axes {u0.dims} of u0 and at most one of members, got {uT.dims}.")
        first = [
            name for name in u0.dims[:1] if name in uT.dims
        ]  # not there: draws of all samples in a row, with counts
        uT = uT.transpose(*first, *others, *u0.dims[1:])
        try:
            xarray.align(u0, uT, join="exact", copy=False)
        except ValueError as error:
            raise ValueError(f"mno: uT: expected the coordinates of u0: {error}") from error
    return uT, length


def _lengths(u0: Any, axes: tuple[str, ...]) -> Any:
    """N times the step along every axis; None where there are no coordinates in numbers."""
    found: list[float | None] = []
    for name in axes:
        if name not in u0.coords or u0[name].dtype.kind not in "fiu" or u0.sizes[name] < 2:
            found.append(None)
            continue
        steps = np.diff(np.asarray(u0[name], dtype=np.float64))
        if not np.allclose(steps, steps[0], rtol=1e-3, atol=0) or steps[0] == 0:
            raise ValueError(
                f"mno: u0: expected points at equal distances along {name!r}: interpolate, or give length= to take them "
                "as if they were."
            )
        found.append(abs(float(steps.mean())) * u0.sizes[name])
    return None if all(one is None for one in found) else [1.0 if one is None else one for one in found]


def frame_of(u0: Any) -> Any:
    """Names and coordinates without the numbers; None where there are none."""
    if not labelled(u0):
        return None
    return u0.copy(data=np.broadcast_to(np.float32(0), u0.shape))


def frame_for(law: Law) -> Any:
    """Names and coordinates of batch_shape + event_shape: those of the field that was given, or ours."""
    if law._frame is not None:
        return law._frame
    try:
        import xarray
    except ImportError as error:
        raise ImportError("mno.Law.to_xarray: xarray is not there: pip install xarray") from error
    inside = law._law
    names = ("x", "y", "z")[: inside.dimension]
    dims = (() if law._single else ("sample",)) + (() if law._plain else ("channel",)) + names
    coordinates = {name: length * np.arange(n) / n for name, length, n in zip(names, inside.length, inside.points)}
    shape = law.batch_shape + law.event_shape
    return xarray.DataArray(np.broadcast_to(np.float32(0), shape), dims=dims, coords=coordinates)


def dataset(law: Law, level: float | None, draws: int, seed: int) -> Any:
    """A Dataset of mean and standard deviation, and of what is asked for beside."""
    frame = frame_for(law)
    import xarray

    batch = len(law.batch_shape)
    between = {
        axis: (*frame.dims[:batch], axis, *frame.dims[batch:]) for axis in ("rank", "draw") if axis not in frame.dims
    }
    if len(between) < 2:
        raise ValueError(f"mno.Law.to_xarray: expected other names of axes than 'rank' and 'draw', got {frame.dims}.")
    parts = {
        "mean": (frame.dims, law.mean),
        "stddev": (frame.dims, law.stddev),
        "factor": (between["rank"], law.factor),
    }
    if law.nugget is not None:
        parts["nugget"] = (frame.dims, law.nugget)
    if level is not None:
        low, high = law.interval(level)
        parts |= {"lower": (frame.dims, low), "upper": (frame.dims, high)}
    if draws:
        parts["draws"] = (between["draw"], law.sample(draws, seed))
    notes = {"residual": law.residual, "warp": law.warp, **({} if level is None else {"level": level})}
    return xarray.Dataset(parts, coords=frame.coords, attrs=notes)
