"""Operators inside functions of JAX: predictions with ``custom_vjp``, under ``jit``, ``grad`` and ``vmap``. Needs JAX, and
is not imported by ``import mno``."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from . import _gradient
from ._gradient import Prediction
from ._operator import Operator

__all__ = ["Prediction", "predict"]


class _Asked:
    """What a prediction depends on beside u_0 and t; JAX tells two of them apart by what they are."""

    def __init__(self, operator: Operator, fields: Any) -> None:
        self.operator, self.fields = operator, fields


@functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
def _predict(asked: _Asked, u0: Any, t: Any) -> Any:
    def host(u0: Any, t: Any) -> Any:
        parts = _gradient.predict(asked.operator, np.asarray(u0), np.asarray(t), asked.fields)
        return tuple(part.astype(u0.dtype, copy=False) for part in parts)

    shapes = [jax.ShapeDtypeStruct(shape, u0.dtype) for shape in _gradient.shapes(asked.operator, u0.shape)]
    return jax.pure_callback(host, tuple(shapes), u0, t, vmap_method="sequential")


def _forward(asked: _Asked, u0: Any, t: Any) -> Any:
    return _predict(asked, u0, t), (u0, t)


def _backward(asked: _Asked, given: Any, bars: Any) -> Any:
    def host(u0: Any, t: Any, *bars: Any) -> Any:
        parts = asked.operator.vjp(
            np.asarray(u0), np.asarray(t), *(np.asarray(bar) for bar in bars), fields=asked.fields
        )
        return parts[0].astype(u0.dtype, copy=False), parts[1].astype(t.dtype, copy=False)

    u0, t = given
    shapes = (jax.ShapeDtypeStruct(u0.shape, u0.dtype), jax.ShapeDtypeStruct(t.shape, t.dtype))
    return jax.pure_callback(host, shapes, u0, t, *bars, vmap_method="sequential")


_predict.defvjp(_forward, _backward)


def predict(operator: Operator, u0: Any, t: Any, *, fields: Any = None) -> Prediction:
    """Mean, factor and nugget of ``operator.predict(u0, t)`` as arrays of JAX, differentiable in u0 and in t.

    Parameters
    ----------
    operator : mno.Operator
        Trained, of a kind that gives a law or a field. Its own weights are not trained here.
    u0 : array
        As ``Operator.predict`` takes it.
    t : array or number
    fields : array, optional
        Known fields; no gradient flows to them.

    Returns
    -------
    Prediction
        In the type of u0; operators work in single precision. Of a warped law in its own coordinates. There are
        first derivatives backwards alone (``grad``, ``vjp``); under ``vmap`` one call follows the other.
    """
    u0, t = jnp.asarray(u0), jnp.asarray(t)
    if not jnp.issubdtype(u0.dtype, jnp.floating):
        u0 = u0.astype(jnp.float32)
    if not jnp.issubdtype(t.dtype, jnp.floating):
        t = t.astype(u0.dtype)
    return Prediction(*_predict(_Asked(operator, fields), u0, t))
