"""Pictures: what is in them, and the sentence where Matplotlib is not there."""

import subprocess
import sys

import numpy as np
import pytest

import mno

RNG = np.random.default_rng(3)


@pytest.fixture
def pyplot():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot

    yield matplotlib.pyplot
    matplotlib.pyplot.close("all")


def law(channels, *points, **more):
    mean, factor = RNG.normal(size=(2, channels, *points)), RNG.normal(size=(2, 3, channels, *points))
    return mno.Law(mean, factor, np.full_like(mean, 0.1), **more)


def test_without_matplotlib_a_sentence_says_what_to_install():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import numpy as np, mno\n"
        "mno.Law(np.zeros((1, 1, 4)), np.ones((1, 1, 1, 4))).plot()\n"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert answer.returncode == 1 and "pip install matplotlib" in answer.stderr


def test_a_line_has_mean_band_draws_and_truth(pyplot):
    one = law(1, 8, length=2.0)
    figure = one.plot(1, draws=4, level=0.8, truth=one.mean[1], seed=5)
    (panel,) = figure.axes
    lines = panel.get_lines()
    assert len(lines) == 6  # four draws, the mean, one truth
    x, mean = lines[4].get_data()
    np.testing.assert_allclose(x, 2.0 * np.arange(8) / 8)
    np.testing.assert_array_equal(mean, one.mean[1, 0])
    np.testing.assert_array_equal(lines[0].get_ydata(), one[1].sample(4, seed=5)[0, 0])
    band = panel.collections[0].get_paths()[0].vertices
    low, high = one.interval(0.8)
    assert band[:, 1].min() == pytest.approx(low[1].min()) and band[:, 1].max() == pytest.approx(high[1].max())
    assert [text.get_text() for text in panel.get_legend().get_texts()] == ["80 % of u", "draws", "mean", "truth"]


def test_channels_have_panels_and_axes_can_be_given(pyplot):
    two = law(2, 8)
    assert len(two.plot(draws=0).axes) == 2
    figure, panels = pyplot.subplots(2)
    assert two.plot(axes=panels, level=None, draws=0) is figure
    assert len(panels[1].get_lines()) == 1 and not panels[1].collections
    with pytest.raises(ValueError, match="one for each of 2 channel"):
        two.plot(axes=panels[:1])


def test_a_plane_has_pictures_with_a_common_colour_bar(pyplot):
    one = law(1, 6, 4, length=[3.0, 1.0])
    figure = one.plot(draws=2, truth=one.sample(1, seed=9)[0])
    pictures = [panel.get_images()[0] for panel in figure.axes if panel.get_images()]
    assert len(pictures) == 5  # mean, two draws, truth, deviation
    assert len(figure.axes) == 7  # and two colour bars
    np.testing.assert_array_equal(pictures[0].get_array(), one.mean[0, 0].T)
    assert len({picture.get_clim() for picture in pictures[:4]}) == 1
    least = min(one.mean[0].min(), one.sample(2)[0].min(), one.sample(1, seed=9)[0].min())
    assert pictures[0].get_clim()[0] == pytest.approx(least)
    assert pictures[4].get_clim()[0] == 0
    np.testing.assert_allclose(pictures[0].get_extent(), (-0.25, 2.75, -0.125, 0.875))


def test_fields_without_axes_for_samples_or_channels(pyplot, operator, data):
    plain = operator.predict(data[0][0, 0], 1.0)
    (panel,) = plain.plot(truth=data[1][0, :3, 0]).axes
    assert len(panel.get_lines()) == 3 + 1 + 3


def test_what_has_no_picture_is_refused(pyplot):
    with pytest.raises(ValueError, match="three dimensions"):
        law(1, 2, 2, 2).plot()
    with pytest.raises(ValueError, match="sample: expected less than 2"):
        law(1, 4).plot(2)
    with pytest.raises(ValueError, match="truth"):
        law(1, 4).plot(truth=np.zeros(5))
    with pytest.raises(ValueError, match="axes"):
        law(1, 4, 4).plot(axes=[None])
