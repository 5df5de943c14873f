"""Arrays of every sort, one by one: taken as they are meant, or refused with a sentence."""

import numpy as np
import pytest
from conftest import POINTS, SHAPE

import mno


def fit(u0, uT, t=1.0, **options):
    operator = mno.Operator(**SHAPE, seed=1, threads=1)
    return operator.fit(u0, uT, t, epochs=3, progress=False, **options)


@pytest.fixture(scope="module")
def trained(data):
    return fit(*data).predict(data[0], 1.0).mean


def bits(operator, data):
    return operator.predict(data[0], 1.0).mean


SAME = {
    "double": lambda a: a.astype(np.float64),
    "big-endian": lambda a: a.astype(">f4"),
    "big-endian double": lambda a: a.astype(">f8"),
    "Fortran order": np.asfortranarray,
    "strided": lambda a: np.repeat(a, 2, axis=-1)[..., ::2],
    "reversed twice": lambda a: a[..., ::-1].copy()[..., ::-1],
    "lists": lambda a: a.tolist(),
    "a subclass": lambda a: a.view(type("Mine", (np.ndarray,), {})),
}


@pytest.mark.parametrize("how", SAME)
def test_training_does_not_see_how_an_array_lies(how, data, trained):
    change = SAME[how]
    operator = fit(change(data[0]), change(data[1]))
    np.testing.assert_array_equal(bits(operator, data), trained)


@pytest.mark.parametrize("how", SAME)
def test_prediction_does_not_see_how_an_array_lies(how, data, operator):
    law = operator.predict(SAME[how](data[0]), 1.0)
    np.testing.assert_array_equal(law.mean, operator.predict(data[0], 1.0).mean)


def test_read_only_arrays_are_read_and_nothing_is_written(data, trained):
    u0, uT = (part.copy() for part in data)
    u0.flags.writeable = uT.flags.writeable = False
    operator = fit(u0, uT)
    np.testing.assert_array_equal(bits(operator, (u0, uT)), trained)
    np.testing.assert_array_equal(u0, data[0])
    np.testing.assert_array_equal(uT, data[1])


def test_half_precision_and_whole_numbers_are_numbers(data, operator):
    half = data[0].astype(np.float16)
    np.testing.assert_array_equal(
        operator.predict(half, 1.0).mean, operator.predict(half.astype(np.float32), 1.0).mean
    )
    whole = np.ones((2, 1, POINTS), dtype=np.int32)
    np.testing.assert_array_equal(
        operator.predict(whole, 1).mean, operator.predict(whole.astype(np.float32), 1.0).mean
    )


def test_anything_with_dlpack_is_an_array(data, operator):
    class Foreign:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    law = operator.predict(Foreign(data[0]), 1.0)
    np.testing.assert_array_equal(law.mean, operator.predict(data[0], 1.0).mean)


def test_a_line_of_one_channel_needs_no_axis_for_it(data, trained):
    u0, uT = data
    np.testing.assert_array_equal(bits(fit(u0[:, 0], uT[:, :, 0]), data), trained)
    single = fit(u0, uT[:, 0])  # one draw each
    np.testing.assert_array_equal(bits(fit(u0[:, 0], uT[:, 0, 0]), data), bits(single, data))
    counted = fit(u0, uT[:, 0], counts=np.ones(len(u0)))
    np.testing.assert_array_equal(bits(counted, data), bits(single, data))


def test_times_length_walls_and_groups_go_to_the_library(data, trained):
    u0, uT = data
    np.testing.assert_array_equal(bits(fit(u0, uT, np.ones(len(u0))), data), trained)
    walls = fit(u0, uT, bounded=True, length=2.0)
    assert walls.predict(u0[:1], 1.0).functional(np.ones((1, POINTS))).mean.shape == (1,)
    assert not np.array_equal(bits(walls, data), trained)
    grouped = fit(u0, uT, group=np.arange(len(u0)) // 4)
    assert grouped.report_["validation_samples"] % 4 == 0  # no group is torn apart


REFUSED = {
    "a NaN in u0": (lambda u0, uT: (np.where(np.arange(POINTS) == 3, np.nan, u0), uT, 1.0), ValueError, "finite"),
    "an infinity in uT": (lambda u0, uT: (u0, np.where(np.arange(POINTS) == 3, np.inf, uT), 1.0), ValueError, "finite"),
    "too large for floats": (lambda u0, uT: (u0.astype(float) * 1e200, uT, 1.0), ValueError, "holds"),
    "fewer samples in uT": (lambda u0, uT: (u0, uT[1:], 1.0), ValueError, "samples"),
    "other points in uT": (lambda u0, uT: (u0, uT[..., 1:], 1.0), ValueError, "points"),
    "no members": (lambda u0, uT: (u0, uT[:, :0], 1.0), ValueError, "expected"),
    "no samples": (lambda u0, uT: (u0[:0], uT[:0], 1.0), ValueError, "at least one"),
    "one sample": (lambda u0, uT: (u0[:1], uT[:1], 1.0), ValueError, "two samples"),
    "no points": (lambda u0, uT: (u0[..., :0], uT[..., :0], 1.0), ValueError, "at least one"),
    "a number": (lambda u0, uT: (3.0, uT, 1.0), ValueError, "u0"),
    "a text": (lambda u0, uT: ("fields", uT, 1.0), TypeError, "u0"),
    "None": (lambda u0, uT: (None, uT, 1.0), TypeError, "u0"),
    "complex numbers": (lambda u0, uT: (u0 + 1j, uT, 1.0), TypeError, "complex"),
    "objects": (lambda u0, uT: (u0.astype(object), uT, 1.0), TypeError, "object"),
    "ragged lists": (lambda u0, uT: ([[1.0, 2.0], [3.0]], uT, 1.0), TypeError, "u0"),
    "dates": (lambda u0, uT: (np.zeros(u0.shape, "M8[s]"), uT, 1.0), TypeError, "u0"),
    "six axes": (lambda u0, uT: (u0[None, None, None], uT, 1.0), ValueError, "u0"),
    "a negative time": (lambda u0, uT: (u0, uT, -1.0), ValueError, "times"),
    "times of others": (lambda u0, uT: (u0, uT, np.ones(7)), ValueError, "t to be"),
    "a time that is no number": (lambda u0, uT: (u0, uT, np.nan), ValueError, "times"),
    "masked entries": (lambda u0, uT: (np.ma.masked_less(u0, 0), uT, 1.0), ValueError, "masked"),
    "members that are all equal": (lambda u0, uT: (u0, np.zeros_like(uT), 1.0), ValueError, "differ"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_training_refuses(what, data):
    make, error, words = REFUSED[what]
    with pytest.raises(error, match=words):
        fit(*make(*data))


@pytest.mark.parametrize(
    "options, words",
    [
        (dict(length=0.0), "length"),
        (dict(length=[1.0, 2.0]), "length"),
        (dict(bounded=2), "bounded"),
        (dict(fields=np.zeros((1, POINTS + 1))), "fields"),
        (dict(group=np.zeros(3)), "group"),
        (dict(counts=np.zeros(40)), "counts"),
    ],
)
def test_what_stands_beside_must_fit_too(options, words, data):
    with pytest.raises(ValueError, match=words):
        fit(*data, **options)


@pytest.mark.parametrize(
    "u0, error",
    [
        (np.full((1, 1, POINTS), np.nan), ValueError),
        (np.zeros((1, 2, POINTS)), ValueError),
        (np.zeros((0, 1, POINTS)), ValueError),
        (np.zeros((1, 1, 0)), ValueError),
        (np.zeros((1, 1, 4, 4)), ValueError),
        (np.float64(1.0), ValueError),
        (np.zeros((1, 1, POINTS), dtype=complex), TypeError),
        ("u0", TypeError),
        (np.full((1, 1, POINTS), 1e200), ValueError),
    ],
)
def test_prediction_refuses(u0, error, operator):
    with pytest.raises(error, match="u0"):
        operator.predict(u0, 1.0)


def test_results_are_the_callers_own(operator, data):
    law = operator.predict(data[0][:1], 1.0)
    mean = law.mean
    mean[:] = 0
    assert not np.array_equal(law.mean, mean) and law.mean.flags.c_contiguous
