"""The large library of torch, loaded ahead of the package so that nobody has to wait for it."""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

# In the order in which torch loads them on Linux; what they need is found beside them.
_LIBRARIES = ("libtorch_global_deps.so", "libc10.so", "libtorch_cpu.so")


def load_ahead() -> None:
    """Load torch's own libraries, unless torch is there already; where that fails, torch does it later by itself.

    They are 430 MB. The import of torch loads them while it holds the interpreter's lock, a fifth of a second from
    memory and over a second from disk, in which no thread can do anything. ``ctypes`` gives the lock away meanwhile.
    """
    if "torch" in sys.modules or sys.platform != "linux":
        return
    with suppress(ImportError, OSError, ValueError):
        spec = find_spec("torch")
        if spec is None or spec.origin is None:
            return
        folder = Path(spec.origin).parent / "lib"
        for name in _LIBRARIES:
            file = folder / name
            if file.is_file():
                # The first is for all to see, as torch has it.
                ctypes.CDLL(str(file), mode=ctypes.RTLD_GLOBAL if name == _LIBRARIES[0] else ctypes.DEFAULT_MODE)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Collect no garbage inside, and never look again through what is there at the end.

    Python looks through every object there is while it holds the interpreter's lock: a fifth of a second once torch is
    there, which makes a million of them, and again whenever a run has made some more.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_on:
            gc.enable()
