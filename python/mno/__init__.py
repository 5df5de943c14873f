"""Martingale Neural Operators: from an initial field and a time to the law of a random field.

>>> import mno
>>> operator = mno.Operator()          # operator.fit(u0, uT, t); operator.predict(u0, t)
>>> operator
mno.Operator()
"""

from ._core import version as __version__
from ._law import Functional, Law
from ._operator import NotFittedError, Operator, kinds, load
from ._program import experiment, report
from ._score import Score, score
from ._simulate import equations, simulate

__all__ = [
    "Functional",
    "Law",
    "NotFittedError",
    "Operator",
    "Score",
    "__version__",
    "equations",
    "experiment",
    "kinds",
    "load",
    "report",
    "score",
    "simulate",
]
