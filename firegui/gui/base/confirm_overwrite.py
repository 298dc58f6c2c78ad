"""Asking before files are overwritten."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from PySide6.QtWidgets import QMessageBox, QWidget


def may_replace(parent: QWidget, folder: Path, names: Iterable[str]) -> bool:
    """Whether files with these ``names`` can be written to ``folder``: asks where some are there already."""
    there = [name for name in names if (folder / name).exists()]
    if not there:
        return True
    text = f"{', '.join(there)} already {'exists' if len(there) == 1 else 'exist'} in {folder}. Replace?"
    return QMessageBox.question(parent, "Replace files", text) == QMessageBox.StandardButton.Yes
