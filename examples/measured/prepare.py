"""prepare.py FOLDER: data files of what fetch has brought. See fetch --help."""

import csv
import datetime
import pathlib
import sys

import numpy as np
from scipy.io import netcdf_file

folder = pathlib.Path(sys.argv[1])


def write(name, parts, u0, uT, group, fields=None, **more):
    """Training and test file; `parts` says of every sample whether it is for training."""
    for part, chosen in (("train", parts), ("test", ~parts)):
        arrays = dict(u0=u0[chosen].astype("f4"), uT=uT[chosen].astype("f4"), t=1.0, group=group[chosen], **more)
        if fields is not None:
            arrays["fields"] = fields[chosen].astype("f4")
        np.savez(folder / f"{name}_{part}.npz", **arrays)
        print(f"{name}_{part}.npz: {chosen.sum()} samples {u0.shape[1:]}")


def others(training, group, i):
    """What the climatology of i is made of: the training period without i's own year or month. An anomaly from a mean
    that it is part of is too small, and a law that is learned from such anomalies too narrow for the years to come."""
    return training & (group != group[i])


def winds(test_years=2):
    """Samples are (month, latitude), the field goes around the circle. What belongs together is a year: neighbouring
    circles and months are too alike for one to judge the other."""
    with netcdf_file(folder / "monthly_navy_winds.cdf", mmap=False) as file:
        wind = np.stack([file.variables[name][:] for name in ("UWND", "VWND")], 1).astype("f8")  # (month, 2, lat, lon)
        latitude = file.variables["FNOCY"][:].astype("f8")
    inner = np.abs(latitude) < 89  # a pole is no circle
    wind, latitude = wind[:, :, inner], latitude[inner]
    months = len(wind)
    year, month = np.arange(months) // 12, np.arange(months) % 12
    training = year < year.max() + 1 - test_years
    climate = lambda of, m: wind[of & (month == m)].mean(0)
    anomaly = np.stack([wind[i] - climate(others(training, year, i), month[i]) for i in range(months)])
    anomaly = np.moveaxis(anomaly, 1, 2)  # (month, lat, 2, lon)
    # Pairs of neighbouring months; one that reaches from training into test years is in neither.
    first = np.arange(months - 1)
    first = first[training[first] == training[first + 1]]
    circles, points = len(latitude), anomaly.shape[-1]
    place = np.broadcast_to((latitude / 90)[None, :, None, None], (len(first), circles, 1, points))
    flat = lambda a: a.reshape(len(first) * circles, *a.shape[2:])
    write("winds", np.repeat(training[first], circles), flat(anomaly[first]), flat(anomaly[first + 1]),
          np.repeat(year[first], circles), fields=flat(place), length=360.0)


def electricity(test_years=1):
    """Samples are days, the field is the curve of 24 hours, which does not close. What belongs together is a month."""
    with open(folder / "hourly_electricity.csv", newline="") as file:
        rows = [(datetime.datetime.fromisoformat(row["ts"]), float(row["y"])) for row in csv.DictReader(file)]
    days = [time.date() for time, _ in rows[::24]]
    assert all(time.hour == i % 24 and time.date() == days[i // 24] for i, (time, _) in enumerate(rows))
    curves = np.array([value for _, value in rows]).reshape(-1, 24)
    # The clock changes at 1 on the last Sundays of March, when that hour has next to nothing, and of October, when it
    # has the sum of two.
    changes = [d for d, day in enumerate(days) if day.weekday() == 6 and day.day > 24 and day.month in (3, 10)]
    for d in changes:
        curves[d, 1] = (curves[d, 0] + curves[d, 2]) / 2 if days[d].month == 3 else curves[d, 1] / 2
    year = np.array([day.year for day in days])
    training = year < year.max() + 1 - test_years
    phase = 2 * np.pi * np.array([day.timetuple().tm_yday for day in days]) / 365.25
    weekday = np.array([day.weekday() for day in days])
    design = np.stack([np.cos(phase), np.sin(phase), np.cos(2 * phase), np.sin(2 * phase)]
                      + [(weekday == w).astype(float) for w in range(7)], 1)
    month = np.array([12 * day.year + day.month for day in days])
    anomaly = np.empty((len(days), 1, 24))  # (day, channel, hour)
    for m in np.unique(month):
        own, of = month == m, others(training, month, np.flatnonzero(month == m)[0])
        climate = np.linalg.lstsq(design[of], curves[of], rcond=None)[0]  # (cycle of the year and week, hour)
        anomaly[own, 0] = curves[own] - design[own] @ climate
    first = np.arange(len(days) - 1)
    first = first[training[first] == training[first + 1]]
    print(f"electricity: {len(days)} days from {days[0]} to {days[-1]}, {len(changes)} changes of the clock repaired")
    write("electricity", training[first], anomaly[first], anomaly[first + 1], month[first], length=24.0,
          bounded=np.array([1]))


winds()
electricity()
