"""Compilation of the kernels: without the interpreter's lock, cached on disk, never outdated."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from filelock import lock_descriptor
from numba.core import config
from numba.core.compiler_lock import global_compiler_lock

from firegui.io.cache_folder import cache_folder, code_digest

_BLAS = "scipy.linalg"


def _load_array_functions() -> None:
    """Load numba's functions on arrays without scipy's linear algebra.

    numba would load it to ask whether there is a BLAS, which takes a quarter of a second. No kernel uses one.
    """
    is_free = _BLAS not in sys.modules
    if is_free:
        sys.modules[_BLAS] = None  # type: ignore[assignment]  # so it is looked for in vain
    try:
        import_module("numba.np.arraymath")
    finally:
        if is_free:
            del sys.modules[_BLAS]


_load_array_functions()

UNUSED_DAYS = 30.0
_PATIENCE_S, _EVERY_S = 300.0, 0.05
"""A process that compiles a kernel is waited for so long, and looked for so often."""
_KERNELS = re.compile("kernels-[0-9a-f]{16}")


def forget_unused_kernels(used: Path, days: float = UNUSED_DAYS) -> None:
    """Mark the kernels in ``used`` as used, and delete other versions unused for ``days`` days.

    Every change of the engine's sources leaves a folder of its own beside ``used``. Only folders of such a name are
    touched; what cannot be deleted stays, and a version whose folder is gone compiles anew.
    """
    with suppress(OSError):
        os.utime(used)
        for folder in used.parent.iterdir():
            if folder == used or not _KERNELS.fullmatch(folder.name) or folder.is_symlink() or not folder.is_dir():
                continue
            with suppress(OSError):
                if time.time() - folder.stat().st_mtime > days * 86400.0:
                    shutil.rmtree(folder, ignore_errors=True)


Kernel = TypeVar("Kernel", bound=Callable[..., object])

SOURCES = (
    "native", "rollout", "fire/frozen_network.py", "domain/compact_maps.py", "domain/stencil.py", "domain/weights.py",
)  # fmt: skip
"""The packages and modules with kernels in them, and with constants that kernels know. A change of any other module
keeps the compiled kernels: to compile them takes a minute."""


def _folder() -> Path | None:
    """Return where compiled kernels are kept, ``None`` where they cannot be.

    The folder is named after the engine's sources, or none of numba's checks would see that a function inlined from
    another module, or a constant, has changed. An application without sources compiles anew in every process. A user
    without a folder to write in compiles once for this process and those it starts. ``NUMBA_CACHE_DIR`` goes before.
    Folders of other sources go when they have not been used for long.
    """
    if os.environ.get("NUMBA_CACHE_DIR"):
        return Path(os.environ["NUMBA_CACHE_DIR"])
    digest = code_digest(SOURCES, [numba.__version__])
    if digest is None:
        return None
    try:
        folder = cache_folder() / f"kernels-{digest[:16]}"
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except (OSError, RuntimeError):  # the latter for a user without a home
        return _temporary_folder()
    forget_unused_kernels(folder)
    return folder


def _temporary_folder() -> Path | None:
    """Return a private folder that is removed when this process ends; ``None`` where none can be made.

    The processes that this one starts use it as well: a run of many would otherwise compile in each of them.
    """
    try:
        folder = Path(tempfile.mkdtemp(prefix="firegui-kernels-"))
    except OSError:
        return None
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ["NUMBA_CACHE_DIR"] = str(folder)
    return folder


FOLDER = _folder()
if FOLDER is not None:
    config.CACHE_DIR = str(FOLDER)  # type: ignore[attr-defined]


def kernel(function: Kernel) -> Kernel:
    """Compile ``function`` at its first call.

    No operation is reordered, so that the bits do not depend on the build; nothing is allocated and no references are
    counted, which inside a loop would cost more than the arithmetic.
    """
    if FOLDER is None:
        return _compiled(function)
    compiled = _compiled(function, cache=True)
    _compile_once(compiled, FOLDER / f"{function.__module__}.{function.__qualname__}.lock")
    return compiled


def _compile_once(dispatcher: Any, lock: Path) -> None:
    """Let one process compile a kernel while others wait for ``lock``, then find it on disk.

    Compiling takes up to a minute, and all processes of an analysis need the same kernels at their start.
    """
    compile_ = dispatcher.compile

    def compile_or_load(signature: object) -> object:
        # numba's own lock is taken first everywhere: another thread that has it could wait for this file.
        with global_compiler_lock, _held(lock):
            return compile_(signature)

    dispatcher.compile = compile_or_load


@contextmanager
def _held(lock: Path) -> Iterator[None]:
    """Hold the lock of a file. Go on without it where files cannot be locked, or after ``_PATIENCE_S``."""
    try:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
    except OSError:
        yield
        return
    try:
        with suppress(OSError):
            until = time.monotonic() + _PATIENCE_S
            while not lock_descriptor(handle, blocking=False) and time.monotonic() < until:
                time.sleep(_EVERY_S)
        yield
    finally:
        os.close(handle)


def inlined(function: Kernel) -> Kernel:
    """Compile ``function`` into each kernel that calls it."""
    return _compiled(function)


def _compiled(function: Kernel, **options: bool) -> Kernel:
    compile_: Callable[..., Any] = numba.njit  # its types leave out an option
    return cast(Kernel, compile_(nogil=True, error_model="numpy", _nrt=False, **options)(function))
