"""Other kinds, dimensions and channels. Each is an operator to be compiled, so these run where MNO_ALL_TESTS is set."""

import os

import numpy as np
import pytest

import mno

pytestmark = pytest.mark.skipif("MNO_ALL_TESTS" not in os.environ, reason="MNO_ALL_TESTS is not set")
SMALL = dict(rank=2, width=8, modes=2, depth=1, threads=1)
RANDOM = np.random.default_rng(4)


def test_a_plane_with_two_channels_and_known_fields():
    u0 = RANDOM.normal(size=(12, 2, 6, 8)).astype(np.float32)
    uT = 0.5 * u0[:, None] + 0.1 * RANDOM.normal(size=(12, 5, 2, 6, 8))
    fields = RANDOM.normal(size=(1, 6, 8))
    one = mno.Operator(**SMALL).fit(u0, uT, 1.0, fields=fields, length=[1.0, 2.0], epochs=2, progress=False)
    assert one.shape_["known"] == 1 and one.shape_["dimension"] == 2 and one.shape_["channels"] == 2
    law = one.predict(u0, 1.0)
    assert law.event_shape == (2, 6, 8) and law.factor.shape == (12, 2, 2, 6, 8)
    single = one.predict(u0[0], 1.0)
    assert single.batch_shape == () and single.event_shape == (2, 6, 8)
    np.testing.assert_allclose(single.mean, law.mean[0], rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(one.predict(u0, 1.0, fields=fields).mean, law.mean)
    with pytest.raises(ValueError, match="u0"):
        one.predict(u0[:, :1], 1.0)
    weights = np.zeros((2, 6, 8))
    weights[1] = 1
    total = law.functional(weights)
    np.testing.assert_allclose(total.mean, law.mean[:, 1].mean((1, 2)) * 2.0, rtol=1e-4, atol=1e-5)


def test_draws_without_a_law():
    u0 = RANDOM.normal(size=(12, 16)).astype(np.float32)
    uT = 0.5 * u0[:, None] + 0.1 * RANDOM.normal(size=(12, 5, 16))
    one = mno.Operator(kind="noise-fno", **SMALL).fit(u0, uT, 1.0, epochs=2, progress=False)
    with pytest.raises(ValueError, match="draws"):
        one.predict(u0, 1.0)
    drawn = one.draws(u0, 1.0, 6, seed=2)
    assert drawn.shape == (12, 6, 16) and drawn.std(axis=1).min() > 0
    np.testing.assert_array_equal(drawn, one.draws(u0, 1.0, 6, seed=2))
    assert not np.array_equal(drawn, one.draws(u0, 1.0, 6, seed=3))


def test_a_field_has_no_spread():
    u0 = RANDOM.normal(size=(12, 16)).astype(np.float32)
    uT = 0.5 * u0[:, None] + 0.1 * RANDOM.normal(size=(12, 5, 16))
    one = mno.Operator(kind="fno", **SMALL).fit(u0, uT, 1.0, epochs=2, progress=False)
    assert np.all(one.predict(u0, 1.0).variance == 0)
    with pytest.raises(ValueError, match="spread"):
        one.draws(u0, 1.0, 2)


def test_a_kind_without_a_nugget_keeps_the_one_that_shrinkage_gives():
    u0 = RANDOM.normal(size=(40, 16)).astype(np.float32)
    uT = 0.5 * u0 + 0.1 * RANDOM.normal(size=(40, 16))  # single draws: the factor is shrunk
    one = mno.Operator(kind="mno-path", **SMALL).fit(u0, uT, 1.0, epochs=3, progress=False, validation=0.3)
    assert "shrinkage" in one.choices_
    law = one.predict(u0, 1.0)
    assert law.nugget is not None and law.nugget.min() > 0
    assert np.isfinite(law.log_prob(uT)).all()
    bars = RANDOM.normal(size=law.factor.shape)
    assert np.isfinite(one.vjp(u0, 1.0, np.ones_like(u0), bars, np.ones_like(u0))[0]).all()


def test_a_field_has_a_gradient_and_draws_have_none():
    u0 = RANDOM.normal(size=(12, 16)).astype(np.float32)
    uT = 0.5 * u0[:, None] + 0.1 * RANDOM.normal(size=(12, 5, 16))
    field = mno.Operator(kind="fno", **SMALL).fit(u0, uT, 1.0, epochs=2, progress=False)
    bar = RANDOM.normal(size=u0.shape).astype(np.float32)
    got, _ = field.vjp(u0, 1.0, bar)
    step = 1e-2 * RANDOM.normal(size=u0.shape).astype(np.float32)
    up, down = (field.predict(u0 + sign * step, 1.0).mean for sign in (1, -1))
    assert np.sum(got * step) == pytest.approx(np.sum((up - down).astype(float) * bar) / 2, rel=1e-2)
    draws = mno.Operator(kind="noise-fno", **SMALL).fit(u0, uT, 1.0, epochs=2, progress=False)
    with pytest.raises(ValueError, match="gives draws"):
        draws.vjp(u0, 1.0, bar)
