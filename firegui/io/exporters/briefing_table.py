"""Tables of a briefing: ruled columns, and the drops of a day over as many pages as they take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from firegui.domain.calendar import Calendar
from firegui.io.exporters.briefing_days import Period, to_the_minute
from firegui.io.exporters.figure_page import INK, LINE, RULE, FigurePage, shortened, wrapped
from firegui.io.exporters.table import DropRow, whole_heading

CELL = 7.2
ROW = 0.158
HEAD = 6.4
_PAD = 0.04
_STRIPE = "#f1f3f5"


@dataclass(frozen=True, slots=True)
class BriefingColumn:
    """A column of ``width`` inches; ``group`` stands above it and above its neighbours of the same group."""

    title: str
    width: float
    across: str = "left"
    group: str = ""


_DROPS = (
    BriefingColumn("No.", 0.36, "right"),
    BriefingColumn("Local", 0.5, "center", "Mission Start"),
    BriefingColumn("UTC", 0.46, "center", "Mission Start"),
    BriefingColumn("Aircraft", 1.12, "left", "Category/Kind/Type and Function"),
    BriefingColumn("Material", 0.66, "left", "Category/Kind/Type and Function"),
    BriefingColumn("Release, WGS 84", 1.72, "left", "Instructions for Tactical Aircraft"),
    BriefingColumn("Lands at, WGS 84", 1.72, "left", "Instructions for Tactical Aircraft"),
    BriefingColumn("Run true", 0.58, "center", "Instructions for Tactical Aircraft"),
    BriefingColumn("Run mag.", 0.58, "center", "Instructions for Tactical Aircraft"),
    BriefingColumn("Gallons", 0.5, "right", "Instructions for Tactical Aircraft"),
    BriefingColumn("ft AGL", 0.4, "right", "Instructions for Tactical Aircraft"),
    BriefingColumn("kt", 0.32, "right", "Instructions for Tactical Aircraft"),
    BriefingColumn("Note", 0.38, "center", "Instructions for Tactical Aircraft"),
    BriefingColumn("Fly From", 0.5),
    BriefingColumn("Fly To", 0.5),
)


def drop_columns(width: float, calendar: Calendar) -> tuple[BriefingColumn, ...]:
    """The drop table in ``width`` inches: block 12 of the form, whose own columns are the groups."""
    named = (replace(item, title=f"Local {calendar.zone_name}") if item.title == "Local" else item for item in _DROPS)
    return stretched(tuple(named), width)


def drop_cells(number: int, row: DropRow, dark: bool, calendar: Calendar) -> list[str]:
    """One line of :func:`drop_columns`. What is not known stays empty."""
    when = calendar.time_of_step(row.drop.step)
    marks = ("N" if dark else "", "W" if row.near_water else "")
    return [
        f"{number}", hhmm(when, calendar), f"{hhmm(when, Calendar(when, 1))}Z", row.drop.aircraft, row.drop.material,
        row.release_ddm or f"row {row.drop.y:.1f}, column {row.drop.x:.1f}",
        row.landing_ddm or f"row {row.drop.landing_y:.1f}, column {row.drop.landing_x:.1f}",
        both_ways(row.heading_true), both_ways(row.heading_magnetic), f"{row.drop.payload_gal:,.0f}",
        _whole(row.height_ft), _whole(row.speed_kt), " ".join(mark for mark in marks if mark), "", "",
    ]  # fmt: skip


def both_ways(heading: float | None) -> str:
    """The axis of a run as its two headings to the degree, ``010/190``; north is 360."""
    known = whole_heading(heading)
    if known is None:
        return ""
    first = round(known) % 180
    return f"{first or 360:03d}/{first + 180:03d}"


def hhmm(when: datetime, calendar: Calendar) -> str:
    """A time on the 24-hour clock of ``calendar`` to the nearest minute: ``0930``."""
    return f"{to_the_minute(when).astimezone(calendar.local_zone):%H%M}"


def drop_lines(period: Period, calendar: Calendar) -> list[list[str]]:
    """Every line of a day's drop table."""
    pairs = zip(period.rows, period.dark, strict=True)
    return [drop_cells(number, row, dark, calendar) for number, (row, dark) in enumerate(pairs, start=1)]


def table_width(columns: Sequence[BriefingColumn]) -> float:
    """Inches."""
    return sum(column.width for column in columns)


def stretched(columns: Sequence[BriefingColumn], width: float) -> tuple[BriefingColumn, ...]:
    """The columns made wider or narrower by one factor so that they fill ``width`` inches."""
    factor = width / table_width(columns)
    return tuple(replace(item, width=item.width * factor) for item in columns)


def head_height(columns: Sequence[BriefingColumn]) -> float:
    """Inches of the titles above a table."""
    most = max(len(wrapped(column.title, column.width - 2 * _PAD, HEAD, True)) for column in columns)
    return _group_height(columns) + most * HEAD * LINE / 72.0 + 0.05


def _group_height(columns: Sequence[BriefingColumn]) -> float:
    return HEAD * LINE / 72.0 + 0.05 if any(column.group for column in columns) else 0.0


def draw_table(
    page: FigurePage,
    x: float,
    top: float,
    columns: Sequence[BriefingColumn],
    lines: Sequence[Sequence[str]],
    *,
    empty: int = 0,
) -> float:
    """Titles, lines and ``empty`` lines to write on, from ``top`` down; returns the height that it takes, in inches."""
    down = _draw_head(page, x, top, columns)
    wide = table_width(columns)
    for number in range(len(lines) + empty):
        y = top - down - ROW * (number + 1)
        if number % 2:
            page.box(x, y, wide, ROW, fill=_STRIPE, edge="none")
        if number < len(lines):
            _draw_cells(page, x, y, columns, lines[number])
    down += ROW * (len(lines) + empty)
    groups = _group_height(columns)
    for left, right, edge in zip(columns, columns[1:], _edges(x, columns)[1:], strict=False):
        begin = groups if left.group and left.group == right.group else 0.0
        page.rule((edge, top - begin), (edge, top - down), color=RULE, linewidth=0.35)
    page.box(x, top - down, wide, down, thick=0.7)
    return down


def _draw_head(page: FigurePage, x: float, top: float, columns: Sequence[BriefingColumn]) -> float:
    high = head_height(columns)
    page.box(x, top - high, table_width(columns), high, fill="#dfe4ea", edge=INK, thick=0.5)
    groups = _group_height(columns)
    edges = _edges(x, columns)
    for number, (left, column) in enumerate(zip(edges, columns, strict=False)):
        texts = wrapped(column.title, column.width - 2 * _PAD, HEAD, True)
        page.lines(left + _PAD, top - groups - 0.02, texts, HEAD, bold=True)
        if column.group and (number == 0 or columns[number - 1].group != column.group):
            room = sum(item.width for item in columns if item.group == column.group) - 2 * _PAD
            page.lines(left + _PAD, top - 0.02, [shortened(column.group, room, HEAD)], HEAD)
            page.rule((left, top - groups), (left + room + 2 * _PAD, top - groups), color=RULE, linewidth=0.35)
    return high


def _draw_cells(page: FigurePage, x: float, y: float, columns: Sequence[BriefingColumn], cells: Sequence[str]) -> None:
    for left, column, text in zip(_edges(x, columns), columns, cells, strict=False):
        place = {"left": left + _PAD, "right": left + column.width - _PAD, "center": left + column.width / 2.0}
        text = shortened(text, column.width - 2 * _PAD, CELL)
        page.text(place[column.across], y + 0.045, text, CELL, across=column.across)


def _edges(x: float, columns: Sequence[BriefingColumn]) -> list[float]:
    """Left edges of the columns, and the right edge of the last."""
    edges = [x]
    for column in columns:
        edges.append(edges[-1] + column.width)
    return edges


def _whole(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}"
