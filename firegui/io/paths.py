"""Paths without links, and names of files that tell what a folder is."""

from __future__ import annotations

import os
from pathlib import Path

PROJECT_FILE = "project.toml"
LOCK = ".lock"
"""File of a run that is locked while the run is worked on."""


def real_path(path: Path) -> Path:
    """Return the absolute path without links.

    ``Path.resolve`` raises ``RuntimeError`` for links that lead in a circle. Here such a path is returned as far as it
    can be followed: who opens it gets the system's error, which names the fault.
    """
    return Path(os.path.realpath(path))
