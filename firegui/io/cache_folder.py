"""Folder of what is computed once on a computer, and the version of the code that computes it."""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from collections.abc import Sequence
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]


def cache_folder() -> Path:
    """Return the user's folder for caches of firegui, which need not exist.

    Raises ``RuntimeError`` for a user without a home.
    """
    base = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME", "")
    return (Path(base) if base else Path.home() / ".cache") / "firegui"


def code_digest(packages: Sequence[str], versions: Sequence[str]) -> str | None:
    """Return SHA-256 of the sources of some packages of firegui and of ``versions`` of what they use.

    A package is a folder, or the file of one module. An application without sources has none.
    """
    sources = [file for name in packages for file in _sources(_PACKAGE / name)]
    if not sources:
        return None
    digest = hashlib.sha256(" ".join(versions).encode())
    for source in sources:
        digest.update(source.read_bytes())
    return digest.hexdigest()


def _sources(package: Path) -> list[Path]:
    if package.suffix == ".py":
        return [package] if package.is_file() else []
    return sorted(package.rglob("*.py"))


def processor() -> str:
    """Return the processor's own name."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
