"""The machine below the engine: its memory, and what its kernels are compiled with."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

COMPILERS = ("numba", "llvmlite", "triton")


def peak_memory() -> int | None:
    """Return the peak memory of this process in bytes, or None where the system does not report it."""
    lines = _proc("self/status")
    if "VmHWM" in lines:  # unlike ru_maxrss it does not begin with the peak of the process that started this one
        return lines["VmHWM"] * 1024
    try:
        resource = import_module("resource")
    except ImportError:
        return None
    most = int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return most if sys.platform == "darwin" else most * 1024


def available_memory() -> int | None:
    """Return bytes of memory that are free for use, None where the system does not say."""
    lines = _proc("meminfo")
    if "MemAvailable" in lines:
        return lines["MemAvailable"] * 1024
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, OSError, ValueError):
        return None


def compilers() -> dict[str, Any]:
    """Return versions of what compiles the kernels, and how many kernels are cached on disk.

    A missing compiler is None.
    """
    found: dict[str, Any] = {}
    for name in COMPILERS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = None
    folder = kernel_folder()
    found["kept_kernels"] = len(list(folder.rglob("*.nbc"))) if folder is not None else 0
    found["kept_in"] = str(folder) if folder is not None else None
    return found


def kernel_folder() -> Path | None:
    """Return where compiled kernels are kept, None while nothing has loaded them."""
    numba = sys.modules.get("numba")
    return Path(numba.config.CACHE_DIR) if numba is not None and numba.config.CACHE_DIR else None


def _proc(name: str) -> dict[str, int]:
    """Return numbers of a file of Linux's ``/proc``, by their names; nothing elsewhere."""
    try:
        lines = (Path("/proc") / name).read_text(encoding="utf-8").splitlines()
    except OSError:
        return {}
    pairs = [line.split() for line in lines]
    return {words[0].rstrip(":"): int(words[1]) for words in pairs if len(words) > 1 and words[1].isdigit()}


def cores() -> int:
    """Return how many cores this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
