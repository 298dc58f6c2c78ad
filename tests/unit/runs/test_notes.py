from __future__ import annotations

from pathlib import Path

import pytest

from firegui.errors import InputError
from firegui.runs.notes import NOTES, read_notes, takes_notes, write_notes
from firegui.runs.run_folder import RUN


@pytest.fixture
def run(tmp_path: Path) -> Path:
    (tmp_path / RUN).write_text("format = 1\n")
    return tmp_path


def test_notes_are_a_plain_file_and_come_back_as_written(run: Path) -> None:
    assert read_notes(run) == ""
    text = "Too many drops on day 2.\n\n– look at η again ✓\n"
    write_notes(run, text)
    assert (run / NOTES).read_bytes() == text.encode()
    assert read_notes(run) == text


def test_empty_notes_leave_no_file(run: Path) -> None:
    write_notes(run, "something")
    write_notes(run, " \n")
    assert {path.name for path in run.iterdir()} == {RUN}
    write_notes(run, "")


def test_a_run_that_has_not_begun_takes_none(tmp_path: Path) -> None:
    assert not takes_notes(tmp_path)
    with pytest.raises(InputError, match="holds no run"):
        write_notes(tmp_path, "early")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_text_is_refused_by_name(run: Path) -> None:
    (run / NOTES).write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match=NOTES):
        read_notes(run)
