"""Pictures of laws, by Matplotlib where it is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

from ._arrays import floats, whole

if TYPE_CHECKING:
    from ._law import Law


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError as error:
        raise ImportError(
            "mno.Law.plot: pictures are drawn by Matplotlib, which is not there: pip install matplotlib"
        ) from error
    return matplotlib.pyplot


def plot(law: Law, sample: int, level: float | None, draws: int, truth: Any, seed: int, axes: Any) -> Any:
    """The figure of one sample of a law."""
    sample, draws = whole("sample", sample), whole("draws", draws)
    if sample >= law._law.batch:
        raise ValueError(f"mno.Law.plot: sample: expected less than {law._law.batch}, got {sample}.")
    dimension = law._law.dimension
    if dimension == 3:
        raise ValueError(
            "mno.Law.plot: there is no picture of a law in three dimensions: plot a slice of mean or stddev."
        )
    one = law if law._single else law[sample]
    seen = None if truth is None else _truth(one, truth)
    where = [length * np.arange(n) / n for length, n in zip(law._law.length, law._law.points)]
    if dimension == 1:
        return _line(one, where[0], level, draws, seen, seed, axes)
    if axes is not None:
        raise ValueError("mno.Law.plot: axes: expected None for fields on a plane, which get a figure of their own.")
    return _plane(one, where, draws, seen, seed)


def _channels(law: Law, values: np.ndarray) -> np.ndarray:
    """(..., x...) with the axis of channels, if it is missing."""
    return np.expand_dims(values, -1 - law._law.dimension) if law._plain else values


def _truth(law: Law, truth: Any) -> np.ndarray:
    """(member, channel, x...)"""
    seen = floats("truth", truth)
    if seen.shape == law.event_shape:
        seen = seen[None]
    if seen.shape[1:] != law.event_shape:
        raise ValueError(
            f"mno.Law.plot: truth: expected one field {law.event_shape}, or several of these, got {seen.shape}."
        )
    return _channels(law, seen)


def _line(
    law: Law, x: np.ndarray, level: float | None, draws: int, truth: np.ndarray | None, seed: int, axes: Any
) -> Any:
    count = law._law.channels
    if axes is None:
        _, panels = _pyplot().subplots(
            count, 1, sharex=True, squeeze=False, layout="constrained", figsize=(6.4, 2.4 + 1.8 * count)
        )
        panels = panels[:, 0]
    else:
        panels = np.atleast_1d(np.asarray(axes, dtype=object))
        if panels.shape != (count,):
            raise ValueError(f"mno.Law.plot: axes: expected one for each of {count} channel(s), got {panels.size}.")
    mean = _channels(law, law.mean)
    band = None if level is None else [_channels(law, end) for end in law.interval(level)]
    drawn = _channels(law, law.sample(draws, seed)) if draws else None
    for c, panel in enumerate(panels):
        if band is not None:
            panel.fill_between(x, band[0][c], band[1][c], alpha=0.25, linewidth=0, label=f"{100 * level:g} % of u")  # type: ignore[operator]
        for i in range(draws):
            panel.plot(x, drawn[i, c], linewidth=0.8, alpha=0.7, color="C0", label="draws" if i == 0 else None)  # type: ignore[index]
        panel.plot(x, mean[c], color="C1", label="mean")
        for i, field in enumerate(() if truth is None else truth):
            panel.plot(x, field[c], color="black", linewidth=0.8, linestyle=":", label="truth" if i == 0 else None)
        panel.set_ylabel("u" if count == 1 else f"u, channel {c}")
    panels[0].legend(loc="best", fontsize="small")
    panels[-1].set_xlabel("x")
    return panels[0].figure


def _plane(law: Law, where: Sequence[np.ndarray], draws: int, truth: np.ndarray | None, seed: int) -> Any:
    count = law._law.channels
    pictures = [("mean", _channels(law, law.mean))]
    if draws:
        pictures += [(f"draw {i + 1}", field) for i, field in enumerate(_channels(law, law.sample(draws, seed)))]
    if truth is not None:
        pictures += [("truth" if len(truth) == 1 else f"truth {i + 1}", field) for i, field in enumerate(truth)]
    deviation = _channels(law, law.stddev)
    columns = len(pictures) + 1
    figure, panels = _pyplot().subplots(
        count,
        columns,
        squeeze=False,
        sharex=True,
        sharey=True,
        layout="constrained",
        figsize=(0.8 + 2.1 * columns, 0.6 + 2.1 * count),
    )
    steps = [x[1] - x[0] if len(x) > 1 else 1.0 for x in where]
    # The first axis of a field goes right, the second up.
    extent = (-steps[0] / 2, where[0][-1] + steps[0] / 2, -steps[1] / 2, where[1][-1] + steps[1] / 2)
    for c in range(count):
        low = min(float(field[c].min()) for _, field in pictures)
        high = max(float(field[c].max()) for _, field in pictures)
        look = {"origin": "lower", "extent": extent, "aspect": "equal", "interpolation": "nearest"}
        for panel, (name, field) in zip(panels[c], pictures):
            image = panel.imshow(field[c].T, vmin=low, vmax=high, cmap="viridis", **look)
            if c == 0:
                panel.set_title(name, fontsize="medium")
        figure.colorbar(image, ax=list(panels[c, :-1]), label="u" if count == 1 else f"u, channel {c}")
        spread = panels[c, -1].imshow(deviation[c].T, vmin=0, cmap="magma", **look)
        figure.colorbar(spread, ax=panels[c, -1])
        if c == 0:
            panels[c, -1].set_title("standard deviation", fontsize="medium")
        panels[c, 0].set_ylabel("y")
    for panel in panels[-1]:
        panel.set_xlabel("x")
    return figure
