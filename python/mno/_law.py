"""The law of a random field."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Sequence

import numpy as np

from . import _core
from ._arrays import floats, numbers, real, whole


class Law:
    """The law of u_t given u_0 and t: ``u = w(m + sum_k B_k xi_k + eta zeta)``.

    ``Operator.predict`` makes laws; one can also be made of arrays.

    Parameters
    ----------
    mean : array (sample, channel, x...)
        m. Where there is a warp, in the law's own coordinates, as are factor and nugget.
    factor : array (sample, rank, channel, x...)
        B: the covariance is ``B'B``, and ``diag(eta**2)`` of the nugget.
    nugget : array (sample, channel, x...), optional
        eta, the deviation of the noise that every entry has for itself.
    residual : str
        The law of xi and zeta: "gaussian", "laplace", "student_t NU" or "compound_poisson RATE".
    warp : str
        w: "unwarped", "log" or "asinh SCALE".
    length, bounded
        Of the box, per axis or one for all: its lengths, and whether it ends at walls.

    Examples
    --------
    >>> import numpy as np, mno
    >>> law = mno.Law(mean=np.zeros((1, 1, 4)), factor=np.ones((1, 2, 1, 4)))
    >>> law.batch_shape, law.event_shape
    ((1,), (1, 4))
    >>> law.variance
    array([[[2., 2., 2., 2.]]], dtype=float32)
    >>> law.sample(3, seed=1).shape
    (1, 3, 1, 4)
    """

    _law: _core.Law
    _single: bool  # one field was given: there is no axis of samples
    _plain: bool  # without an axis of channels
    _frame: Any  # names and coordinates of the field that was given, if it had some

    def __init__(
        self,
        mean: Any,
        factor: Any,
        nugget: Any = None,
        *,
        residual: str = "gaussian",
        warp: str = "unwarped",
        length: float | Sequence[float] = 1.0,
        bounded: bool | Sequence[bool] = False,
    ) -> None:
        m, b = floats("mean", mean), floats("factor", factor)
        if m.ndim not in (3, 4, 5):
            raise ValueError(f"mno.Law: mean: expected (sample, channel, x[, y[, z]]), got shape {m.shape}.")
        if b.ndim != m.ndim + 1 or b.shape[:1] + b.shape[2:] != m.shape:
            raise ValueError(
                f"mno.Law: factor: expected (sample, rank, channel, x...) like the mean's {m.shape}, got {b.shape}."
            )
        eta = None if nugget is None else floats("nugget", nugget)
        axes = m.ndim - 2
        rows = b.reshape(b.shape[0], b.shape[1] * b.shape[2], *b.shape[3:])
        lengths = [float(x) for x in np.broadcast_to(numbers("length", length), (axes,))]
        walls = [bool(x) for x in np.broadcast_to(np.asarray(bounded), (axes,))]
        self._law = _core.Law(m, rows, eta, residual, warp, lengths, walls)
        self._single = self._plain = False
        self._frame = None

    @classmethod
    def _of(cls, law: _core.Law, single: bool, plain: bool, frame: Any = None) -> Law:
        made = cls.__new__(cls)
        made._law, made._single, made._plain, made._frame = law, single, plain, frame
        return made

    # What it is.

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """(sample,), or () where one field was given."""
        return () if self._single else (self._law.batch,)

    @property
    def event_shape(self) -> tuple[int, ...]:
        """(channel, x...), or (x...) where the fields that were given have no axis of channels."""
        points = tuple(self._law.points)
        return points if self._plain else (self._law.channels, *points)

    @property
    def rank(self) -> int:
        """How many rows the factor has."""
        return self._law.rank

    @property
    def residual(self) -> str:
        """The law of the residuals, as text."""
        return self._law.residual

    @property
    def warp(self) -> str:
        """From the law's own coordinates to the units of the data, as text."""
        return self._law.warp

    @property
    def mean(self) -> np.ndarray:
        """E[u], batch_shape + event_shape, in the units of the data."""
        return self._out(self._law.mean())

    @property
    def variance(self) -> np.ndarray:
        """Var[u] of every entry, batch_shape + event_shape."""
        return self._out(self._law.variance())

    @property
    def stddev(self) -> np.ndarray:
        """The standard deviation of every entry."""
        return np.sqrt(self.variance)

    @property
    def factor(self) -> np.ndarray:
        """B, batch_shape + (rank,) + event_shape; of a warped law in its own coordinates."""
        rows = self._law.factor()
        split = rows.reshape(rows.shape[0], self._law.rank, self._law.channels, *rows.shape[2:])
        return self._out(split)

    @property
    def nugget(self) -> np.ndarray | None:
        """The deviation of every entry's own noise, or None; of a warped law in its own coordinates."""
        return self._out(self._law.nugget()) if self._law.has_nugget else None

    # Questions.

    def sample(self, n: int, seed: int = 0) -> np.ndarray:
        """Draws, batch_shape + (n,) + event_shape. Equal seeds give equal draws."""
        count = whole("n", n, 1)
        draws = self._law.sample(count, whole("seed", seed))
        return self._out(draws.reshape(self._law.batch, count, *draws.shape[1:]))

    def log_prob(self, u: Any, noise_variance: float = 0.0) -> np.ndarray:
        """log p(u) per sample, batch_shape. A law without a nugget has no density by itself: white noise of
        the given variance makes one of it.

        Examples
        --------
        >>> import numpy as np, mno
        >>> law = mno.Law(np.zeros((1, 1, 2)), np.zeros((1, 1, 1, 2)), nugget=np.ones((1, 1, 2)))
        >>> print(np.round(law.log_prob(np.zeros((1, 1, 2))), 4))  # -log(2 pi)
        [-1.8379]
        """
        values = self._law.log_density(self._fields("u", u), real("noise_variance", noise_variance))
        return values[0] if self._single else values

    def quantile(self, p: float) -> np.ndarray:
        """The p-quantile of every entry."""
        return self._out(self._law.quantile(real("p", p)))

    def interval(self, level: float = 0.9) -> tuple[np.ndarray, np.ndarray]:
        """The central interval of every entry, lower and upper end, that has this probability."""
        level = real("level", level)
        if not 0 < level < 1:
            raise ValueError(f"mno.Law.interval: level: expected a probability between 0 and 1, got {level}.")
        return self.quantile((1 - level) / 2), self.quantile((1 + level) / 2)

    def exceedance(self, level: Any) -> np.ndarray:
        """P(u > level) of every entry; one level, or an array like the mean."""
        return self._out(self._law.exceedance(self._fields("level", level)))

    def cdf(self, u: Any) -> np.ndarray:
        """P(entry <= u) of every entry; one value, or an array like the mean."""
        return self._out(self._law.cdf(self._fields("u", u)))

    def crps(self, u: Any) -> np.ndarray:
        """The continuous ranked probability score of every entry against u."""
        return self._out(self._law.crps(self._fields("u", u)))

    def condition(self, index: Any, values: Any, noise_variance: float = 0.0) -> Law:
        """The law given values at some entries, again a law; exact for Gaussian residuals without a warp, and
        refused for others.

        Parameters
        ----------
        index : whole numbers (observation, axis of event_shape)
            Which entries were seen.
        values : array (observation,) or batch_shape + (observation,)
            What was seen there.
        noise_variance : float
            Of the observations.

        Examples
        --------
        >>> import numpy as np, mno
        >>> law = mno.Law(np.zeros((1, 1, 2)), np.ones((1, 1, 1, 2)))
        >>> given = law.condition([(0, 1)], [3.0])  # both entries are the same number
        >>> given.mean
        array([[[3., 3.]]], dtype=float32)
        """
        where = np.asarray(index)
        axes = len(self.event_shape)
        if where.size == 0:
            where = np.zeros((0, axes), dtype=np.int64)
        if where.dtype.kind not in "iu" or where.ndim != 2 or where.shape[1] != axes:
            raise ValueError(
                f"mno.Law.condition: index: expected whole numbers (observation, {axes}), one per axis of "
                f"event_shape {self.event_shape}, got {where.dtype} {where.shape}."
            )
        if np.any(where < 0) or np.any(where >= np.array(self.event_shape)):
            raise ValueError(f"mno.Law.condition: index: expected entries of event_shape {self.event_shape}.")
        channel = np.zeros(len(where), dtype=np.int64) if self._plain else where[:, 0]
        at = where if self._plain else where[:, 1:]
        point = np.ravel_multi_index(tuple(at.T), tuple(self._law.points)) if len(where) else channel
        seen = numbers("values", values).astype(np.float64)
        if seen.shape not in ((len(where),), (*self.batch_shape, len(where))):
            raise ValueError(
                f"mno.Law.condition: values: expected one per index, ({len(where)},), got shape {seen.shape}."
            )
        seen = np.ascontiguousarray(np.broadcast_to(seen, (self._law.batch, len(where))))
        pairs = [(int(p), int(c)) for p, c in zip(point, channel)]
        law = self._law.condition(pairs, seen, real("noise_variance", noise_variance))
        return Law._of(law, self._single, self._plain, self._frame)

    def functional(self, weights: Any) -> Functional:
        """The joint law of linear functionals <w, u> = integral of w u over the box: averages, fluxes,
        coefficients. Refused for warped laws.

        Parameters
        ----------
        weights : array, event_shape or (functional,) + event_shape

        Examples
        --------
        >>> import numpy as np, mno
        >>> law = mno.Law(np.full((1, 1, 4), 2.0), np.ones((1, 1, 1, 4)))
        >>> total = law.functional(np.ones((1, 4)))  # the integral over a box of length 1
        >>> print(total.mean, total.stddev)
        [2.] [1.]
        >>> print(np.round(total.exceedance(2.0), 3))
        [0.5]
        """
        w = floats("weights", weights)
        one = w.shape == self.event_shape
        if one:
            w = w[None]
        if w.shape[1:] != self.event_shape:
            raise ValueError(
                f"mno.Law.functional: weights: expected event_shape {self.event_shape}, or several of these, got "
                f"{w.shape}."
            )
        if self._plain:
            w = w[:, None]
        mean, covariance = self._law.functionals(np.ascontiguousarray(w))
        if one:
            mean, covariance = mean[:, 0], covariance[:, 0, 0]
        if self._single:
            mean, covariance = mean[0], covariance[0]
        return Functional(mean, covariance, self._law.residual, not one)

    def covariance(self, sample: int = 0) -> Any:
        """The covariance of one sample as an operator on flattened events: a SciPy ``LinearOperator`` with
        ``factor``, ``nugget``, ``trace()``, ``diagonal()`` and ``todense()``; where SciPy is not installed,
        an object with these and ``@``. Refused for warped laws.
        """
        sample = whole("sample", sample)
        if sample >= self._law.batch:
            raise ValueError(f"mno.Law.covariance: sample: expected less than {self._law.batch}, got {sample}.")
        if self._law.warp != "unwarped":
            raise ValueError(
                "mno.Law.covariance: a warped law has a covariance only in its own coordinates: ask "
                "unwarped(), or take that of samples."
            )
        rows = self._law.factor()[sample].reshape(self._law.rank, -1).astype(np.float64)
        eta = self._law.nugget()[sample].reshape(-1).astype(np.float64) if self._law.has_nugget else None
        return _covariance(rows, eta)

    def plot(
        self,
        sample: int = 0,
        *,
        level: float | None = 0.9,
        draws: int = 3,
        truth: Any = None,
        seed: int = 0,
        axes: Any = None,
    ) -> Any:
        """A picture of one sample by Matplotlib. On a line: the mean, a band that every entry is in with this
        probability, and draws. On a plane: mean and draws with one colour bar, and the standard deviation.

        Parameters
        ----------
        sample : int
            Which one.
        level : float or None
            Of the band; None: no band.
        draws : int
            How many, from the given seed.
        truth : array, event_shape or (member,) + event_shape
            Fields to be shown beside.
        axes : axes of Matplotlib, one per channel
            Where to draw, on a line; None: a figure of its own.

        Returns
        -------
        matplotlib.figure.Figure
        """
        from ._plot import plot

        return plot(self, sample, level, draws, truth, seed, axes)

    def to_xarray(self, *, level: float | None = None, draws: int = 0, seed: int = 0) -> Any:
        """The law as an ``xarray.Dataset`` with "mean", "stddev", "factor" and "nugget", if it has one.

        Axes and coordinates are those of the ``DataArray`` that was given to ``predict``; of other laws "sample",
        "channel", "x", "y", "z" with the places in the box.

        Parameters
        ----------
        level : float, optional
            Also "lower" and "upper", the ends of every entry's interval.
        draws : int
            Also so many "draws", from the given seed.
        """
        from ._labels import dataset

        return dataset(self, level, whole("draws", draws), whole("seed", seed))

    # Others made of it.

    def unwarped(self) -> Law:
        """The law in its own coordinates, without the warp."""
        return self._with(warp="unwarped")

    def with_residual(self, residual: str) -> Law:
        """The law with the same mean and covariance and other residuals."""
        return self._with(residual=residual)

    def _with(self, **changes: str) -> Law:
        old = self._law
        parts = {"residual": old.residual, "warp": old.warp, **changes}
        nugget = old.nugget() if old.has_nugget else None
        law = _core.Law(
            old.own_mean(), old.factor(), nugget, parts["residual"], parts["warp"], old.length, old.bounded
        )
        return Law._of(law, self._single, self._plain, self._frame)

    def __getitem__(self, sample: int | slice) -> Law:
        """Some samples of it."""
        if self._single:
            raise IndexError("mno.Law: this is the law of one field: there is nothing to choose from.")
        old = self._law
        rows: Any = sample
        single = not isinstance(sample, slice)
        if not isinstance(sample, slice):
            if not -old.batch <= sample < old.batch:
                raise IndexError(f"mno.Law: expected a sample below {old.batch}, got {sample}.")
            rows = [sample]
        mean, factor = old.own_mean()[rows], old.factor()[rows]
        nugget = np.ascontiguousarray(old.nugget()[rows]) if old.has_nugget else None
        if len(mean) == 0:
            raise IndexError("mno.Law: expected at least one sample, got none.")
        law = _core.Law(
            np.ascontiguousarray(mean),
            np.ascontiguousarray(factor),
            nugget,
            old.residual,
            old.warp,
            old.length,
            old.bounded,
        )
        frame = self._frame
        if frame is not None:
            frame = frame.isel({frame.dims[0]: sample})
        return Law._of(law, single, self._plain, frame)

    def __len__(self) -> int:
        if self._single:
            raise TypeError("mno.Law: this is the law of one field, which has no length.")
        return self._law.batch

    def __repr__(self) -> str:
        notes = [f"rank={self.rank}"]
        if self._law.has_nugget:
            notes.append("with a nugget")
        if self.residual != "gaussian":
            notes.append(f"residual={self.residual!r}")
        if self.warp != "unwarped":
            notes.append(f"warp={self.warp!r}")
        return f"<mno.Law batch_shape={self.batch_shape} event_shape={self.event_shape} {', '.join(notes)}>"

    def __reduce__(self) -> Any:
        old = self._law
        nugget = old.nugget() if old.has_nugget else None
        parts = (old.own_mean(), old.factor(), nugget, old.residual, old.warp, old.length, old.bounded)
        return _restored, (parts, self._single, self._plain, self._frame)

    # (sample, ..., channel, x...) as the library has it, from and to what the caller sees.

    def _out(self, array: np.ndarray) -> np.ndarray:
        if self._plain:
            array = array.reshape(*array.shape[: -len(self._law.points) - 1], *array.shape[-len(self._law.points) :])
        return array[0] if self._single else array

    def _fields(self, name: str, given: Any) -> np.ndarray:
        values = floats(name, given)
        shape = self.batch_shape + self.event_shape
        try:
            values = np.broadcast_to(values, shape)
        except ValueError:
            raise ValueError(
                f"mno.Law: {name}: expected one number or an array like the mean, {shape}, got shape {values.shape}."
            ) from None
        if np.isnan(values).any():
            raise ValueError(f"mno.Law: {name}: expected numbers, got a NaN.")
        whole_shape = (self._law.batch, self._law.channels, *self._law.points)
        return np.ascontiguousarray(values).reshape(whole_shape)


def _restored(parts: tuple, single: bool, plain: bool, frame: Any) -> Law:
    return Law._of(_core.Law(*parts), single, plain, frame)


@dataclass(frozen=True)
class Functional:
    """The law of one functional per sample, or the joint law of several: ``Law.functional``."""

    mean: np.ndarray
    """batch_shape, or batch_shape + (functional,)"""
    covariance: np.ndarray
    """The variance of one functional; of several batch_shape + (functional, functional)"""
    residual: str
    """The law of the residuals, as text"""
    joint: bool
    """Are there several functionals?"""

    @property
    def variance(self) -> np.ndarray:
        """Of every functional alone."""
        return np.diagonal(self.covariance, axis1=-2, axis2=-1) if self.joint else self.covariance

    @property
    def stddev(self) -> np.ndarray:
        """Of every functional alone."""
        return np.sqrt(self.variance)

    def quantile(self, p: float) -> np.ndarray:
        """The p-quantile of every functional."""
        return self._ask("quantile", real("p", p))

    def interval(self, level: float = 0.9) -> tuple[np.ndarray, np.ndarray]:
        """The central interval of every functional that has this probability."""
        return self.quantile((1 - real("level", level)) / 2), self.quantile((1 + level) / 2)

    def exceedance(self, level: Any) -> np.ndarray:
        """P(functional > level)."""
        return self._ask("exceedance", level)

    def cdf(self, value: Any) -> np.ndarray:
        """P(functional <= value)."""
        return self._ask("cdf", value)

    def _ask(self, what: str, at: Any) -> np.ndarray:
        mean = np.asarray(self.mean, dtype=np.float64)
        where = np.broadcast_to(numbers(what, at).astype(np.float64), mean.shape)
        answer = _core.marginals(
            self.residual,
            what,
            np.ascontiguousarray(mean).reshape(-1),
            np.ascontiguousarray(self.stddev, dtype=np.float64).reshape(-1),
            np.ascontiguousarray(where).reshape(-1),
        )
        return answer.reshape(mean.shape)


class _Covariance:
    """B'B + diag(eta^2) as an operator."""

    dtype = np.dtype(np.float64)

    def _hold(self, factor: np.ndarray, nugget: np.ndarray | None) -> None:
        self.factor = factor
        """B, (rank, n)"""
        self.nugget = nugget
        """eta, (n,), or None"""

    def _matvec(self, v: np.ndarray) -> np.ndarray:
        out = self.factor.T @ (self.factor @ v)
        if self.nugget is not None:
            squares = self.nugget**2
            out = out + (squares if np.ndim(v) == 1 else squares[:, None]) * v
        return out

    _matmat = _rmatvec = _matvec

    def _adjoint(self) -> Any:
        return self

    def diagonal(self) -> np.ndarray:
        """The variance of every entry."""
        out = np.sum(self.factor**2, axis=0)
        return out if self.nugget is None else out + self.nugget**2

    def trace(self) -> float:
        """The sum of the variances."""
        return float(self.diagonal().sum())

    def todense(self) -> np.ndarray:
        """The whole matrix: for small grids."""
        out = self.factor.T @ self.factor
        return out if self.nugget is None else out + np.diag(self.nugget**2)


class _PlainCovariance(_Covariance):
    def __init__(self, factor: np.ndarray, nugget: np.ndarray | None) -> None:
        self._hold(factor, nugget)
        self.shape = (factor.shape[1], factor.shape[1])

    def __matmul__(self, v: Any) -> np.ndarray:
        v = np.asarray(v)
        if v.ndim not in (1, 2) or v.shape[0] != self.shape[1]:
            raise ValueError(f"mno: expected {self.shape[1]} rows, got shape {v.shape}.")
        return self._matvec(v)


def _covariance(factor: np.ndarray, nugget: np.ndarray | None) -> Any:
    try:
        from scipy.sparse.linalg import LinearOperator  # type: ignore[import-untyped]
    except ImportError:
        return _PlainCovariance(factor, nugget)

    class Covariance(_Covariance, LinearOperator):
        def __init__(self) -> None:
            LinearOperator.__init__(self, np.float64, (factor.shape[1], factor.shape[1]))
            self._hold(factor, nugget)

    return Covariance()
