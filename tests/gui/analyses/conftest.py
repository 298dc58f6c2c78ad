"""Fixtures of the analyses' tests."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def folder(saved: Path) -> Path:
    """Folder of the open project."""
    return saved
