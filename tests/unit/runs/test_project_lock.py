"""A project in two processes: who has it, and what is left when that one is killed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from firegui.io.paths import LOCK
from firegui.runs.lock import ProjectLock

HOLDER = """
import sys
from pathlib import Path
from firegui.runs.lock import ProjectLock
lock = ProjectLock()
print(lock.take(Path(sys.argv[1])), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "p.firegui"
    made.mkdir()
    return made


@pytest.fixture
def other(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that has the project open."""
    words = [sys.executable, "-c", HOLDER, str(folder)]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "True\n"
    yield process
    process.kill()
    process.communicate()


def test_a_second_process_is_told_who_has_it_and_does_not_get_it(folder: Path, other: subprocess.Popen[str]) -> None:
    lock = ProjectLock()
    assert f"process {other.pid} on " in lock.holder_of(folder)
    assert not lock.take(folder)
    assert lock.folder is None


def test_what_a_killed_process_held_is_free_though_its_file_is_there(
    folder: Path, other: subprocess.Popen[str]
) -> None:
    other.kill()
    other.wait()
    lock = ProjectLock()
    assert (folder / LOCK).exists()
    assert lock.holder_of(folder) == ""
    assert lock.take(folder)
    lock.release()


def test_taking_another_lets_the_first_go_and_a_failure_keeps_it(
    tmp_path: Path, folder: Path, other: subprocess.Popen[str]
) -> None:
    lock, second = ProjectLock(), ProjectLock()
    mine, next_one = tmp_path / "mine", tmp_path / "next"
    for path in (mine, next_one):
        path.mkdir()
    assert lock.take(mine) and lock.take(mine)
    assert not lock.take(folder)
    assert lock.folder == mine and second.holder_of(mine)
    assert lock.take(next_one)
    assert not second.holder_of(mine) and second.holder_of(next_one)
    lock.release()
    assert not second.holder_of(next_one)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="permissions bind neither Windows nor root")
def test_a_project_that_may_not_be_written_needs_no_holding(folder: Path) -> None:
    folder.chmod(0o500)
    try:
        assert ProjectLock().take(folder)
        assert list(folder.iterdir()) == []
    finally:
        folder.chmod(0o700)
