"""Makes the seed corpora: small valid files of every kind, in corpus/<name>/ beside this script.

Needs numpy, safetensors, h5py, netCDF4 and scipy.
"""

import io
import json
import pathlib
import shutil
import tempfile
import zipfile

import h5py
import netCDF4
import numpy as np
import scipy.io
from safetensors.numpy import save as safetensors_bytes

HERE = pathlib.Path(__file__).parent / "corpus"
ARRAYS = {
    "f4": np.arange(6, dtype="<f4").reshape(2, 3),
    "f8": np.array(1.5),
    "i4": np.arange(3, dtype="<i4"),
    "i8": np.zeros((2, 0, 3), dtype="<i8"),
    "u1": np.arange(8, dtype="u1").reshape(2, 2, 2),
    "bool": np.array([True, False]),
}


def put(kind, name, data):
    folder = HERE / kind
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)


def npy(array, version=(1, 0)):
    out = io.BytesIO()
    np.lib.format.write_array(out, array, version=version)
    return out.getvalue()


def npz(arrays, method, zip64=False):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, array in arrays.items():
            info = zipfile.ZipInfo(name + ".npy")  # a constant date
            info.compress_type = method
            with archive.open(info, "w", force_zip64=zip64) as member:
                member.write(npy(array))
    return out.getvalue()


def hdf5(fill):
    out = io.BytesIO()
    with h5py.File(out, "w") as file:
        fill(file)
    return out.getvalue()


for name, array in ARRAYS.items():
    put("npy", name, npy(array))
for version in (2, 3):
    put("npy", f"version{version}", npy(ARRAYS["f4"], (version, 0)))
put("npy", "fortran", npy(np.asfortranarray(ARRAYS["f4"])))
put("npy", "big_endian", npy(ARRAYS["f4"].astype(">f4")))
put("npy", "structured", npy(np.zeros(2, dtype=[("a", "<f4")])))

put("npz", "stored", npz({"a": ARRAYS["f4"], "b": ARRAYS["i4"]}, zipfile.ZIP_STORED))
put("npz", "deflated", npz({"a": ARRAYS["f4"], "b": np.zeros((8, 32))}, zipfile.ZIP_DEFLATED))
put("npz", "zip64", npz({"a": ARRAYS["u1"]}, zipfile.ZIP_STORED, zip64=True))

put("safetensors", "all", safetensors_bytes(ARRAYS, metadata={"step": "3", "näme": '"\\'}))
put("safetensors", "one", safetensors_bytes({"w": ARRAYS["f4"]}))
put("safetensors", "other_type", safetensors_bytes({"w": np.zeros(2, dtype="<f2")}))

put("json", "object", json.dumps({"a": [1, -2.5e-3, True, None, "\u00e9\U0001f600\n"], "b": {}}).encode())
put("json", "text", '["\\ud83d\\ude00 \\/\\b\\f\\u0000 ü"]'.encode())
put("json", "numbers", b" [0, -0, 9223372036854775807, 9223372036854775808, 1E+2, 0.1e-1 ]\n")
put("json", "nested", b"[[[[[[[[{}]]]]]]]]")


def manifest(*shards, **more):
    entries = [{"file": name, "samples": samples, "sha256": digits} for name, samples, digits in shards]
    return json.dumps({"format": "mno-shards", "version": 1, "shards": entries, **more}).encode()


put("shards", "two", manifest(("shard-00000.npz", 64, "0" * 64), ("shard-00001.npz", 63, "9f" * 32)))
put("shards", "outside", manifest(("../shard.npz", 1, "0" * 64), ("/etc/passwd", 1, "0" * 64)))
put("shards", "many_samples", manifest(("a", 2**53, "0" * 64), ("b", 2**63 - 1, "0" * 64)))
put("shards", "more", manifest(("a.h5", 1, "a" * 64), made="elsewhere", nested={"x": [1.5, None, True]}))
put("shards", "none", manifest())

put("toml", "run", b'[data]\ndata = "data.npz"\nvalidation = 0.1\n[model]\nrank = 16\n[training]\nepochs = 200\n')
put("toml", "kinds", b'# a comment\n[training]\nlearning-rate = 2e-3\nflag = true\nrecipe = \'paper\'\nepochs = 0x1F\n')
put("toml", "dotted", b'training.recipe = """pa\\\n  per"""\nmodel = { rank = 1_6 }\ndata."validation" = +0.5\n')
put("toml", "unknown", b'[other]\nx = 1979-05-27T07:32:00Z\n[[model]]\nrank = [1, [2.0, inf, nan]]\n')
# What toml++ 3.3 itself does not survive:
put("toml", "beyond_ascii", b'[data]\ndaepoc01F300Q \xc3\xbc.npz"\n')  # toml++ 3.3 must not see it
put("toml", "beyond_ascii_in_value", b'[a]\nb = 0da|U0"0\xc3\xbc."n\n"\n')
put("toml", "broken_date", b"[other]\nx = 1979-05-27T?07:32:00Z\n")
put("toml", "broken_header", b"[# \x01\0\0")
put("toml", "text", '[data]\ndata = "\\u00e9 \\U0001F600 ü.npz"\n'.encode())


def fill_plain(file):
    for name, array in ARRAYS.items():
        file[name] = array


def fill_chunked(file):
    file.create_dataset("lzf", data=np.arange(64) % 5, chunks=(16,), compression="lzf")
    file.create_dataset("c", data=np.zeros((16, 8)), chunks=(4, 8), compression="gzip", shuffle=True, fletcher32=True)
    file.create_dataset("g/d", data=ARRAYS["i4"])


def fill_links(file):
    file["real"] = ARRAYS["f4"]
    file["soft"] = h5py.SoftLink("/real")
    file["external"] = h5py.ExternalLink("other.h5", "/real")


put("hdf5", "plain", hdf5(fill_plain))
put("hdf5", "chunked", hdf5(fill_chunked))
put("hdf5", "links", hdf5(fill_links))


def fill_kinds(file):
    for kind in ("f2", ">f4", "i2", ">u4", "u8"):
        file.create_dataset("group/" + kind, data=np.arange(4).astype(kind))
    file["group"].attrs["words"] = ["x", "y"]
    file["group/i2"].attrs["scale_factor"] = 0.5
    file["group/i2"].attrs["flags"] = np.array([True, False])


put("hdf5", "kinds", hdf5(fill_kinds))

for name, kind in (("classic", "NETCDF3_CLASSIC"), ("cdf5", "NETCDF3_64BIT_DATA"), ("netcdf4", "NETCDF4")):
    written = pathlib.Path(tempfile.mkdtemp()) / name
    file = netCDF4.Dataset(written, "w", format=kind)
    file.createDimension("time", None)
    file.createDimension("x", 3)
    u = file.createVariable("u", "f4", ("time", "x"))
    u.units = "m"
    u[:] = np.arange(6).reshape(2, 3)
    packed = file.createVariable("packed", "i2", ("x",), fill_value=-1)
    packed.scale_factor = 0.5
    packed[:] = [1, 2, 3]
    file.close()
    put("netcdf", name, written.read_bytes())
    shutil.rmtree(written.parent)

for name, packed in (("plain", False), ("packed", True)):
    out = io.BytesIO()
    scipy.io.savemat(out, {"a": ARRAYS["f4"], "b": np.arange(8).reshape(2, 2, 2), "c": "text",
                           "d": np.array([1j]), "e": {"f": 1.0}}, do_compression=packed)
    put("mat", name, out.getvalue())
