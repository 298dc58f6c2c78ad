"""What a damaged file can make a library do, as operations of a reader process, with limits that tests can wait for."""

from __future__ import annotations

import ctypes
import os
import time
from pathlib import Path

import numpy as np
import pyogrio
import rasterio

from firegui.io.safe_open import direct, processes, reader

START = processes._START.replace(
    "from firegui", "from tests.unit.io import reader_faults; reader_faults.add(); from firegui", 1
)
"""Starts a reader with these operations."""


def add() -> None:
    """Add the operations to those of this process, and lower its limits."""
    here = "tests.unit.io.reader_faults"
    faults = ("crash", "hang", "compute", "compute_until", "compute_for", "fill_memory", "echo", "fetch", "unchecked")
    names = {f"fault.{name}": f"{here}:{name}" for name in faults}
    reader.OPERATIONS = {**reader.OPERATIONS, **names}
    reader.MEMORY_BYTES = 400 * 2**20


def crash(files: direct.OpenFiles, path: Path, *_: object) -> None:
    os.abort()


def hang(files: direct.OpenFiles, path: Path) -> None:
    """Wait in a library that does not let the interpreter go on."""
    path.write_text(str(os.getpid()))
    ctypes.PyDLL(None).sleep(60)


def compute(files: direct.OpenFiles, path: Path) -> None:
    while True:
        pass


def compute_until(files: direct.OpenFiles, path: Path, part: float) -> None:
    """Compute until this process has taken so much of a second, beside whole seconds, of processor time."""
    while time.process_time() % 1.0 < part:
        pass


def compute_for(files: direct.OpenFiles, path: Path, seconds: float) -> None:
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


def fill_memory(files: direct.OpenFiles, path: Path) -> None:
    np.ones(2**28)


def fetch(files: direct.OpenFiles, path: Path, url: str) -> None:
    """Open a raster on a server, as a description of other data that was not recognized would."""
    with rasterio.open(f"/vsicurl/{url}/a.tif"):
        pass


def unchecked(files: direct.OpenFiles, path: Path) -> list[str]:
    """Read features as if their file had been checked, and return the drivers there are."""
    pyogrio.raw.read(path)
    return list(pyogrio.list_drivers())


def echo(files: direct.OpenFiles, path: Path, value: object) -> object:
    return value


def add_crash() -> None:
    """Make each file crash the library that reads it."""
    reader.OPERATIONS = dict.fromkeys(reader.OPERATIONS, "tests.unit.io.reader_faults:crash")
