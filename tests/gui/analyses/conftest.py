"""Fixtures of the analyses' tests."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def folder(saved: Path) -> Path:
    """Folder of the open project."""
    return saved


@pytest.fixture(autouse=True)
def schedule(schedule_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in the folder of the schedule that requests name."""
    monkeypatch.chdir(schedule_file.parent)
