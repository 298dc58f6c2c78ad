"""How the kernels are compiled: without the interpreter's lock, kept on disk, and never from an older source."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import config

Kernel = TypeVar("Kernel", bound=Callable[..., object])


def _folder() -> Path:
    """Where compiled kernels are kept.

    The folder is named after the sources, or none of numba's checks would see that a function inlined from another
    module has changed.
    """
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "")
    else:
        base = os.environ.get("XDG_CACHE_HOME", "")
    home = Path(base) if base else Path.home() / ".cache"
    return home / "firegui" / f"kernels-{digest.hexdigest()[:16]}"


def _usable(folder: Path) -> Path:
    """``folder``, or one that lasts until the machine is restarted where it cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return Path(tempfile.gettempdir()) / "firegui" / folder.name


def kernel(function: Kernel) -> Kernel:
    """Compile ``function`` at its first call.

    No operation is reordered, so that the bits do not depend on the build; nothing is allocated and no references are
    counted, which inside a loop would cost more than the arithmetic.
    """
    return _compiled(function, cache=True)


def inlined(function: Kernel) -> Kernel:
    """Compile ``function`` into each kernel that calls it."""
    return _compiled(function)


def _compiled(function: Kernel, **options: bool) -> Kernel:
    compile_: Callable[..., Any] = numba.njit  # its types leave out an option
    return cast(Kernel, compile_(nogil=True, error_model="numpy", _nrt=False, **options)(function))


config.CACHE_DIR = str(_usable(_folder()))  # type: ignore[attr-defined]
