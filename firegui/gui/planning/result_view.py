"""Result of a run: what is reported of its plan first, its days and regions, and folded details."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QResizeEvent, QTextDocument, QTextOption
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QScrollArea, QStyle, QStyleOptionButton, QWidget

from firegui.domain.exercise import LoopDay
from firegui.domain.plan_summary import (
    SIZE_TITLES,
    KeyFigure,
    PlanSummary,
    is_shown_area,
    size_figures,
    start_area,
    start_figures,
)
from firegui.domain.project import Project
from firegui.domain.removal_curve import given_up_text
from firegui.domain.results import Metrics
from firegui.domain.stress import (
    GROWTH_LEFT,
    NOT_STRESS_TESTED,
    WHAT_HOLDS,
    case_text,
    growth_share,
    untestable_texts,
    untested_names,
    untested_texts,
    worst_case_text,
)
from firegui.domain.units import Units, percent_text
from firegui.gui.base.flow_layout import FlowLayout
from firegui.gui.base.layouts import column, rich_label, vertical
from firegui.gui.base.number_text import duration, number
from firegui.gui.base.plain_text import tooltip
from firegui.gui.base.theme import current_colors
from firegui.gui.jobs.run_entry import EventColumns, RunEntry
from firegui.gui.session.session import ShownResult
from firegui.gui.widgets.settings_form import FoldedSection
from firegui.runs.replan_base import ReplanScores
from firegui.runs.run_folder import kept_plan
from firegui.runs.stages import FinishReason, Stage

_NO_RUN = "No run is shown: start one, or click one in the list of runs."
_ETAS = "cautious · expected"
_GIVEN_UP = "To keep it, choose a plan with more drops on the removal curve, or give the burned area a weight."
_FIRE_LOST = (
    "⚠ The fire was not kept when the run was made: the map has the plan on the fire simulated from the first day."
)
_AT_WORK = "The result by day and the numbers at expected effectiveness come when the run has ended."
_AT_TEST = "The result by day comes when the run has ended."
_CONTINUE = "A new run that begins with this plan; where the goal has changed since, you are asked which one it has"
_LEAKS = "The map of where the fire crosses the lines of this plan; where there is none, the test that makes it"
_TEST = "A further test: all scenarios, also those in which the plan is replanned on the way, which takes longer"
_TEST_ALL = (
    "Test the plan in all scenarios, also those in which it is replanned on the way, which takes longer. The test also "
    "makes the map of where fire gets through"
)
_TEST_IT, _TEST_PLAN, _TESTED = "Test with replanning", "Test the plan", "Tested"
_TEST_TEXTS = _TEST_IT, _TEST_PLAN, _TESTED
_TESTED_TIP = "The plan is tested in all scenarios of its project that can be tested"
_MARGIN = 6
_WARNING = "⚠ "
_WORK_LESS = "drops worked less well than expected"
"""What cautious effectiveness means."""
_NARROW = 420
"""Pixels below which what a figure is compared with is below its number, not beside it."""
_ADVANCED = "Details"
_BREAKS = re.compile(r"(?<=\d) (?=(?:%|ha|acres|m³|gal)(?!\w))")
"""Spaces at which a number must not break from its unit."""
_LEFT_COLUMNS = (1, 3)
"""Columns of the table of days that hold words: the date and the drops by type."""


class _TestButton(QPushButton):
    """Button that tests the plan, as wide with each of its texts: the buttons beside it keep their places."""

    def sizeHint(self) -> QSize:
        """Return the size with the widest text."""
        # A style sheet sets the minimum width of all buttons, so that the width cannot be kept by that.
        option, size = QStyleOptionButton(), QSize()
        self.initStyleOption(option)
        for option.text in _TEST_TEXTS:
            text = self.fontMetrics().size(Qt.TextFlag.TextShowMnemonic.value, option.text)
            size = size.expandedTo(self.style().sizeFromContents(QStyle.ContentsType.CT_PushButton, option, text, self))
        return size


class ResultView(QScrollArea):
    """Result of a run: size, drops, gallons and days first; the rest is folded. Its text can be selected.

    ``is_whole`` makes it as high as its text, for a place that scrolls itself. ``has_steps`` puts buttons for what can
    be done below the verdict of a plan whose fire grows.
    """

    def __init__(self, parent: QWidget | None = None, *, is_whole: bool = False, has_steps: bool = False) -> None:
        super().__init__(parent)
        self._has_steps = has_steps
        names = "Verdict", "Result of the run", "Days of the plan", "Regions", "How it ended", "Objective and steps"
        labels = map(_text_label, names)
        self._verdict, self._headline, self._days, self._below, self._prose, self._details = labels
        self.continue_button = _button("Continue from this plan", _CONTINUE)
        self.leaks_button = _button("Where fire gets through", _LEAKS)
        self.test_button = _TestButton(_TEST_IT)
        self.test_button.setToolTip(tooltip(_TEST))
        self._offered: Path | None = None
        """Folder of the run whose test was offered since it is shown."""
        self._shown_folder: Path | None = None
        self._verdict_room: tuple[Path | None, int, int] = None, 0, 0
        """Folder of the shown run, width and height of its verdict, which does not shrink: buttons are below it."""
        self._next = QWidget()
        steps = FlowLayout(self._next, spacing=4)
        for button in (self.test_button, self.continue_button, self.leaks_button):
            steps.addWidget(button)
        self._note = _text_label("What the map shows instead")
        self._note.setProperty("role", "warning")
        self._wide = self._narrow = ResultParts("", "", "", "", "")
        self._advanced = FoldedSection(_ADVANCED, vertical(None, self._prose, self._details, margins=0))
        self.body = column(
            self._note, self._verdict, self._next, self._headline, self._days, self._below, self._advanced,
            margins=_MARGIN,
        )  # fmt: skip
        self.setWidget(self.body)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        if is_whole:
            self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            self.body.installEventFilter(self)
        self.show_run(None)

    @property
    def text(self) -> str:
        """The text, as HTML, with what is folded."""
        labels = (
            self._note, self._verdict, self._headline, self._days, self._below, self._prose, self._details,
        )  # fmt: skip
        return "".join(label.text() for label in labels)

    def show_run(
        self, entry: RunEntry | None, units: Units = Units.METRIC, instead: str = _NO_RUN, note: str = ""
    ) -> None:
        """Show a run in ``units`` below a ``note``, or the text ``instead`` where there is none."""
        self._shown_folder = entry.folder if entry is not None and entry.is_over else None
        if entry is not None:
            entry.complete_summary()
        none = ResultParts("", escape(instead), "", "", "")
        self._wide = none if entry is None else report_parts(entry, units)
        self._narrow = none if entry is None else report_parts(entry, units, is_narrow=True)
        verdict, headline, days, below, prose = self._wide
        details = "" if entry is None else details_html(entry, units)
        for label, text in (
            (self._note, escape(note)), (self._verdict, verdict), (self._headline, headline), (self._days, days),
            (self._below, below), (self._prose, prose), (self._details, details),
        ):  # fmt: skip
            if text != label.text():
                label.setText(text)
            label.setVisible(bool(text))
        self._advanced.setVisible(bool(prose or details))
        fails = self._has_steps and entry is not None and entry.is_over and entry.grows
        self.leaks_button.setVisible(fails)
        advised = self._has_steps and entry is not None and entry.is_over and (entry.grows or entry.removal_failed)
        self.continue_button.setVisible(advised and entry is not None and can_continue(entry))
        offers_test = self._offer_test(entry)
        self._next.setVisible(advised or offers_test)
        plan = None if entry is None or entry.project is None else entry.project.plan
        growth = f"{GROWTH_LEFT}: 0 % is none of it, 100 % is as without drops."
        self._headline.setToolTip(tooltip(growth if plan is None else f"{growth} {plan.effectiveness_text}"))
        self._verdict.setToolTip(tooltip(WHAT_HOLDS if entry is not None and entry.stress is not None else ""))
        self._wrap()

    def _offer_test(self, entry: RunEntry | None) -> bool:
        """Show the button that tests a plan where it was not, or not with repair; return whether it is shown.

        It stays, disabled, once the plan was tested: the buttons beside it must not move under the pointer. A run at
        work has none.
        """
        text, tip = _TESTED, _TESTED_TIP
        if self._has_steps and entry is not None and entry.is_over and entry.project is not None:
            if can_test(entry):
                text, tip = _TEST_PLAN, _TEST_ALL
            elif untested_names(entry.stress):
                text, tip = _TEST_IT, _TEST
        if text != _TESTED:
            self._offered = None if entry is None else entry.folder
        elif entry is None or not entry.is_over or entry.folder != self._offered:
            self._offered = None
        self.test_button.setText(text)
        self.test_button.setToolTip(tooltip(tip))
        self.test_button.setEnabled(text != _TESTED)
        self.test_button.setVisible(self._offered is not None)
        return self._offered is not None

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrap sentences at the edge of the view, and fold the table of days if it is wider."""
        super().resizeEvent(event)
        self._wrap()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take the height of the text."""
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize):
            least, height = self.body.minimumSizeHint(), self.body.heightForWidth(self.body.width())
            bar = self.horizontalScrollBar().sizeHint().height() if least.width() > self.viewport().width() else 0
            self.setMinimumHeight(max(height, least.height()) + bar)
        return super().eventFilter(watched, event)

    def _wrap(self) -> None:
        width = max(self.viewport().width() - 2 * _MARGIN, 1)
        is_narrow = width < _NARROW
        headline, below = ((self._narrow if is_narrow else self._wide)[place] for place in (1, 3))
        days = (self._wide if _fits(self._wide[2], self._days, width) else self._narrow)[2]
        for label, text in ((self._headline, headline), (self._days, days), (self._below, below)):
            if text != label.text():
                label.setText(text)
        for label in (self._note, self._verdict, self._headline, self._below, self._prose):
            label.setMaximumWidth(width)
            # The layout asks for the height at the width of the table of days, which is larger. A label counts its
            # least height as needed, so that of an earlier text goes first.
            label.setMinimumHeight(0)
            label.setMinimumHeight(label.heightForWidth(width) if label.text() else 0)
        folder, at, room = self._verdict_room
        if folder is not None and (folder, at) == (self._shown_folder, width):
            self._verdict.setMinimumHeight(max(self._verdict.minimumHeight(), room))
        self._verdict_room = self._shown_folder, width, self._verdict.minimumHeight()


def no_run_text(result: ShownResult) -> str:
    """Return what the map shows instead of a run, and how one is shown."""
    if result.against and result.plan_name:
        return f"The map compares {result.against} and {result.plan_name}: click one in the list for its result."
    return _NO_RUN


def map_note(result: ShownResult) -> str:
    """Return what the map shows instead of the plan of the result; empty where it shows that plan."""
    if result.is_aside:
        return f"The map shows {result.title}. Back to the run, above the map, shows this plan."
    if not result.by_hand:
        return ""
    return "⚠ This is the plan before your edit. Keep the edited drops as a run for the result of the plan on the map."


def _fits(html: str, label: QLabel, width: int) -> bool:
    """Return whether a text of ``label`` fits into ``width`` pixels with its lines broken."""
    document = QTextDocument()
    document.setDocumentMargin(0)
    document.setDefaultFont(label.font())
    # As in a label; by default words are broken anywhere.
    option = document.defaultTextOption()
    option.setWrapMode(QTextOption.WrapMode.WordWrap)
    document.setDefaultTextOption(option)
    document.setHtml(html)
    document.setTextWidth(width)
    return document.size().width() <= width


def can_continue(entry: RunEntry) -> bool:
    """Return whether a new run can begin with the plan of a run."""
    return entry.is_over and not entry.elsewhere and kept_plan(entry.folder) is not None


def can_test(entry: RunEntry) -> bool:
    """Return whether a run has a plan that can be stress-tested and was not, such as one that was stopped."""
    if entry.stress is not None or entry.project is None or not entry.project.stress.scenarios:
        return False
    return not (entry.replans or entry.interrupted) and can_continue(entry)


def _button(text: str, tip: str) -> QPushButton:
    button = QPushButton(text)
    button.setToolTip(tooltip(tip))
    return button


def _text_label(name: str) -> QLabel:
    label = rich_label(wordWrap=True)
    label.setTextInteractionFlags(
        Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
    )
    label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
    label.setAccessibleName(name)
    return label


def report_html(entry: RunEntry) -> str:
    """Return what is reported of a run first, as HTML: its summary, and how it ended."""
    return "".join(report_parts(entry))


class ResultParts(NamedTuple):
    """Parts of a result as HTML: what is shown first, and ``prose`` for the folded details.

    ``below`` are regions and values at risk, or how a run without a summary ended.
    """

    verdict: str
    headline: str
    days: str
    below: str
    prose: str


def report_parts(entry: RunEntry, units: Units = Units.METRIC, *, is_narrow: bool = False) -> ResultParts:
    """Return what is reported of a run, as HTML.

    Those of a narrow view have their titles before the texts, and two lines for each day.
    """
    replanned = entry.is_over and entry.replan is not None
    ended = (
        (_AT_WORK if entry.nominal is None else _AT_TEST)
        if not entry.is_over
        else f"{escape(entry.status.capitalize())}: {escape(units.restate(entry.message))}"
    )
    lost = "" if replanned else given_up_text(entry.reference, entry.nominal, entry.baseline)
    warning = _warning_html(f"{lost}. {_GIVEN_UP}") if lost else ""
    more = _warning_html(entry.kept_drops) if entry.is_over and entry.kept_drops else ""
    end = "" if replanned else _muted_html(ended)
    if (summary := entry.summary) is not None:
        if entry.has_other_regions:
            summary = replace(summary, has_other_regions=True)
        if summary.start_ha is None and entry.project is not None:
            summary = replace(summary, start_ha=start_area(entry.project))
        titles, *days_after = summary.day_rows(units)
        table = [titles, *summary.start_row(units), *days_after]
        rows = [[_unbroken(text) for text in row] for row in table]
        days = narrow_days_html(summary, units) if is_narrow else html_table(rows, left=_LEFT_COLUMNS)
        said = _verdict_html(entry.flown_text or units.restate(summary.verdict))
        verdict = said + _origin_html(entry) + _untested_html(summary)
        headline = _outcome_html(entry, summary, units) + figures_html(summary.plan_figures(units), is_narrow=is_narrow)
        places = [*summary.region_figures(units), *summary.value_figures()]
        regions = figures_html(places, is_narrow=is_narrow) if places else ""
        outside = _warning_html(summary.outside) if summary.outside else ""
        texts = ("" if replanned else cautious_text(entry, units), *_case_texts(summary, units))
        prose = "".join(_muted_html(escape(text)) for text in (*texts, *untestable_texts(summary.stress)) if text)
        parts = verdict, headline + warning, days, regions, prose + outside + more + end
    else:
        known = [*_size_so_far(entry, units), KeyFigure("Drops", _count(entry.drops))]
        figures = figures_html(known, cautious_text(entry, units), is_narrow=is_narrow)
        parts = "", ("" if entry.flies_loop else figures) + warning + more, "", end, ""
    return ResultParts(*(_BREAKS.sub("&nbsp;", part) for part in parts))


def _outcome_html(entry: RunEntry, summary: PlanSummary, units: Units) -> str:
    """Return the table of what burns, at both effectivenesses and in the worst stress case.

    A column without numbers is left out.
    """
    stress, plan, worst = summary.stress, entry.plan, None if summary.stress is None else summary.stress.worst
    is_known = entry.nominal is not None and not entry.replans and Stage.KEEP not in entry.stages
    cautious = plan if is_known else None
    start, bare = summary.start_ha, summary.final_ha_no_drops

    def area(size_ha: float | None) -> str:
        return "–" if size_ha is None else units.area_number(size_ha)

    def burned(size_ha: float | None) -> str:
        return area(size_ha) if size_ha is None or is_shown_area(size_ha, units) else "none"

    def growth(size_ha: float | None) -> str:
        if size_ha is None or start is None or bare is None:
            return "–"
        return percent_text(growth_share(size_ha, start, bare))

    careful_ha = None if cautious is None else cautious.final_extent_ha
    cells = None if worst is None else worst.cells_worst * summary.cell_ha
    rows = [
        ["", "flown" if entry.flown_text else "expected", "cautious", "worst case"],
        [f"Final size, {units.area_unit}", area(summary.final_ha), area(careful_ha), area(cells)],
        [
            "Growth left",
            growth(summary.final_ha) if stress is None else percent_text(stress.nominal.share_worst),
            growth(careful_ha),
            "–" if worst is None else percent_text(worst.share_worst),
        ],
    ]
    if (found := summary.all_regions) is not None:
        is_same = not summary.has_other_regions
        inside_ha = cautious.protected_cells * summary.cell_ha if cautious is not None and is_same else None
        most = None if stress is None else stress.worst_for_regions.protected_worst * summary.cell_ha
        rows.append([f"In regions, {units.area_unit}", *map(burned, (found.burned_ha, inside_ha, most))])
    if summary.protects_regions and stress is not None:
        share, *others = (one.region_share() for one in (stress.nominal, *stress.results))
        if share is not None:
            most_left = max((each or 0.0 for each in others), default=share)
            model, careful = stress.nominal, "–"
            if cautious is not None and model.protected_no_drops is not None:
                inside = cautious.protected_cells
                careful = percent_text(growth_share(inside, model.start_protected, model.protected_no_drops))
            rows.append(["Growth in regions", percent_text(share), careful, percent_text(most_left)])
    if summary.values and entry.nominal is not None:
        tests = () if stress is None else (stress.nominal, *stress.results)
        lost = max((draw.loss_val for one in tests for draw in one.draws), default=0.0)
        shares = entry.nominal.loss_val, 0.0 if cautious is None else cautious.loss_val, lost
        rows.append(["Values lost", *map(percent_text, shares)])
    kept = [0, 1, *([2] if cautious is not None else []), *([3] if stress is not None else [])]
    cut = [[row[column] for column in kept] for row in rows]
    cut[1] = [cut[1][0], *(f"<b>{text}</b>" for text in cut[1][1:])]
    case = "" if worst is None else _muted_html(escape(f"Worst case: {case_text(worst.scenario)}"))
    return html_table(cut) + case


def _case_texts(summary: PlanSummary, units: Units) -> list[str]:
    """Return what is compared in the worst stress cases as sentences."""
    return [f"{figure.title}: {figure.text}." for figure in summary.worst_figures(units)]


def _muted_html(text: str) -> str:
    return f"<p style='margin:4px 0; color:{current_colors().muted}'>{text}</p>"


def _size_so_far(entry: RunEntry, units: Units) -> list[KeyFigure]:
    plan, bare = entry.nominal or entry.plan, entry.baseline
    size_without = None if bare is None else bare.final_extent_ha or None
    if plan is None:
        return size_figures(None, size_without, "without drops", units)
    start_ha = None if entry.project is None else start_area(entry.project)
    sizes = size_figures(plan.final_extent_ha, size_without, "without drops", units)
    if entry.nominal is None:
        sizes[0] = replace(sizes[0], value=f"cautious: {sizes[0].value}")
    return [*sizes, *start_figures(start_ha, plan.final_extent_ha, units)]


def narrow_days_html(summary: PlanSummary, units: Units = Units.METRIC) -> str:
    """Return the table of days as HTML for a narrow view: two lines a day, the second with drops by type."""
    (*titles, _), *rows = summary.narrow_day_rows(units)
    rows = [*summary.start_row(units, is_narrow=True), *rows]
    color = current_colors().muted
    head = "".join(
        f"<td align='{'right' if k else 'left'}' style='color:{color}'>{escape(title)}</td>"
        for k, title in enumerate(titles)
    )
    lines = [f"<tr>{head}</tr>"]
    for first, *numbers, more in rows:
        cells = "".join(f"<td align='right'>{escape(text)}</td>" for text in numbers)
        lines.append(f"<tr><td><nobr>{escape(first)}</nobr></td>{cells}</tr>")
        if more:
            lines.append(f"<tr><td colspan='{1 + len(numbers)}' style='color:{color}'>{escape(more)}</td></tr>")
    return f"<table cellspacing='0' cellpadding='2' width='100%'>{''.join(lines)}</table>"


def _unbroken(text: str) -> str:
    """Return a text as HTML whose lines break only after commas."""
    return ", ".join(f"<nobr>{escape(part)}</nobr>" for part in text.split(", "))


def _verdict_html(verdict: str) -> str:
    """Return the verdict as the first sentence, in the colour of a warning where the plan does not hold."""
    colors = current_colors()
    color = colors.warning if verdict.startswith(_WARNING) else colors.text if verdict else colors.muted
    text = escape(verdict or NOT_STRESS_TESTED.capitalize())
    return f"<p style='font-size:large; margin:0 0 6px 0; color:{color}'>{text}</p>"


def _origin_html(entry: RunEntry) -> str:
    """Return a grey line that names the run whose plan was edited by hand; empty for another run."""
    color = current_colors().muted
    return f"<p style='margin:0; color:{color}'>Edited from {escape(entry.parent)}</p>" if entry.parent else ""


def _untested_html(summary: PlanSummary) -> str:
    """Return grey lines with the scenarios that the test of a plan left out.

    They are in the label of the verdict, which keeps its height once the plan is tested.
    """
    color = current_colors().muted
    return "".join(f"<p style='margin:0; color:{color}'>{escape(text)}.</p>" for text in untested_texts(summary.stress))


def figures_html(figures: Sequence[KeyFigure], remark: str = "", *, is_narrow: bool) -> str:
    """Return key figures as a table of two columns, the titles and the numbers.

    The final size and what is saved are large and bold, with a small ``remark`` on them below.
    What a number is compared with is beside it, in a narrow view below both.
    """
    color, rows = current_colors().muted, []
    last = max((place for place, figure in enumerate(figures) if figure.title in SIZE_TITLES), default=None)
    for place, figure in enumerate(figures):
        note = f"<span style='color:{color}'>{escape(figure.note)}</span>" if figure.note else ""
        value = escape(figure.value)
        # A number never breaks before its unit; a sentence does.
        value = value.replace(" ", "&nbsp;") if figure.value[:1].isdigit() else value
        if figure.title in SIZE_TITLES:
            value = f"<b style='font-size:large'>{value}</b>"
        beside, below = ("", note) if is_narrow or not note else (f"&nbsp;&nbsp; {note}", "")
        rows.append(f"<tr><td style='padding-right:12px'>{escape(figure.title)}</td><td>{value}{beside}</td></tr>")
        small = f"<div style='font-size:small; color:{color}'>{escape(remark)}</div>"
        below += small if remark and place == last else ""
        if below:
            rows.append(f"<tr><td colspan='2' style='padding-bottom:4px'>{below}</td></tr>")
    return f"<table cellspacing='0' cellpadding='1' style='margin-top:6px; margin-bottom:6px'>{''.join(rows)}</table>"


def _warning_html(text: str) -> str:
    return f"<p style='margin:2px 0 4px 0; color:{current_colors().warning}'>{_WARNING}{escape(text)}</p>"


def cautious_text(entry: RunEntry, units: Units = Units.METRIC) -> str:
    """Return the size of a plan at cautious effectiveness and what that is.

    Empty where it is the final size. Before the end of a run it is the only size,
    and the text says so.
    """
    plan, cautious = entry.nominal, entry.plan
    if cautious is None or Stage.KEEP in entry.stages:
        return ""
    if plan is None:
        rest = "" if entry.is_over else " The expected size comes with the end of the run."
        rest = " Resume the run for the expected size." if entry.is_resumable else rest
        return f"A cautious size, as if {_WORK_LESS}.{rest}"
    size = units.area(cautious.final_extent_ha)
    if not entry.is_over or size == units.area(plan.final_extent_ha):
        return ""
    return f"Cautious: {size}, as if {_WORK_LESS}. The run showed this size while it worked."


def removed_text(entry: RunEntry, units: Units = Units.METRIC) -> str:
    """Return how the removal of drops changed the size; empty where it did not."""
    plan, before = entry.nominal, entry.reference
    if plan is None or before is None or not entry.is_over:
        return ""
    fewer, change = before.drops_executed - plan.drops_executed, plan.final_extent_ha - before.final_extent_ha
    if fewer <= 0 or not is_shown_area(abs(change), units):
        return ""
    burned = f"{units.area(abs(change))} {'more' if change > 0.0 else 'less'} burned"
    return f"Drops removed that the limit does not need: {fewer:,} fewer, {burned}."


def details_html(entry: RunEntry, units: Units = Units.METRIC) -> str:
    """Return the numbers of the stages of a run as HTML: objective, fire and cost at both effectivenesses.

    A replanned run has the comparison with its old plan, or the days of its loop.
    """
    if entry.is_over and entry.replan is not None:
        return replan_html(entry, entry.replan, units)
    first = _FirstStage.of(entry)
    rows = _with_both(entry, first, units) if entry.prunes else _with_one(entry, units)
    if entry.stress is not None:
        left = _pair(percent_text(entry.stress.nominal.share_worst), escape(worst_case_text(entry.stress)))
        rows.insert(2, ["Growth left, model · worst case", *[""] * (len(rows[0]) - 2), left])
    removed = removed_text(entry, units)
    note = f"<p style='margin:4px 0 0 0; color:{current_colors().muted}'>{escape(removed)}</p>" if removed else ""
    return html_table(rows) + note


def _with_both(entry: RunEntry, first: _FirstStage, units: Units) -> list[list[str]]:
    bare, plan, scored, before = entry.baseline, entry.plan, entry.nominal, first.nominal
    took: tuple[EventColumns[Any], ...] = (entry.history, entry.removals)
    objective = _pair(number(first.objective), _objective(before)), _pair(_objective(plan), _objective(scored))
    placed = "–" if first.extent_ha is None else units.area_number(first.extent_ha)
    extent = _pair(placed, _extent(before, units)), _pair(_extent(plan, units), _extent(scored, units))
    return [
        ["", "no drops", "drops placed", "drops removed"],
        ["Drops", "0", _count(first.drops), _drops(entry, first.drops)],
        [f"Objective, {_ETAS}", _objective(bare), *objective],
        [f"Fire at the end, {units.area_unit}, {_ETAS}", _extent(bare, units), *extent],
        ["Fire simulations · time", "", *(_cost(columns) for columns in took)],
    ]


def _with_one(entry: RunEntry, units: Units) -> list[list[str]]:
    bare, plan, scored = entry.baseline, entry.plan, entry.nominal
    cost = ["Fire simulations · time", "", _cost(entry.history)]
    if entry.tactical:
        took = _count(entry.rollouts), duration(entry.seconds)
        cost = ["Rounds · fire simulations · time", "", " · ".join((_count(entry.swept[0]), *took))]
    return [
        ["", "no drops", "plan"],
        ["Drops", "0", _count(entry.drops)],
        [f"Objective, {_ETAS}", _objective(bare), _pair(_objective(plan), _objective(scored))],
        [
            f"Fire at the end, {units.area_unit}, {_ETAS}",
            _extent(bare, units),
            _pair(_extent(plan, units), _extent(scored, units)),
        ],
        cost,
    ]


@dataclass(frozen=True, slots=True)
class _FirstStage:
    """Known metrics of the first stage's plan; ``nominal`` once the run has ended."""

    drops: float | None
    objective: float | None
    extent_ha: float | None
    nominal: Metrics | None

    @staticmethod
    def of(entry: RunEntry) -> _FirstStage:
        """Return the metrics of the best epoch. A run of the second stage alone has only the number of drops."""
        drops = entry.removals.last("drops_before")
        if not len(entry.history):
            return _FirstStage(drops, None, None, entry.reference)
        best = int(np.argmin(entry.history.column("objective")))
        objective, final, counted = (
            float(entry.history.column(name)[best]) for name in ("objective", "final", "drops")
        )
        bare = entry.baseline
        # Both are shares of the same raster, so the fire without drops converts a share to hectares.
        extent = final * bare.final_extent_ha / bare.loss_final if bare is not None and bare.loss_final > 0 else None
        return _FirstStage(counted if drops is None else drops, objective, extent, entry.reference)


def _drops(entry: RunEntry, before: float | None) -> str:
    left = entry.drops
    text = _count(left)
    if left is not None and before and left == before:
        text += " (none removed)"
    elif left is not None and before and left < before:
        text += f" (−{percent_text((before - left) / before, 0)})"
    return text


def _pair(design: str, nominal: str) -> str:
    return f"{design} · {nominal}"


def _objective(metrics: Metrics | None) -> str:
    return number(None if metrics is None else metrics.objective)


def _extent(metrics: Metrics | None, units: Units) -> str:
    return "–" if metrics is None else units.area_number(metrics.final_extent_ha)


def _cost(columns: EventColumns[Any]) -> str:
    return f"{_count(columns.last('rollouts'))} · {duration(columns.last('seconds'))}"


def _count(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}"


# -- replanned runs ----------------------------------------------------------------------------------------------------
def replan_html(entry: RunEntry, scores: ReplanScores, units: Units = Units.METRIC) -> str:
    """Return the metrics of a replanned run and how it ended."""
    rows = _loop_rows(entry, scores.loop, units) if scores.loop else _outlook_rows(entry, scores, units)
    sentences = [escape(entry.status.capitalize())]
    if entry.reason is not FinishReason.COMPLETED:
        sentences[0] += f": {escape(entry.message)}"
    if not scores.loop:
        flown = f"{scores.drops_flown:,} drop{'' if scores.drops_flown == 1 else 's'} flown before are not counted"
        sentences.append(f"Replanned from day {scores.day + 1} on, scored at expected effectiveness; {flown}")
    else:
        expected = "; expected: the final extent at the one before" if "expected" in rows[0] else ""
        sentences.append(
            "One drawn fire; every branch has the same random numbers. A row ends with an observation: "
            f"{units.area_unit} burned by then, and drops flown since the one before{expected}"
        )
        sentences += [text] if (text := scores.failed_text()) else []
    shown = f"Map, charts and exports have the {entry.fire} fire, which the run keeps." if entry.fire else _FIRE_LOST
    sentences.append(shown)
    return f"{html_table(rows)}<p style='margin-top:4px'>{'. '.join(sentences)}</p>"


def _outlook_rows(entry: RunEntry, scores: ReplanScores, units: Units) -> list[list[str]]:
    columns = (scores.nominal, scores.continued, scores.baseline)
    return [
        ["", "new plan", "old plan continued", "no further drops"],
        ["Further drops", *(_metric(each, "drops_executed") for each in columns)],
        ["Objective", *(_objective(each) for each in columns)],
        [f"Fire at the end, {units.area_unit}", *(_extent(each, units) for each in columns)],
        [f"Protected area burned, {units.area_unit}", *(_protected(each, entry.project, units) for each in columns)],
    ]


def _loop_rows(entry: RunEntry, days: Sequence[LoopDay], units: Units) -> list[list[str]]:
    def area(cells: float | None) -> str:
        if cells is None or entry.project is None:
            return "–"
        return units.area_number(cells * entry.project.scenario.grid.cell_area_ha)

    rows = [["Day", "replanned", "fixed plan", "no drops", "drops", "drops, fixed plan"]] + [
        [
            f"{row.end:g}", area(row.loop_cells), area(row.open_cells), area(row.none_cells),
            f"{row.loop_drops:,}", f"{row.open_drops:,}",
        ]
        for row in days
    ]  # fmt: skip
    if all(row.expected is None for row in days):
        return rows
    expected = ["expected", *(area(row.expected) for row in days)]
    return [[*row, text] for row, text in zip(rows, expected, strict=True)]


def _protected(metrics: Metrics | None, project: Project | None, units: Units) -> str:
    if metrics is None or project is None:
        return "–"
    return units.area_number(metrics.protected_cells * project.scenario.grid.cell_area_ha)


def _metric(metrics: Metrics | None, name: str) -> str:
    return "–" if metrics is None else f"{getattr(metrics, name):,.0f}"


def html_table(rows: Sequence[Sequence[str]], left: Sequence[int] = ()) -> str:
    """Return rows, the first of them the header, as a table with right-aligned numbers.

    The first column and those of ``left`` are to the left.
    """
    lines, muted = [], f"color:{current_colors().muted};"
    for k, (first, *others) in enumerate(rows):
        style = "" if k else muted
        cells = "".join(
            # Words keep their margin where they break; a run of digits never breaks.
            f"<td align='left' style='{style} padding-left:12px'>{text}</td>"
            if number in left
            else f"<td align='right' style='{style}'>&nbsp;&nbsp;&nbsp;{text}</td>"
            for number, text in enumerate(others, start=1)
        )
        lines.append(f"<tr><td align='left' style='{style}'>{first}</td>{cells}</tr>")
    # A narrow column must not break a number before its percent sign.
    shown = "".join(lines).replace(" %", "&nbsp;%")
    return f"<table cellspacing='0' cellpadding='1'>{shown}</table>"
