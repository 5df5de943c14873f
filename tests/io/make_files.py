"""make_files.py FOLDER: files as Python's own packages write them, for the C++ readers.

What each array holds follows from its name and shape alone: element i is i * 3 % 7 (as bool: whether it is odd).
"""

import pathlib
import sys
import zipfile

import numpy as np
from safetensors.numpy import save_file

folder = pathlib.Path(sys.argv[1])
TYPES = {"f32": "<f4", "f64": "<f8", "i32": "<i4", "i64": "<i8", "u8": "u1", "bool": "?"}
SHAPES = [(), (0,), (7,), (2, 3), (2, 0, 3), (3, 1, 2, 2)]


def values(name, shape):
    numbers = np.arange(int(np.prod(shape))) * 3 % 7
    if name == "bool":
        numbers = numbers % 2 == 1
    return numbers.astype(TYPES[name]).reshape(shape)


arrays = {}
for name in TYPES:
    for shape in SHAPES:
        arrays["_".join([name, *map(str, shape)])] = values(name, shape)

for version in (1, 2, 3):
    for name, array in arrays.items():
        with open(folder / f"{name}.v{version}.npy", "wb") as file:
            np.lib.format.write_array(file, array, version=(version, 0))

sample = values("f64", (2, 3))
np.save(folder / "fortran.npy", np.asfortranarray(sample))
np.save(folder / "big_endian.npy", sample.astype(">f8"))
np.save(folder / "object.npy", np.array([{}, None], dtype=object), allow_pickle=True)
np.save(folder / "structured.npy", np.zeros(2, dtype=[("a", "<f4"), ("b", "<i4")]))
np.save(folder / "half.npy", sample.astype("<f2"))

np.savez(folder / "stored.npz", **arrays)
np.savez_compressed(folder / "compressed.npz", **arrays)
with zipfile.ZipFile(folder / "zip64.npz", "w", zipfile.ZIP_DEFLATED) as archive:
    for name, array in arrays.items():
        with archive.open(name + ".npy", "w", force_zip64=True) as member:
            np.lib.format.write_array(member, array)

save_file(arrays, folder / "all.safetensors", metadata={"step": "3", "é": 'a "quote"\n'})
save_file({"w": sample.astype("<f2")}, folder / "half.safetensors")

try:
    import h5py
except ImportError:
    sys.exit(0)
with h5py.File(folder / "all.h5", "w") as file:
    for name, array in arrays.items():
        file["plain/" + name] = array
        if array.size and array.ndim:
            file.create_dataset("packed/" + name, data=array, compression="gzip", shuffle=True, fletcher32=True)
