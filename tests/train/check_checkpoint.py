"""check_checkpoint.py FILE FOLDER TYPE: the tensors of FILE are the .npy arrays of FOLDER, all of that type.

The metadata that prediction needs must be there too.
"""

import pathlib
import sys

import numpy as np
from safetensors import safe_open
from safetensors.numpy import load_file

path, folder, kind = sys.argv[1:]
tensors = load_file(path)
expected = {file.name.removesuffix(".npy"): np.load(file) for file in pathlib.Path(folder).glob("*.npy")}
assert expected and tensors.keys() == expected.keys(), tensors.keys() ^ expected.keys()
for name, array in expected.items():
    assert tensors[name].dtype == array.dtype == np.dtype(kind), (name, tensors[name].dtype)
    assert tensors[name].shape == array.shape, (name, tensors[name].shape)
    assert np.array_equal(tensors[name], array), name
assert tensors["layer0.spectral.weight"].shape[1] == 2  # real and imaginary part

with safe_open(path, framework="np") as file:
    metadata = file.metadata()
assert metadata["format"] == "mno-model-2", metadata
assert metadata["expression"].startswith("(lift{4->4, weight 4x4, bias 4} >> repeat<2>(layer:"), metadata
assert (metadata["residual"], metadata["warp"]) == ("gaussian", "none"), metadata
shape = dict(entry.split("=") for entry in metadata["shape"].split())
assert (shape["dimension"], shape["channels"], shape["rank"]) == ("2", "2", "3"), shape
assert [float(x) for x in metadata["normaliser.shift"].split()] == [0.1, -1.0 / 3], metadata
assert [float(x) for x in metadata["normaliser.scale"].split()] == [2, 1e-3], metadata
assert float(metadata["factor_scale"]) > 0, metadata
if "training" in metadata:
    assert metadata["training.epoch"] == "2" and metadata["training.step"] == "6", metadata
