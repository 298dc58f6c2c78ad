"""Files that bring their reader down end one request and nothing else."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

import h5py
import numpy as np
import pyogrio
import pytest
import shapely

from firegui.domain.grid import Grid
from firegui.errors import CancelledError, InputError, Problems
from firegui.io.project.store import load_project
from firegui.io.safe_open import interruptible, processes
from firegui.io.safe_open.processes import ReaderPool, ReadError
from firegui.io.vectors.perimeters import read_perimeters
from firegui.io.weather.netcdf_file import read_netcdf
from tests.support import tiny_project
from tests.unit.io import reader_faults

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="faults are made with signals and limits of POSIX")

GRID = Grid(40, 60, 30.0, (30.0, 0.0, 500_000.0, 0.0, -30.0, 4_000_000.0), "EPSG:32610")
PARENT = """
import sys
from pathlib import Path
from firegui.io.safe_open import interruptible, processes
from tests.unit.io import reader_faults
processes._START = reader_faults.START
processes.READERS.call("fault." + sys.argv[1], Path(sys.argv[2]), *sys.argv[3:])
"""


@pytest.fixture(scope="module")
def pool() -> Iterator[ReaderPool]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(processes, "_START", reader_faults.START)
        patch.setattr(processes, "PROCESSOR_SECONDS", 1)
        made = ReaderPool(1)
        yield made
        made.close()


def is_alive(process: int) -> bool:
    with suppress(ProcessLookupError, FileNotFoundError):
        os.kill(process, 0)
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def wait_for(path: Path) -> int:
    while not (path.is_file() and path.read_text()):
        time.sleep(0.02)
    return int(path.read_text())


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("crash", r"the library that reads it crashed \(SIGABRT\)"),
        ("compute", "reading it takes more than 1 s of computing"),
        ("fill_memory", "reading it takes more than 1,536 MB of memory"),
    ],
)
def test_a_fault_ends_one_request_and_the_next_is_answered(
    pool: ReaderPool, tmp_path: Path, fault: str, said: str
) -> None:
    if fault == "fill_memory" and sys.platform != "linux":
        pytest.skip("this system does not count the memory of a process")

    with pytest.raises(ReadError, match=said):
        pool.call(f"fault.{fault}", tmp_path)

    assert pool.call("fault.echo", tmp_path, "next") == "next"


def test_a_request_has_its_seconds_wherever_in_a_second_it_begins(tmp_path: Path, pool: ReaderPool) -> None:
    pool.call("fault.compute_until", tmp_path, 0.8)

    pool.call("fault.compute_for", tmp_path, 0.6)


def test_a_hanging_read_is_cancelled_and_its_process_ends(pool: ReaderPool, tmp_path: Path) -> None:
    def check() -> None:
        if (tmp_path / "hangs").is_file() and (tmp_path / "hangs").read_text():
            raise CancelledError

    with interruptible(check), pytest.raises(CancelledError):
        pool.call("fault.hang", tmp_path / "hangs")

    assert not is_alive(wait_for(tmp_path / "hangs"))


def test_a_read_without_end_is_given_up(pool: ReaderPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "SECONDS", 0.3)

    with pytest.raises(ReadError, match="reading it takes more than 0 s"):
        pool.call("fault.hang", tmp_path / "hangs")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the limit of time ends it")
def test_a_hanging_reader_ends_with_a_program_that_is_killed(tmp_path: Path) -> None:
    parent = subprocess.Popen([sys.executable, "-c", PARENT, "hang", str(tmp_path / "hangs")])
    reader = wait_for(tmp_path / "hangs")

    parent.kill()
    parent.wait()

    while is_alive(reader):  # a test that hangs here fails by its limit of time
        time.sleep(0.02)


def test_readers_end_with_the_program(tmp_path: Path) -> None:
    lines = f"{PARENT}\nprint(processes.READERS._free[0]._process.pid)"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", lines, "echo", str(tmp_path), "x"], capture_output=True, text=True,
        check=True,
    )  # fmt: skip

    assert done.stderr == "" and not is_alive(int(done.stdout))


@pytest.mark.parametrize(
    "value",
    [
        {"text": "é", "nothing": None, "numbers": [1, 2.5, True], "bytes": b"\0"},
        np.arange(6, dtype=">f4").reshape(2, 3),
        np.array([], np.int16),
        np.array(7.0),
        np.array(["2020-08-19"], "datetime64[D]"),
        np.array([b"wkb", None, "text"], object),
        [np.zeros((2, 0)), {"deep": np.ones(3, bool)}],
    ],
)
def test_values_come_back_as_they_were_sent(pool: ReaderPool, tmp_path: Path, value: object) -> None:
    np.testing.assert_equal(pool.call("fault.echo", tmp_path, value), value)


def test_a_file_is_read_again_after_it_changed(tmp_path: Path) -> None:
    for number in (1.0, 2.0):
        with h5py.File(tmp_path / "a.nc", "w") as file:
            file["v"] = np.full(3, number)
        found = read_netcdf(tmp_path / "a.nc", Problems())
        assert found is not None and found["v"].raw().tolist() == [number] * 3


def test_no_second_reader_is_started_while_the_first_is_soon_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "_SOON_SECONDS", 60.0)
    pool = ReaderPool(2)
    with ThreadPoolExecutor(1) as threads, closing(pool):
        with pool._reader() as first:
            described = threads.submit(pool.call, "rasters.describe", tmp_path / "none.tif")
            time.sleep(0.2)
        with pytest.raises(ReadError):
            described.result()
        assert pool._free == [first]


def test_a_netcdf_file_that_crashes_its_library_is_one_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with h5py.File(tmp_path / "a.nc", "w") as file:
        file["v"] = np.zeros(3)
    crashing = ReaderPool()
    monkeypatch.setattr(processes, "_START", reader_faults.START.replace("add()", "add_crash()"))
    monkeypatch.setattr("firegui.io.safe_open.hdf5.READERS", crashing)
    problems = Problems()

    assert read_netcdf(tmp_path / "a.nc", problems) is None

    what = "cannot be read as NetCDF (the library that reads it crashed (SIGABRT))"
    assert [str(problem) for problem in problems] == [f"a.nc: {what} — get the file again from where it came"]
    crashing.close()


def test_a_raster_of_a_project_that_crashes_its_library_is_one_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tiny_project(tmp_path)
    crashing = ReaderPool()
    monkeypatch.setattr(processes, "_START", reader_faults.START.replace("add()", "add_crash()"))
    monkeypatch.setattr("firegui.io.safe_open.rasters.READERS", crashing)

    with pytest.raises(InputError) as refused:
        load_project(folder)

    crashing.close()
    layers = {str(path) for path in (folder / "layers").iterdir()}
    assert {problem.where for problem in refused.value.problems} >= layers
    assert all("the library that reads it crashed" in str(p) for p in refused.value.problems if p.where in layers)


def test_a_ring_that_crosses_itself_everywhere_is_refused(
    pool: ReaderPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firegui.io.safe_open.vectors.READERS", pool)
    corners = np.random.default_rng(0).uniform((500_000, 3_998_800), (501_800, 4_000_000), (3_000, 2))
    shapes = shapely.to_wkb(np.array([shapely.Polygon(corners)], object))
    days = np.array(["2020-08-19"], "datetime64[D]")
    pyogrio.raw.write(
        tmp_path / "a.gpkg", shapes, [days], ["date"], driver="GPKG", geometry_type="Polygon", crs="EPSG:32610",
    )  # fmt: skip

    with pytest.raises(InputError) as refused:
        read_perimeters(tmp_path / "a.gpkg", GRID)

    # Which limit is reached first depends on the speed of the machine.
    what = "a.gpkg, feature 1: crosses itself in too many places to be repaired (reading it takes more than {})"
    limits = ("10 s of computing", "1,536 MB of memory")
    assert [str(problem) for problem in refused.value.problems] in [
        [f"{what.format(limit)} — draw it again, or leave it out"] for limit in limits
    ]


def test_requests_about_one_vector_file_share_its_time(
    pool: ReaderPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "_VECTOR_SECONDS", 1)
    path = tmp_path / "a.gpkg"
    geometry = shapely.to_wkb(np.array([shapely.box(500_000, 3_998_800, 501_800, 4_000_000)], object))
    pyogrio.raw.write(path, geometry, [], [], driver="GPKG", geometry_type="Polygon", crs="EPSG:32610")
    with closing(sqlite3.connect(path)) as base, base:
        base.execute("ALTER TABLE gpkg_contents RENAME TO other")
        endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
        base.execute(f"CREATE VIEW gpkg_contents AS {endless} SELECT other.* FROM c, other")
    said = "reading it takes more than 1 s of computing"

    for operation, arguments in (("vectors.layers", ()), ("vectors.info", (None,))):
        with pytest.raises(ReadError, match=said):
            pool.call(operation, path, *arguments)

    assert pool._free[-1]._process is None, "a reader was started again for a file whose time is over"
