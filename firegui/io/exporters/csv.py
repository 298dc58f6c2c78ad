"""The schedule as CSV: what reads it back bit for bit first, what people want to know after it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from firegui.domain.project import Project
from firegui.domain.schedule import DropRecord
from firegui.io.atomic import write_text
from firegui.io.exporters.content import ExportContent
from firegui.io.exporters.table import NOTICE, DropRow, drop_rows
from firegui.io.project.schedule_file import REQUIRED_COLUMNS
from firegui.io.tables import csv_text

COLUMNS = (
    *REQUIRED_COLUMNS, "day", "time_utc", "time_local", "type", "material", "payload_gal", "executed", "lon", "lat",
    "easting", "northing", "run_heading_true", "run_heading_magnetic", "landing_lon", "landing_lat", "declination",
    "release_ddm", "landing_ddm", "height_agl_ft", "speed_kt", "near_water", "notice", "drop", "plan_day",
)  # fmt: skip
"""New columns come last, for programs that count columns.

``day`` counts from 0, ``plan_day`` from 1 as the window and the briefing do. ``drop`` is the number of a flown drop,
empty for others. The headings are of the same one of the two ways to fly the run. The magnetic one is by the World
Magnetic Model, the declination east positive; both empty where it ends."""


def write_schedule_csv(path: Path, drops: Sequence[DropRecord], project: Project) -> None:
    """Write one row per proposed drop, atomically, by step and then by the aircraft's column.

    Reading it back gives the same executed plan bit for bit. Places and headings are empty on a grid without a place.
    """
    ordered = sorted(drops, key=lambda drop: (drop.step, drop.column))
    _write(path, drop_rows(ordered, project))


def write_csv(path: Path, content: ExportContent) -> None:
    """Write the drops of a plan that is handed over, as :func:`write_schedule_csv` does."""
    _write(path, content.rows)


def _write(path: Path, rows: Iterable[DropRow]) -> None:
    write_text(path, csv_text([COLUMNS, *map(_cells, rows)]))


def _cells(row: DropRow) -> list[str]:
    drop = row.drop
    # repr of a Python float is the shortest text that reads back as the same float.
    pose = [repr(float(value)) for value in (drop.y, drop.x, drop.theta)]
    return [
        str(drop.step), drop.aircraft, *pose, str(row.day), row.time_utc, row.time_local, drop.type, str(drop.material),
        f"{drop.payload_gal:g}", _flag(drop.executed), *_pair(row.lonlat, 7), *_pair(row.east_north, 2),
        *(_number(heading, 1) for heading in row.run_headings),
        *_pair(row.landing_lonlat, 7), _number(row.declination, 2), row.release_ddm or "", row.landing_ddm or "",
        _number(row.height_ft, 0), _number(row.speed_kt, 0), _flag(row.near_water), NOTICE,
        "" if row.number is None else f"{row.number}", str(row.day + 1),
    ]  # fmt: skip


def _flag(value: bool | None) -> str:
    return "" if value is None else "true" if value else "false"


def _number(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def _pair(values: tuple[float, float] | None, digits: int) -> tuple[str, str]:
    return ("", "") if values is None else (f"{values[0]:.{digits}f}", f"{values[1]:.{digits}f}")
