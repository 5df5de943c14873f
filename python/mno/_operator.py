"""Operators: from data to a model, and from a model to laws."""

from __future__ import annotations

import inspect
import os
from typing import Any, Callable, Iterable, Mapping, Union

import numpy as np

from . import _core
from ._arrays import floats, numbers, real, threads_for, times, whole
from ._labels import for_fit, frame_of
from ._law import Law
from ._progress import Progress
from ._ranks import Ranks

PathLike = Union[str, "os.PathLike[str]"]
Callback = Callable[[dict], Any]


def kinds() -> list[str]:
    """The kinds of operators, "mno-nugget" being what one gets without asking.

    Examples
    --------
    >>> import mno
    >>> "mno-nugget" in mno.kinds()
    True
    """
    return list(_core.kinds())


class Operator:
    """An operator that is trained on draws of u_t given u_0 and t, and gives the law of u_t.

    Everything is optional, and what is not said is chosen as ``mno train`` chooses it. Arguments are kept as
    they are given until ``fit``, so that scikit-learn's ``clone`` and searches work.

    Parameters
    ----------
    kind : str
        One of ``mno.kinds()``.
    rank, width, modes, depth : int, optional
        Of the covariance, of the backbone's channels, wavenumbers per axis, and Fourier layers.
    seed : int
        First weights, split and order depend on it alone.
    recipe : str
        Loss: "auto" (by what the data has), "paper", "decoupled" or "energy".
    residual, warp : str
        The law of the residuals ("auto": learned from validation), and the map from the law's coordinates to the units of the data.
    calibrate : float
        Widen the law so that its intervals at this level hold on the validation data; 0: do not.
    batch, learning_rate, weight_decay, patience : optional
        Of the training.
    least_points : int
        Points per axis that the layers work on at least, where data is coarser; 0: as given.
    symmetries : bool
        Look for symmetries of the law, and train with them.
    places : bool, optional
        May the law differ from place to place? None: pilot runs tell.
    threads : int
        0: all.

    Examples
    --------
    >>> import mno
    >>> operator = mno.Operator(rank=4, width=16)
    >>> operator.get_params()["rank"]
    4
    >>> operator.set_params(rank=8).rank
    8
    """

    def __init__(
        self,
        *,
        kind: str = "mno-nugget",
        rank: int | None = None,
        width: int | None = None,
        modes: int | None = None,
        depth: int | None = None,
        seed: int = 0,
        recipe: str = "auto",
        residual: str = "gaussian",
        warp: str = "unwarped",
        calibrate: float = 0.0,
        batch: int | None = None,
        learning_rate: float | None = None,
        weight_decay: float | None = None,
        patience: int | None = None,
        least_points: int = 0,
        symmetries: bool = True,
        places: bool | None = None,
        threads: int = 0,
    ) -> None:
        self.kind = kind
        self.rank = rank
        self.width = width
        self.modes = modes
        self.depth = depth
        self.seed = seed
        self.recipe = recipe
        self.residual = residual
        self.warp = warp
        self.calibrate = calibrate
        self.batch = batch
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.patience = patience
        self.least_points = least_points
        self.symmetries = symmetries
        self.places = places
        self.threads = threads

    # Training.

    def fit(
        self,
        u0: Any,
        uT: Any,
        t: Any,
        *,
        validation: float | tuple[Any, Any, Any] | None = None,
        epochs: int | None = None,
        callbacks: Iterable[Callback] = (),
        progress: bool = True,
        length: Any = None,
        bounded: Any = None,
        fields: Any = None,
        group: Any = None,
        counts: Any = None,
        resume: bool = False,
        comm: Any = None,
    ) -> Operator:
        """Train on draws of u_t given u_0.

        Parameters
        ----------
        u0 : array (sample, channel, x...), or (sample, x) of one channel on a line
            Initial fields.
        uT : array (sample, member, channel, x...), or (sample, channel, x...) of one draw each
            Draws of u_t given u_0; without an axis of channels where u0 has none.
        t : float or array (sample,)
            Times.
        validation : float or (u0, uT, t), optional
            The share of initial fields that is held back, 0.1 if nothing is said, or other data.
        epochs : int, optional
            Times through the data; None: chosen on validation.
        callbacks : functions of a dict
            Called after every epoch with "epoch", "epochs", "loss", "validation" and so on. What one raises
            ends the training.
        progress : bool
            Say what is done, on standard error.
        length, bounded : per axis, or one for all
            Of the box: its lengths (those of the coordinates of an xarray.DataArray, else 1), and whether an axis
            ends at walls (no).
        fields : array (field, x...) or (sample, field, x...)
            Known fields.
        group : array (sample,)
            Numbers of trajectories, if samples are pieces of some: no split tears them apart.
        counts : array (sample,)
            Members per sample, where they differ: uT is then (draw, channel, x...).
        resume : bool
            Go on from where the last ``fit`` was interrupted, on the same data.
        comm : a communicator of mpi4py, such as MPI.COMM_WORLD
            The processes that train together, on one machine or many. All of them call ``fit`` with the same
            arguments; the data of rank 0 counts. Each ends up with the same operator, which has the bits that one
            process alone comes to. Ctrl-C, progress and callbacks are those of rank 0. What a callback raises ends
            rank 0 alone; started by ``python -m mpi4py``, a script then ends on all ranks.

        Returns
        -------
        Operator
            Itself, with ``report_``, ``history_`` and ``choices_``.

        Ctrl-C ends the training after a step with KeyboardInterrupt. What was learnt stays: the operator
        predicts with the weights of that step, and ``fit(..., resume=True)`` goes on with the same numbers
        as if nothing had happened.
        """
        uT, length = for_fit(u0, uT, length)
        beside = {"length": length, "bounded": bounded, "fields": fields, "group": group, "counts": counts}
        data = _data(u0, uT, t, beside)
        options: dict[str, Any] = {**self.get_params(), **self._checked(), "epochs": 0, "resume": bool(resume)}
        if epochs is not None:
            options["epochs"] = whole("epochs", epochs, 1)
        held = None
        if isinstance(validation, (tuple, list)):
            if len(validation) != 3:
                raise ValueError("mno: validation: expected a share or the three arrays (u0, uT, t).")
            same = {name: beside[name] for name in ("length", "bounded")}
            if fields is not None and numbers("fields", fields).ndim == data["u0"].ndim - 1:
                same["fields"] = fields
            held_u0, held_uT, held_t = validation
            held = _data(held_u0, for_fit(held_u0, held_uT, length)[0], held_t, same)
        elif validation is not None:
            options["validation"] = real("validation", validation)
            if not 0 <= options["validation"] < 1:
                raise ValueError(f"mno: validation: expected a share from 0 to below 1, got {validation}.")
        listeners = list(callbacks)
        for one in listeners:
            if not callable(one):
                raise TypeError(f"mno: callbacks: expected functions of a dict, got {one!r}.")
        ranks = None if comm is None else Ranks(comm)
        interrupted = self.__dict__.get("_checkpoint")
        if ranks:
            interrupted = ranks.from_first(interrupted)
        if resume and not interrupted:
            raise ValueError("mno: resume: there is no interrupted training to go on with.")
        line = Progress(progress and (ranks is None or ranks.rank == 0))
        history: list[dict] = list(interrupted[1]) if resume and interrupted else []

        def after_epoch(report: dict) -> None:
            history.append(report)
            line.epoch(report)
            for listener in listeners:
                listener(report)

        with _scratch() as folder:
            model, checkpoint = os.path.join(folder, "model"), os.path.join(folder, "checkpoint")
            if resume and interrupted:
                for name, content in interrupted[0].items():
                    _write(os.path.join(folder, name), content)
            try:
                report = _core.fit(data, held, options, model, checkpoint, line.say, after_epoch, ranks)
                if report.pop("interrupted"):
                    raise KeyboardInterrupt  # of rank 0
            except BaseException:
                self._keep(folder, history, ranks)
                raise
            finally:
                line.close()
            content = _read(model) if ranks is None or ranks.rank == 0 else b""
        if ranks:
            content, history = ranks.from_first((content, history))
        self.__dict__.pop("_checkpoint", None)
        self._take(content)
        self.report_, self.history_ = report, history
        return self

    def _keep(self, folder: str, history: list[dict], ranks: Ranks | None) -> None:
        """What an interrupted training left: the checkpoint, from which one can go on and predict.

        Of several ranks the first one has it; the others may be gone, so it does not send it."""
        if ranks and ranks.rank > 0:
            return
        left = {one.name: _read(one.path) for one in os.scandir(folder) if one.name.startswith("checkpoint")}
        if "checkpoint" in left:
            self.history_ = [epoch for epoch in history if epoch["finished"]]
            self._checkpoint = (left, self.history_)
            self._take(left["checkpoint"])

    def _checked(self) -> dict[str, Any]:
        """Arguments that scikit-learn's habits keep unchecked until now."""
        out: dict[str, Any] = {"threads": threads_for(self.threads)}
        for name in ("rank", "width", "modes", "depth", "batch"):
            if getattr(self, name) is not None:
                out[name] = whole(name, getattr(self, name), 1)
        for name in ("patience", "least_points", "seed"):
            if getattr(self, name) is not None:
                out[name] = whole(name, getattr(self, name))
        for name in ("learning_rate", "weight_decay", "calibrate"):
            if getattr(self, name) is not None:
                out[name] = real(name, getattr(self, name))
        for name in ("kind", "recipe", "residual", "warp"):
            if not isinstance(getattr(self, name), str):
                raise TypeError(f"mno: {name}: expected a text, got {getattr(self, name)!r}.")
        if out["calibrate"] < 0 or out["calibrate"] > 0.999:
            raise ValueError(f"mno: calibrate: expected a level from 0 to 0.999, got {out['calibrate']}.")
        return out

    # Prediction.

    def predict(self, u0: Any, t: Any, *, fields: Any = None) -> Law:
        """The law of u_t given u_0.

        Parameters
        ----------
        u0 : array (sample, channel, x...), or one field (channel, x...)
            On any grid. Of one channel also (sample, x...) and (x...).
        t : float or array (sample,)
        fields : array (field, x...) or (sample, field, x...)
            Known fields, if the model has some and does not hold them.
        """
        model = self._model()
        if not model.gives_law:
            raise ValueError(
                f"mno: an operator of kind {model.kind!r} gives draws and no law: ask draws(u0, t, n)."
            )
        given, single, plain = self._conditions(model, u0)
        return Law._of(model.predict(given, times(t), self._known(fields)), single, plain, frame_of(u0))

    def vjp(
        self,
        u0: Any,
        t: Any,
        mean_bar: Any,
        factor_bar: Any = None,
        nugget_bar: Any = None,
        *,
        fields: Any = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """The gradient with respect to u_0 and t of a number that depends on the predicted law, from its gradient
        with respect to mean, factor and nugget: the vector-Jacobian product of ``predict``. ``mno.torch`` and
        ``mno.jax`` call it for you.

        Parameters
        ----------
        u0, t, fields
            As given to ``predict``.
        mean_bar, factor_bar, nugget_bar : arrays like those of the law
            None: zero. Of a warped law those of its own coordinates.

        Returns
        -------
        u0_bar, t_bar : arrays like u0 and t

        Of a kind that gives draws it is refused.
        """
        model = self._model()
        given, single, plain = self._conditions(model, u0)
        when = times(t)
        rank = model.shape["rank"] if model.stochastic else 1

        def bar(name: str, array: Any, rows: int) -> np.ndarray:
            whole_shape = (len(given), rows * model.channels, *given.shape[2:])
            if array is None:
                return np.zeros(whole_shape, dtype=np.float32)
            values = floats(name, array)
            lead = () if single else (len(given),)
            inner = given.shape[2:] if plain else given.shape[1:]
            expected = lead + ((rows,) if name == "factor_bar" else ()) + inner
            if values.shape != expected:
                raise ValueError(f"mno: {name}: expected shape {expected}, got {values.shape}.")
            return np.ascontiguousarray(values).reshape(whole_shape)

        initial, at = model.vjp(
            np.ascontiguousarray(given),
            when,
            self._known(fields),
            bar("mean_bar", mean_bar, 1),
            bar("factor_bar", factor_bar, rank),
            bar("nugget_bar", nugget_bar, 1),
        )
        initial = initial[:, 0] if plain else initial
        if when.size == 1 and len(given) != 1:
            at = at.sum(keepdims=True, dtype=np.float64).astype(np.float32)
        return initial[0] if single else initial, at.reshape(np.shape(t))

    def draws(self, u0: Any, t: Any, n: int, *, seed: int = 0, fields: Any = None) -> np.ndarray:
        """Draws of u_t given u_0: (sample, n, channel, x...), with the axes that u0 has. Of any kind that has
        a spread."""
        model = self._model()
        given, single, plain = self._conditions(model, u0)
        count = whole("n", n, 1)
        drawn = model.draws(given, times(t), self._known(fields), count, whole("seed", seed))
        drawn = drawn.reshape(len(given), count, *drawn.shape[1:])
        drawn = drawn[:, :, 0] if plain else drawn
        return drawn[0] if single else drawn

    def score(self, u0: Any, uT: Any, t: Any, *, fields: Any = None) -> float:
        """Minus the mean CRPS of the predicted law against draws: larger is better, as scikit-learn has it."""
        law = self.predict(u0, t, fields=fields)
        draws = floats("uT", uT)
        if draws.shape == law.batch_shape + law.event_shape:
            draws = draws[:, None]
        if draws.ndim != 2 + len(law.event_shape) or draws.shape[1] < 1:
            raise ValueError(
                f"mno: uT: expected (sample, member, ...) for laws of {law.batch_shape} fields {law.event_shape}, got "
                f"{draws.shape}."
            )
        return -float(np.mean([law.crps(draws[:, i]).mean(dtype=np.float64) for i in range(draws.shape[1])]))

    @staticmethod
    def _conditions(model: _core.Model, u0: Any) -> tuple[np.ndarray, bool, bool]:
        """As (sample, channel, x...), and whether axes of samples and channels were missing."""
        array = floats("u0", u0)
        single, plain = Operator._form(model, array.shape)
        if plain:
            array = np.expand_dims(array, -1 - model.dimension)
        return array[None] if single else array, single, plain

    @staticmethod
    def _form(model: _core.Model, shape: tuple[int, ...]) -> tuple[bool, bool]:
        """Are the axes of samples and of channels missing?"""
        axes, channels = model.dimension, model.channels
        missing = axes + 2 - len(shape)
        if 0 not in shape:
            if missing == 0 and shape[1] == channels:
                return False, False
            if missing == 1 and channels == 1:
                return False, True
            if missing == 1 and shape[0] == channels:
                return True, False
            if missing == 2 and channels == 1:
                return True, True
        raise ValueError(
            f"mno: u0: expected (sample, channel, x...) with {channels} channel(s) in dimension {axes} and at least "
            f"one of everything, got shape {shape}."
        )

    def _known(self, fields: Any) -> np.ndarray | None:
        if fields is None:
            return None
        array = floats("fields", fields)
        return array[None] if array.ndim == self._model().dimension + 1 else array

    # The model, kept as the bytes of its file and loaded when it is asked.

    def _take(self, content: bytes) -> None:
        self._content = content
        self.__dict__.pop("_loaded", None)
        with _scratch() as folder:
            path = os.path.join(folder, "model")
            _write(path, content)
            notes = _core.metadata(path)
        self.choices_ = {key[len("choice.") :]: value for key, value in notes.items() if key.startswith("choice.")}

    def _model(self) -> _core.Model:
        threads = threads_for(self.threads)
        loaded = self.__dict__.get("_loaded")
        if loaded is not None and loaded[0] == threads:
            return loaded[1]
        if not self.__sklearn_is_fitted__():
            raise NotFittedError("mno: this operator is not trained: call fit first, or mno.load a model file.")
        with _scratch() as folder:
            path = os.path.join(folder, "model")
            _write(path, self._content)
            model = _core.Model(path, threads, Progress(True).say)
        self._loaded = (threads, model)
        return model

    def save(self, path: PathLike) -> None:
        """Write the model file, which ``mno.load`` and the program ``mno`` read. At every moment there is the
        whole old file or the whole new one; the old one stays as PATH.previous."""
        if not self.__sklearn_is_fitted__():
            raise NotFittedError("mno: this operator is not trained: there is nothing to save.")
        _core.write_file(os.fspath(path), self._content)

    @property
    def parameters_(self) -> int:
        """How many numbers were learnt."""
        return self._model().parameters

    @property
    def shape_(self) -> dict[str, int]:
        """Dimension, channels, rank, width, modes, depth and known fields of the trained operator."""
        return dict(self._model().shape)

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        state.pop("_loaded", None)  # made anew from the bytes
        return state

    # scikit-learn's habits.

    @classmethod
    def _names(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The arguments by name."""
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **params: Any) -> Operator:
        """Change arguments by name; they count from the next ``fit`` on."""
        names = self._names()
        for name in params:
            if name not in names:
                raise ValueError(f"mno: Operator has no argument {name!r}; it has {', '.join(names)}.")
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __sklearn_tags__(self) -> Any:
        from sklearn.base import BaseEstimator  # type: ignore[import-not-found, import-untyped, unused-ignore]

        return BaseEstimator().__sklearn_tags__()

    def __sklearn_is_fitted__(self) -> bool:
        return "_content" in self.__dict__

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        said = [f"{k}={v!r}" for k, v in self.get_params().items() if v is not defaults[k].default and v != defaults[k].default]
        return f"mno.Operator({', '.join(said)})"


class NotFittedError(ValueError, AttributeError):
    """An operator that is not trained was asked; a ValueError, as that of scikit-learn."""


def load(path: PathLike, *, threads: int = 0) -> Operator:
    """An operator from a model file, of ``Operator.save`` or of the program ``mno``.

    Whether it can be used is found out now: an operator that is not there is compiled.
    """
    content = _read(path)
    operator = Operator(threads=threads)
    name = os.fspath(path)
    notes = _core.metadata(name)
    operator._take(content)
    model = operator._model()
    shape = model.shape
    operator.set_params(kind=model.kind, **{key: shape[key] for key in ("rank", "width", "modes", "depth")})
    operator.set_params(residual=notes.get("residual", "gaussian"), warp=model.warp)
    return operator


def _scratch() -> Any:
    """A folder for the time of a call. What is needed for it is imported now: not everybody trains."""
    from tempfile import TemporaryDirectory

    return TemporaryDirectory(prefix="mno-")


def _read(path: PathLike) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _write(path: PathLike, content: bytes) -> None:
    with open(path, "wb") as file:
        file.write(content)


def _data(u0: Any, uT: Any, t: Any, beside: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Arrays as files of ensembles have them."""
    initial, drawn = numbers("u0", u0), numbers("uT", uT)
    if initial.ndim == 2:  # (sample, x): one channel on a line
        if drawn.ndim not in (2, 3):
            raise ValueError(
                f"mno: uT: expected (sample, member, x) or (sample, x) for u0 (sample, x), got shape {drawn.shape}."
            )
        initial, drawn = initial[:, None], drawn[..., None, :]
    elif initial.ndim not in (3, 4, 5):
        raise ValueError(f"mno: u0: expected (sample, channel, x[, y[, z]]), got shape {initial.shape}.")
    data = {"u0": initial, "uT": drawn, "t": numbers("t", t)}
    for name, value in beside.items():
        if value is not None:
            data[name] = numbers(name, value)
    return data
