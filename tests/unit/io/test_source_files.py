from __future__ import annotations

import os
from pathlib import Path

import pytest

from firegui.errors import Problems
from firegui.io.source_files import (
    MOST_TEXT_BYTES,
    cells_problem,
    claim_problem,
    days_problem,
    file_problem,
    read_text,
    unpacking_problem,
)


def test_what_is_no_file_to_read_is_said_before_anything_opens_it(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    os.mkfifo(tmp_path / "pipe") if hasattr(os, "mkfifo") else (tmp_path / "pipe").mkdir()
    (tmp_path / "file").write_text("x")
    found = {name: file_problem(tmp_path / name) for name in ("none", ".", "empty", "pipe", "file")}
    assert {name: problem and problem.what for name, problem in found.items()} == {
        "none": "the file does not exist",
        ".": "is a folder, not a file",
        "empty": "the file is empty",
        "pipe": "is a pipe or a device, not a file" if hasattr(os, "mkfifo") else "is a folder, not a file",
        "file": None,
    }
    assert file_problem(Path("a\0b")) is not None


def test_text_is_read_without_its_mark_and_other_bytes_are_refused(tmp_path: Path) -> None:
    problems = Problems()
    (tmp_path / "a").write_bytes("\ufeffDörfli".encode())
    (tmp_path / "b").write_bytes("Dörfli".encode("utf-16"))
    assert read_text(tmp_path / "a", problems) == "Dörfli"
    assert read_text(tmp_path / "b", problems) is None
    assert [problem.what for problem in problems] == ["is not text in UTF-8"]


def test_a_text_of_gigabytes_is_not_read(tmp_path: Path) -> None:
    problems = Problems()
    with (tmp_path / "giant").open("wb") as file:
        file.truncate(MOST_TEXT_BYTES + 1)
    assert read_text(tmp_path / "giant", problems) is None
    assert [problem.what.split(" (")[0] for problem in problems] == ["is too large"]


@pytest.mark.parametrize(
    ("rows", "columns", "said"),
    [
        (5_000, 5_000, None),
        (5_000, 5_001, "claims 25,005,000 cells (5,000 × 5,001)"),
        (0, 8, "holds no cell"),
        (8, -1, "holds no cell"),
    ],
)
def test_a_raster_has_some_cells_and_not_too_many(rows: int, columns: int, said: str | None) -> None:
    problem = cells_problem("raster", rows, columns)
    assert (problem is None) == (said is None)
    assert problem is None or (said is not None and said in problem.what)


def test_claims_are_judged_by_their_size_and_by_their_room_in_the_file() -> None:
    assert claim_problem("a", (15, 8, 1000, 1000), 4, 15 * 8 * 4_000_000) is None
    most = claim_problem("a", (31_700, 31_700), 1, 10**9)
    packed = claim_problem("a", (100, 1000, 1000), 4, 400_000)
    assert most is not None and "claims 1,004,890,000 values" in most.what
    assert packed is not None and "as a zip bomb does" in packed.what


def test_small_arrays_of_one_value_may_be_packed_as_well_as_they_can() -> None:
    assert unpacking_problem("a", 200_000_000, 200_000) is None


@pytest.mark.parametrize(("days", "refused"), [(0, True), (1, False), (366, False), (367, True)])
def test_there_are_days_and_no_more_than_a_year_of_them(days: int, refused: bool) -> None:
    assert (days_problem("wind", days) is not None) is refused
