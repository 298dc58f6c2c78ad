"""The briefing: one PDF with the plan at a glance, and for each operational period its form, map and drop table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from matplotlib.backends.backend_pdf import PdfPages

from firegui.domain.fleet import Material
from firegui.io.atomic import replacing
from firegui.io.exporters.briefing_days import Period, daily_totals, periods_of
from firegui.io.exporters.briefing_overview import Section, draw_section, flow, sections_of
from firegui.io.exporters.briefing_table import ROW, draw_table, drop_columns, drop_lines, head_height
from firegui.io.exporters.content import ExportContent
from firegui.io.exporters.figure_page import MUTED, Page, metadata, printing, wrapped
from firegui.io.exporters.ics220 import FORM, TITLES, FormPage, draw_form, draw_identity, form_pages
from firegui.io.exporters.map_figure import map_page
from firegui.io.exporters.map_margin import HEAD_HEIGHT, draw_head, period_text
from firegui.io.exporters.map_sheet import INCHES, Paper
from firegui.io.exporters.table import NOTICE

Check = Callable[[], None]
Maker = Callable[[], Page]

EDGE = 0.4
_FOOT = 0.16
_TOP, _TITLE, _TOTAL = 0.42, 0.2, 0.44
_KEY = (
    "Times are starts of steps. Run: either direction, degrees true and magnetic. N: before sunrise or after sunset. "
    "W: within 300 ft of known water. Numbers are those on the map of the day."
)


def write_briefing(path: Path, content: ExportContent, check: Check | None = None) -> None:
    """Write the briefing as a PDF, atomically; the same content makes the same bytes.

    ``check`` is called before every page and may raise. Raises :class:`~firegui.errors.InputError` where the system
    refuses to write.
    """
    facts = metadata("pdf", f"{content.project.scenario.name}: air operations briefing", NOTICE)
    with printing(), replacing(path) as temporary, PdfPages(temporary, metadata=facts) as pdf:
        for page in briefing_pages(content, check):
            pdf.savefig(page.figure)


def briefing_pages(content: ExportContent, check: Check | None = None) -> Iterator[Page]:
    """The pages one after the other, each with its number. ``check`` is called before each and may raise."""
    ask = check or (lambda: None)
    makers = list(_makers(content, ask))
    for number, make in enumerate(makers, start=1):
        ask()
        page = make()
        page.text(page.width - EDGE, _FOOT, f"Page {number} of {len(makers)}", 7.0, color=MUTED, across="right")
        page.text(EDGE, _FOOT, NOTICE, 7.0, color=MUTED)
        yield page


def _makers(content: ExportContent, check: Check) -> Iterator[Maker]:
    """One function for each page, in order: how many there are must be known before the first is drawn."""
    periods = periods_of(content)
    yield from _overview(content, periods)
    if len(periods) > 1:
        yield partial(map_page, content, check)
    for period in periods:
        for part in form_pages(content, period, _room(content)):
            yield partial(_form_page, content, period, part)
        sheet = replace(content.sheet, first_day=period.day, last_day=period.day)
        yield partial(map_page, replace(content, sheet=sheet), check)
        yield from _table_pages(content, period)


# -- overview ----------------------------------------------------------------------------------------------------------
def _overview(content: ExportContent, periods: Sequence[Period]) -> Iterator[Maker]:
    width, height = _room(content)
    for sections in flow(sections_of(content, periods, width), height):
        yield partial(_sections_page, content, sections)


def _sections_page(content: ExportContent, sections: Sequence[Section]) -> Page:
    days = content.sheet.days(content.project.calendar)
    page, (x, top, _, _) = _page(content, "Briefing: the plan at a glance", days)
    for section in sections:
        top -= draw_section(page, x, top, section)
    return page


# -- a day -------------------------------------------------------------------------------------------------------------
def _form_page(content: ExportContent, period: Period, part: FormPage) -> Page:
    page, area = _page(content, FORM, range(period.day, period.day + 1))
    draw_form(page, area, content, period, part)
    return page


def _table_pages(content: ExportContent, period: Period) -> Iterator[Maker]:
    width, height = _room(content)
    lines = drop_lines(period, content.project.calendar)
    room = height - _TOP - _TITLE - 0.06 - head_height(drop_columns(width, content.project.calendar)) - _TOTAL
    parts = list(_chunks(lines, max(int(room / ROW), 1)))
    for number, part in enumerate(parts, start=1):
        yield partial(_table_page, content, period, part, (number, len(parts)))


def _table_page(content: ExportContent, period: Period, lines: Sequence[Sequence[str]], place: tuple[int, int]) -> Page:
    page, (x, top, width, _) = _page(content, FORM, range(period.day, period.day + 1))
    draw_identity(page, (x, top, width, _TOP), content, period)
    number, count = place
    part = f"   {number} of {count}" if count > 1 else ""
    title = wrapped(f"{TITLES[12]}{part}", width, 7.0, True, most=1)
    page.lines(x, top - _TOP - 0.05, title, 7.0, bold=True)
    top -= _TOP + _TITLE + 0.06
    top -= draw_table(page, x, top, drop_columns(width, content.project.calendar), lines)
    if number == count:
        page.text(x, top - 0.15, _total_text(period), 8.0, bold=True)
    page.lines(x, top - 0.22, wrapped(_KEY, width, 6.6, most=2), 6.6, color=MUTED)
    return page


def _total_text(period: Period) -> str:
    totals = daily_totals([period])
    drops = [f"{period.drops(kind):,} {kind.value}" for kind in (Material.RETARDANT, Material.WATER)]
    return (
        f"Total: {totals['drops']:,.0f} drops ({', '.join(drops)}); {totals['retardant']:,.0f} gal retardant, "
        f"{totals['water']:,.0f} gal water"
    )


# -- paper -------------------------------------------------------------------------------------------------------------
def _page(content: ExportContent, title: str, days: range) -> tuple[Page, tuple[float, float, float, float]]:
    """An empty page with its head, and the area below it: left, top, width, height."""
    page = Page(_size(content))
    draw_head(page, EDGE, content, title, period_text(days, content.project.calendar))
    width, height = _room(content)
    return page, (EDGE, page.height - EDGE - HEAD_HEIGHT, width, height)


def _size(content: ExportContent) -> tuple[float, float]:
    """Forms and tables lie across, on A4 or else on letter: a tabloid sheet is for the maps."""
    short, long = INCHES[Paper.A4 if content.sheet.paper is Paper.A4 else Paper.LETTER]
    return long, short


def _room(content: ExportContent) -> tuple[float, float]:
    """Width and height below the head of a page."""
    width, height = _size(content)
    return width - 2.0 * EDGE, height - 2.0 * EDGE - HEAD_HEIGHT


def _chunks(lines: Sequence[Any], most: int) -> Iterator[list[Any]]:
    rest = iter(lines)
    while part := list(islice(rest, most)):
        yield part
