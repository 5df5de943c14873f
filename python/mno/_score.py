"""Scores of laws against draws."""

from __future__ import annotations

from typing import Any, Iterable, NamedTuple

import numpy as np

from ._arrays import floats, whole
from ._law import Law


class Score(NamedTuple):
    """A score and what a model that knows the law would get."""

    value: float
    floor: float | None
    """None: the draws are too few to tell, or the score has none"""


def score(law: Law, draws: Any, *, metrics: Iterable[str] = (), seed: int = 0) -> dict[str, Score]:
    """Every score of a law against draws of the truth, in the units of the data.

    Parameters
    ----------
    law : Law
    draws : array, batch_shape + (member,) + event_shape, or batch_shape + event_shape of one draw each
    metrics : names, optional
        None: those that suit the draws.
    seed : int
        Of the draws from the law that some scores need.

    Returns
    -------
    dict
        By name, "coverage 0.9" with the level; a score's floor is what draws of the law itself would get.

    Examples
    --------
    >>> import numpy as np, mno
    >>> law = mno.Law(np.zeros((2, 1, 8)), np.ones((2, 1, 1, 8)))
    >>> scores = mno.score(law, law.sample(64, seed=1))
    >>> bool(scores["mean_rmse"].value < 0.5)
    True
    """
    given = floats("draws", draws)
    batch, event = law.batch_shape, law.event_shape
    if given.shape == batch + event:
        given = np.expand_dims(given, len(batch))
    if given.ndim != len(batch) + 1 + len(event) or given.shape[: len(batch)] != batch:
        raise ValueError(
            f"mno.score: draws: expected {batch} laws, an axis of members and {event}, got shape {given.shape}."
        )
    if given.shape[len(batch) + 1 :] != event:
        raise ValueError(f"mno.score: draws: expected fields {event}, got {given.shape[len(batch) + 1 :]}.")
    inside = law._law
    members = given.shape[len(batch)]
    rows = np.ascontiguousarray(given).reshape(-1, inside.channels, *inside.points)
    scores = {}
    for name, value, floor, level in inside.scores(rows, members, list(metrics), whole("seed", seed)):
        scores[name if level is None else f"{name} {level:g}"] = Score(value, floor)
    return scores
