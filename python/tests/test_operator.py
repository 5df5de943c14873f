"""Operators: training, prediction, files, habits."""

import os
import pickle
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from conftest import POINTS, SHAPE, ensembles

import mno


def small(**changes):
    return mno.Operator(**{**SHAPE, "seed": 1, "threads": 1, **changes})


def test_a_law_has_learnt_mean_and_spread(operator, data):
    u0, uT = ensembles(20, members=64, seed=5)
    law = operator.predict(u0, 1.0)
    assert law.batch_shape == (20,) and law.event_shape == (1, POINTS)
    assert law.nugget is not None  # as mno train makes them
    spread = uT.var(axis=1).mean()
    assert np.mean((law.mean - uT.mean(axis=1)) ** 2) < 0.2 * spread  # the mean's own spread: 1/64 of it
    assert 0.5 < law.variance.mean() / spread < 2
    assert operator.score(u0, uT, 1.0) > -0.6 * np.sqrt(spread)  # a normal law that is known: -0.56
    scores = mno.score(law, uT)
    assert operator.score(u0, uT, 1.0) == pytest.approx(-scores["crps"].value, rel=1e-3)


def test_at_time_zero_the_law_is_the_initial_field(operator, data):
    law = operator.predict(data[0], 0.0)
    np.testing.assert_array_equal(law.mean, data[0])
    np.testing.assert_array_equal(law.variance, np.zeros_like(data[0]))


def test_every_form_of_an_initial_field_is_the_same_question(operator, data):
    u0 = data[0][:3]
    whole = operator.predict(u0, 0.5)
    plain = operator.predict(u0[:, 0], 0.5)
    assert plain.batch_shape == (3,) and plain.event_shape == (POINTS,)
    np.testing.assert_array_equal(plain.mean, whole.mean[:, 0])
    np.testing.assert_array_equal(plain.factor, whole.factor[:, :, 0])
    np.testing.assert_array_equal(plain.sample(2, seed=1), whole.sample(2, seed=1)[:, :, 0])
    np.testing.assert_allclose(plain.log_prob(u0[:, 0]), whole.log_prob(u0))
    one = operator.predict(u0[0, 0], 0.5)
    assert one.batch_shape == () and one.event_shape == (POINTS,)
    np.testing.assert_allclose(one.mean, whole.mean[0, 0], rtol=1e-5, atol=1e-6)
    assert one.sample(5).shape == (5, POINTS) and one.factor.shape == (4, POINTS)
    assert one.condition([(3,)], [1.0]).mean[3] == pytest.approx(1.0)
    assert np.ndim(one.log_prob(u0[0, 0])) == 0
    fine = operator.predict(np.repeat(u0, 2, axis=-1), 0.5)  # another grid
    assert fine.event_shape == (1, 2 * POINTS)


def test_times_are_one_for_all_or_one_each(operator, data):
    u0 = data[0][:3]
    each = operator.predict(u0, [0.0, 0.5, 1.0])
    np.testing.assert_array_equal(each.mean[0], u0[0])
    np.testing.assert_array_equal(each.mean[2], operator.predict(u0, 1)[2].mean)
    for bad in ([0.1, 0.2], -1.0, np.nan, [[0.1]], [], "now", 1e300):
        with pytest.raises((ValueError, TypeError), match="mno"):
            operator.predict(u0, bad)


def test_draws_are_those_of_the_law(operator, data):
    u0 = data[0][:2]
    drawn = operator.draws(u0, 1.0, 7, seed=3)
    np.testing.assert_array_equal(drawn, operator.predict(u0, 1.0).sample(7, seed=3))
    assert operator.draws(u0[0, 0], 1.0, 7).shape == (7, POINTS)


def test_equal_seeds_give_equal_bits_for_any_number_of_threads(data, operator):
    u0, uT = data
    other = small(threads=2).fit(u0, uT, 1.0, epochs=30, progress=False)
    np.testing.assert_array_equal(other.predict(u0, 1.0).mean, operator.predict(u0, 1.0).mean)
    different = small(seed=2).fit(u0, uT, 1.0, epochs=30, progress=False)
    assert not np.array_equal(different.predict(u0, 1.0).mean, operator.predict(u0, 1.0).mean)


def test_two_fits_in_two_threads_give_the_bits_of_one_after_the_other(data, operator):
    u0, uT = data
    operators = [small(), small()]
    errors = []

    def work(one):
        try:
            one.fit(u0, uT, 1.0, epochs=30, progress=False)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(one,)) for one in operators]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    for one in operators:
        np.testing.assert_array_equal(one.predict(u0, 1.0).factor, operator.predict(u0, 1.0).factor)


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_forked_child_gives_the_same_bits_and_ends(data):
    u0, uT = data
    one = small(threads=2).fit(u0, uT, 1.0, epochs=2, progress=False)
    want = one.predict(u0, 1.0).mean
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # ends it if it waits for ever
        os._exit(0 if np.array_equal(one.predict(u0, 1.0).mean, want) else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_files_and_pickles_keep_every_bit(operator, data, tmp_path):
    want = operator.predict(data[0], 0.7)
    path = tmp_path / "model.safetensors"
    operator.save(path)
    loaded = mno.load(path, threads=1)
    np.testing.assert_array_equal(loaded.predict(data[0], 0.7).factor, want.factor)
    assert loaded.rank == 4 and loaded.kind == "mno-nugget" and loaded.shape_["modes"] == 8
    again = pickle.loads(pickle.dumps(operator))
    np.testing.assert_array_equal(again.predict(data[0], 0.7).mean, want.mean)
    assert again.history_ == operator.history_ and again.get_params() == operator.get_params()
    loaded.save(str(path))
    assert (tmp_path / "model.safetensors.previous").exists()


def test_files_that_are_no_models_are_refused(tmp_path, operator):
    with pytest.raises(FileNotFoundError):
        mno.load(tmp_path / "nothing")
    with pytest.raises(OSError):
        mno.load(tmp_path)
    (tmp_path / "noise").write_bytes(b"noise" * 100)
    with pytest.raises(ValueError, match="noise"):
        mno.load(tmp_path / "noise")
    operator.save(tmp_path / "model")
    whole = (tmp_path / "model").read_bytes()
    (tmp_path / "cut").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match="cut"):
        mno.load(tmp_path / "cut")
    with pytest.raises(OSError, match="cannot"):
        operator.save(tmp_path / "folder" / "model")


def test_an_operator_that_is_not_trained_says_so(tmp_path):
    for ask in (lambda o: o.predict(np.zeros((1, 1, 8)), 1.0), lambda o: o.save(tmp_path / "m"), lambda o: o.shape_):
        with pytest.raises(mno.NotFittedError, match="not trained"):
            ask(mno.Operator())
    assert pickle.loads(pickle.dumps(mno.Operator(rank=3))).rank == 3


def test_callbacks_hear_every_epoch_and_end_the_training(data):
    u0, uT = data
    heard = []
    one = small().fit(u0, uT, 1.0, epochs=3, callbacks=[heard.append], progress=False)
    assert [epoch["epoch"] for epoch in heard] == [1, 2, 3] and one.history_ == heard
    assert all(np.isfinite(epoch["loss"]) for epoch in heard) and "w2g" in heard[-1]["validation"]

    def fail(epoch):
        raise RuntimeError(f"enough in epoch {epoch['epoch']}")

    with pytest.raises(RuntimeError, match="enough in epoch 1"):
        small().fit(u0, uT, 1.0, epochs=3, callbacks=[fail], progress=False)
    with pytest.raises(TypeError, match="callbacks"):
        small().fit(u0, uT, 1.0, epochs=3, callbacks=[3], progress=False)


def test_an_interrupted_training_goes_on_to_the_same_bits(data, operator):
    u0, uT = data

    def stop(epoch):
        if epoch["epoch"] == 11:
            raise KeyboardInterrupt

    one = small()
    with pytest.raises(KeyboardInterrupt):
        one.fit(u0, uT, 1.0, epochs=30, callbacks=[stop], progress=False)
    assert np.isfinite(one.predict(u0, 1.0).mean).all()  # what was learnt stays
    one = pickle.loads(pickle.dumps(one))
    with pytest.raises(ValueError, match="other data"):
        one.fit(u0[:-1], uT[:-1], 1.0, epochs=30, progress=False, resume=True)
    one.fit(u0, uT, 1.0, epochs=30, progress=False, resume=True)
    np.testing.assert_array_equal(one.predict(u0, 1.0).mean, operator.predict(u0, 1.0).mean)
    assert [epoch["epoch"] for epoch in one.history_] == list(range(1, 31))
    with pytest.raises(ValueError, match="resume"):
        one.fit(u0, uT, 1.0, epochs=30, progress=False, resume=True)


def test_ctrl_c_interrupts_between_steps(data):
    u0, uT = data
    signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background it is ignored
    started = threading.Event()

    def press():
        started.wait(60)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    one = small()
    with pytest.raises(KeyboardInterrupt):
        one.fit(u0, uT, 1.0, epochs=1000000, callbacks=[lambda _: started.set()], progress=False)
    thread.join()
    assert one.predict(u0, 1.0).mean.shape == u0.shape


def test_ctrl_c_interrupts_a_compiler(tmp_path):
    code = (
        "import numpy as np, mno, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "try:\n"
        "    mno.Operator(rank=3, width=5, modes=2, depth=1).fit(np.zeros((4, 8)), np.random.rand(4, 3, 8), 1.0)\n"
        "except KeyboardInterrupt:\n"
        "    sys.exit(17)\n"
    )
    cache = tmp_path / "cache"
    child = subprocess.Popen(
        [sys.executable, "-c", code], env={**os.environ, "MNO_CACHE_DIR": str(cache)}, stderr=subprocess.PIPE, text=True
    )
    assert child.stderr.read(9) == "Compiling"
    child.send_signal(signal.SIGINT)
    child.stderr.read()
    assert child.wait(60) == 17
    assert not list(cache.glob("*.so"))


def test_validation_is_a_share_or_other_data(data):
    u0, uT = data
    held = ensembles(8, seed=9)
    one = small().fit(u0, uT, 1.0, validation=(*held, 1.0), epochs=2, progress=False)
    assert one.report_["train_samples"] == 40 and one.report_["validation_samples"] == 8
    one.fit(u0, uT, 1.0, validation=0.25, epochs=2, progress=False)
    assert one.report_["train_samples"] == 30 and one.report_["validation_samples"] == 10
    one.fit(u0, uT, 1.0, validation=0, epochs=2, progress=False)
    assert one.report_["validation_samples"] == 0 and "scores" not in one.report_
    for bad in (1.5, -0.1, (u0, uT), "half"):
        with pytest.raises((ValueError, TypeError), match="validation"):
            small().fit(u0, uT, 1.0, validation=bad, epochs=2, progress=False)


def test_other_residuals_and_warps_stay_with_the_model(data, tmp_path):
    u0, uT = (np.exp(0.3 * part) for part in data)
    one = small(residual="student_t 6", warp="log").fit(u0, uT, 1.0, epochs=5, progress=False)
    law = one.predict(u0[:2], 1.0)
    assert law.residual == "student_t 6" and law.warp == "log"
    lower, upper = law.interval(0.9)
    assert np.all(lower > 0) and np.all(upper > lower) and np.all(law.sample(20) > 0)
    with pytest.raises(ValueError, match="moments"):  # a log Student law has none
        law.mean
    one.save(tmp_path / "model")
    again = mno.load(tmp_path / "model")
    assert again.warp == "log" and again.residual == "student_t 6"
    np.testing.assert_array_equal(again.predict(u0[:2], 1.0).quantile(0.5), law.quantile(0.5))
    with pytest.raises(ValueError, match="warp"):  # the logarithm of a negative number
        small(warp="log").fit(*data, 1.0, epochs=2, progress=False)


@pytest.mark.parametrize(
    "changes, error",
    [
        (dict(kind="fnoo"), ValueError),
        (dict(kind=3), TypeError),
        (dict(rank=0), ValueError),
        (dict(rank=2.5), TypeError),
        (dict(width="wide"), TypeError),
        (dict(recipe="cake"), ValueError),
        (dict(residual="cauchy"), ValueError),
        (dict(warp="square"), ValueError),
        (dict(seed=-1), ValueError),
        (dict(threads=-2), ValueError),
        (dict(calibrate=2.0), ValueError),
        (dict(learning_rate="fast"), TypeError),
        (dict(symmetries="some"), TypeError),
    ],
)
def test_arguments_that_make_no_sense_are_refused_by_fit(changes, error, data):
    with pytest.raises(error, match="mno"):
        small(**changes).fit(*data, 1.0, epochs=1, progress=False)


def test_arguments_are_kept_as_they_are_given():
    one = small(rank=4, learning_rate="fast")  # fit would refuse it
    again = mno.Operator(**one.get_params())
    assert all(getattr(again, name) is value for name, value in one.get_params().items())
    with pytest.raises(ValueError, match="no argument"):
        one.set_params(colour="red")


def test_scikit_learn_can_clone_and_check(operator):
    base = pytest.importorskip("sklearn.base")
    validation = pytest.importorskip("sklearn.utils.validation")
    exceptions = pytest.importorskip("sklearn.exceptions")
    one = small(rank=4)
    copy = base.clone(one)
    assert copy is not one and copy.get_params() == one.get_params()
    with pytest.raises(exceptions.NotFittedError):
        validation.check_is_fitted(base.clone(operator))
    validation.check_is_fitted(operator)


def test_what_was_said_is_shown():
    assert repr(small(rank=4)) == "mno.Operator(rank=4, width=16, modes=8, depth=2, seed=1, threads=1)"


def test_what_is_said_goes_to_standard_error(data, capfd):
    small().fit(*data, 1.0, epochs=2, progress=True)
    out, _ = capfd.readouterr()
    assert out == ""
    small().fit(*data, 1.0, epochs=2, progress=False)
    assert capfd.readouterr() == ("", "")


def test_models_go_between_python_and_the_program(data, operator, tmp_path):
    program = os.environ.get("MNO_PROGRAM_PATH")
    if not program:
        pytest.skip("MNO_PROGRAM_PATH does not name the program mno")
    u0, uT = data
    np.savez(tmp_path / "data.npz", u0=u0, uT=uT, t=1.0)
    shape = [word for key, value in SHAPE.items() for word in (f"--{key}", str(value))]
    options = ["--seed", "1", "--threads", "1", "--epochs", "30"]
    train = [program, "train", "--data", tmp_path / "data.npz", "-o", tmp_path / "model", *shape, *options]
    subprocess.run(train, check=True, capture_output=True)
    theirs = mno.load(tmp_path / "model").predict(u0, 0.6)
    ours = operator.predict(u0, 0.6)
    # the program may have FFTW, and is compiled in another way: the same training up to rounding
    assert np.abs(theirs.mean - ours.mean).max() < 0.05 * ours.stddev.max()

    operator.save(tmp_path / "ours")
    np.save(tmp_path / "u0.npy", u0)
    ask = [program, "predict", "--model", tmp_path / "ours", "--input", tmp_path / "u0.npy", "--time", "0.6"]
    subprocess.run([*ask, "-o", tmp_path / "law.npz"], check=True, capture_output=True)
    with np.load(tmp_path / "law.npz") as law:
        np.testing.assert_allclose(law["mean"], ours.mean, rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(law["factor"], ours.factor, rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(law["nugget"], ours.nugget, rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(law["variance"], ours.variance, rtol=1e-3, atol=1e-5)
