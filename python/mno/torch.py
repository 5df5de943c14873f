"""Operators inside models of PyTorch: predictions that gradients flow through. Needs PyTorch, and is not imported by
``import mno``."""

from __future__ import annotations

from typing import Any

import torch
from torch.autograd.function import once_differentiable

from . import _gradient
from ._gradient import Prediction
from ._operator import Operator

__all__ = ["Prediction", "predict"]


class _Predict(torch.autograd.Function):
    """u_0, t -> m, B, eta"""

    @staticmethod
    def forward(ctx: Any, u0: Any, t: Any, operator: Operator, fields: Any) -> Any:  # type: ignore[override]
        ctx.operator, ctx.fields = operator, fields
        ctx.save_for_backward(u0, t)
        parts = _gradient.predict(operator, u0.detach().numpy(), t.detach().numpy(), fields)
        return tuple(torch.from_numpy(part).to(u0.dtype) for part in parts)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *bars: Any) -> Any:  # type: ignore[override]
        u0, t = ctx.saved_tensors
        u0_bar, t_bar = ctx.operator.vjp(
            u0.detach().numpy(), t.detach().numpy(), *(bar.numpy() for bar in bars), fields=ctx.fields
        )
        return torch.from_numpy(u0_bar).to(u0.dtype), torch.as_tensor(t_bar).to(t.dtype), None, None


def predict(operator: Operator, u0: Any, t: Any, *, fields: Any = None) -> Prediction:
    """Mean, factor and nugget of ``operator.predict(u0, t)`` as tensors that gradients flow through, to u0 and to t.

    Parameters
    ----------
    operator : mno.Operator
        Trained, of a kind that gives a law or a field. Its own weights are not trained here.
    u0 : torch.Tensor
        As ``Operator.predict`` takes it, on the CPU.
    t : torch.Tensor or number
    fields : array, optional
        Known fields; no gradient flows to them.

    Returns
    -------
    Prediction
        In the type of u0; operators work in single precision. Of a warped law in its own coordinates. There are
        first derivatives alone.
    """
    u0 = torch.as_tensor(u0)
    t = torch.as_tensor(t, dtype=t.dtype if isinstance(t, torch.Tensor) else u0.dtype)
    for name, tensor in (("u0", u0), ("t", t)):
        if tensor.device.type != "cpu":
            raise ValueError(f"mno.torch.predict: {name}: expected a tensor on the CPU, got one on {tensor.device}.")
    return Prediction(*_Predict.apply(u0, t, operator, fields))
