"""The schedule as GeoJSON (RFC 7946): one point per drop, for any GIS."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from firegui.domain.project import Project
from firegui.domain.schedule import DropRecord
from firegui.errors import InputError, Problem
from firegui.io.atomic import write_text
from firegui.io.exporters.table import NOTICE, DropRow, drop_rows
from firegui.io.georeference import Georeference, half_turn


def write_schedule_geojson(path: Path, drops: Sequence[DropRecord], project: Project) -> None:
    """Write one point per proposed drop at its release in WGS 84, with where it lands among its properties, atomically.

    Raises :class:`~firegui.errors.InputError` on a grid without a place.
    """
    check_place(project)
    cell = project.scenario.grid.cell_size_m
    features = [_feature(row, cell) for row in drop_rows(drops, project)]
    document = {"type": "FeatureCollection", "name": project.scenario.name, "notice": NOTICE, "features": features}
    write_text(path, json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def check_place(project: Project) -> None:
    """Raise :class:`~firegui.errors.InputError` when the project's grid has no place on the Earth."""
    if not Georeference(project.scenario.grid).has_place:
        what = "GeoJSON needs a georeferenced grid, and this event has no place on the map"
        raise InputError(
            [Problem("grid", what, "import it with a CRS and transform, or export CSV")], "Nothing was exported"
        )


def _feature(row: DropRow, cell_size_m: float) -> dict[str, Any]:
    drop = row.drop
    properties = {
        "step": drop.step,
        "aircraft": drop.aircraft,
        "type": drop.type,
        "material": str(drop.material),
        "payload_gal": drop.payload_gal,
        "executed": drop.executed,
        "day": row.day,
        "time_utc": row.time_utc,
        "time_local": row.time_local,
        "run_heading_true": None if row.heading_true is None else half_turn(round(row.heading_true, 1)),
        "landing_lon": _at(row.landing_lonlat, 0),
        "landing_lat": _at(row.landing_lonlat, 1),
        "sigma_parallel_m": round(drop.sigma_parallel_cells * cell_size_m, 3),
        "sigma_perpendicular_m": round(drop.sigma_perpendicular_cells * cell_size_m, 3),
        "y": drop.y,
        "x": drop.x,
        "theta": drop.theta,
        "notice": NOTICE,
    }
    point = None if row.lonlat is None else {"type": "Point", "coordinates": [_at(row.lonlat, 0), _at(row.lonlat, 1)]}
    return {"type": "Feature", "geometry": point, "properties": properties}


def _at(pair: tuple[float, float] | None, index: int) -> float | None:
    return None if pair is None else round(pair[index], 7)
