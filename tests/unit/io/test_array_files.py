from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest

from firegui.errors import Problems
from firegui.io import array_files
from tests.unit.io.faults.edits import bomb_npz, forge_npz


def asked(path: Path, key: str = "a") -> tuple[array_files.Array | None, list[str]]:
    """The array of a file and what was said of it."""
    problems = Problems()
    with array_files.opened(path, problems) as archive:
        value = None if archive is None else array_files.array(archive, key, "here", problems)
    return value, [str(problem) for problem in problems]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    np.savez(tmp_path / "f.npz", a=np.arange(6.0).reshape(2, 3), b=np.zeros(2))
    return tmp_path / "f.npz"


def test_a_header_says_what_an_array_is_without_reading_it(path: Path) -> None:
    problems = Problems()
    with array_files.opened(path, problems) as archive:
        assert archive is not None
        header = array_files.header(archive, "a", "here", problems)
    assert header is not None and header.shape == (2, 3) and header.dtype == np.float64 and header.ndim == 2
    assert not problems


@pytest.mark.parametrize("shape", [(31_700, 31_700), (10**6, 10**6), (2**40,)])
def test_a_header_that_claims_what_is_not_there_costs_nothing(path: Path, shape: tuple[int, ...]) -> None:
    forge_npz(path, "a", shape)
    value, said = asked(path)
    assert value is None
    assert len(said) == 1 and "claims" in said[0]


def test_an_array_that_ends_before_its_size_is_cut_short(path: Path) -> None:
    forge_npz(path, "a", (100, 100))
    value, said = asked(path)
    assert value is None and "39,936 bytes of them are not there: it is cut short" in said[0]


def test_an_archive_that_unpacks_a_thousandfold_is_not_unpacked(path: Path) -> None:
    bomb_npz(path, "b", (9_000, 9_000))
    value, said = asked(path)
    assert value is None and "as a zip bomb does" in said[0]


def test_an_encrypted_member_is_damaged_and_no_traceback(path: Path) -> None:
    data = bytearray(path.read_bytes())
    for mark, place in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        data[data.index(mark) + place] |= 1
    path.write_bytes(bytes(data))
    value, said = asked(path)
    assert value is None and "the array a is damaged" in said[0] and "encrypted" in said[0]


def test_many_names_are_not_all_told(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "f.npz", "w") as archive:
        for number in range(500):
            archive.writestr(f"x{number:03d}.npy", b"")
    _, said = asked(tmp_path / "f.npz")
    assert "x000, x001" in said[0] and "…" in said[0] and len(said[0]) < 300


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.int32, np.uint8])
@pytest.mark.parametrize("shape", [(), (0,), (2, 3)])
def test_numbers_of_every_kind_and_shape_are_taken(kind: type[np.generic], shape: tuple[int, ...]) -> None:
    problems = Problems()
    found = array_files.floats(np.ones(shape, kind), "wind", problems, low=0.0, high=100.0)
    assert found is not None and not list(problems)
    assert found.dtype == np.float32 and (found == 1.0).all()


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([1.0, np.nan], "1 of 2 values are NaN or infinite"),
        ([1.0, -9999.0], "1 of 2 values are -9999, which is no data"),
        ([1.0, -2.0], "1 of 2 values are below 0 m/s (-2)"),
        ([1.0, 300.0], "1 of 2 values are above 100 m/s (300)"),
        ([1.0, 1e300], "are above 100 m/s"),
    ],
)
def test_numbers_keep_to_their_limits(values: list[float], said: str) -> None:
    problems = Problems()
    assert array_files.floats(np.array(values), "wind", problems, low=0.0, high=100.0, unit=" m/s") is None
    assert [said in str(problem) for problem in problems] == [True]
