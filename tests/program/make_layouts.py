"""make_layouts.py FOLDER: files as public collections and programs write them, each by its own library.

Every field is u(s, t, c, x, y) = sin(2 pi x / L + s) cos(2 pi y / L) + t + 10 c with whole s, t, c, so that the reader
can compute what it should find; `repeated` has the end point twice, `walls` is a parabola between walls.
"""

import pathlib
import sys

import h5py
import netCDF4
import numpy as np
import scipy.io

folder = pathlib.Path(sys.argv[1])
S, T, N, M = 6, 5, 16, 12


def wave(samples, times, channels, points, other=None, end=False, first=0):
    """(sample, time, channel, x[, y])"""
    x = np.arange(points) / (points - 1 if end else points)
    s, t, c = np.meshgrid(np.arange(samples) + first, np.arange(times), np.arange(channels), indexing="ij")
    u = np.sin(2 * np.pi * x + s[..., None]) + (t + 10 * c)[..., None]
    if other is None:
        return u
    y = np.cos(2 * np.pi * np.arange(other) / other)
    return np.sin(2 * np.pi * x + s[..., None])[..., None] * y + (t + 10 * c)[..., None, None]


# PDEBench: no axis of channels, cell centres, one time too many.
with h5py.File(folder / "pdebench.hdf5", "w") as file:
    file["tensor"] = wave(S, T, 1, N)[:, :, 0].astype("f4")
    file["x-coordinate"] = ((np.arange(N) + 0.5) / N * 2).astype("f4")
    file["t-coordinate"] = (0.1 * np.arange(T + 1)).astype("f4")
    file.attrs["Nu"] = 0.01
with h5py.File(folder / "pdebench_cfd.hdf5", "w") as file:
    for c, name in enumerate(["Vx", "density", "pressure"]):
        file[name] = wave(S, T, 3, N)[:, :, c].astype("f4")
    file["x-coordinate"] = (np.arange(N) / N).astype("f4")
    file["t-coordinate"] = np.arange(T + 1).astype("f4")
with h5py.File(folder / "pdebench_darcy.hdf5", "w") as file:
    file["nu"] = wave(S, 1, 1, N, M)[:, 0, 0].astype("f4")
    file["tensor"] = wave(S, 2, 1, N, M)[:, 1].astype("f4")
    file["x-coordinate"] = ((np.arange(N) + 0.5) / N).astype("f4")
    file["y-coordinate"] = ((np.arange(M) + 0.5) / M).astype("f4")
with h5py.File(folder / "pdebench_groups.h5", "w") as file:  # LZF, as its generators write it
    for s in range(S):
        u = np.moveaxis(wave(1, T, 2, N, M, first=s)[0], 1, -1)  # (t, x, y, channel)
        file.create_dataset(f"{s:04d}/data", data=u.astype("f4"), compression="lzf")
        file[f"{s:04d}/grid/x"] = np.arange(N) / N
        file[f"{s:04d}/grid/y"] = np.arange(M) / M
        file[f"{s:04d}/grid/t"] = 0.5 * np.arange(T)
with h5py.File(folder / "pdebench_ns.h5", "w") as file:
    file["velocity"] = np.moveaxis(wave(S, T, 2, N, M), 2, -1).astype("f4")
    file["force"] = np.moveaxis(wave(S, 1, 2, N, M)[:, 0], 1, -1).astype("f4")
    file["particles"] = np.zeros((S, T, N, M, 1), "f4")
    file["t"] = np.tile(0.25 * np.arange(T), (S, 1))

# The Well.
with h5py.File(folder / "well.hdf5", "w") as file:
    file.attrs["dataset_name"] = "example"
    dimensions = file.create_group("dimensions")
    dimensions.attrs["spatial_dims"] = ["x", "y"]
    for name, values in (("time", 0.5 * np.arange(T)), ("x", np.arange(N) / N), ("y", 2 * np.arange(M) / M)):
        dimensions[name] = values.astype("f4")
        dimensions[name].attrs["sample_varying"] = False
    for name, kind in (("x", "PERIODIC"), ("y", "WALL")):
        group = file.create_group(f"boundary_conditions/{name}_boundary")
        group.attrs["associated_dims"] = [name]
        group.attrs["bc_type"] = kind
        group["mask"] = np.ones(N if name == "x" else M, dtype=bool)

    def field(path, data, sample=True, time=True, dims=(True, True)):
        file[path] = data.astype("f4")
        file[path].attrs["sample_varying"] = sample
        file[path].attrs["time_varying"] = time
        file[path].attrs["dim_varying"] = np.array(dims)

    field("t0_fields/density", wave(S, T, 1, N, M)[:, :, 0])
    field("t0_fields/permeability", wave(S, 1, 1, N, M)[:, 0, 0], time=False)
    field("t0_fields/profile", np.arange(M) * 1.0, sample=False, time=False, dims=(False, True))
    field("t1_fields/velocity", np.moveaxis(wave(S, T, 3, N, M)[:, :, 1:], 2, -1))
    file["scalars/alpha"] = np.float32(0.3)

# SPDEBench and torchspde: MATLAB 5 by SciPy, the end point included.
noise = np.zeros((S, N + 1, T))
for name, packed in (("spdebench.mat", False), ("spdebench_packed.mat", True)):
    u = np.moveaxis(wave(S, T, 1, N + 1, end=True)[:, :, 0], 1, -1)  # (sample, x, t)
    u[:, -1] = u[:, 0]
    scipy.io.savemat(folder / name, {"sol": u, "W": noise, "X": np.arange(N + 1) / N, "T": 0.02 * np.arange(T)},
                     do_compression=packed)
scipy.io.savemat(folder / "spdebench_2d.mat", {"sol": wave(S, T, 1, N, M)[:, :, 0], "T": 0.1 * np.arange(T)})
with h5py.File(folder / "matlab73.mat", "w", userblock_size=512) as file:  # as MATLAB 7.3 lays it out
    for name, values in (("sol", np.moveaxis(wave(S, T, 1, N, M)[:, :, 0], 1, -1)),  # (sample, x, y, t)
                         ("T", 0.1 * np.arange(T)[None])):
        file[name] = values.T
        kind = h5py.h5t.C_S1.copy()  # a text that ends in 0
        kind.set_size(6)
        kind.set_strpad(h5py.h5t.STR_NULLTERM)
        h5py.h5a.create(file[name].id, b"MATLAB_class", kind, h5py.h5s.create(h5py.h5s.SCALAR)).write(
            np.array(b"double"), mtype=kind)
with open(folder / "matlab73.mat", "r+b") as file:
    file.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(116) + b" " * 8 + b"\x00\x02IM")

# pfno: NetCDF with named axes, in both formats; CF: packed integers, missing values, degrees.
for name, kind in (("pfno.nc", "NETCDF4"), ("pfno3.nc", "NETCDF3_CLASSIC")):
    with netCDF4.Dataset(folder / name, "w", format=kind) as file:
        for axis, length in (("sample", S), ("time", T), ("channel", 2), ("lat", N), ("lon", M)):
            file.createDimension(axis, length)
        file.createVariable("u", "f4", ("sample", "time", "channel", "lat", "lon"))[:] = wave(S, T, 2, N, M)
        file.createVariable("time", "f8", ("time",))[:] = 0.1 * np.arange(T)
with netCDF4.Dataset(folder / "cf.nc", "w") as file:
    frames = 60
    for axis, length in (("time", None), ("lat", N), ("lon", 36)):
        file.createDimension(axis, length)
    time = file.createVariable("time", "f8", ("time",))
    time.units = "hours since 2000-01-01"
    lat, lon = file.createVariable("lat", "f4", ("lat",)), file.createVariable("lon", "f4", ("lon",))
    lat.units, lon.units = "degrees_north", "degrees_east"
    lat[:], lon[:] = np.linspace(60, -60, N), 10 * np.arange(36)
    for name in ("uwnd", "vwnd"):
        wind = file.createVariable(name, "i2", ("time", "lat", "lon"), fill_value=-32767)
        wind.scale_factor, wind.add_offset = 0.01, 5.0
        values = np.sin(2 * np.pi * np.arange(36) / 36) + np.arange(N)[:, None] + 0.1 * np.arange(frames)[:, None, None]
        wind[:] = np.ma.masked_array(values, np.zeros(values.shape, bool))
    time[:] = 6 * np.arange(frames)
    file["uwnd"][7, 3, 3] = np.ma.masked

# APEBench and neuraloperator: NumPy.
np.save(folder / "apebench.npy", wave(S, T, 2, N).astype("f4"))
np.save(folder / "plain.npy", np.asfortranarray(wave(S, T, 1, N)[:, :, 0]))
np.savez(folder / "xy.npz", x=wave(S, 1, 1, N, M)[:, 0, 0].astype(">f4"), y=wave(S, 2, 1, N, M)[:, 1, 0])
walls = np.arange(N + 1) / N * (1 - np.arange(N + 1) / N)
np.savez(folder / "walls.npz", u=(1 + np.arange(S)[:, None, None] + np.arange(T)[:, None]) * walls)
np.savez(folder / "ends.npz", u=(1 + np.arange(S)[:, None, None] + np.arange(T)[:, None]) * np.arange(N))
members = np.repeat(wave(S, T, 1, N)[:, None], 3, axis=1)  # (sample, member, time, channel, x)
members[:, :, 1:] += np.arange(3)[:, None, None, None]
np.savez(folder / "members.npz", u=members, t=np.array([0.0, 0.1, 0.3, 0.4, 1.0]))
