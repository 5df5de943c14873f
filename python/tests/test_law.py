"""Laws against SciPy and against dense matrices."""

import pickle

import numpy as np
import pytest
from scipy import stats
from scipy.sparse.linalg import LinearOperator

import mno

RNG = np.random.default_rng(7)
BATCH, RANK, CHANNELS, POINTS = 3, 2, 2, 5
N = CHANNELS * POINTS


def parts(nugget=True):
    mean = RNG.normal(size=(BATCH, CHANNELS, POINTS)).astype(np.float32)
    factor = RNG.normal(size=(BATCH, RANK, CHANNELS, POINTS)).astype(np.float32)
    eta = (0.2 + RNG.random(size=(BATCH, CHANNELS, POINTS))).astype(np.float32) if nugget else None
    return mean, factor, eta


def dense(factor, eta, sample):
    b = factor[sample].reshape(RANK, N).astype(float)
    return b.T @ b + (np.diag(eta[sample].reshape(N).astype(float) ** 2) if eta is not None else 0)


def test_shapes_and_parts():
    mean, factor, eta = parts()
    law = mno.Law(mean, factor, eta)
    assert law.batch_shape == (BATCH,) and law.event_shape == (CHANNELS, POINTS) and law.rank == RANK
    np.testing.assert_array_equal(law.mean, mean)
    np.testing.assert_array_equal(law.factor, factor)
    np.testing.assert_array_equal(law.nugget, eta)
    for s in range(BATCH):
        np.testing.assert_allclose(law.variance[s].ravel(), np.diag(dense(factor, eta, s)), rtol=1e-5)
    np.testing.assert_allclose(law.stddev**2, law.variance, rtol=1e-6)
    assert mno.Law(mean, factor).nugget is None


@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_log_prob_is_that_of_a_dense_normal_law(noise):
    mean, factor, eta = parts()
    u = RNG.normal(size=mean.shape)
    got = mno.Law(mean, factor, eta).log_prob(u, noise_variance=noise)
    assert got.shape == (BATCH,)
    for s in range(BATCH):
        gamma = dense(factor, eta, s) + noise * np.eye(N)
        want = stats.multivariate_normal(mean[s].ravel().astype(float), gamma).logpdf(u[s].ravel())
        assert got[s] == pytest.approx(want, rel=1e-5, abs=1e-4)


def test_log_prob_of_a_student_law_is_that_of_a_dense_one():
    mean, factor, eta = parts()
    u, nu = RNG.normal(size=mean.shape), 5
    got = mno.Law(mean, factor, eta, residual="student_t 5").log_prob(u)
    for s in range(BATCH):
        scale = dense(factor, eta, s) * (nu - 2) / nu
        want = stats.multivariate_t(mean[s].ravel().astype(float), scale, df=nu).logpdf(u[s].ravel())
        assert got[s] == pytest.approx(want, rel=1e-5, abs=1e-4)


def test_log_prob_without_a_nugget_is_refused_with_the_way_out():
    mean, factor, _ = parts()
    with pytest.raises(ValueError, match="positive noise variance"):
        mno.Law(mean, factor).log_prob(mean)


@pytest.mark.parametrize(
    "residual, standard",
    [
        ("gaussian", stats.norm()),
        ("laplace", stats.laplace(scale=np.sqrt(0.5))),
        ("student_t 5", stats.t(5, scale=np.sqrt(3 / 5))),
    ],
)
def test_marginals(residual, standard):
    mean, factor, eta = parts()
    law = mno.Law(mean, factor, eta, residual=residual)
    sd = np.sqrt(np.stack([np.diag(dense(factor, eta, s)) for s in range(BATCH)])).reshape(mean.shape)
    lower, upper = law.interval(0.8)
    np.testing.assert_allclose(upper, mean + sd * standard.ppf(0.9), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(lower, mean - sd * standard.ppf(0.9), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(law.exceedance(0.5), standard.sf((0.5 - mean) / sd), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(law.cdf(mean + sd), standard.cdf(np.ones_like(sd)), rtol=1e-4)
    level = RNG.normal(size=mean.shape)
    np.testing.assert_allclose(law.exceedance(level), standard.sf((level - mean) / sd), rtol=1e-4, atol=1e-6)


def test_crps_of_a_normal_law():
    mean, factor, eta = parts()
    law = mno.Law(mean, factor, eta)
    u = RNG.normal(size=mean.shape)
    z = (u - mean) / law.stddev
    want = law.stddev * (z * (2 * stats.norm.cdf(z) - 1) + 2 * stats.norm.pdf(z) - 1 / np.sqrt(np.pi))
    np.testing.assert_allclose(law.crps(u), want, rtol=1e-4, atol=1e-5)


def test_samples_have_the_moments_of_the_law_and_depend_on_the_seed_alone():
    mean, factor, eta = parts()
    law = mno.Law(mean, factor, eta)
    n = 40000
    draws = law.sample(n, seed=3)
    assert draws.shape == (BATCH, n, CHANNELS, POINTS)
    np.testing.assert_array_equal(draws[:, :10], law.sample(10, seed=3))
    assert not np.array_equal(draws[:, :10], law.sample(10, seed=4))
    for s in range(BATCH):
        flat = draws[s].reshape(n, N).astype(float)
        gamma = dense(factor, eta, s)
        sd = np.sqrt(np.diag(gamma))
        # six deviations of a mean and of a covariance: by chance once in millions of entries
        assert np.all(np.abs(flat.mean(0) - mean[s].ravel()) < 6 * sd / np.sqrt(n))
        assert np.all(np.abs(np.cov(flat.T) - gamma) < 6 * np.outer(sd, sd) * np.sqrt(2 / n))


@pytest.mark.parametrize("nugget", [True, False])
@pytest.mark.parametrize("noise", [0.05, 0.4])
def test_conditioning_is_that_of_dense_matrices(nugget, noise):
    mean, factor, eta = parts(nugget)
    where = [(0, 1), (1, 4), (0, 3)]
    flat = [c * POINTS + x for c, x in where]
    seen = RNG.normal(size=(BATCH, 3))
    given = mno.Law(mean, factor, eta).condition(where, seen, noise_variance=noise)
    for s in range(BATCH):
        gamma = dense(factor, eta, s)
        gain = gamma[:, flat] @ np.linalg.inv(gamma[np.ix_(flat, flat)] + noise * np.eye(3))
        want = mean[s].ravel() + gain @ (seen[s] - mean[s].ravel()[flat])
        np.testing.assert_allclose(given.mean[s].ravel(), want, rtol=1e-4, atol=1e-4)
        after = gamma - gain @ gamma[flat]
        np.testing.assert_allclose(given.covariance(s).todense(), after, rtol=1e-3, atol=1e-4)


def test_what_was_seen_without_noise_is_certain():
    mean, factor, eta = parts()
    given = mno.Law(mean, factor, eta).condition([(1, 2)], [4.0])
    np.testing.assert_allclose(given.mean[:, 1, 2], 4.0, rtol=1e-6)
    np.testing.assert_allclose(given.variance[:, 1, 2], 0.0, atol=1e-10)
    same = given.condition(np.zeros((0, 2), dtype=int), np.zeros(0))
    np.testing.assert_allclose(same.mean, given.mean, rtol=1e-6)


@pytest.mark.parametrize("index", [[(0, 9)], [(2, 0)], [(-1, 0)], [(0,)], [(0.5, 1)], 3])
def test_entries_that_are_not_there_cannot_be_seen(index):
    mean, factor, eta = parts()
    with pytest.raises(ValueError, match="index"):
        mno.Law(mean, factor, eta).condition(index, [1.0])


def test_conditioning_is_refused_where_it_is_not_exact():
    mean, factor, eta = parts()
    with pytest.raises(ValueError, match="Gaussian"):
        mno.Law(mean, factor, eta, residual="laplace").condition([(0, 0)], [1.0])
    with pytest.raises(ValueError, match="warp"):
        mno.Law(mean, factor, eta, warp="log").condition([(0, 0)], [1.0])
    mno.Law(mean, factor, eta, residual="laplace").with_residual("gaussian").condition([(0, 0)], [1.0])


def test_functionals_are_integrals():
    mean, factor, eta = parts()
    length = 2.5
    law = mno.Law(mean, factor, eta, length=length)
    w = RNG.normal(size=(2, CHANNELS, POINTS)).astype(np.float32)
    several = law.functional(w)
    cell = length / POINTS
    for s in range(BATCH):
        flat = w.reshape(2, N).astype(float)
        np.testing.assert_allclose(several.mean[s], cell * flat @ mean[s].ravel(), rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(
            several.covariance[s], cell**2 * flat @ dense(factor, eta, s) @ flat.T, rtol=1e-4, atol=1e-6
        )
    one = law.functional(w[0])
    assert one.mean.shape == (BATCH,)
    np.testing.assert_allclose(one.mean, several.mean[:, 0])
    np.testing.assert_allclose(one.stddev, several.stddev[:, 0])
    np.testing.assert_allclose(one.exceedance(0.1), stats.norm.sf(0.1, one.mean, one.stddev), rtol=1e-6)
    np.testing.assert_allclose(one.cdf(one.quantile(0.3)), 0.3, rtol=1e-6)
    with pytest.raises(ValueError, match="event_shape"):
        law.functional(np.ones((CHANNELS, POINTS + 1)))


def test_covariance_is_a_linear_operator():
    mean, factor, eta = parts()
    law = mno.Law(mean, factor, eta)
    gamma = law.covariance(1)
    want = dense(factor, eta, 1)
    assert isinstance(gamma, LinearOperator) and gamma.shape == (N, N)
    v = RNG.normal(size=(N, 3))
    np.testing.assert_allclose(gamma @ v, want @ v, rtol=1e-6)
    np.testing.assert_allclose(gamma @ v[:, 0], want @ v[:, 0], rtol=1e-6)
    np.testing.assert_allclose(gamma.T @ v[:, 0], want @ v[:, 0], rtol=1e-6)
    assert gamma.trace() == pytest.approx(np.trace(want), rel=1e-6)
    np.testing.assert_allclose(gamma.factor, factor[1].reshape(RANK, N))
    with pytest.raises(ValueError, match="sample"):
        law.covariance(BATCH)
    with pytest.raises(ValueError, match="unwarped"):
        mno.Law(mean, factor, warp="log").covariance()


def test_a_log_warp_makes_lognormal_laws():
    mean, factor, eta = parts()
    law = mno.Law(0.2 * mean, 0.2 * factor, 0.2 * eta, warp="log")
    own = law.unwarped()
    assert law.warp == "log" and own.warp == "unwarped"
    m, v = own.mean.astype(float), own.variance.astype(float)
    np.testing.assert_allclose(law.mean, np.exp(m + v / 2), rtol=1e-4)
    np.testing.assert_allclose(law.variance, np.expm1(v) * np.exp(2 * m + v), rtol=1e-3)
    np.testing.assert_allclose(law.quantile(0.7), np.exp(own.quantile(0.7)), rtol=1e-4)
    u = np.exp(own.sample(1, seed=5)[:, 0].astype(float))
    np.testing.assert_allclose(law.log_prob(u), own.log_prob(np.log(u)) - np.log(u).sum((1, 2)), rtol=1e-3)
    assert np.all(law.sample(50, seed=1) > 0)
    with pytest.raises(ValueError, match="warp"):
        law.functional(np.ones((CHANNELS, POINTS)))


def test_planes_and_boxes():
    for points in ((3, 4), (2, 3, 4)):
        mean = RNG.normal(size=(2, 1, *points)).astype(np.float32)
        factor = RNG.normal(size=(2, 2, 1, *points)).astype(np.float32)
        law = mno.Law(mean, factor, nugget=np.ones_like(mean), length=[1.0] * len(points))
        np.testing.assert_allclose(law.variance, (factor**2).sum(1) + 1, rtol=1e-5)
        assert law.sample(4).shape == (2, 4, 1, *points)
        where = (0, *[n - 1 for n in points])
        np.testing.assert_allclose(law.condition([where], [2.0]).mean[(slice(None), *where)], 2.0, rtol=1e-6)


def test_samples_of_a_law_can_be_chosen_and_kept():
    mean, factor, eta = parts()
    law = mno.Law(mean, factor, eta, residual="laplace", length=3.0)
    assert len(law) == BATCH and law[1].batch_shape == () and law[1:].batch_shape == (BATCH - 1,)
    np.testing.assert_array_equal(law[1].mean, mean[1])
    np.testing.assert_array_equal(law[-1].factor, factor[-1])
    assert law[1].log_prob(mean[1]) == pytest.approx(law.log_prob(mean)[1])
    back = pickle.loads(pickle.dumps(law))
    np.testing.assert_array_equal(back.sample(2, seed=1), law.sample(2, seed=1))
    assert back.functional(mean[0]).mean[0] == law.functional(mean[0]).mean[0]
    with pytest.raises(IndexError):
        law[BATCH]
    with pytest.raises(TypeError):
        len(law[0])


@pytest.mark.parametrize(
    "change, error",
    [
        (dict(factor=np.zeros((BATCH, RANK, CHANNELS, POINTS + 1))), ValueError),
        (dict(nugget=np.zeros((BATCH, CHANNELS, POINTS + 1))), ValueError),
        (dict(mean=np.full((BATCH, CHANNELS, POINTS), np.nan)), ValueError),
        (dict(mean=np.zeros((BATCH, POINTS))), ValueError),
        (dict(residual="cauchy"), ValueError),
        (dict(warp="square"), ValueError),
        (dict(length=0.0), ValueError),
        (dict(mean=np.zeros((BATCH, CHANNELS, POINTS), dtype=complex)), TypeError),
        (dict(mean=np.full((BATCH, CHANNELS, POINTS), 1e300)), ValueError),
    ],
)
def test_parts_that_do_not_fit_are_refused(change, error):
    mean, factor, eta = parts()
    with pytest.raises(error, match="mno"):
        mno.Law(**{"mean": mean, "factor": factor, "nugget": eta, **change})


@pytest.mark.parametrize(
    "ask, error",
    [
        (lambda law: law.sample(0), ValueError),
        (lambda law: law.sample(2.5), TypeError),
        (lambda law: law.sample(2, seed=-1), ValueError),
        (lambda law: law.interval(1.5), ValueError),
        (lambda law: law.quantile("half"), TypeError),
        (lambda law: law.quantile(0.0), ValueError),
        (lambda law: law.exceedance(np.zeros(7)), ValueError),
        (lambda law: law.exceedance(np.nan), ValueError),
        (lambda law: law.log_prob(law.mean, noise_variance=-1.0), ValueError),
        (lambda law: law.log_prob(law.mean, noise_variance=np.inf), ValueError),
        (lambda law: law.condition([(0, 0)], [1.0, 2.0]), ValueError),
        (lambda law: law.condition([(0, 0)], [np.nan]), ValueError),
        (lambda law: law.functional(np.full((CHANNELS, POINTS), np.inf)), ValueError),
    ],
)
def test_questions_without_an_answer_are_refused(ask, error):
    with pytest.raises(error, match="mno"):
        ask(mno.Law(*parts()))


def test_scores_know_a_good_law_from_a_bad_one():
    mean, factor, eta = parts()
    law = mno.Law(mean, factor, eta)
    draws = law.sample(64, seed=2)
    good, bad = mno.score(law, draws), mno.score(mno.Law(mean + 1, factor, eta), draws)
    assert good["crps"].value < bad["crps"].value and good["mean_rmse"].floor > 0
    want = np.mean([law.crps(draws[:, i]) for i in range(64)])
    assert good["crps"].value == pytest.approx(want, rel=1e-4)
    only = mno.score(law, draws, metrics=["crps"])
    assert list(only) == ["crps"]
    assert "log_score" in mno.score(law, draws[:, 0])  # one draw each
    with pytest.raises(ValueError, match="metrics"):
        mno.score(law, draws, metrics=["r2"])
    with pytest.raises(ValueError, match="draws"):
        mno.score(law, draws[:, :, :1])
