"""The arrays of a project and the weights of its network fire model as files, and back, bit for bit.

The weights change when the project says so, and not when firegui brings new ones. Their file is named after its
content, so that other weights come beside the old ones and ``project.toml`` moves from one to the other in one step.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from datetime import date
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.domain.maps import FireMaps
from firegui.domain.project import Project
from firegui.domain.scenario import Scenario
from firegui.domain.weather import PeriodWeather
from firegui.domain.weights import NetworkWeights
from firegui.errors import InputError, Problem, Problems
from firegui.io.project.maps_file import read_maps, write_maps
from firegui.io.project.text import ArrayFile, Event
from firegui.io.project.weights_file import read_weights, weights_bytes, write_weights
from firegui.io.rasters.geotiff import Raster, read_raster, write_raster
from firegui.io.safe_open.processes import MOST_READERS
from firegui.io.source_files import file_problem, outside_problem

MAPS = "maps"
_STACKS = ("wind_speed", "wind_dir")
PERIOD_WIND = ("period_wind_speed", "period_wind_dir")
"""Wind of the periods of a day, on blocks of cells."""
_MASKS = ("ignition", "observed")
_REMEDY = "restore the folder from a copy, or import the event again"

Array = NDArray[Any]


def arrays_of(scenario: Scenario) -> dict[str, Array]:
    """Return every array of a scenario by the name its file gets, in the type it is stored in."""
    arrays: dict[str, Array] = {key: np.asarray(layer, np.float32) for key, layer in sorted(scenario.layers.items())}
    arrays |= {key: np.asarray(getattr(scenario, key), np.float32) for key in _STACKS}
    if scenario.weather is not None:
        winds = (scenario.weather.speed, scenario.weather.towards)
        arrays |= {key: np.asarray(wind, np.float32) for key, wind in zip(PERIOD_WIND, winds, strict=True)}
    masks = {key: getattr(scenario, key) for key in _MASKS}
    return arrays | {key: np.asarray(mask, np.bool_) for key, mask in masks.items() if mask is not None}


def maps_arrays(maps: FireMaps) -> dict[str, Array]:
    """Return every field of imported maps as an array.

    One period a day and a front that first builds up are left out, as in maps of before there was another way, so that
    their sums stay the same. Imported maps have no burned-out cells and no barriers, and drops work in all
    of their cells.
    """
    usual = {
        "burned_out": True,
        "drop_cells": True,
        "barriers": True,
        "periods_per_day": maps.periods_per_day == 1,
        "moving_start": not maps.moving_start,
    }
    names = [name for name in maps.__slots__ if not usual.get(name, False)]
    return {name: np.asarray(getattr(maps, name)) for name in names}


def content(arrays: Mapping[str, Array]) -> str:
    """Return SHA-256 of the values, types and shapes of ``arrays``, whatever file they are in."""
    digest = hashlib.sha256()
    for key, array in arrays.items():
        digest.update(f"{key} {array.dtype.str} {array.shape}\n".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def contents_of(project: Project) -> dict[str, str]:
    """Return the content hash of every file a project has."""
    found = {key: content({key: array}) for key, array in arrays_of(project.scenario).items()}
    return found if project.maps is None else found | {MAPS: content(maps_arrays(project.maps))}


def write_layers(project: Project, folder: Path) -> dict[str, ArrayFile]:
    """Write every array below ``folder``; returns what ``project.toml`` has to say of them."""
    event, contents = project.scenario, contents_of(project)
    (folder / "layers").mkdir(parents=True)
    names = {}
    for key, array in arrays_of(event).items():
        names[key] = f"layers/{key}.tif"
        grid = event.grid
        if event.weather is not None and key in PERIOD_WIND:
            grid = grid.of_blocks(event.weather.block)
        write_raster(folder / names[key], array, grid, descriptions=_descriptions(key, array, event))
    if project.maps is not None:
        names[MAPS] = "maps.npz"
        write_maps(folder / names[MAPS], project.maps, event.grid, event.start)
    return {key: ArrayFile(name, file_hash(folder / name), contents[key]) for key, name in names.items()}


def _descriptions(key: str, array: Array, event: Scenario) -> list[str]:
    if key == "observed":
        return [day.isoformat() for day in event.observed_dates]
    if key in _STACKS:
        return [f"{key} {event.date_of_day(day).isoformat()}" for day in range(len(array))]
    if key in PERIOD_WIND and event.weather is not None:
        each = event.weather.periods_per_day
        return [f"{key} {event.date_of_day(at // each).isoformat()} {at % each + 1}/{each}" for at in range(len(array))]
    return [key]


def file_hash(path: Path) -> str:
    """Return SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_layers(
    folder: Path, files: Mapping[str, ArrayFile], event: Event, problems: Problems, known: Mapping[str, Array]
) -> tuple[dict[str, Array], FireMaps | None]:
    """Read every file back, adding what is missing, changed or of another shape to ``problems``.

    Files of ``known`` arrays are only checked.
    """
    arrays: dict[str, Array] = {}
    maps = None
    paths = {key: checked_path(folder, key, file, problems) for key, file in files.items()}
    with ThreadPoolExecutor(MOST_READERS) as threads:
        rasters = {
            key: threads.submit(copy_context().run, read_raster, path)
            for key, path in paths.items()
            if path is not None and key != MAPS and key not in known
        }
        for key, path in paths.items():
            try:
                if path is not None and key in known:
                    arrays[key] = known[key]
                elif key in rasters:
                    arrays[key] = _layer(key, rasters.pop(key).result())
                elif path is not None:
                    maps = read_maps(path).maps
            except InputError as error:
                problems.extend(error.problems)
    _check_shapes(arrays, maps, event, problems)
    _check_present(files, event.observed_dates, problems)
    return arrays, maps


def check_files(folder: Path, files: Mapping[str, ArrayFile], problems: Problems) -> None:
    """Add every listed file that is missing, changed or not in the project folder to ``problems``.

    Reads no array.
    """
    for key, file in files.items():
        checked_path(folder, key, file, problems)


def checked_path(folder: Path, key: str, file: ArrayFile, problems: Problems) -> Path | None:
    """Return where a listed file is.

    Noted and ``None`` when it is missing, changed or not in the project folder.
    """
    name = PurePosixPath(file.file)
    if name.is_absolute() or ".." in name.parts or "\\" in file.file or ":" in file.file:
        problems.add(key, f"{file.file} lies outside the project folder", _REMEDY)
        return None
    path = folder / name
    outside = outside_problem(path, folder)
    if outside is not None:
        problems.extend([outside])
        return None
    if not path.is_file():
        problems.add(file.file, "the file is missing", _REMEDY)
        return None
    unreadable = file_problem(path)
    if unreadable is not None and path.stat().st_size:
        problems.extend([unreadable])
        return None
    if file_hash(path) != file.sha256:
        problems.add(file.file, "the file was changed after it was saved", _REMEDY)
        return None
    return path


def _layer(key: str, raster: Raster) -> Array:
    bands = raster.bands if key in (*_STACKS, *PERIOD_WIND, "observed") else raster.bands[0]
    return bands.astype(np.bool_) if key in _MASKS else bands


def _check_shapes(arrays: Mapping[str, Array], maps: FireMaps | None, event: Event, problems: Problems) -> None:
    grid = event.grid
    for key, array in arrays.items():
        if key in PERIOD_WIND:
            continue
        if array.shape[-2:] != grid.shape or array.dtype not in (np.float32, np.bool_):
            found = f"{array.shape[-2]} × {array.shape[-1]} cells of {array.dtype}"
            problems.add(key, f"has {found}, the grid {grid.rows} × {grid.columns}", _REMEDY)
    days = {key: len(arrays[key]) for key in _STACKS if key in arrays}
    if len(set(days.values())) > 1:
        problems.add("wind", f"speed has {days['wind_speed']} days and direction {days['wind_dir']}", _REMEDY)
    if maps is not None and maps.shape != grid.shape:
        problems.add(
            "maps.npz", f"has {maps.shape[0]} × {maps.shape[1]} cells, the grid {grid.rows} × {grid.columns}", _REMEDY
        )
    if "observed" in arrays and len(arrays["observed"]) != len(event.observed_dates):
        problems.add(
            "observed", f"has {len(arrays['observed'])} perimeters for {len(event.observed_dates)} dates", _REMEDY
        )


def read_weather(event: Event, arrays: Mapping[str, Array], problems: Problems) -> PeriodWeather | None:
    """Return the weather by period of a project whose files were read.

    What is wrong is added to ``problems``.
    """
    has_winds = [key for key in PERIOD_WIND if key in arrays]
    if event.weather is None:
        problems.extend(
            Problem("layers", f"{key} is listed, but [event.weather] is missing", _REMEDY) for key in has_winds
        )
        return None
    lacking = [key for key in PERIOD_WIND if key not in arrays]
    problems.extend(Problem("layers", f"{key} is not listed", _REMEDY) for key in lacking)
    if lacking:
        return None
    speed, towards = (arrays[key] for key in PERIOD_WIND)
    text = event.weather
    heat, damp = (None if part is None else np.array(part, np.float64) for part in (text.temperature_c, text.humidity))
    weather = PeriodWeather(text.periods_per_day, text.block, speed, towards, heat, damp)
    problems.extend(weather.problems(event.grid.shape, len(arrays["wind_speed"])))
    return weather


def steps_problems(maps: FireMaps, event: Event) -> list[Problem]:
    """Return the problem of imported maps with other steps a day than the event, which are its fire model."""
    if maps.steps_per_day == event.steps_per_day:
        return []
    return [Problem("maps.npz", f"has {maps.steps_per_day} steps a day, the event {event.steps_per_day}", _REMEDY)]


def _check_present(files: Mapping[str, ArrayFile], dates: tuple[date, ...], problems: Problems) -> None:
    needed = [*_STACKS, *(["observed"] if dates else [])]
    for key in needed:
        if key not in files:
            problems.add("layers", f"{key} is not listed", _REMEDY)


WEIGHTS = "weights"


def weights_content(weights: NetworkWeights) -> str:
    """Return SHA-256 of everything in the weights."""
    return hashlib.sha256(weights_bytes(weights)).hexdigest()


def write_project_weights(project: Project, folder: Path) -> ArrayFile | None:
    """Write the project's weights into ``folder`` unless they are there.

    Returns what ``project.toml`` says of them.
    """
    if project.weights is None:
        return None
    digest = weights_content(project.weights)
    file = ArrayFile(_file_name(digest), digest, digest)
    if not (folder / file.file).exists():
        write_weights(folder / file.file, project.weights)
    return file


def kept_weights(folder: Path, weights: NetworkWeights) -> Path | None:
    """Return where the project in ``folder`` keeps these weights, if it does."""
    path = folder / _file_name(weights_content(weights))
    return path if path.is_file() else None


def _file_name(digest: str) -> str:
    return f"fire-{digest[:12]}.safetensors"


def read_project_weights(folder: Path, file: ArrayFile | None, problems: Problems) -> NetworkWeights | None:
    """Read them back, adding what is missing, changed or damaged to ``problems``."""
    path = None if file is None else checked_path(folder, WEIGHTS, file, problems)
    try:
        return None if path is None else read_weights(path)
    except InputError as error:
        problems.extend(error.problems)
        return None


def remove_weights(folder: Path, file: ArrayFile | None, kept: ArrayFile | None) -> None:
    """Remove weights that the project no longer names; that it cannot be done is no harm."""
    if file is not None and (kept is None or kept.file != file.file):
        with suppress(OSError):
            (folder / file.file).unlink()
