from __future__ import annotations

import struct
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from firegui.errors import Problems
from firegui.io.weather.netcdf_file import FormatError, read_classic, read_netcdf
from firegui.io.weather.time_axis import TimeError, decode_times

scipy_io = pytest.importorskip("scipy.io", reason="scipy writes the classic files that are read here")


def write(path: Path, version: int, *, records: int | None, variables: int = 3) -> dict[str, np.ndarray]:
    """Variables of sizes that need padding, along a record dimension or not."""
    rng = np.random.default_rng(4)
    held: dict[str, np.ndarray] = {}
    with scipy_io.netcdf_file(path, "w", version=version) as file:
        file.createDimension("t", records and None)
        file.createDimension("x", 3)
        if records is None:
            file.dimensions["t"] = 4
        file.title = "a title of odd length"
        file.createVariable("still", ">i2", ("x",))[:] = held.setdefault("still", np.array([1, -2, 3], np.int16))
        for number, kind in enumerate((">i2", ">f4", "i1")[:variables]):
            values = rng.integers(-100, 100, (records or 4, 3)).astype(kind)
            variable = file.createVariable(f"v{number}", kind, ("t", "x"))
            variable[:] = held.setdefault(f"v{number}", values)
            variable.scale_factor = 0.5
    return held


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("records", [None, 5])
@pytest.mark.parametrize("variables", [1, 3])
def test_classic_variables_are_read_as_another_program_wrote_them(
    tmp_path: Path, version: int, records: int | None, variables: int
) -> None:
    held = write(tmp_path / "a.nc", version, records=records, variables=variables)
    found = read_classic(tmp_path / "a.nc")
    for name, values in held.items():
        assert np.array_equal(found[name].values, values)
        assert found[name].dimensions == (("x",) if name == "still" else ("t", "x"))
    assert found["v0"].attributes["scale_factor"] == 0.5
    assert np.array_equal(found["v0"].values[1:3, ::2], held["v0"][1:3, ::2])


def cdf5(count: int, values: bytes) -> bytes:
    """A CDF-5 file with one variable of ``count`` 64-bit numbers, laid out by hand."""
    name = struct.pack(">q", 1) + b"x\0\0\0"
    dimensions = struct.pack(">iq", 10, 1) + name + struct.pack(">q", count)
    absent = struct.pack(">iq", 0, 0)
    variable = name + struct.pack(">qq", 1, 0) + absent + struct.pack(">iq", 10, 8 * count)
    head = b"CDF\5" + struct.pack(">q", 0) + dimensions + absent + struct.pack(">iq", 11, 1) + variable
    return head + struct.pack(">q", len(head) + 8) + values


def test_cdf_5_counts_in_64_bits(tmp_path: Path) -> None:
    (tmp_path / "a.nc").write_bytes(cdf5(3, struct.pack(">3q", 1, -2, 2**40)))
    assert read_classic(tmp_path / "a.nc")["x"].values.tolist() == [1, -2, 2**40]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (cdf5(3, b""), "is cut off"),
        (cdf5(10**12, b""), "is cut off"),
        (cdf5(-3, b""), "claims a length of -3"),
        (cdf5(3, b"")[:40], "cut off within its header"),
        (b"CDF\1\0\0\0\0\0\0\0\x63\0\0\0\1", "not a list of dimensions"),
        (b"CDF\7" + bytes(40), "not NetCDF"),
    ],
)
def test_a_classic_file_that_is_not_what_it_claims_is_refused(tmp_path: Path, data: bytes, said: str) -> None:
    (tmp_path / "a.nc").write_bytes(data)
    with pytest.raises(FormatError, match=said):
        read_classic(tmp_path / "a.nc")


def test_whatever_byte_is_wrong_a_classic_file_is_read_or_refused(tmp_path: Path) -> None:
    write(tmp_path / "a.nc", 1, records=5)
    data = (tmp_path / "a.nc").read_bytes()
    refused = 0
    for at in range(len(data) - 90):
        (tmp_path / "b.nc").write_bytes(data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :])
        try:
            read_classic(tmp_path / "b.nc")
        except FormatError:
            refused += 1
    assert refused > 50


def test_numbers_come_in_the_variables_unit_and_holes_as_nan(tmp_path: Path) -> None:
    with scipy_io.netcdf_file(tmp_path / "a.nc", "w") as file:
        file.createDimension("x", 4)
        variable = file.createVariable("v", ">i2", ("x",))
        variable[:] = np.array([10, -1, 20, -2], np.int16)
        variable.scale_factor, variable.add_offset = 0.5, 100.0
        variable._FillValue, variable.missing_value = np.int16(-1), np.int16(-2)
    problems = Problems()
    found = read_netcdf(tmp_path / "a.nc", problems)
    assert found is not None
    assert np.array_equal(found["v"].values(), [105.0, np.nan, 110.0, np.nan], equal_nan=True)
    assert not problems


@pytest.mark.parametrize(
    ("units", "seconds", "base"),
    [
        ("hours since 1900-01-01 00:00:0.0", 3600, datetime(1900, 1, 1)),
        ("seconds since 1970-01-01", 1, datetime(1970, 1, 1)),
        ("days since 2000-1-1T12:00:00Z", 86400, datetime(2000, 1, 1, 12)),
        ("minutes since 2017-10-09 04:00:00 -7:00", 60, datetime(2017, 10, 9, 11)),
        ("Hours since 2017-10-09 04:00 UTC", 3600, datetime(2017, 10, 9, 4)),
        ("hours since 2017-10-09 04:00 +0530", 3600, datetime(2017, 10, 8, 22, 30)),
    ],
)
def test_times_are_counted_from_their_base(units: str, seconds: int, base: datetime) -> None:
    count = (datetime(2020, 8, 19, 7) - base).total_seconds() / seconds
    found = decode_times(np.array([count, count + 3]), units, "standard")
    assert found.tolist() == [datetime(2020, 8, 19, 7), datetime(2020, 8, 19, 7) + timedelta(seconds=3 * seconds)]


@pytest.mark.parametrize("units", ["hours", "months since 2000-01-01", "hours since 2000-13-01", "hours since 5-1-1"])
def test_units_that_name_no_moment_are_refused(units: str) -> None:
    with pytest.raises(TimeError):
        decode_times(np.array([1.0]), units, "standard")
