from __future__ import annotations

import os
from pathlib import Path

import pytest

from firegui.errors import InputError
from firegui.io.atomic import new_folder, replacing, write_text
from tests.unit.io.builders import files_below


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")
    with pytest.raises(RuntimeError), replacing(target) as temporary:
        temporary.write_text("half of the ne")
        raise RuntimeError("power")
    assert target.read_text() == "old"
    assert files_below(tmp_path) == {"a.txt"}


def test_a_successful_write_replaces_the_file_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")
    write_text(target, "new\nlines\r\n")
    assert target.read_bytes() == b"new\nlines\r\n"
    assert files_below(tmp_path) == {"a.txt"}


def test_the_new_name_appears_only_when_everything_is_written(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    with replacing(target) as temporary:
        temporary.write_text("x")
        assert not target.exists()
    assert target.exists()


def test_a_write_that_the_system_refuses_says_which_file_and_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"missing.*a\.txt.*cannot be written.*check that the folder exists"):
        write_text(tmp_path / "missing" / "a.txt", "x")


def test_a_write_below_a_file_is_refused_under_its_own_name(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match=r"file/a\.txt: cannot be written"):
        write_text(tmp_path / "file" / "a.txt", "x")


def test_a_failed_folder_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), new_folder(tmp_path / "p") as temporary:
        (temporary / "file").write_text("x")
        raise RuntimeError("power")
    assert files_below(tmp_path) == set()


def test_a_folder_is_not_put_in_the_place_of_one_with_files(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "mine").write_text("x")
    with pytest.raises(InputError), new_folder(tmp_path / "p") as temporary:
        (temporary / "file").write_text("y")
    assert files_below(tmp_path) == {"p", f"p{os.sep}mine"}
