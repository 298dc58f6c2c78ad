"""Checksums of a saved result: of its files by name, and of its header in the header's first line."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

DIFFERS = "does not hold what the run wrote: its checksum differs"
_FIRST_LINE = "# sha256 of what follows: "


def checksums(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """Return the sha256 of those files of a folder that are there, by name."""
    return {name: found for name in names if (found := _checksum(folder / name))}


def differing(folder: Path, known: Mapping[str, str], names: Iterable[str]) -> frozenset[str]:
    """Return which of ``names`` that have a ``known`` checksum are gone or have another one."""
    return frozenset(name for name in names if name in known and _checksum(folder / name) != known[name])


def with_checksum(text: str) -> str:
    """Return the text of a TOML file after a comment with its sha256."""
    return f"{_FIRST_LINE}{_sha256(text)}\n{text}"


def differs(text: str) -> bool:
    """Return whether a text begins with the sha256 of another one. Earlier versions wrote none."""
    first, _, rest = text.partition("\n")
    return first.startswith(_FIRST_LINE) and first.removeprefix(_FIRST_LINE) != _sha256(rest)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _checksum(path: Path) -> str:
    """Return the sha256 of a file; empty for none that can be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""
