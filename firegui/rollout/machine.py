"""The machine below the engine: its memory, and what its kernels are compiled with."""

from __future__ import annotations

import os
import platform
import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

COMPILERS = ("numba", "llvmlite", "triton")


def peak_memory() -> int | None:
    """The most bytes of memory this process has held at any time, None where the system does not say."""
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
    """Bytes of memory that are free for use, None where the system does not say."""
    lines = _proc("meminfo")
    if "MemAvailable" in lines:
        return lines["MemAvailable"] * 1024
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, OSError, ValueError):
        return None


def processor() -> str:
    """What the processor calls itself."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def compilers() -> dict[str, Any]:
    """Versions of what compiles the kernels, None where it is missing, and how many kernels are kept on disk."""
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
    """Where compiled kernels are kept, None while nothing has loaded them."""
    numba = sys.modules.get("numba")
    return Path(numba.config.CACHE_DIR) if numba is not None and numba.config.CACHE_DIR else None


def _proc(name: str) -> dict[str, int]:
    """Numbers of a file of Linux's ``/proc``, by their names; nothing elsewhere."""
    try:
        lines = (Path("/proc") / name).read_text(encoding="utf-8").splitlines()
    except OSError:
        return {}
    pairs = [line.split() for line in lines]
    return {words[0].rstrip(":"): int(words[1]) for words in pairs if len(words) > 1 and words[1].isdigit()}


def cores() -> int:
    """How many cores this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
