"""Simulators against what is known of their laws, and against the program."""

import os
import subprocess

import numpy as np
import pytest

import mno


def test_brownian_fields_are_what_they_say():
    data = mno.simulate("brownian", samples=50, ensemble=200, seed=3, points=8, sigma=0.5, times=[0.25, 1.0])
    assert data["u0"].shape == (100, 1, 8) and data["uT"].shape == (100, 200, 1, 8)
    np.testing.assert_array_equal(data["t"], np.tile([0.25, 1.0], 50))
    noise = data["uT"] - data["u0"][:, None]
    for t in (0.25, 1.0):
        # over 10000 draws of 8 points that are correlated: 6 deviations of a variance
        assert noise[data["t"] == t].var() == pytest.approx(0.25 * t, rel=6 * np.sqrt(2 / 10000))
    piece = dict(samples=10, ensemble=200, seed=3, first_sample=40, points=8, times=[0.25, 1.0])
    again = mno.simulate("brownian", **piece, threads=1)
    np.testing.assert_array_equal(again["uT"], data["uT"][80:])


@pytest.mark.parametrize("name", mno.equations())
def test_every_equation_can_be_drawn(name):
    quick = {"steps": 10, "time": 0.05} if name in ("burgers", "gray-scott", "navier-stokes", "phi4-plane") else {}
    data = mno.simulate(name, samples=2, ensemble=2, points=32, **quick)
    assert np.isfinite(data["uT"]).all() and data["uT"].shape[:2] == (2, 2) and data["u0"].shape[2] == 32
    assert len(data["length"]) == data["u0"].ndim - 2 == len(data["bounded"])
    assert data["bounded"][0] == (name == "heat-walls")


def test_a_force_is_a_known_field_unless_it_is_left_out():
    flow = dict(samples=1, ensemble=1, points=16, time=0.04, steps=2, wavenumber=3, amplitude=0.5)
    y = 2 * np.pi * np.arange(16) / 16
    fields = mno.simulate("navier-stokes", **flow)["fields"]
    np.testing.assert_allclose(fields, np.broadcast_to(0.5 * np.cos(3 * y), (1, 16, 16)), atol=1e-6)
    assert "fields" not in mno.simulate("navier-stokes", **flow, force_known=False)


def test_what_cannot_be_simulated_is_refused():
    for name, arguments, error, words in [
        ("wave", {}, ValueError, "equations"),
        (3, {}, TypeError, "name"),
        ("heat", {"samples": 0}, ValueError, "samples"),
        ("heat", {"colour": 1.0}, ValueError, "velocity"),
        ("heat", {"nu": "thick"}, TypeError, "nu"),
        ("heat", {"nu": -1.0}, ValueError, "nu"),
        ("heat", {"points": 2.5}, TypeError, "points"),
        ("heat", {"times": [2.0, 1.0]}, ValueError, "increasing"),
        ("heat-walls", {"walls": "glass"}, ValueError, "neumann"),
    ]:
        with pytest.raises(error, match=words):
            mno.simulate(name, **{"samples": 1, "ensemble": 1, **arguments})


def test_the_program_draws_the_same(tmp_path):
    program = os.environ.get("MNO_PROGRAM_PATH")
    if not program:
        pytest.skip("MNO_PROGRAM_PATH does not name the program mno")
    words = ["--samples", "3", "--ensemble", "4", "--seed", "5", "--points", "32", "--time", "0.1", "--steps", "20"]
    subprocess.run([program, "simulate", "burgers", *words, "-o", tmp_path / "d.npz"], check=True, capture_output=True)
    ours = mno.simulate("burgers", samples=3, ensemble=4, seed=5, points=32, time=0.1, steps=20)
    with np.load(tmp_path / "d.npz") as theirs:
        for name in ("u0", "uT", "t", "length"):
            np.testing.assert_allclose(theirs[name], ours[name], rtol=1e-4, atol=1e-5)
