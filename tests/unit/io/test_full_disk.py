"""A disk that is full while a file is written: one message about space, and nothing that looks like a file."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from firegui.errors import InputError
from firegui.io.atomic import replacing, write_bytes, write_text
from tests.unit.io.builders import files_below


@pytest.mark.skipif(os.name != "posix", reason="needs a limit on the size of files")
@pytest.mark.slow
def test_no_kind_of_file_is_torn_by_a_full_disk(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.unit.io.full_disk", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[3])
    found = dict(json.loads(line) for line in done.stdout.splitlines())
    assert done.returncode == 0, (list(found)[-1:], done.stderr[-2000:])
    assert len(found) > 20
    assert {name: what for name, what in found.items() if what} == {}


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_a_disk_without_room_is_told_as_such(tmp_path: Path, number: int) -> None:
    with (
        pytest.raises(InputError, match=r"a\.txt: cannot be written: .* make room, or choose"),
        replacing(tmp_path / "a.txt") as temporary,
    ):
        temporary.write_text("x")
        raise OSError(number, os.strerror(number))
    assert files_below(tmp_path) == set()


def test_a_file_that_does_not_hold_what_was_written_does_not_take_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_text(tmp_path / "a.txt", "old")
    write = Path.write_bytes
    monkeypatch.setattr(Path, "write_bytes", lambda path, data: write(path, bytes(data)[:-1]))
    with pytest.raises(InputError, match="did not keep what was written"):
        write_bytes(tmp_path / "a.txt", b"new")
    assert (tmp_path / "a.txt").read_text() == "old"
    assert files_below(tmp_path) == {"a.txt"}
