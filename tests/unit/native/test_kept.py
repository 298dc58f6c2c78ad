"""Kernels of other versions go when nobody has used them for long; nothing else does."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from firegui.native.compiled import forget_unused_kernels

DAY = 86_400.0


def folder(path: Path, days_ago: float) -> Path:
    """A folder with something in it that was used so many days ago."""
    (path / "deep").mkdir(parents=True)
    (path / "deep" / "kernel.nbc").write_bytes(b"code")
    used = time.time() - days_ago * DAY
    os.utime(path, (used, used))
    return path


def test_kernels_that_nobody_used_for_a_month_are_deleted_and_recent_ones_stay(tmp_path: Path) -> None:
    ours = folder(tmp_path / f"kernels-{'a' * 16}", 400)
    old, recent = folder(tmp_path / f"kernels-{'b' * 16}", 31), folder(tmp_path / f"kernels-{'c' * 16}", 29)

    forget_unused_kernels(ours)

    assert ours.is_dir() and recent.is_dir()
    assert not old.exists()


def test_what_is_in_use_is_noted_as_used(tmp_path: Path) -> None:
    first, second = folder(tmp_path / f"kernels-{'a' * 16}", 400), folder(tmp_path / f"kernels-{'b' * 16}", 1)

    forget_unused_kernels(first)
    forget_unused_kernels(second)

    assert first.is_dir()


@pytest.mark.parametrize("name", ["kernels", "kernels-mine", f"my-kernels-{'b' * 16}", f"kernels-{'b' * 17}", "other"])
def test_other_folders_are_never_touched(tmp_path: Path, name: str) -> None:
    ours, other = folder(tmp_path / f"kernels-{'a' * 16}", 0), folder(tmp_path / name, 400)

    forget_unused_kernels(ours)

    assert (other / "deep" / "kernel.nbc").is_file()


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_link_is_not_followed(tmp_path: Path) -> None:
    target = folder(tmp_path / "elsewhere", 400)
    home = tmp_path / "cache"
    ours = folder(home / f"kernels-{'a' * 16}", 0)
    link = home / f"kernels-{'b' * 16}"
    link.symlink_to(target, target_is_directory=True)

    forget_unused_kernels(ours)

    assert link.is_symlink()
    assert (target / "deep" / "kernel.nbc").is_file()


def test_a_folder_that_is_gone_does_no_harm(tmp_path: Path) -> None:
    forget_unused_kernels(tmp_path / f"kernels-{'a' * 16}")
