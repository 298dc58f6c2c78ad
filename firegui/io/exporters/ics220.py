"""The Air Operations Summary, ICS 220.

Every block of the form, filled where the plan or its project knows what belongs there. Numbers and titles of the blocks
are those of the form of the National Incident Management System (FEMA, ICS Forms Booklet, ICS 220). Blocks that a plan
cannot know stay empty for the people who do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from firegui.domain.calendar import DATE_UNKNOWN
from firegui.domain.crew_notes import USUAL_USES
from firegui.domain.names import shown_name
from firegui.io.exporters.briefing_days import (
    ROW,
    BriefingColumn,
    Period,
    TypeLine,
    draw_table,
    head_height,
    hhmm,
    remarks,
    stretched,
    type_lines,
)
from firegui.io.exporters.content import ExportContent
from firegui.io.exporters.figure_page import LINE, FigurePage, shortened, width_of, wrapped
from firegui.io.exporters.table import FEET_PER_M, KNOTS_PER_MS

FORM = "Air Operations Summary (ICS 220)"
TITLES = {
    1: "1. Incident Name:",
    2: "2. Operational Period:",
    3: "3. Sunrise:",
    4: "4. Remarks (safety notes, hazards, air operations special equipment, etc.):",
    5: "5. Ready Alert Aircraft:",
    6: "6. Temporary Flight Restriction Number:",
    7: "7. Personnel:",
    8: "8. Frequencies:",
    9: "9. Fixed-Wing (category/kind/type, make/model, N#, base):",
    10: "10. Helicopters (use additional sheets as necessary):",
    11: "11. Prepared by:",
    12: "12. Task/Mission/Assignment (category/kind/type and function includes: air tactical, reconnaissance, "
    "personnel transport, search and rescue, etc.):",
}
PERSONNEL = (
    "Air Operations Branch Director", "Air Support Group Supervisor", "Air Tactical Group Supervisor",
    "Helicopter Coordinator", "Helibase Manager",
)  # fmt: skip
FREQUENCIES = USUAL_USES
FIXED_WING = (
    BriefingColumn("Category/Kind/Type", 1.35),
    BriefingColumn("Make/Model", 2.15),
    BriefingColumn("No.", 0.35, "right"),
    BriefingColumn("N#", 0.7),
    BriefingColumn("Base", 0.7),
    BriefingColumn("Payload gal", 0.6, "right"),
    BriefingColumn("Turn- around h", 0.55, "right"),
    BriefingColumn("Drop kt", 0.45, "right"),
    BriefingColumn("Drop ft AGL", 0.55, "right"),
    BriefingColumn("Drops", 0.45, "right"),
    BriefingColumn("Gallons", 0.65, "right"),
    BriefingColumn("First drop", 0.75, "center"),
    BriefingColumn("Remarks", 0.95),
)
HELICOPTERS = (
    BriefingColumn("FAA N#", 0.7),
    BriefingColumn("Category/Kind/Type", 1.35),
    BriefingColumn("Make/Model", 2.0),
    BriefingColumn("Base", 0.8),
    BriefingColumn("Available", 0.7),
    BriefingColumn("Start", 0.75, "center"),
    BriefingColumn("Remarks", 3.75),
)
_BASE_WIDTHS = {"Make/Model": 1.75, "N#": 0.55, "Base": 1.25, "Remarks": 0.95}
"""Widths in the tables of aircraft where a base has a name to print, in place of those above."""
_LABEL, _REMARK = 6.6, 7.0
_RADIO_SHARE, _USE_SHARE, _BAND_SHARE = 0.54, 0.44, 0.30
"""Share of the form's width that block 8 takes, and shares of the block for the use and the AM frequency."""
_TOP, _MIDDLE, _PEOPLE, _PREPARED = 0.42, 1.62, 1.3, 0.42
_TITLE = 0.18
"""Inches that the title of a block takes above a table."""
_CHANNEL = 0.16
"""Inches of one line of block 8."""
_MOST_PEOPLE = 2.3
"""Inches of blocks 7 and 8 at most; frequencies that do not fit stand on the next page."""
_BLANK = 2
"""Empty lines to write on, at least, for helicopters on the first page."""

Box = tuple[float, float, float, float]
"""``(left, top, width, height)`` in inches."""


@dataclass(frozen=True, slots=True)
class FormPage:
    """Content of one page of a day's form.

    The first page has every block, those that follow what did not fit.
    """

    remarks: tuple[str, ...]
    fixed: tuple[TypeLine, ...]
    rotor: tuple[TypeLine, ...]
    first: bool
    blank: int = 0
    channels: tuple[Channel, ...] = ()

    @property
    def people(self) -> float:
        """Inches of blocks 7 and 8."""
        return max(_PEOPLE, _TITLE + sum(channel.height for channel in self.channels))


@dataclass(frozen=True, slots=True)
class Channel:
    """Line of block 8: use, AM and FM in lines of text that fit their cells."""

    use: tuple[str, ...]
    am: tuple[str, ...]
    fm: tuple[str, ...]

    @property
    def height(self) -> float:
        """Inches."""
        return _CHANNEL + (max(map(len, (self.use, self.am, self.fm, ("",)))) - 1) * _LABEL * LINE / 72.0


def channels_of(content: ExportContent, width: float) -> list[Channel]:
    """Return the lines of block 8 on a form of ``width`` inches: the form's own, then further uses."""
    known = {item.use.strip().casefold(): item for item in content.project.operations.frequencies}
    named = [(use, known.pop(use.casefold(), None)) for use in FREQUENCIES]
    named += [(item.use, item) for item in known.values()]
    wide = _RADIO_SHARE * width
    rooms = [share * wide - 0.1 for share in (_USE_SHARE, _BAND_SHARE, 1.0 - _USE_SHARE - _BAND_SHARE)]
    return [
        Channel(*(
            tuple(wrapped(shown_name(text), room, _LABEL))
            for text, room in zip((use, item.am if item else "", item.fm if item else ""), rooms, strict=True)
        ))
        for use, item in named
    ]  # fmt: skip


def form_pages(content: ExportContent, period: Period, room: tuple[float, float]) -> list[FormPage]:
    """Share remarks and aircraft of a day among pages with ``room``, width and height in inches."""
    width, height = room
    text = [line for item in remarks(content, period) for line in wrapped(f"• {item}", 0.55 * width - 0.12, _REMARK)]
    kinds = type_lines(content.project, period)
    fixed, rotor = ([line for line in kinds if line.is_helicopter is wanted] for wanted in (False, True))
    tables = _tables(content)
    heads = 2.0 * _TITLE + 0.17 + sum(head_height(stretched(item, width)) for item in tables)
    channels, others = _first_channels(channels_of(content, width))
    people = FormPage((), (), (), True, channels=channels).people
    first = max(int((height - _TOP - _MIDDLE - people - _PREPARED - heads) / ROW), 1 + _BLANK)
    later = max(int((height - _TOP - _PREPARED - heads - _TITLE) / ROW), 1)
    words = int((_MIDDLE - _TITLE) / (_REMARK * LINE / 72.0))
    here = min(len(fixed), first - _BLANK)
    more = min(len(rotor), first - _BLANK - here)
    blank = first - here - more
    pages = [FormPage(tuple(text[:words]), tuple(fixed[:here]), tuple(rotor[:more]), True, blank, channels)]
    text, fixed, rotor = text[words:], fixed[here:], rotor[more:]
    while text or fixed or rotor or others:
        radio, others = _later_channels(others, (later - 2) * ROW)
        left = later - (math.ceil(sum(item.height for item in radio) / ROW + 2) if radio else 0)
        said = min(len(text), max(left, 0))
        here = min(len(fixed), max(left - said, 0))
        more = min(len(rotor), max(left - said - here, 0))
        pages.append(FormPage(tuple(text[:said]), tuple(fixed[:here]), tuple(rotor[:more]), False, channels=radio))
        text, fixed, rotor = text[said:], fixed[here:], rotor[more:]
    return pages


def _first_channels(channels: Sequence[Channel]) -> tuple[tuple[Channel, ...], list[Channel]]:
    """Share the lines of block 8 between the first page, which has all lines of the form, and those after."""
    count, high = len(FREQUENCIES), _TITLE + sum(item.height for item in channels[: len(FREQUENCIES)])
    while count < len(channels) and high + channels[count].height <= _MOST_PEOPLE:
        high += channels[count].height
        count += 1
    return tuple(channels[:count]), list(channels[count:])


def _later_channels(channels: Sequence[Channel], room: float) -> tuple[tuple[Channel, ...], list[Channel]]:
    """Share lines of block 8 between a page with ``room`` inches for them and those after."""
    count, high = 0, 0.0
    while count < len(channels) and (not count or high + channels[count].height <= room):
        high += channels[count].height
        count += 1
    return tuple(channels[:count]), list(channels[count:])


def _tables(content: ExportContent) -> tuple[tuple[BriefingColumn, ...], tuple[BriefingColumn, ...]]:
    """Return the columns of fixed-wing aircraft and of helicopters."""
    if not content.project.operations.bases:
        return FIXED_WING, HELICOPTERS
    named = (
        [replace(item, width=_BASE_WIDTHS.get(item.title, item.width)) for item in columns]
        for columns in (FIXED_WING, HELICOPTERS)
    )
    fixed, rotor = named
    last = rotor[-1]
    return tuple(fixed), (*rotor[:-1], replace(last, width=HELICOPTERS[-1].width))


def draw_form(page: FigurePage, area: Box, content: ExportContent, period: Period, part: FormPage) -> None:
    """Draw one page of a day's form into ``area``."""
    x, top, width, height = area
    _draw_top(page, (x, top, width, _TOP), content, period)
    down = _TOP
    if part.first:
        _draw_middle(page, (x, top - down, width, _MIDDLE), part.remarks)
        down += _MIDDLE
        _draw_people(page, (x, top - down, width, part.people), part.channels)
        down += part.people
    elif part.remarks:
        high = _TITLE + len(part.remarks) * _REMARK * LINE / 72.0 + 0.04
        _block(page, (x, top - down, width, high), f"{TITLES[4]} (continued)")
        page.lines(x + 0.06, top - down - _TITLE, part.remarks, _REMARK)
        down += high
    if part.channels and not part.first:
        high = _TITLE + sum(channel.height for channel in part.channels)
        _draw_radio(page, (x, top - down, width, high), part.channels, f"{TITLES[8]} (continued)")
        down += high
    if part.first or part.fixed:
        down += _draw_fixed_wing(page, (x, top - down, width, 0.0), content, part)
    if part.first or part.rotor:
        down += _draw_helicopters(page, (x, top - down, width, 0.0), content, part)
    _draw_prepared(page, (x, top - height + _PREPARED, width, _PREPARED), content)


def draw_identity(page: FigurePage, area: Box, content: ExportContent, period: Period) -> None:
    """Draw blocks 1 to 3, as they stand on every page of the form."""
    _draw_top(page, area, content, period)


# -- blocks ------------------------------------------------------------------------------------------------------------
def _draw_top(page: FigurePage, area: Box, content: ExportContent, period: Period) -> None:
    x, top, width, height = area
    calendar = content.project.calendar
    _block(page, (x, top, 0.38 * width, height), TITLES[1])
    number = content.sheet.incident_number
    name = f"{content.project.scenario.name}{f', {number}' if number else ''}"
    page.text(x + 0.06, top - 0.34, shortened(name, 0.38 * width - 0.12, 10.0, True), 10.0, bold=True)
    left = x + 0.38 * width
    _block(page, (left, top, 0.42 * width, height), TITLES[2])
    begin, end = (when.astimezone(calendar.local_zone) for when in (period.begin, period.end))
    zone = calendar.zone_name
    dates, times = (f"{begin:%Y-%m-%d}", f"{end:%Y-%m-%d}"), (f"{begin:%H%M} {zone}", f"{end:%H%M} {zone}")
    if not calendar.is_dated:
        dates, times = (DATE_UNKNOWN, DATE_UNKNOWN), ("", "")
    for row, (word, texts) in enumerate((("Date", dates), ("Time", times))):
        y = top - 0.15 - 0.19 * row
        for at, way, text in zip((1.32, 2.72), ("From", "To"), texts, strict=True):
            page.text(left + at, y, f"{word} {way}:", _LABEL)
            page.text(left + at + 0.56, y, text, 7.8, bold=True)
    left += 0.42 * width
    _block(page, (left, top, 0.2 * width, height), TITLES[3])
    rise, down = (_sun_text(when, content) for when in period.sun)
    page.text(left + 0.06 + width_of(TITLES[3], _LABEL, True) + 0.06, top - 0.13, rise, 7.8, bold=True)
    page.text(left + 0.06, top - 0.34, "Sunset:", _LABEL, bold=True)
    page.text(left + 0.06 + width_of(TITLES[3], _LABEL, True) + 0.06, top - 0.34, down, 7.8, bold=True)


def _draw_middle(page: FigurePage, area: Box, text: Sequence[str]) -> None:
    x, top, width, height = area
    _block(page, (x, top, 0.55 * width, height), TITLES[4])
    page.lines(x + 0.06, top - _TITLE, text, _REMARK)
    left = x + 0.55 * width
    _block(page, (left, top, 0.18 * width, height), TITLES[5], ("Medivac:", "New Incident:"))
    left += 0.18 * width
    _block(page, (left, top, 0.27 * width, height), TITLES[6], ("Altitude:", "Center Point:"))


def _draw_people(page: FigurePage, area: Box, channels: Sequence[Channel]) -> None:
    x, top, width, height = area
    left = (1.0 - _RADIO_SHARE) * width
    _draw_lines_to_fill(page, (x, top, left, height), TITLES[7], ("Name:", "Phone Number:"))
    step = (height - _TITLE) / len(PERSONNEL)
    for number, row in enumerate(PERSONNEL):
        y = top - _TITLE - step * number
        page.rule((x, y), (x + left, y), linewidth=0.4)
        page.text(x + 0.06, y - step / 2.0, row, _LABEL, up="center_baseline")
    _draw_radio(page, (x + left, top, width - left, height), channels, TITLES[8])


def _draw_radio(page: FigurePage, area: Box, channels: Sequence[Channel], title: str) -> None:
    """Draw lines of block 8 into ``area``, higher than they need where there is room."""
    x, top, wide, height = area
    edges = _draw_lines_to_fill(page, area, title, ("AM", "FM"))
    spare = (height - _TITLE - sum(channel.height for channel in channels)) / len(channels)
    y = top - _TITLE
    for channel in channels:
        page.rule((x, y), (x + wide, y), linewidth=0.4)
        high = channel.height + spare
        for left, texts in zip((x + 0.01, *edges), (channel.use, channel.am, channel.fm), strict=True):
            size = _LABEL * LINE / 72.0
            for line, text in enumerate(texts):
                middle = y - high / 2.0 + (0.5 * (len(texts) - 1) - line) * size
                page.text(left + 0.05, middle, text, _LABEL, up="center_baseline")
        y -= high


def _draw_lines_to_fill(page: FigurePage, area: Box, title: str, heads: Sequence[str]) -> tuple[float, float]:
    """Draw a block with two columns of ``heads``; return where they begin."""
    x, top, wide, height = area
    _block(page, area, title)
    columns = (x + _USE_SHARE * wide, x + (_USE_SHARE + _BAND_SHARE) * wide)
    for edge, head in zip(columns, heads, strict=True):
        page.text(edge + 0.05, top - 0.13, head, _LABEL, bold=True)
        page.rule((edge, top), (edge, top - height), linewidth=0.4)
    return columns


def _draw_fixed_wing(page: FigurePage, area: Box, content: ExportContent, part: FormPage) -> float:
    x, top, width, _ = area
    columns = stretched(_tables(content)[0], width)
    more = 0.17 if part.first else 0.0
    high = _TITLE + more + head_height(columns) + ROW * len(part.fixed)
    _block(page, (x, top, width, high), TITLES[9] + ("" if part.first else " (continued)"))
    if part.first:
        page.text(x + 0.06, top - _TITLE - 0.1, "Air Tactical Group Supervisor Aircraft:", _LABEL, bold=True)
        page.text(x + 0.5 * width, top - _TITLE - 0.1, "Other Fixed-Wing Aircraft:", _LABEL, bold=True)
    lines = [_fixed_wing_cells(line, content) for line in part.fixed]
    return _TITLE + more + draw_table(page, x, top - _TITLE - more, columns, lines)


def _draw_helicopters(page: FigurePage, area: Box, content: ExportContent, part: FormPage) -> float:
    x, top, width, _ = area
    columns = stretched(_tables(content)[1], width)
    high = _TITLE + head_height(columns) + ROW * (len(part.rotor) + part.blank)
    _block(page, (x, top, width, high), TITLES[10] + ("" if part.first else " (continued)"))
    lines = [_helicopter_cells(line, content) for line in part.rotor]
    return _TITLE + draw_table(page, x, top - _TITLE, columns, lines, empty=part.blank)


def _draw_prepared(page: FigurePage, area: Box, content: ExportContent) -> None:
    x, top, width, height = area
    _block(page, (x, top, width, height), TITLES[11])
    made = content.sheet.prepared or content.made
    zone = content.project.calendar.zone_name
    local = made.astimezone(content.project.calendar.local_zone)
    fields = (
        ("Name:", content.sheet.author, 0.34), ("Position/Title:", "", 0.22), ("Signature:", "", 0.22),
        ("Date/Time:", f"{local:%Y-%m-%d %H%M} {zone}", 0.22),
    )  # fmt: skip
    left = x
    for label, value, share in fields:
        page.text(left + 0.06, top - 0.33, label, _LABEL, bold=True)
        start = left + 0.06 + width_of(label, _LABEL, True) + 0.05
        page.text(start, top - 0.33, shortened(value, share * width - (start - left) - 0.05, 7.8), 7.8)
        left += share * width


def _block(page: FigurePage, area: Box, title: str, inside: Sequence[str] = ()) -> None:
    """Draw a box with its title, and labels of empty fields below it."""
    x, top, width, height = area
    page.box(x, top - height, width, height, thick=0.8)
    lines = wrapped(title, width - 0.12, _LABEL, True)
    down = page.lines(x + 0.06, top - 0.035, lines, _LABEL, bold=True) + 0.12
    step = (height - down) / max(len(inside), 1)
    for number, label in enumerate(inside):
        page.text(x + 0.06, top - down - step * number - 0.12, label, _LABEL, bold=True)


# -- cells -------------------------------------------------------------------------------------------------------------
def _fixed_wing_cells(line: TypeLine, content: ExportContent) -> list[str]:
    kind = line.kind
    return [
        f"Fixed-wing, {kind.material.value}", kind.type, f"{kind.count}", "", line.base,
        f"{kind.payload_gal:,.0f}",
        f"{line.turnaround_h:.3g}", f"{kind.speed_ms * KNOTS_PER_MS:.0f}", f"{kind.drop_height_m * FEET_PER_M:.0f}",
        f"{line.drops:,}", f"{line.gallons:,.0f}", _start(line.first, content),
        "grounded today" if line.grounded else "",
    ]  # fmt: skip


def _helicopter_cells(line: TypeLine, content: ExportContent) -> list[str]:
    kind = line.kind
    said = (
        f"{kind.count} aircraft, {kind.payload_gal:,.0f} gal, drop {kind.speed_ms * KNOTS_PER_MS:.0f} kt at "
        f"{kind.drop_height_m * FEET_PER_M:.0f} ft AGL, {line.drops:,} drops, {line.gallons:,.0f} gal"
    )
    said += ", grounded today" if line.grounded else ""
    kind_text = f"Helicopter, {kind.material.value}"
    return ["", kind_text, kind.type, line.base, "", _start(line.first, content), said]


def _start(when: datetime | None, content: ExportContent) -> str:
    return "" if when is None else hhmm(when, content.project.calendar)


def _sun_text(when: datetime | None, content: ExportContent) -> str:
    calendar = content.project.calendar
    return "" if when is None else f"{hhmm(when, calendar)} {calendar.zone_name}"
