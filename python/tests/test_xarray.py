"""xarray in and out: names and coordinates come back, lengths come from coordinates."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from conftest import POINTS, SHAPE

import mno


@pytest.fixture(scope="module")
def arrays(data):
    xarray = pytest.importorskip("xarray")
    places = {"channel": ["height"], "lon": 22.5 * np.arange(POINTS)}
    u0 = xarray.DataArray(
        data[0], dims=("run", "channel", "lon"), coords={"run": np.arange(len(data[0])) + 100, **places}
    )
    uT = xarray.DataArray(
        np.moveaxis(data[1], 1, -1), dims=("run", "channel", "lon", "realization"), coords={"run": u0.run, **places}
    )
    return u0, uT


@pytest.fixture(scope="module")
def trained(arrays):
    return mno.Operator(**SHAPE, seed=1, threads=1).fit(*arrays, 1.0, epochs=3, progress=False)


def test_training_takes_axes_by_their_names_and_lengths_from_coordinates(arrays, trained, data):
    same = mno.Operator(**SHAPE, seed=1, threads=1).fit(*data, 1.0, length=360.0, epochs=3, progress=False)
    np.testing.assert_array_equal(trained.predict(data[0], 1.0).mean, same.predict(data[0], 1.0).mean)
    assert trained._model().length == [360.0]
    held = [part[30:] for part in arrays]
    again = mno.Operator(**SHAPE, seed=1, threads=1)
    again.fit(*(part[:30] for part in arrays), 1.0, validation=(*held, 1.0), epochs=1, progress=False)
    assert again.report_["validation_samples"] == 10


def test_names_and_coordinates_come_back(arrays, trained, data):
    law = trained.predict(arrays[0], 1.0)
    out = law.to_xarray(level=0.9, draws=2, seed=3)
    assert out["mean"].dims == ("run", "channel", "lon") and out["factor"].dims == ("run", "rank", "channel", "lon")
    assert out["draws"].dims == ("run", "draw", "channel", "lon")
    np.testing.assert_array_equal(out["mean"], law.mean)
    np.testing.assert_array_equal(out["draws"], law.sample(2, seed=3))
    np.testing.assert_array_equal(out["upper"], law.interval(0.9)[1])
    np.testing.assert_array_equal(out.lon, arrays[0].lon)
    assert out.attrs == {"residual": "gaussian", "warp": "unwarped", "level": 0.9}
    assert float(out["mean"].sel(run=103, channel="height", lon=45.0)) == law.mean[3, 0, 2]
    for one in (law[3], pickle.loads(pickle.dumps(law))[3], trained.predict(arrays[0][3], 1.0)):
        part = one.to_xarray()
        assert part["mean"].dims == ("channel", "lon") and int(part.run) == 103
    assert list(law[2:4].to_xarray().run) == [102, 103]
    given = law.condition([(0, 3)], [0.2]).to_xarray()
    np.testing.assert_allclose(given["mean"].sel(lon=67.5), 0.2, rtol=1e-4)


def test_other_laws_have_names_too():
    pytest.importorskip("xarray")
    law = mno.Law(np.zeros((2, 1, 4, 3)), np.ones((2, 2, 1, 4, 3)), length=[2.0, 3.0])
    out = law.to_xarray()
    assert out["mean"].dims == ("sample", "channel", "x", "y") and "nugget" not in out
    np.testing.assert_allclose(out.x, [0, 0.5, 1, 1.5])


def test_what_does_not_fit_is_refused(arrays):
    u0, uT = arrays
    fit = mno.Operator(**SHAPE).fit
    uneven = u0.assign_coords(lon=np.arange(POINTS) ** 1.5)
    with pytest.raises(ValueError, match="equal distances along 'lon'"):
        fit(uneven, uT.assign_coords(lon=uneven.lon), 1.0)
    with pytest.raises(ValueError, match="the coordinates of u0"):
        fit(u0, uT.assign_coords(lon=uT.lon + 1), 1.0)
    with pytest.raises(ValueError, match="at most one of members"):
        fit(u0, uT.rename(lon="x"), 1.0)


def test_without_xarray_a_sentence_says_what_to_install():
    code = (
        "import sys; sys.modules['xarray'] = None\n"
        "import numpy as np, mno\n"
        "mno.Law(np.zeros((1, 1, 4)), np.ones((1, 1, 1, 4))).to_xarray()\n"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert answer.returncode == 1 and "pip install xarray" in answer.stderr
