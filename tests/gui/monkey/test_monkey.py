"""Random user actions cause no exception, warning of Qt, leaked thread or lost edit."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from tests.gui.monkey.monkey import play

FEW, SHORT = 4, 40
MANY, LONG = 200, 100


@pytest.mark.parametrize("seed", range(FEW))
def test_a_short_sequence_ends_well(qapp: QApplication, tmp_path: Path, seed: int) -> None:
    found = play(seed, SHORT, tmp_path, real=seed % 2 == 0)
    assert len(found.trail) >= SHORT, found.line()
    assert not found.troubles, found.line()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(MANY))
def test_a_long_sequence_ends_well(qapp: QApplication, tmp_path: Path, seed: int) -> None:
    found = play(seed, LONG, tmp_path)
    assert not found.troubles, found.line()
