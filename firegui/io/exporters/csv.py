"""The schedule as CSV: for programs in run folders, for pilots where a plan is handed over.

Reading either back gives the same executed plan bit for bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from firegui.domain.calendar import to_the_minute
from firegui.domain.fleet import OUTLINE_SIGMAS
from firegui.domain.project import Project
from firegui.domain.schedule import DropRecord
from firegui.io.atomic import write_text
from firegui.io.exporters.content import ExportContent
from firegui.io.exporters.table import FEET_PER_M, NOTICE, DropRow, drop_rows, flag_text, number_text
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
FLAME_LENGTH = "flame_length_m"
"""Column after the others, of projects whose fire model knows the flames."""
COST_COLUMNS = ("flight_hours", "cost", "currency")
"""Last columns of a table that is handed over with prices; empty where the type of a drop has none."""


PILOT_COLUMNS = (
    "drop", "date_local", "clock_local", "aircraft", "material", "release_ddm", "landing_ddm", "run_heading_magnetic",
    "run_heading_true", "length_ft", "width_ft", "payload_gal", "height_agl_ft", "speed_kt", "near_water", "lat", "lon",
)  # fmt: skip
"""Columns that a handed over table begins with: number, when, who, where, which way, how long.

Places come as pilots enter them, in degrees and decimal minutes, and once more in degrees at the end.

``date_local`` and ``clock_local`` are those of ``time_local``, to the minute. ``length_ft`` and ``width_ft`` are of the
outline that maps draw."""
HANDED_OVER = (*PILOT_COLUMNS, *(name for name in COLUMNS if name not in PILOT_COLUMNS))


def write_schedule_csv(
    path: Path,
    drops: Sequence[DropRecord],
    project: Project,
    flames: Mapping[tuple[int, int], float] | None = None,
) -> None:
    """Write one row per proposed drop, atomically, by step and then by the aircraft's column.

    Places and headings are empty on a grid without a place. ``flames`` are the flame lengths in m where drops land, by
    step and column; without them the table has no column of flame lengths.
    """
    ordered = sorted(drops, key=lambda drop: (drop.step, drop.column))
    _write(path, COLUMNS, drop_rows(ordered, project, flames=flames), project, has_flames=flames is not None)


def write_csv(path: Path, content: ExportContent) -> None:
    """Write the drops of a plan that is handed over.

    The same rows, with the columns for pilots first, and what each drop costs where the fleet has prices.
    """
    costs = COST_COLUMNS if content.project.fleet.has_prices else ()
    _write(path, HANDED_OVER, content.rows, content.project, has_flames=content.flames is not None, last=costs)


def _write(
    path: Path, columns: Sequence[str], rows: Sequence[DropRow], project: Project, *, has_flames: bool,
    last: Sequence[str] = (),
) -> None:  # fmt: skip
    columns = (*columns, *([FLAME_LENGTH] if has_flames else []), *last)
    cells = (_cells(row, project.scenario.grid.cell_size_m) for row in rows)
    write_text(path, csv_text([columns, *([found[name] for name in columns] for found in cells)]))


def _cells(row: DropRow, cell_size_m: float) -> dict[str, str]:
    """Return the text of every column."""
    drop, across = row.drop, 2.0 * OUTLINE_SIGMAS * cell_size_m * FEET_PER_M
    # repr of a Python float is the shortest text that reads back as the same float.
    pose = [repr(float(value)) for value in (drop.y, drop.x, drop.theta)]
    texts = [
        str(drop.step), drop.aircraft, *pose, str(row.day), row.time_utc, row.time_local, drop.type, str(drop.material),
        f"{drop.payload_gal:g}", flag_text(drop.executed), *_pair(row.lonlat, 7), *_pair(row.east_north, 2),
        *(number_text(heading, 1) for heading in row.run_headings),
        *_pair(row.landing_lonlat, 7), number_text(row.declination, 2), row.release_ddm or "", row.landing_ddm or "",
        number_text(row.height_ft, 0), number_text(row.speed_kt, 0), flag_text(row.near_water), NOTICE,
        "" if row.number is None else f"{row.number}", str(row.day + 1),
    ]  # fmt: skip
    local = to_the_minute(datetime.fromisoformat(row.time_local)) if row.time_local else None
    return dict(zip(COLUMNS, texts, strict=True)) | {
        "date_local": "" if local is None else f"{local:%Y-%m-%d}",
        "clock_local": row.clock if local is None else f"{local:%H:%M}",
        "length_ft": f"{drop.sigma_parallel_cells * across:.0f}",
        "width_ft": f"{drop.sigma_perpendicular_cells * across:.0f}",
        FLAME_LENGTH: number_text(row.flame_length_m, 2),
        "flight_hours": "" if row.flight_hours is None else f"{row.flight_hours:g}",
        "cost": number_text(row.cost, 2),
        "currency": row.currency,
    }


def _pair(values: tuple[float, float] | None, digits: int) -> tuple[str, str]:
    return ("", "") if values is None else (f"{values[0]:.{digits}f}", f"{values[1]:.{digits}f}")
