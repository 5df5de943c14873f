"""One small operator, trained once, that the tests ask. Its shape is one that the program's tests have too."""

import numpy as np
import pytest

import mno

SHAPE = dict(rank=4, width=16, modes=8, depth=2)
POINTS = 16


def ensembles(samples, members=8, seed=0):
    """u_t = u_0/2 + noise in two waves and at every point."""
    random = np.random.default_rng(seed)
    x = np.arange(POINTS) / POINTS
    u0 = random.normal(size=(samples, 1)) * np.sin(2 * np.pi * x) + random.normal(size=(samples, 1))
    waves = np.stack([np.cos(2 * np.pi * x), np.sin(4 * np.pi * x)])
    noise = 0.3 * random.normal(size=(samples, members, 2)) @ waves
    uT = 0.5 * u0[:, None] + noise + 0.1 * random.normal(size=(samples, members, POINTS))
    return u0[:, None].astype(np.float32), uT[:, :, None].astype(np.float32)


@pytest.fixture(scope="session")
def data():
    return ensembles(40)


@pytest.fixture(scope="session")
def operator(data):
    u0, uT = data
    return mno.Operator(**SHAPE, seed=1, threads=1).fit(u0, uT, 1.0, epochs=30, progress=False)
