"""A prediction as arrays, for packages that differentiate: what ``mno.torch`` and ``mno.jax`` have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from ._operator import Operator


class Prediction(NamedTuple):
    """The parts of a law as arrays of another package; of a warped law in its own coordinates."""

    mean: Any
    """m, batch_shape + event_shape"""
    factor: Any
    """B, batch_shape + (rank,) + event_shape"""
    nugget: Any
    """eta, batch_shape + event_shape; zero where the law has none"""

    def sample(self, xi: Any, zeta: Any = None) -> Any:
        """``m + sum_k B_k xi_k + eta zeta``, with gradients, from draws xi, batch_shape + (rank,), and zeta,
        like the mean; without zeta the nugget is left out."""
        weights = xi.reshape(*xi.shape, *(1,) * (self.factor.ndim - xi.ndim))
        drawn = self.mean + (weights * self.factor).sum(xi.ndim - 1)
        return drawn if zeta is None else drawn + self.nugget * zeta


def predict(operator: Operator, u0: np.ndarray, t: np.ndarray, fields: Any) -> tuple[np.ndarray, ...]:
    """Mean, factor and nugget."""
    law = operator.predict(u0, t, fields=fields)
    mean = law._out(law._law.own_mean())
    nugget = law.nugget
    return mean, law.factor, np.zeros_like(mean) if nugget is None else nugget


def shapes(operator: Operator, u0: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Those of mean, factor and nugget, of initial fields of this shape."""
    model = operator._model()
    single, _ = operator._form(model, u0)
    rank = model.shape["rank"] if model.stochastic else 1
    batch = () if single else u0[:1]
    return u0, (*batch, rank, *u0[len(batch) :]), u0
