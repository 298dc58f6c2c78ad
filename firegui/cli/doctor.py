"""``firegui doctor``: what is installed, what it can compute on, what is missing and how to get it."""

from __future__ import annotations

import os
import platform
import sys
from ctypes import CDLL
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import click
import pyproj
import rasterio

from firegui.assets import resource
from firegui.cli.bench import Say, bench_lines, run_bench
from firegui.cli.display import NO_DISPLAY, display_trouble
from firegui.cli.options import FILE
from firegui.cli.output import json_option, report, table
from firegui.errors import FireguiError
from firegui.io.project_store import load_project
from firegui.runs.engine import Engine

PACKAGES = (
    "firegui",
    "torch",
    "numba",
    "numpy",
    "PySide6-Essentials",
    "pyqtgraph",
    "rasterio",
    "pyogrio",
    "pyproj",
    "shapely",
    "matplotlib",
    "QtAwesome",
    "msgspec",
    "safetensors",
    "h5py",
    "click",
    "cma",
)
QT_LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libfontconfig.so.1": "libfontconfig1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
}
"""What Qt's window plugin links to on Linux: shared object and Debian package. Without a window few are needed."""
RESOURCES = ("fleet/default.toml", "fire/scalar.toml", "fire/network.safetensors", "fire/network.toml")


@click.command()
@click.option("--bench", is_flag=True, help="Also time the engines on a synthetic fire; takes about a minute.")
@click.option("--project", metavar="PROJECT", type=FILE, help="With --bench: time the fire of this project instead.")
@click.option("--rounds", type=click.IntRange(1, 1000), default=5, show_default=True, help="How often it is timed.")
@json_option
def doctor(bench: bool, project: Path | None, rounds: int, as_json: bool) -> None:
    """Say what is installed, what firegui can compute on, and how to get what is missing."""
    if project is not None and not bench:
        raise click.UsageError("--project goes with --bench: it says which fire is timed")
    loaded = load_project(project) if project is not None else None
    data = diagnosis()
    if bench:
        data["bench"] = run_bench(Engine(), loaded, rounds, Say())
    report(as_json, data, lambda: _lines(data))


def diagnosis() -> dict[str, Any]:
    """Everything ``doctor`` says, as plain values."""
    libraries, trouble = missing_libraries(), display_trouble()
    absent = [name for name in RESOURCES if not _has_resource(name)]
    try:
        engine: dict[str, Any] = {**Engine().devices(), "kernels": Engine().compilers()}
    except ImportError as error:
        engine = {"error": str(error)}
    return {
        "python": platform.python_version(),
        "system": platform.platform(),
        "cores": os.cpu_count(),
        "packages": {name: _version(name) for name in PACKAGES},
        "gdal": rasterio.__gdal_version__,
        "proj": pyproj.proj_version_str,
        "engine": engine,
        "display": not trouble,
        "display_trouble": trouble,
        "missing_libraries": libraries,
        "missing_resources": absent,
        "remedies": list(_remedies(libraries, absent, engine)),
    }


def missing_libraries() -> list[str]:
    """Debian packages of the libraries that Qt needs for a window and that are not there; empty off Linux."""
    if not sys.platform.startswith("linux"):
        return []
    return [package for name, package in QT_LIBRARIES.items() if not loads(name)]


def loads(name: str) -> bool:
    """Whether the system's loader finds the shared object ``name``."""
    try:
        CDLL(name)
    except OSError:
        return False
    return True


def _remedies(libraries: list[str], absent: list[str], engine: dict[str, Any]) -> list[str]:
    # firegui itself may run from its source folder without being installed.
    found = [f"{name} is not installed: pip install {name}" for name in PACKAGES[1:] if _version(name) is None]
    if libraries:
        found.append(f"for the window: apt-get install {' '.join(libraries)} (or your system's packages of them)")
    if absent:
        found.append(f"the shipped files {', '.join(absent)} are missing: install firegui again")
    trouble = engine.get("kernels", {}).get("trouble")
    if trouble and _version("numba") is not None:
        found.append(f"numba cannot be loaded ({trouble}), so the CPU computes more slowly: install it again")
    if "error" in engine:
        found.append(f"torch cannot be loaded ({engine['error']}): install it again")
    return found


def _lines(data: dict[str, Any]) -> list[str]:
    engine = data["engine"]
    cards = ", ".join(engine.get("cuda", [])) or "none"
    rows = [
        ("Python", data["python"]),
        *(
            (name, found or ("from source" if name == "firegui" else "missing"))
            for name, found in data["packages"].items()
        ),
    ]
    lines = [data["system"], *table(rows), f"GDAL {data['gdal']}, PROJ {data['proj']}"]
    lines += [f"{data['cores']} cores, of which the engine uses {engine.get('threads', '?')}; graphics cards: {cards}"]
    lines += [*_kernel_words(engine.get("kernels")), f"display: {_display_words(data['display_trouble'])}"]
    return [
        *lines,
        *(bench_lines(data["bench"]) if "bench" in data else []),
        *(["Missing:", *(f"  • {text}" for text in data["remedies"])] if data["remedies"] else ["Nothing is missing."]),
    ]


def _kernel_words(kernels: dict[str, Any] | None) -> list[str]:
    if kernels is None:
        return []
    compiled = "kernels of the CPU: none, for want of numba; the CPU computes in torch, which is slower"
    if not kernels["trouble"]:
        kept = f"{kernels['kept_kernels']} kept in {kernels['kept_in']}" if kernels["kept_kernels"] else "none kept yet"
        compiled = f"kernels of the CPU: numba {kernels['numba']}, {kept}"
    return [compiled, f"kernels of a GPU: Triton {kernels['triton'] or 'is not installed (only a GPU needs it)'}"]


def _display_words(trouble: str) -> str:
    if not trouble:
        return "yes"
    if trouble == NO_DISPLAY:
        return "none; the commands and firegui demo work without one, for the window set DISPLAY"
    what = trouble.removeprefix("display ")
    return f"{what}; check DISPLAY, or unset it: the commands and firegui demo work without one"


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _has_resource(name: str) -> bool:
    try:
        resource(name)
    except FireguiError:
        return False
    return True
