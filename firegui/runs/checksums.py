"""Checksums of the files of a saved result, by name."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path


def checksums(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """Return the sha256 of those files of a folder that are there, by name."""
    return {name: found for name in names if (found := _checksum(folder / name))}


def differing(folder: Path, known: Mapping[str, str], names: Iterable[str]) -> frozenset[str]:
    """Return which of ``names`` that have a ``known`` checksum are gone or have another one."""
    return frozenset(name for name in names if name in known and _checksum(folder / name) != known[name])


def _checksum(path: Path) -> str:
    """Return the sha256 of a file; empty for none that can be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""
