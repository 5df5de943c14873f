"""check_files.py FOLDER: reads with Python's own packages what the C++ writers made, and compares.

Element i of every array is i * 3 % 7 (as bool: whether it is odd); its name says type and shape.
"""

import pathlib
import sys

import numpy as np
from safetensors import safe_open

folder = pathlib.Path(sys.argv[1])
TYPES = {"f32": "<f4", "f64": "<f8", "i32": "<i4", "i64": "<i8", "u8": "u1", "bool": "?"}
checked = 0


def check(name, array):
    global checked
    kind, *shape = name.split("_")
    shape = tuple(map(int, shape))
    expected = np.arange(int(np.prod(shape))) * 3 % 7
    if kind == "bool":
        expected = expected % 2 == 1
    expected = expected.astype(TYPES[kind]).reshape(shape)
    assert array.dtype == expected.dtype, (name, array.dtype)
    assert array.shape == expected.shape, (name, array.shape)
    assert np.array_equal(array, expected), name
    checked += 1


for path in sorted(folder.glob("*.npy")):
    check(path.name.split(".")[0], np.load(path))
for path in sorted(folder.glob("*.npz")):
    with np.load(path) as file:
        assert file.zip.testzip() is None, path
        for name in file.files:
            check(name, file[name])
with safe_open(folder / "all.safetensors", framework="np") as file:
    assert file.metadata() == {"step": "3", "é": 'a "quote"\n'}, file.metadata()
    for name in file.keys():
        check(name, file.get_tensor(name))
try:
    import h5py
except ImportError:
    h5py = None
if h5py and (folder / "all.h5").exists():
    with h5py.File(folder / "all.h5") as file:
        for group in file.values():
            for name, dataset in group.items():
                check(name, dataset[()])
assert checked == int(sys.argv[2]), checked
