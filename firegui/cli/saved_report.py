"""Reports on projects, kept until a file of the project or of firegui changes."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from firegui.assets import resource
from firegui.errors import InputError
from firegui.io.atomic import write_text
from firegui.io.cache_folder import cache_folder
from firegui.io.paths import LOCK, PROJECT_FILE

_MOST_REPORTS = 100
_SETTLED_S = 2.0
"""Age from which the times of a file tell whether it has changed: the clock of some disks has steps of two seconds."""

_PROGRAM = Path(__file__).resolve().parents[1]


def report_key(folder: Path, *settings: str) -> str | None:
    """Return a hash of ``settings``, of the program and of the project in ``folder``.

    Files count by their names, sizes and times. ``None`` where these do not tell whether a file changes: it changed a
    moment ago, or is a link.
    """
    resources = next(
        (root / "resources" for root in (_PROGRAM, _PROGRAM.parent) if (root / "resources").is_dir()), None
    )
    digest = hashlib.sha256("\0".join([sys.version, str(Path(os.__file__).parent), *settings]).encode())
    if resources is None or not (folder / PROJECT_FILE).is_file():
        return None
    # Another version of a library changes the folder in which all of them are.
    libraries = [Path(place) for place in sys.path if place.endswith("site-packages")]
    try:
        digest.update(repr([library.stat().st_mtime_ns for library in libraries]).encode())
        for root in (_PROGRAM, resource(""), folder):
            for entry in _entries(root):
                status = entry.stat(follow_symlinks=False)
                changed = max(status.st_mtime, status.st_ctime)
                if root is folder and (entry.is_symlink() or changed > time.time() - _SETTLED_S):
                    return None
                held = entry.name == LOCK and import_module("firegui.runs.lock").is_held(Path(entry.path).parent)
                facts = entry.path, status.st_size, status.st_ino, status.st_mtime_ns, status.st_ctime_ns, held
                digest.update(repr(facts).encode())
    except OSError:
        return None
    return digest.hexdigest()


def read_report(key: str) -> str | None:
    """Return the report that was kept under ``key``, ``None`` where it is not there or damaged."""
    try:
        digest, _, text = (_folder() / key).read_bytes().partition(b"\n")
        return text.decode() if digest.decode() == hashlib.sha256(text).hexdigest() else None
    except (OSError, RuntimeError, UnicodeDecodeError):
        return None


def save_report(key: str, text: str) -> None:
    """Keep a report under ``key``, and only the last few; where it cannot be kept, it is not."""
    with suppress(InputError, OSError, RuntimeError):
        folder = _folder()
        folder.mkdir(parents=True, exist_ok=True)
        write_text(folder / key, f"{hashlib.sha256(text.encode()).hexdigest()}\n{text}")
        kept = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns)
        for path in kept[:-_MOST_REPORTS]:
            path.unlink()


def clear_reports() -> None:
    """Delete every report."""
    with suppress(RuntimeError):
        shutil.rmtree(_folder(), ignore_errors=True)


def _folder() -> Path:
    return cache_folder() / "reports"


def _entries(folder: str | Path) -> Iterator[os.DirEntry[str]]:
    """Yield everything below ``folder`` in a fixed order, but what Python compiled."""
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        if entry.name != "__pycache__":
            yield entry
            if entry.is_dir(follow_symlinks=False):
                yield from _entries(entry.path)
