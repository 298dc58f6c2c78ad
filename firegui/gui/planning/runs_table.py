"""Table of the runs, with a progress bar in each row."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from firegui.domain.fleet import cost_text
from firegui.domain.model_range import outside_text
from firegui.domain.plan_summary import saved_share
from firegui.domain.stress import growth_left_text, worst_case_text
from firegui.domain.units import Units, percent_text
from firegui.gui.base.number_text import duration, number
from firegui.gui.base.theme import current_colors
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.planning.run_order import (
    RunGrouping,
    RunOrder,
    arranged,
    best_runs,
    burned_in_regions,
    cost,
    flight_hours,
    gallons,
    group_of,
    name_key,
    night_drops,
    values_lost,
)
from firegui.gui.session.session import Session
from firegui.gui.widgets.table_model import Column, Index, TableModel
from firegui.runs.messages import counted
from firegui.runs.notes import takes_notes
from firegui.runs.run_folder import kept_plan
from firegui.runs.stages import FinishReason, RunState
from firegui.runs.titles import made_text

TITLE, STATE, PROGRESS, ELAPSED, ETA, SIZE, DROPS, VOLUME, HOURS, COST, NIGHT, WORST, REGIONS, VALUES = range(14)
_NOTE_LETTERS = 80
_TIME_UNITS = ((10.0, 1.0), (60.0, 5.0), (600.0, 10.0), (3600.0, 60.0), (math.inf, 300.0))
"""Times left below the first number of seconds are rounded to the second."""
_SWEEP_SECONDS, _SWEEP_SHARE = 2.0, 0.25
"""Time in which the bar of a run that prepares moves to the end and back, and its share of the width."""
_LEAST_SHARE = 5e-4
"""Smaller changes of the final size are shown as none."""
PROGRESS_ROLE = Qt.ItemDataRole.UserRole + 1
"""``(run, text, colour, time, text after the time)`` for the bar."""


class RunsModel(TableModel[RunEntry]):
    """The runs, the newest first; the shown run is in bold."""

    def __init__(self, session: Session, queue: RunQueue, parent: QObject | None = None) -> None:
        title, *others = run_columns(lambda: session.units)
        columns = (replace(title, value=self._name, edit=self._rename, is_editable=_can_be_named), *others)
        self._marked: frozenset[Path] = frozenset()
        self._best: dict[Path, str] = {}
        self._caution = ""
        super().__init__(columns, parent, key=lambda entry: entry, row_tip=self._tip_of)
        self._session, self._queue = session, queue
        self._search, self._order_by, self._grouping = "", RunOrder.NEWEST, RunGrouping.NONE
        self._is_held = False
        queue.changed.connect(self.refresh)
        session.units_changed.connect(self.refresh)
        queue.shown_changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the runs of the queue that are searched for, in order.

        While the list is held, new ones are below the others.
        """
        self._find_cautions()
        self._best = best_runs(self._queue.entries, self.units)
        rows = arranged(self._queue.entries, self._search, self._order_by, self._grouping)
        if not self._is_held:
            self.set_rows(rows)
            return
        listed = [entry for entry in self.rows if entry in rows]
        self.set_rows(listed)
        for entry in rows:
            if entry not in listed:
                self.append_row(entry)

    def hold(self, on: bool) -> None:
        """Keep every run in its place, or put the runs in order again. A table sorted by a column is not held."""
        is_held = on and self._sorting[0] < 0
        if is_held is not self._is_held:
            self._is_held = is_held
            if not is_held:
                self.refresh()

    def arrange(self, search: str, order: RunOrder, grouping: RunGrouping) -> None:
        """List the runs with every word of ``search``, in another order and by other groups."""
        self._is_held = False
        self._search, self._order_by, self._grouping = search, order, grouping
        self.refresh()

    @property
    def has_values(self) -> bool:
        """Whether any listed run tells what is lost of values at risk."""
        return any(values_lost(entry) is not None for entry in self.rows)

    def heading(self, place: int) -> str:
        """Return the heading above a row: that of its group if the row before belongs to another; else empty."""
        group = group_of(self.row(place), self._grouping)
        return "" if place > 0 and group_of(self.row(place - 1), self._grouping) == group else group

    def state(self, place: int) -> str:
        """Return the status of a run for its card, after ``Best so far`` for the best of its goal."""
        entry = self.row(place)
        return f"Best so far · {entry.status}" if entry.folder in self._best else entry.status

    def _tip_of(self, entry: RunEntry) -> str:
        best = self._best.get(entry.folder, "")
        return "\n".join(filter(None, (best, _tip(entry, self.units))))

    def is_shown(self, place: int) -> bool:
        """Return whether the run in a row is the one on the map."""
        return self.row(place) is self._queue.shown

    @property
    def is_held(self) -> bool:
        """Whether every run keeps its place."""
        return self._is_held

    @property
    def units(self) -> Units:
        """The units on screen."""
        return self._session.units

    @property
    def caution(self) -> str:
        """Sentence on runs outside the training of their fire model; empty if there are none.

        Runs are marked in the list only where some are outside and others are not.
        """
        return self._caution

    def _find_cautions(self) -> None:
        outside = {entry.folder: _outside(entry) for entry in self._queue.entries}
        badges = set(outside.values())
        self._marked = frozenset(folder for folder, badge in outside.items() if badge and len(badges) > 1)
        if self._marked:
            self._caution = "⚠ after a name: the fire is outside the training of its model. The tooltip says in what."
        else:
            (badge,) = badges or {""}
            self._caution = f"All runs: {badge}. Their sizes are less certain." if badge else ""

    def fleet_text(self, entry: RunEntry) -> str:
        """Return the number of aircraft of a run, where runs differ in it and its name does not say it."""
        counts = {each.project.fleet.n_aircraft for each in self._queue.entries if each.project is not None}
        if entry.project is None or len(counts) < 2 or "aircraft" in entry.title:
            return ""
        return f"{entry.project.fleet.n_aircraft:,} aircraft"

    def _name(self, entry: RunEntry) -> str:
        return f"{_name(entry)}{' ⚠' if entry.folder in self._marked else ''}"

    def _rename(self, _position: int, entry: RunEntry, name: Any) -> bool:
        return self._queue.rename(entry, str(name))

    def entry(self, place: int) -> RunEntry | None:
        """Return the run in a row, ``None`` outside the table."""
        return self.row(place) if 0 <= place < len(self.rows) else None

    def place_of(self, entry: RunEntry) -> int:
        """Return the row of a run; −1 if it is not listed."""
        return self.place(self.rows.index(entry)) if entry in self.rows else -1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the content of a cell in ``role``."""
        if role == Qt.ItemDataRole.FontRole and index.column() == TITLE and self.row(index.row()) is self._queue.shown:
            font = QFont()
            font.setBold(True)
            return font
        if role == PROGRESS_ROLE and index.column() == PROGRESS:
            entry = self.row(index.row())
            return entry, progress_text(entry), bar_color(entry), *time_text(entry)
        return super().data(index, role)


def _can_be_named(entry: RunEntry) -> bool:
    return not entry.read_only and takes_notes(entry.folder)


def progress_text(entry: RunEntry) -> str:
    """Return how far a run is, in the terms of its stage."""
    if entry.preparing:
        return "preparing"
    if entry.state is RunState.QUEUED or entry.is_stress_testing:
        # The status has the number of the tested scenario.
        return ""
    if entry.tactical:
        return _passes_text(entry)
    if entry.flies_loop:
        done, of = entry.swept
        return f"{done:,}/{of:,}" if of and not entry.is_over else counted(len(entry.loop), "observation")
    if not entry.prunes:
        return f"{entry.epoch:,}/{entry.epochs:,}"
    if entry.is_over:
        return counted(entry.passes, "round", "rounds")
    if entry.is_unmeasured:
        return f"round {entry.passes}"
    done, of = entry.tested
    return f"{entry.passes}: {done:,}/{of:,}" if of else "begins"


def _passes_text(entry: RunEntry) -> str:
    done, of = entry.swept
    if entry.is_over:
        return counted(done, "round", "rounds")
    return f"round {done + 1}/{of}" if of else "begins"


def _eta_text(entry: RunEntry) -> str:
    if entry.eta is not None and round(entry.eta) <= 0:
        # The estimate is of a part of the run; its last moments may take long.
        return "" if entry.more_follows else "almost done"
    return duration(_rounded(entry.eta)) + ("+" if entry.eta is not None and entry.more_follows else "")


def _rounded(seconds: float | None) -> float | None:
    """Return a time left without digits that an estimate has not."""
    if seconds is None:
        return None
    unit = next(unit for most, unit in _TIME_UNITS if seconds < most)
    return max(round(seconds / unit) * unit, 1.0 if seconds > 0 else 0.0)


def time_text(entry: RunEntry) -> tuple[str, str]:
    """Return the time left or taken, and the words after it."""
    if entry.eta is not None:
        return _eta_text(entry), " left" if round(entry.eta) > 0 else ""
    return ("" if entry.elapsed is None else duration(entry.elapsed)), ""


def _final_ha(entry: RunEntry) -> float | None:
    plan = entry.nominal or entry.plan
    return None if plan is None else plan.final_extent_ha


def _size_text(entry: RunEntry, units: Units) -> str:
    final = _final_ha(entry)
    if final is None:
        return "–"
    known = units.area(final) + ("" if entry.nominal is not None else " at cautious effectiveness")
    share = None if entry.baseline is None else saved_share(final, entry.baseline.final_extent_ha)
    if share is None:
        return known
    sign = "" if abs(share) < _LEAST_SHARE else "−" if share > 0 else "+"
    return f"{known} ({sign}{percent_text(abs(share)) if sign else '0 %'})"


def state_text(entry: RunEntry) -> str:
    """Return how a run stands, and what it lacks of the open project: ``finished, does not protect R1``."""
    return ", ".join((entry.status, *entry.changes))


def status_color(entry: RunEntry) -> str | None:
    """Return the name of the colour of the status, ``None`` for that of text."""
    if entry.reason is FinishReason.FAILED:
        return "error"
    return "warning" if entry.missed else None


def _state_color(entry: RunEntry) -> str | None:
    return status_color(entry) or ("warning" if entry.leaves_unprotected or entry.misfit else None)


def bar_color(entry: RunEntry) -> str:
    """Return the colour of the progress bar."""
    colors = current_colors()
    if entry.reason is FinishReason.FAILED:
        return colors.error
    if entry.is_over:
        return colors.go if entry.reason is not FinishReason.STOPPED else colors.muted
    return colors.accent


def bar_part(entry: RunEntry, whole: QRectF) -> QRectF:
    """Return the filled part of a progress bar; a moving part while the length of the work is not known."""
    if not entry.is_unmeasured:
        return QRectF(whole.left(), whole.top(), whole.width() * entry.progress, whole.height())
    place = 1.0 - abs(1.0 - 2.0 * math.modf(time.monotonic() / _SWEEP_SECONDS)[0])
    wide = _SWEEP_SHARE * whole.width()
    return QRectF(whole.left() + place * (whole.width() - wide), whole.top(), wide, whole.height())


def _tip(entry: RunEntry, units: Units) -> str:
    # A long name is shortened in the list.
    made = made_text(entry.folder)
    lines = [entry.title, *filter(None, (f"made {made}" if made else "", entry.origin_text)), str(entry.folder)]
    if entry.message:
        lines.append(f"{entry.status}: {units.restate(entry.message)}")
    if entry.eta is not None:
        lines.append(
            f"about {duration(_rounded(entry.eta))} {entry.more_follows or 'left if it uses all search steps'}"
        )
    if entry.drops_before and entry.drops == entry.drops_before:
        lines.append(f"no drop of {entry.drops_before:,} could be removed")
    elif entry.drops_before and entry.drops is not None:
        lines.append(f"drops {entry.drops_before:,} → {entry.drops:,} by removing drops that the limit does not need")
    if entry.kept_drops:
        lines.append(f"⚠ {entry.kept_drops}")
    if entry.misfit:
        lines.append(f"⚠ {entry.misfit}")
    if entry.stale:
        sign = "⚠ " if entry.leaves_unprotected else ""
        lines.append(f"{sign}{', '.join(entry.changes)}. The numbers are those of the run; start a plan for new ones")
    if entry.baseline is not None and entry.best is not None:
        lines.append(f"without drops the objective is {number(entry.baseline.objective)}")
    if verdict := entry.verdict(units):
        lines.append(verdict)
    if entry.stress is not None:
        lines.append(growth_left_text(entry.stress))
    if outside := _outside(entry):
        lines.append(f"⚠ {outside}")
    if entry.is_unscored and kept_plan(entry.folder) is not None:
        lines.append("its plan was not scored before it stopped: show it, and it is")
    if entry.read_only:
        lines.append("read-only: its project is open in another window")
    if entry.notes.strip():
        lines.append(f"✎ {shortened(entry.notes)}")
    lines.append("Click to show it; Ctrl+click others to compare them; F2 renames it")
    return "\n".join(lines)


def _name(entry: RunEntry) -> str:
    return f"{'✎ ' if entry.notes.strip() else ''}{entry.title}"


def _outside(entry: RunEntry) -> str:
    return "" if entry.project is None else outside_text(entry.project)


def shortened(text: str) -> str:
    """Return the first line, elided if it is long."""
    line = text.strip().partition("\n")[0]
    return line if len(line) <= _NOTE_LETTERS else f"{line[:_NOTE_LETTERS].rstrip()}…"


def run_columns(units: Callable[[], Units]) -> tuple[Column, ...]:
    """Return the columns of the list of runs, with areas in ``units``."""
    return (
        Column("Run", lambda entry: _name(entry), is_text=True, initial=lambda entry: entry.title, sort_key=name_key,
               tip="Name; F2 changes it. The run on screen is in bold, one with notes has a pencil, one on a fire "
               "outside the training of its model a ⚠ where others are not"),
        Column("State", state_text, is_text=True,
               color=_state_color),
        Column("Progress", lambda entry: entry, progress_text, is_text=True, sort_key=lambda entry: entry.progress,
               tip="Placing drops: search steps done and their limit. Removing drops: the round, and the "
               "drops decided of those to test. Quick plan: rounds done. Closed loop: observations flown from"),
        Column("Elapsed", lambda entry: entry.elapsed, duration, "Time it has worked"),
        Column("ETA", lambda entry: entry, _eta_text, sort_key=lambda entry: entry.eta,
               tip="Time left at the latest pace; a + means that more follows (see the run's tooltip)"),
        Column("Final size", lambda entry: entry, lambda entry: _size_text(entry, units()), sort_key=_final_ha,
               tip="Expected fire at the end of the plan, and what it saves of the fire without drops"),
        Column("Drops", lambda entry: entry.drops, "{:,}".format, "Drops of the plan"),
        Column("Volume", lambda entry: None if gallons(entry) is None else entry,
               lambda entry: units().volume(gallons(entry) or 0.0), "Retardant and water of all drops",
               sort_key=gallons),
        Column("Flight hours", flight_hours, "{:,.1f}".format, "Time in the air of all drops"),
        Column("Cost", cost, lambda entry: cost_text(*entry), "Cost of all drops, by the prices of the run",
               sort_key=lambda amount: amount[0]),
        Column("At night", night_drops, "{:,}".format, "Drops before sunrise or after sunset"),
        Column("Worst case", lambda entry: entry.stress, worst_case_text, is_text=True,
               sort_key=lambda table: table.worst.share_worst,
               tip="Growth of the fire left in the worst stress scenario, and its name. A dash: not tested"),
        Column("In regions", lambda entry: None if burned_in_regions(entry) is None else entry,
               lambda entry: units().area(burned_in_regions(entry) or 0.0),
               "Expected burned area of the protected regions at the end of the plan", sort_key=burned_in_regions),
        Column("Values lost", values_lost, percent_text,
               "Share of the values at risk that is expected to be lost at the end of the plan"),
    )  # fmt: skip


class RunProgressBar(QStyledItemDelegate):
    """Delegate for the progress column: a bar with text. ``with_time`` adds the time taken or left."""

    with_time = False

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw the bar."""
        super().paint(painter, option, index)
        value = index.data(PROGRESS_ROLE)
        if not isinstance(value, tuple):
            return
        entry, text, color, left_time, after = value
        area = QRectF(option.rect).adjusted(4, 4, -4, -4)
        colors = current_colors()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colors.raised))
        painter.drawRoundedRect(area, 3, 3)
        fill = QColor(color)
        fill.setAlpha(150)
        painter.setBrush(fill)
        painter.drawRoundedRect(bar_part(entry, area), 3, 3)
        painter.setPen(QColor(colors.text))
        longer = [f"{text} · {left_time}{after}", f"{text} · {left_time}"] if self.with_time and left_time else []
        room = [each for each in longer if painter.fontMetrics().horizontalAdvance(each) <= area.width() - 4]
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, next(iter(room), text))
        painter.restore()

    def displayText(self, value: object, locale: object) -> str:
        """Return no text next to the bar."""
        return ""
