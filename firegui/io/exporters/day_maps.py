"""The plan as one map page a day, in one PDF."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from matplotlib.backends.backend_pdf import PdfPages

from firegui.errors import Check
from firegui.io.atomic import writing
from firegui.io.exporters.content import ExportContent
from firegui.io.exporters.figure_page import FigurePage, metadata, printing
from firegui.io.exporters.map_figure import go_on, map_page
from firegui.io.exporters.table import NOTICE


def write_day_maps(path: Path, content: ExportContent, check: Check | None = None) -> None:
    """Write a page for each chosen day, atomically; the same content makes the same bytes.

    ``check`` is called before every page and may raise. Raises :class:`~firegui.errors.InputError` where the system
    refuses to write.
    """
    facts = metadata("pdf", f"{content.project.scenario.name}: maps of the days", NOTICE)
    with printing(), writing(path) as file, PdfPages(file, metadata=facts) as pdf:
        for page in day_pages(content, check):
            pdf.savefig(page.figure)


def day_pages(content: ExportContent, check: Check | None = None) -> Iterator[FigurePage]:
    """Yield a map of each chosen day: the drops of that day, and the fire at its start and at its end.

    All pages show the same area at the same scale.
    """
    ask = check or go_on
    for day in content.sheet.days(content.project.calendar):
        ask()
        yield map_page(on_day(content, day), ask, framed=content)


def on_day(content: ExportContent, day: int) -> ExportContent:
    """Return the same plan on a sheet of one day."""
    return replace(content, sheet=replace(content.sheet, first_day=day, last_day=day))
