"""The gradient of a prediction with respect to u_0 and t: against finite differences, and inside PyTorch and JAX. The
library's own test of it is in double precision; here it is the way there and back."""

import numpy as np
import pytest
from conftest import SHAPE, ensembles

import mno


def objective(operator, bars, u0, t):
    law = operator.predict(u0, t).unwarped()
    parts = law.mean, law.factor, law.nugget
    return sum(float(np.sum(part.astype(np.float64) * bar)) for part, bar in zip(parts, bars))


def bars_like(law, seed=0):
    random = np.random.default_rng(seed)
    shapes = law.mean.shape, law.factor.shape, law.mean.shape
    return [random.normal(size=shape).astype(np.float32) for shape in shapes]


def differences(ask, at, step):
    """Central ones, in every entry."""
    gradient = np.empty(at.shape)
    for i in np.ndindex(at.shape):
        up, down = at.copy(), at.copy()
        up[i] += step
        down[i] -= step
        gradient[i] = (ask(up) - ask(down)) / (2 * step)
    return gradient


def close(got, expected):
    scale = np.abs(expected).max()
    assert np.abs(got - expected).max() < 5e-3 * scale, (got, expected)  # single precision: differences are rough


@pytest.fixture(scope="module")
def warped():
    """With a warp, a calibration and, from single draws, a shrinkage."""
    u0, uT = ensembles(40)
    options = dict(SHAPE, seed=1, threads=1, warp="asinh 2", calibrate=0.9)
    return mno.Operator(**options).fit(u0, uT[:, 0], 1.0, epochs=5, progress=False, validation=0.3)


@pytest.mark.parametrize("which", ["operator", "warped"])
def test_it_agrees_with_differences(which, request, data):
    operator = request.getfixturevalue(which)
    u0, t = data[0][:2].astype(np.float64), np.array([0.6, 1.0])
    bars = bars_like(operator.predict(u0, t))
    u0_bar, t_bar = operator.vjp(u0, t, *bars)
    assert u0_bar.shape == u0.shape and t_bar.shape == t.shape
    close(u0_bar, differences(lambda u: objective(operator, bars, u, t), u0, 1e-2))
    close(t_bar, differences(lambda at: objective(operator, bars, u0, at), t, 1e-2))


def test_one_time_for_all_has_the_sum(operator, data):
    u0 = data[0][:3]
    bars = bars_like(operator.predict(u0, 0.7))
    u0_each, t_each = operator.vjp(u0, np.full(3, 0.7), *bars)
    u0_bar, t_bar = operator.vjp(u0, 0.7, *bars)
    assert t_bar.shape == () and t_bar == pytest.approx(t_each.sum(), rel=1e-5)
    np.testing.assert_array_equal(u0_bar, u0_each)


def test_every_form_of_an_initial_field_has_a_gradient_of_its_form(operator, data):
    u0 = data[0][:1]
    bars = bars_like(operator.predict(u0, 0.7))
    whole, at = operator.vjp(u0, 0.7, *bars)
    plain, _ = operator.vjp(u0[:, 0], 0.7, bars[0][:, 0], bars[1][:, :, 0], bars[2][:, 0])
    np.testing.assert_array_equal(plain, whole[:, 0])
    single, t_bar = operator.vjp(u0[0, 0], 0.7, bars[0][0, 0], bars[1][0, :, 0], bars[2][0, 0])
    np.testing.assert_array_equal(single, whole[0, 0])
    assert t_bar == pytest.approx(float(at))


def test_cotangents_may_be_left_out_and_must_fit(operator, data):
    u0 = data[0][:2]
    law = operator.predict(u0, 1.0)
    zero = np.zeros_like
    got = operator.vjp(u0, 1.0, np.ones_like(u0))
    np.testing.assert_array_equal(got[0], operator.vjp(u0, 1.0, np.ones_like(u0), zero(law.factor), zero(u0))[0])
    at_start, _ = operator.vjp(u0, 0.0, np.ones_like(u0))  # there the mean is u_0
    np.testing.assert_allclose(at_start, 1, rtol=1e-6)
    with pytest.raises(ValueError, match="mean_bar: expected shape"):
        operator.vjp(u0, 1.0, np.ones(3))
    with pytest.raises(ValueError, match="factor_bar: expected shape"):
        operator.vjp(u0, 1.0, None, zero(u0))


# PyTorch and JAX.


def test_pytorch_arrays_go_in_and_results_go_there_without_a_copy(operator, data):
    torch = pytest.importorskip("torch")
    u0 = torch.from_numpy(data[0])
    law = operator.predict(u0, torch.tensor(1.0))
    np.testing.assert_array_equal(law.mean, operator.predict(data[0], 1.0).mean)
    mean = law.mean
    there = torch.from_dlpack(mean)
    there[0, 0, 0] = 7
    assert mean[0, 0, 0] == 7
    np.testing.assert_array_equal(operator.predict(u0.to(torch.float16), 1.0).mean.shape, mean.shape)
    with pytest.raises(TypeError, match="mno.torch"):
        operator.predict(u0.clone().requires_grad_(), 1.0)


def test_gradients_flow_through_pytorch(operator, data):
    torch = pytest.importorskip("torch")
    import mno.torch

    u0 = torch.from_numpy(data[0][:2]).clone().requires_grad_()
    t = torch.tensor([0.6, 1.0], requires_grad=True)
    parts = mno.torch.predict(operator, u0, t)
    law = operator.predict(data[0][:2], [0.6, 1.0])
    np.testing.assert_array_equal(parts.mean.detach().numpy(), law.mean)
    np.testing.assert_array_equal(parts.factor.detach().numpy(), law.factor)
    np.testing.assert_array_equal(parts.nugget.detach().numpy(), law.nugget)
    bars = bars_like(law)
    sum((part * torch.from_numpy(bar)).sum() for part, bar in zip(parts, bars)).backward()
    u0_bar, t_bar = operator.vjp(data[0][:2], [0.6, 1.0], *bars)
    np.testing.assert_allclose(u0.grad.numpy(), u0_bar, rtol=1e-6)
    np.testing.assert_allclose(t.grad.numpy(), t_bar, rtol=1e-6)
    # inside something larger, in double precision, with respect to u0 alone: one step down makes it smaller
    u = torch.from_numpy(data[0][:2].astype(np.float64)).requires_grad_()

    def loss():
        part = mno.torch.predict(operator, torch.tanh(u), 1.0)
        assert part.mean.dtype == torch.float64
        return (part.sample(torch.ones(2, SHAPE["rank"], dtype=torch.float64)) ** 2).sum()

    before = loss()
    before.backward()
    with torch.no_grad():
        u -= 0.01 * u.grad
    assert loss().item() < before.item()


def test_gradients_flow_through_jax(operator, data):
    jax = pytest.importorskip("jax")
    import jax.numpy as jnp

    import mno.jax

    u0, t = jnp.asarray(data[0][:2]), jnp.asarray([0.6, 1.0], dtype=jnp.float32)
    law = operator.predict(u0, t)  # arrays of JAX in
    bars = bars_like(law)

    def total(u0, t):
        parts = mno.jax.predict(operator, u0, t)
        return sum((part * bar).sum() for part, bar in zip(parts, bars))

    u0_bar, t_bar = operator.vjp(data[0][:2], [0.6, 1.0], *bars)
    for differentiate in (jax.grad(total, argnums=(0, 1)), jax.jit(jax.grad(total, argnums=(0, 1)))):
        got = differentiate(u0, t)
        np.testing.assert_allclose(got[0], u0_bar, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(got[1], t_bar, rtol=1e-5, atol=1e-6)
    mapped = jax.vmap(lambda u, at: mno.jax.predict(operator, u, at).mean)(u0, t)
    np.testing.assert_allclose(mapped, law.mean, rtol=1e-5, atol=1e-6)
    drawn = mno.jax.predict(operator, u0[0, 0], 0.6).sample(jnp.ones(SHAPE["rank"]))
    np.testing.assert_allclose(drawn, law.mean[0, 0] + law.factor[0, :, 0].sum(0), rtol=1e-4, atol=1e-5)
