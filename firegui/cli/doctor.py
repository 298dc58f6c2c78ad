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
from firegui.cli.arguments import FILE, whole_between
from firegui.cli.display import NO_DISPLAY, display_trouble
from firegui.cli.output import json_option, report, table
from firegui.cli.saved_report import clear_reports
from firegui.domain.grid import cells_text
from firegui.domain.project import Project
from firegui.errors import FireguiError, Problems
from firegui.io.array_cache import ArrayCache, maps_cache
from firegui.io.project.scenario_toml import default_fleet
from firegui.io.project.store import load_project
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
@click.option("--rounds", type=whole_between(1, 1000), default=5, show_default=True, help="Timings, 1 to 1000.")
@click.option(
    "--clear-cache", is_flag=True, help="Delete saved fire maps and reports first; they are made again when needed."
)
@json_option
def doctor(bench: bool, project: Path | None, rounds: int, clear_cache: bool, as_json: bool) -> None:
    """Say what is installed, what firegui can compute on, and how to get what is missing."""
    if project is not None and not bench:
        raise click.UsageError("--project goes with --bench: it says which fire is timed")
    loaded = load_project(project) if project is not None else None
    cache = maps_cache()
    if clear_cache:
        clear_reports()
        if cache is not None:
            cache.clear()
    data = diagnosis()
    if bench:
        data["bench"] = run_bench(Engine(), loaded, rounds, Say())
    report(as_json, data, lambda: _lines(data))


def diagnosis() -> dict[str, Any]:
    """Return everything that ``doctor`` reports, as plain values."""
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
        "saved_maps": _saved_maps(maps_cache()),
        "display": not trouble,
        "display_trouble": trouble,
        "missing_libraries": libraries,
        "missing_resources": absent,
        "remedies": list(_remedies(libraries, absent, engine)),
    }


def _saved_maps(cache: ArrayCache | None) -> dict[str, Any] | None:
    """Return number and size of the maps that are kept on disk; ``None`` where none can be."""
    if cache is None:
        return None
    sizes = cache.sizes().values()
    return {"entries": len(sizes), "bytes": sum(sizes), "most_bytes": cache.most_bytes, "folder": str(cache.folder)}


def missing_libraries() -> list[str]:
    """Return the missing Debian packages that a window of Qt needs; empty off Linux."""
    if not sys.platform.startswith("linux"):
        return []
    return [package for name, package in QT_LIBRARIES.items() if not loads(name)]


def loads(name: str) -> bool:
    """Return whether the system's loader finds the shared object ``name``."""
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
    lines += [*_kernel_words(engine.get("kernels")), _maps_words(data["saved_maps"])]
    lines += [f"display: {_display_words(data['display_trouble'])}"]
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


def _maps_words(saved: dict[str, Any] | None) -> str:
    if saved is None or not saved["entries"]:
        return "saved fire maps: none"
    size = f"{saved['bytes'] / 1e6:,.0f} MB of at most {saved['most_bytes'] / 1e6:,.0f} MB"
    return f"saved fire maps: {saved['entries']}, {size}, in {saved['folder']}"


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


FIRES = ("unsuppressed", "contained")
_ENGINES = {"cpu": "CPU", "cuda": "GPU"}
_WORK = {
    "rollout": "rollout",
    "gradient": "gradient step",
    "gradient_of_listed": "gradient, drops of a file alone",
}


class Say:
    """Reporter of the current work on standard error.

    A terminal shows one line that is rewritten, a file one line each.
    """

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()

    def __call__(self, text: str) -> None:
        """Show ``text``; an empty one removes the line."""
        if self._live:
            click.echo(f"\r{text}\x1b[K", err=True, nl=False)
        elif text:
            click.echo(text, err=True)


def run_bench(engine: Engine, project: Project | None, rounds: int, say: Say) -> dict[str, Any]:
    """Time rollouts and gradients of a fire on every backend.

    The fire and fleet are those of ``project``, or a synthetic fire of the paper's size with the default fleet.
    Raises :class:`~firegui.errors.InputError` for a project that cannot be planned.
    """
    try:
        if project is None:
            say("making a synthetic fire")
            return engine.benchmark("synthetic fire", engine.synthetic_fire(), default_fleet(), rounds, say)
        problems = Problems()
        problems.extend(project.problems())
        problems.raise_if_any("The project cannot be timed")
        return engine.benchmark(project.scenario.name, engine.project_maps(project), project.planned_fleet, rounds, say)
    finally:
        say("")


def bench_lines(data: dict[str, Any]) -> list[str]:
    """Return the timings for people."""
    rows: list[tuple[str, ...]] = [("", "median", "least to most", "dense torch / this", "of its rollout")]
    for fire in FIRES:
        rows.append((f"dense torch rollout, {fire}", *_spread(data["dense"][fire]), "", ""))
    for name, engine in data["engines"].items():
        rows += [row for fire in FIRES for row in _engine_rows(_ENGINES.get(name, name), fire, engine[fire])]
        many = f"{_ENGINES.get(name, name)}: {engine['schedules_at_once']} rollouts at once, contained"
        rows.append((many, *_spread(engine["many"]), "", f"{engine['many']['to_one']:.2f}×"))
    raster = [("", "median", "least to most", "of the first")]
    for row in data["raster"]:
        for name in data["engines"]:
            times, cells = row[name], f"{_ENGINES.get(name, name)}: {row['cells']:,} cells"
            raster.append((cells, *_spread(times), f"{times['to_first']:.2f}×"))
    days = f"{data['raster'][0]['days']} days of the fire on larger rasters:" if data["raster"] else ""
    return [
        *_fire_lines(data),
        *table(rows),
        "dense torch / this: the best round of dense torch on the unsuppressed fire, over this median",
        *([days, *table(raster)] if days else []),
        *(f"left out: {text}" for text in data["skipped"]),
        *_memory_lines(data["engines"]),
    ]


def _fire_lines(data: dict[str, Any]) -> list[str]:
    fire, held, threads = data["fire"], data["fire"]["held"], data["dense"]["threads"]
    size = f"{cells_text((fire['rows'], fire['columns']))}, {fire['steps']} steps, {fire['aircraft']} aircraft"
    verdict = "" if held["cells"] <= held["within_cells"] else f", more than the {held['within_cells']:,.0f} meant"
    return [
        f"Timed on {fire['name']}: {size}; dense torch on {threads} threads",
        f"  unsuppressed: from {fire['start_cells']:,} to {fire['extent_cells']:,.0f} cells",
        f"  contained: at most {held['cells']:,.0f} cells at a day's end{verdict}, by {held['drops']:,} executed drops",
    ]


def _engine_rows(engine: str, fire: str, found: dict[str, Any]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for key, words in _WORK.items():
        dense = found["dense_to_rollout"] * found["rollout"]["median_ms"] / found[key]["median_ms"]  # its best round
        own = "" if key == "rollout" else f"{found[key]['median_ms'] / found['rollout']['median_ms']:.2f}×"
        rows.append((f"{engine}: {words}, {fire}", *_spread(found[key]), f"{dense:.1f}×", own))
    return rows


def _spread(times: dict[str, float]) -> tuple[str, str]:
    return f"{times['median_ms']:,.2f} ms", f"{times['least_ms']:,.2f} to {times['most_ms']:,.2f}"


def _memory_lines(engines: dict[str, Any]) -> list[str]:
    lines = []
    for name, engine in engines.items():
        parts = []
        if engine["peak_memory_bytes"] is not None:
            parts.append(f"{engine['peak_memory_bytes'] / 1e9:.2f} GB of memory at most, the maps included")
        if engine["gpu_peak_memory_bytes"] is not None:
            parts.append(f"{engine['gpu_peak_memory_bytes'] / 1e9:.2f} GB on the card")
        prepared = f"prepared in {engine['prepare_s']:.1f} s"
        lines.append(f"{_ENGINES.get(name, name)}: " + ", ".join([prepared, *parts]))
    return lines
