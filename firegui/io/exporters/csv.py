"""The schedule as CSV: what reads it back bit for bit first, what people want to know after it."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from firegui.domain.project import Project
from firegui.domain.schedule import DropRecord
from firegui.io.atomic import write_text
from firegui.io.exporters.table import NOTICE, DropRow, drop_rows
from firegui.io.georeference import half_turn
from firegui.io.schedule_file import REQUIRED_COLUMNS

COLUMNS = (
    *REQUIRED_COLUMNS, "day", "time_utc", "time_local", "type", "material", "payload_gal", "executed", "lon", "lat",
    "easting", "northing", "run_heading_true", "run_heading_magnetic", "landing_lon", "landing_lat", "notice",
)  # fmt: skip
"""The magnetic heading is left empty: it needs a geomagnetic model."""


def write_schedule_csv(path: Path, drops: Sequence[DropRecord], project: Project) -> None:
    """Write one row per proposed drop, atomically, by step and then by the aircraft's column.

    Reading it back gives the same executed plan bit for bit. Places and headings are empty on a grid without a place.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    ordered = sorted(drops, key=lambda drop: (drop.step, drop.column))
    writer.writerows(_cells(row) for row in drop_rows(ordered, project))
    write_text(path, text.getvalue())


def _cells(row: DropRow) -> list[str]:
    drop = row.drop
    # repr of a Python float is the shortest text that reads back as the same float.
    pose = [repr(float(value)) for value in (drop.y, drop.x, drop.theta)]
    heading = "" if row.heading_true is None else f"{half_turn(round(row.heading_true, 1)):.1f}"
    return [
        str(drop.step), drop.aircraft, *pose, str(row.day), row.time_utc, row.time_local, drop.type, str(drop.material),
        f"{drop.payload_gal:g}", "true" if drop.executed else "false", *_pair(row.lonlat, 7), *_pair(row.east_north, 2),
        heading, "", *_pair(row.landing_lonlat, 7), NOTICE,
    ]  # fmt: skip


def _pair(values: tuple[float, float] | None, digits: int) -> tuple[str, str]:
    return ("", "") if values is None else (f"{values[0]:.{digits}f}", f"{values[1]:.{digits}f}")
