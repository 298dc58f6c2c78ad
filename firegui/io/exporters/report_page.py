"""The plan as one web page to share: result, maps and tables.

Pictures and style are parts of the file. The page has no script and no external address, so that it needs no network.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from PIL import Image

from firegui.domain.plan_summary import CAUTION, VERDICT, KeyFigure
from firegui.domain.stress import EXPECTED, left_out_texts
from firegui.errors import Check
from firegui.io.atomic import write_text
from firegui.io.exporters.briefing import notes_of, stress_lines
from firegui.io.exporters.briefing_days import Period, drop_columns, drop_lines, periods_of
from firegui.io.exporters.content import ExportContent
from firegui.io.exporters.day_maps import on_day
from firegui.io.exporters.figure_page import FigurePage
from firegui.io.exporters.map_figure import go_on, map_page, picture_of
from firegui.io.exporters.map_margin import period_text, time_text
from firegui.io.exporters.table import NOTICE

DPI = 130.0
_PALETTE_COLOURS = 200
"""Number of colours of a picture. A map has few colours, and a palette makes the file smaller."""
_BLANK_COLUMNS = ("Fly From", "Fly To")
"""Columns of the drop table of the briefing that crews fill in by hand. The page leaves them out."""
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
_STYLE = """
:root { color-scheme: light dark; --back: #ffffff; --text: #16181d; --quiet: #565d6b; --line: #d5d9e0;
  --card: #f4f5f8; --notice: #ffe27a; --link: #0b57d0; }
@media (prefers-color-scheme: dark) { :root { --back: #16181d; --text: #eceef2; --quiet: #a8afbd; --line: #3a3f4a;
  --card: #21242b; --link: #8ab4f8; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 1.25rem; background: var(--back); color: var(--text);
  font: 1rem/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
.notice { background: var(--notice); color: #16181d; font-weight: 700; text-align: center; padding: .4rem;
  border-radius: .3rem; }
h1 { margin: 1rem 0 0; line-height: 1.2; } h2 { margin: 2.2rem 0 .6rem; } h3 { margin: 1.8rem 0 .4rem; }
.quiet { color: var(--quiet); margin: .2rem 0; }
nav { display: flex; flex-wrap: wrap; gap: .2rem 1rem; margin: .8rem 0; } a { color: var(--link); }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: .8rem; margin: 1.2rem 0;
  padding: 0; }
.cards div { background: var(--card); border-radius: .4rem; padding: .7rem .9rem; }
.cards dt { color: var(--quiet); font-size: .9rem; } .cards dd { margin: 0; font-size: 1.2rem; font-weight: 600; }
.cards small { display: block; font-size: .95rem; font-weight: 400; }
.cards .caution { background: var(--notice); color: #16181d; } .cards .caution dt { color: inherit; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: .92rem; }
caption { text-align: left; color: var(--quiet); padding: .2rem 0; }
th, td { border-bottom: 1px solid var(--line); padding: .28rem .6rem; text-align: left; white-space: nowrap; }
th { border-bottom-width: 2px; } .number { text-align: right; }
td.words { white-space: normal; min-width: 12rem; }
/* Thirteen columns: they must fit the page, also on paper, where nothing can be scrolled. */
.day table { font-size: .78rem; } .day th, .day td { padding: .2rem .35rem; } .day th { white-space: normal; }
figure { margin: .8rem 0; } img { width: 100%; height: auto; background: #ffffff; border-radius: .3rem; }
li { margin: .25rem 0; }
@media print { body { max-width: none; padding: 0; } nav { display: none; } figure, tr { break-inside: avoid; }
  .wide { overflow: visible; } .day table { font-size: 7pt; } .day th, .day td { padding: .1rem .2rem; }
  section.day { break-before: page; } }
"""


def write_report(path: Path, content: ExportContent, check: Check | None = None) -> None:
    """Write the page, atomically. Equal content gives equal bytes.

    ``check`` is called before every map and may raise. Raises :class:`~firegui.errors.InputError` if the file cannot be
    written.
    """
    write_text(path, report_text(content, check or go_on))


def report_text(content: ExportContent, check: Check) -> str:
    """Return the whole page as HTML."""
    title = f"{content.project.scenario.name}: aerial attack plan"
    head = (
        f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style>"
    )
    body = "\n".join(_body(content, periods_of(content), check))
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n<body>\n{body}\n</body></html>\n'


def _body(content: ExportContent, periods: Sequence[Period], check: Check) -> Iterator[str]:
    yield f'<p class="notice">{escape(NOTICE)}</p>'
    yield from _opening(content)
    yield _links(periods, has_stress=content.stress is not None)
    yield _cards(content)
    yield from (f'<p class="notice">{escape(warning)}</p>' for warning in (*content.doubts, *content.warnings))
    yield f'<h2 id="days">Day by day</h2>{_days(content)}'
    yield '<h2 id="map">The whole plan</h2>'
    yield _figure(map_page(content, check), f"Map of the plan, {_days_text(content)}")
    yield from _stress(content)
    for period in periods:
        check()
        yield from _day(content, period, check)
    notes = "".join(f"<li>{escape(note)}</li>" for note in notes_of(content))
    yield f'<h2 id="notes">What to know</h2><ul>{notes}</ul>'
    yield f'<p class="notice">{escape(NOTICE)}</p>'


def _opening(content: ExportContent) -> Iterator[str]:
    sheet, calendar = content.sheet, content.project.calendar
    number = f" ({sheet.incident_number})" if sheet.incident_number else ""
    yield f"<h1>{escape(content.project.scenario.name)}{escape(number)}: aerial attack plan</h1>"
    made = f"made {time_text(content.made, calendar)}"
    lines = [_days_text(content), f"Plan {content.run or 'without a name'}, {made}"]
    lines.append(f"Fire model: {content.project.fire_model.label}")
    lines += [f"Prepared by {sheet.author}"] if sheet.author else []
    yield "".join(f'<p class="quiet">{escape(line)}</p>' for line in lines)


def _days_text(content: ExportContent) -> str:
    return period_text(content.sheet.days(content.project.calendar), content.project.calendar)


def _links(periods: Sequence[Period], *, has_stress: bool) -> str:
    found = [("days", "Day by day"), ("map", "Map"), *([("stress", "Stress cases")] if has_stress else [])]
    found += [(f"day-{period.day + 1}", f"Day {period.day + 1}") for period in periods]
    found.append(("notes", "What to know"))
    return "<nav>" + "".join(f'<a href="#{name}">{text}</a>' for name, text in found) + "</nav>"


def _cards(content: ExportContent) -> str:
    """Return a card for each key figure, with the number and, below it, the comparison."""
    summary = content.summary
    units = content.sheet.units
    found = [KeyFigure(VERDICT, summary.verdict_line(units)), *summary.key_figures(units)]
    found += [KeyFigure(CAUTION, f"⚠ {summary.outside}")] if summary.outside else []
    return f'<dl class="cards">{"".join(map(_card, found))}</dl>'


def _card(figure: KeyFigure) -> str:
    below = f"<small>{escape(figure.note)}</small>" if figure.note else ""
    kind = ' class="caution"' if figure.value.startswith("⚠") else ""
    return f"<div{kind}><dt>{escape(figure.title)}</dt><dd>{escape(figure.value)}{below}</dd></div>"


def _days(content: ExportContent) -> str:
    chosen = content.sheet.days(content.project.calendar)
    titles, *rows = content.summary.day_rows(content.sheet.units)
    shown = [row for number, row in enumerate(rows) if number in chosen]
    return html_table(titles, shown, numbers=(0, 2, 4, 5, 6, 7), words=(3,))


def _stress(content: ExportContent) -> Iterator[str]:
    if content.stress is None:
        return
    titles, *rows = stress_lines(content)
    caption = (
        f"The same plan where the world differs from the model, worst first; “{EXPECTED}” is the model itself. In some "
        "cases the fire is larger than in the model, so each is compared with its own fire without drops."
    )
    caption = " ".join((caption, *(f"{text}." for text in left_out_texts(content.stress))))
    table = html_table(titles, rows, numbers=range(2, len(titles)), words=(1,), caption=caption)
    yield f'<h2 id="stress">Stress cases</h2>{table}'


def _day(content: ExportContent, period: Period, check: Check) -> Iterator[str]:
    name = f"Day {period.day + 1}, {content.project.calendar.date_text(period.day)}"
    heading = f'<h2 id="day-{period.day + 1}">{escape(name)}</h2>'
    if not period.rows:
        # Without the class `day` the section does not begin a new page in print.
        yield f"<section>{heading}<p>No drops on this day.</p></section>"
        return
    yield f'<section class="day">{heading}'
    yield _figure(map_page(on_day(content, period.day), check, framed=content), f"Map of {name}")
    columns = drop_columns(1.0, content.project.calendar)
    kept = [number for number, column in enumerate(columns) if column.title not in _BLANK_COLUMNS]
    rows = [[line[number] for number in kept] for line in drop_lines(period, content.project.calendar)]
    numbers = tuple(place for place, number in enumerate(kept) if columns[number].across == "right")
    caption = (
        f"Drops of day {period.day + 1}. Numbers are those on the map. Either direction of a run may be flown. "
        "N: before sunrise or after sunset. W: within 300 ft of known water."
    )
    yield html_table([columns[number].title for number in kept], rows, numbers=numbers, caption=caption)
    yield "</section>"


def html_table(
    titles: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    numbers: Sequence[int] = (),
    words: Sequence[int] = (),
    caption: str = "",
) -> str:
    """Return a table as HTML. Columns ``numbers`` are aligned right; columns ``words`` may wrap."""

    def marked(column: int) -> str:
        kind = "number" if column in numbers else "words" if column in words else ""
        return f' class="{kind}"' if kind else ""

    head = "".join(f'<th scope="col"{marked(column)}>{escape(title)}</th>' for column, title in enumerate(titles))
    lines = "".join(
        f"<tr>{''.join(f'<td{marked(column)}>{escape(text)}</td>' for column, text in enumerate(row))}</tr>"
        for row in rows
    )
    said = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f'<div class="wide"><table>{said}<thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table></div>'


def _figure(page: FigurePage, text: str) -> str:
    """Return a page as an embedded picture with an alternative text."""
    pixels = Image.fromarray(picture_of(page.figure, DPI)).convert("RGB")
    found = io.BytesIO()
    pixels.quantize(_PALETTE_COLOURS, dither=Image.Dither.NONE).save(found, "PNG", optimize=True)
    data = base64.b64encode(found.getvalue()).decode("ascii")
    size = f'width="{pixels.width}" height="{pixels.height}"'
    return f'<figure><img src="data:image/png;base64,{data}" {size} alt="{escape(text)}"></figure>'
