"""Maps npz: any fire model that can state its daily spread maps comes in, and ours go out, through this one file."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from firegui.domain.grid import Grid
from firegui.domain.maps import FireMaps
from firegui.domain.scenario import LAYERS, Scenario
from firegui.errors import Problems
from firegui.io import npz
from firegui.io.atomic import replacing
from firegui.io.importers.maps_fields import read_fields
from firegui.io.local_time import UNKNOWN_START, as_utc, guess_offset_h, say_offset


@dataclass(frozen=True, slots=True, eq=False)
class MapsFile:
    """What a maps file holds; ``start`` is ``None`` where it gives none, ``unused`` names arrays not looked at."""

    maps: FireMaps
    grid: Grid
    start: datetime | None
    unused: tuple[str, ...]


def import_maps(path: Path) -> tuple[Scenario, FireMaps]:
    """Read a maps file as an event of its own: its wind, its ignition, no landscape layers.

    ``phi [D, 8, H, W]``, ``gamma [D, H, W]``, ``burnable [H, W]``, ``wind_speed`` and ``wind_dir [D, H, W]``,
    ``ignition [H, W]``, scalars ``T_burn``, ``S_day``, ``dx`` (m), ``c_req`` (gal/100 ft²); optional ``transform [6]``,
    ``crs``, ``start``. Raises :class:`~firegui.errors.InputError` with everything that is wrong.
    """
    held = read_maps(path)
    offset = guess_offset_h(held.grid, held.start)
    scenario = Scenario(
        name=path.stem,
        grid=held.grid,
        start=held.start or UNKNOWN_START,
        utc_offset_h=offset,
        wind_speed=held.maps.wind_speed,
        wind_dir=held.maps.wind_dir,
        layers={},
        ignition=held.maps.ignition,
        steps_per_day=held.maps.steps_per_day,
        notes=tuple(_notes(path, held, offset)),
    )
    return scenario, held.maps


def read_maps(path: Path) -> MapsFile:
    """Read and check a maps file. Raises :class:`~firegui.errors.InputError` with everything that is wrong."""
    problems = Problems()
    title = f"The maps file {path.name} cannot be used"
    with npz.opened(path, problems) as archive:
        problems.raise_if_any(title)
        assert archive is not None
        fields = read_fields(archive, problems)
    problems.raise_if_any(title)
    return MapsFile(fields.maps(), fields.grid(), fields.start, fields.unused)


def write_maps(path: Path, maps: FireMaps, grid: Grid, start: datetime | None) -> None:
    """Write ``maps`` on ``grid``, atomically, so that :func:`import_maps` reads back the same arrays bit for bit."""
    arrays: dict[str, Any] = {
        "phi": np.asarray(maps.phi, np.float32),
        "gamma": np.asarray(maps.gamma, np.float32),
        "burnable": np.asarray(maps.burnable, np.bool_),
        "wind_speed": np.asarray(maps.wind_speed, np.float32),
        "wind_dir": np.asarray(maps.wind_dir, np.float32),
        "ignition": np.asarray(maps.ignition, np.bool_),
        "T_burn": np.float64(maps.t_burn),
        "S_day": np.int64(maps.steps_per_day),
        "dx": np.float64(maps.cell_size_m),
        "c_req": np.float64(maps.c_req),
    }
    if grid.transform is not None and grid.crs is not None:
        arrays |= {"transform": np.array(grid.transform, np.float64), "crs": np.str_(grid.crs)}
    if start is not None:
        arrays["start"] = np.str_(as_utc(start).astimezone(UTC).isoformat().replace("+00:00", "Z"))
    # A file object, because savez would append .npz to a bare name.
    with replacing(path) as temporary, temporary.open("wb") as file:
        np.savez(file, **arrays)


def _notes(path: Path, held: MapsFile, offset: float) -> list[str]:
    notes = [f"Fire model and wind from {path.name}; the landscape behind them is not known."]
    if held.start is None:
        notes.append(f"The file gives no start; {UNKNOWN_START:%Y-%m-%dT%H:%MZ} is assumed.")
    if held.grid.is_georeferenced:
        notes.append(f"Local time taken to be {say_offset(offset)}.")
    else:
        notes.append("No place on the map: the file gives no CRS and transform.")
    if held.unused:
        notes.append(f"Not used: {', '.join(held.unused)}.")
    notes.append(f"Missing layers: {', '.join(title.lower() for title, _ in LAYERS.values())}.")
    return notes
