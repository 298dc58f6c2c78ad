"""Cards of the list of runs: name and state, what the plan saves, and what it costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from firegui.domain.plan_summary import NO_REGION_BURNS, is_shown_area
from firegui.domain.stress import NOT_STRESS_TESTED, StressTable, case_text, missed_text
from firegui.domain.units import Units, percent_text
from firegui.gui.base.theme import current_colors
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.planning.run_order import gallons, night_drops, saved_ha, values_lost
from firegui.gui.planning.runs_table import RunsModel, bar_color, bar_part, progress_text, status_color, time_text
from firegui.runs.stages import RunState

_PAD, _BAR = 6, 3
_MARGIN = _PAD + 3
"""Pixels between the text of a card and the edge of the list."""
_NAME_LINES = 3
"""Lines of a name at most."""
_WORK_LINES = 3
"""Lines kept for what a run reports while it works: two for its progress and the time left, one for its drops."""
_UNBROKEN_PERCENT = "\N{NO-BREAK SPACE}%"
_CUT = Qt.TextElideMode.ElideMiddle
_SEPARATOR, _WARNING = " · ", "⚠ "
_UNTIL = "until no more drops can be left out"
"""End of a removal from a plan with a margin: how many rounds it takes shows only then."""


def card_lines(entry: RunEntry, units: Units = Units.METRIC, fleet: str = "") -> list[str]:
    """Return the lines below the name of a run.

    First the run that it was edited from, the drops that the aircraft of the open project cannot fly, the verdict of
    the stress test or that there was none, what the run lacks of the open project, and its progress while it works.
    Then what burns of the protected regions and what is lost of values at risk, where the goal counts them; then the
    final size and what the plan saves, with drops, their volume and the ``fleet`` if given; then drops at night and the
    worst stress case.
    """
    misfit = f"{_WARNING}{entry.misfit}" if entry.misfit else ""
    lines = [entry.origin_text, misfit, entry.verdict(units) or _untested_text(entry), _changes_text(entry)]
    if not entry.is_over:
        lines.append(work_words(entry))
    lines += [_regions_text(entry, units), _values_text(entry)]
    saved, drops, used = saved_ha(entry), entry.drops, gallons(entry)
    lines.append(
        _SEPARATOR.join(
            filter(
                None,
                (
                    "" if saved is None else _saved_text(entry, saved, units),
                    "" if drops is None else f"{drops:,} drops",
                    "" if used is None else units.volume(used),
                    fleet,
                ),
            )
        )
    )
    night = night_drops(entry)
    at_night = f"{night:,} at night" if night else ""
    lines.append(_SEPARATOR.join(filter(None, (at_night, _worst_text(entry, units)))))
    return [line for line in lines if line]


def _untested_text(entry: RunEntry) -> str:
    """Return that the plan of a run that has ended was not stress-tested; an exercise needs no test."""
    lacks_test = entry.is_over and entry.summary is not None and entry.stress is None and not entry.flies_loop
    return NOT_STRESS_TESTED.capitalize() if lacks_test else ""


def _changes_text(entry: RunEntry) -> str:
    """Return what the run lacks of the open project, as a warning where it leaves a region unprotected."""
    sign = _WARNING if entry.leaves_unprotected else ""
    return f"{sign}{_SEPARATOR.join(entry.changes)}" if entry.changes else ""


def work_words(entry: RunEntry) -> str:
    """Return what a run prepares, else how far it is and the time left; empty for one that waits.

    ``step 119 of 400 · about 0:15 left``.
    """
    if entry.preparing:
        return entry.preparing
    is_search = not (entry.tactical or entry.flies_loop or entry.prunes)
    if entry.state is RunState.QUEUED or entry.is_stress_testing or (is_search and not entry.epoch):
        return ""
    done = f"step {entry.epoch:,} of {entry.epochs:,}" if is_search else _progress_words(entry)
    return _SEPARATOR.join(filter(None, (done, _time_words(entry))))


def _progress_words(entry: RunEntry) -> str:
    """Return how far a run is, in words: ``round 4, 128 of 530 drops tried``."""
    if entry.prunes and entry.tested[1] and not entry.tactical and not entry.flies_loop:
        return entry.round_text
    return progress_text(entry)


def _time_words(entry: RunEntry) -> str:
    """Return the time left in words, or what ends a removal without an estimate; else nothing."""
    if entry.eta is None:
        return _UNTIL if entry.is_unmeasured else ""
    time, left = time_text(entry)
    part = "" if not entry.more_follows else " of this round" if entry.prunes else " of this part"
    return f"about {time.removesuffix('+')}{left}{part}" if left else time


def _regions_text(entry: RunEntry, units: Units) -> str:
    """Return what burns of the regions at expected effectiveness: ``R1: 0.4 ha burned``.

    Of several that burn, it names the one in which most does. Where nothing does, it says whether that was tested in
    the worst case too. An exercise names its scenario. Empty where the goal does not count them.
    """
    summary = entry.summary
    if summary is None or not summary.protects_regions or summary.all_regions is None:
        return ""
    found = summary.all_regions
    if found.burned_ha is None:
        return ""
    flown = f"{entry.flown_text}: " if entry.flown_text else ""
    if not is_shown_area(found.burned_ha, units):
        if flown:
            return f"{flown}no protected region burned"
        holds_in_all = entry.stress is not None and not _burns_in_worst_case(entry.stress, summary.cell_ha, units)
        return f"{NO_REGION_BURNS.capitalize()}{'' if holds_in_all else ' at expected effectiveness'}"
    most, burned = max(summary.regions, key=lambda region: region.burned_ha or 0.0), units.area(found.burned_ha)
    if units.area(most.burned_ha or 0.0) == burned:
        return f"{flown}{most.name}: {burned} burned"
    return f"{flown}Regions: {burned} burned, most in {most.name}"


def _values_text(entry: RunEntry) -> str:
    """Return the share of the values at risk that is lost: ``Values: 12 % lost``.

    Empty where the goal does not count them.
    """
    lost = values_lost(entry) if entry.summary is not None and entry.summary.counts_values else None
    return "" if lost is None else f"Values: {percent_text(lost)} lost"


def _burns_in_worst_case(stress: StressTable, cell_ha: float, units: Units) -> bool:
    """Return whether something of the regions burns in the worst stress case."""
    return is_shown_area(stress.worst_for_regions.protected_worst * cell_ha, units)


def _worst_text(entry: RunEntry, units: Units) -> str:
    """Return what burns in the worst stress case: of the regions where the goal counts them, else growth."""
    if entry.stress is None:
        return ""
    if entry.summary is not None and entry.summary.protects_regions:
        inside = entry.stress.worst_for_regions
        if not _burns_in_worst_case(entry.stress, entry.summary.cell_ha, units):
            return ""
        burned = units.area(inside.protected_worst * entry.summary.cell_ha)
        of_run, regions = " of the run" if entry.has_other_regions else "", entry.summary.regions
        where = regions[0].name if len(regions) == 1 and not of_run else f"the regions{of_run}"
        plan = None if entry.project is None else entry.project.plan
        within = "" if plan is None or missed_text(entry.stress, plan) else ", within the limit"
        return f"worst case: {burned} of {where}{within} ({case_text(inside.scenario)})"
    worst = entry.stress.worst
    return f"worst case {percent_text(worst.share_worst)} of the growth without drops ({case_text(worst.scenario)})"


def _saved_text(entry: RunEntry, saved: float, units: Units) -> str:
    """Return the final size, the saved area and its share, or how much larger the fire is.

    ``Final size 5.5 ha, 1,198 ha saved (99.5 %)``.
    """
    summary = entry.summary
    share = None if summary is None else summary.saved_share
    size = "" if summary is None or summary.final_ha is None else f"Final size {units.area(summary.final_ha)}, "
    percent = "" if share is None else f" ({percent_text(abs(share))})"
    return f"{size}{units.area(abs(saved))} {'saved' if saved >= 0 else 'larger'}{percent}"


@dataclass(frozen=True, slots=True)
class CardHead:
    """Name of a card in its lines, and the number of lines of name and state."""

    name: tuple[str, ...]
    lines: int


class RunCards(QStyledItemDelegate):
    """Delegate that draws a run as a card, below the heading of its group if it is the first of one."""

    def __init__(self, model: RunsModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = model

    def height(self, place: int, view: QWidget, width: int) -> int:
        """Return the height of a row of ``view``: its card, ``width`` pixels wide, and the heading above it.

        The card of a run that waits or works has the same height until it ends: its reports come many times a second,
        and what is below the list must not move with them.
        """
        metrics, entry = view.fontMetrics(), self._model.row(place)
        room = width - 2 * _MARGIN
        count = len(wrapped_lines(card_lines(entry, self._model.units, self._model.fleet_text(entry)), metrics, room))
        if not entry.is_over:
            lasting = [line for line in (entry.origin_text, _changes_text(entry)) if line]
            count = max(count, len(wrapped_lines(lasting, metrics, room)) + _WORK_LINES)
        count += self.head(place, view.font(), room).lines
        return (count + bool(self._model.heading(place))) * metrics.height() + 2 * _PAD + _BAR

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw the card."""
        colors, entry, place = current_colors(), self._model.row(index.row()), index.row()
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        area, heading = QRect(option.rect), self._model.heading(place)
        line = option.fontMetrics.height()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(area, QColor(colors.base))
        if heading:
            painter.setPen(QColor(colors.muted))
            top = area.adjusted(_PAD, 2, -_PAD, 0)
            painter.setFont(_bold(option.font))
            painter.drawText(top, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, heading)
            area.setTop(area.top() + line)
        frame = QRectF(area).adjusted(2.5, 1.5, -2.5, -1.5)
        focused = bool(option.state & QStyle.StateFlag.State_HasFocus)
        painter.setPen(QPen(QColor(colors.accent if chosen or focused else colors.border), 3.0 if focused else 1.0))
        painter.setBrush(QColor(colors.chosen if chosen else colors.alternate))
        painter.drawRoundedRect(frame, 4, 4)
        text = area.adjusted(_MARGIN, _PAD - 1, -_MARGIN, 0)
        text.setHeight(line)
        head = self.head(place, option.font, text.width())
        self._paint_head(painter, text, option.font, place, head)
        text.translate(0, line * (head.lines - 1))
        painter.setFont(option.font)
        metrics = QFontMetrics(option.font)
        for words in card_lines(entry, self._model.units, self._model.fleet_text(entry)):
            painter.setPen(QColor(colors.warning if words.startswith(_WARNING) else colors.text))
            for part in wrapped_lines([words], metrics, text.width()):
                text.translate(0, line)
                shown = shortened_to(part, metrics, text.width())
                painter.drawText(text, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)
        if not entry.is_over:
            bar = QRectF(frame.left() + 4, frame.bottom() - _BAR, frame.width() - 8, _BAR - 1)
            painter.fillRect(bar_part(entry, bar), QColor(bar_color(entry)))
        painter.restore()

    def _paint_head(self, painter: QPainter, box: QRect, font: QFont, place: int, head: CardHead) -> None:
        """Draw the name, and the state at the right of its last line, else below."""
        colors, below = current_colors(), head.lines > len(head.name)
        at_state = box.translated(0, box.height() * (head.lines - 1))
        painter.setFont(font)
        painter.setPen(QColor(getattr(colors, status_color(self._model.row(place)) or "muted")))
        side = Qt.AlignmentFlag.AlignLeft if below else Qt.AlignmentFlag.AlignRight
        painter.drawText(at_state, side | Qt.AlignmentFlag.AlignVCenter, self._model.state(place))
        painter.setFont(_bold(font) if self._model.is_shown(place) else font)
        painter.setPen(QColor(colors.text))
        for number, part in enumerate(head.name):
            at = box.translated(0, box.height() * number)
            painter.drawText(at, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, part)

    def head(self, place: int, font: QFont, room: int) -> CardHead:
        """Return the lines of name and state in ``room`` pixels.

        The name counts in bold, so that a card keeps its height when its run is shown. The state of a run that waits or
        works is below the name: it changes often, and some are too long for the last line of the name.
        """
        metrics = QFontMetrics(_bold(font))
        name = wrapped_lines([str(self._model.index(place, 0).data())], metrics, room)
        if len(name) > _NAME_LINES:
            rest = " ".join(name[_NAME_LINES - 1 :])
            name = [*name[: _NAME_LINES - 1], metrics.elidedText(rest, Qt.TextElideMode.ElideMiddle, room)]
        name = [shortened_to(part, metrics, room) for part in name]
        beside = QFontMetrics(font).horizontalAdvance(self._model.state(place)) + 2 * _PAD
        has_room = self._model.row(place).is_over and metrics.horizontalAdvance(name[-1]) + beside <= room
        return CardHead(tuple(name), len(name) if has_room else len(name) + 1)

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Put the field of the name on the line of the name."""
        line = option.fontMetrics.height()
        box = QRect(option.rect).adjusted(_PAD - 1, 2, -_PAD, 0)
        box.translate(0, line if self._model.heading(index.row()) else 0)
        box.setHeight(line + 6)
        editor.setGeometry(box)


def wrapped_lines(lines: Sequence[str], metrics: QFontMetrics, room: int) -> list[str]:
    """Return the lines, each broken where it is wider than ``room`` pixels.

    A line breaks between its parts, and between the words of a part that is wider itself, but never before a percent
    sign.
    """
    found = []
    for line in lines:
        shown = ""
        pieces = [
            (_SEPARATOR if not number else " ", word)
            for part in line.replace(" %", _UNBROKEN_PERCENT).split(_SEPARATOR)
            for number, word in enumerate([part] if metrics.horizontalAdvance(part) <= room else part.split(" "))
        ]
        for joint, part in pieces:
            longer = f"{shown}{joint}{part}" if shown else part
            if shown and metrics.horizontalAdvance(longer) > room:
                found.append(shown)
                longer = part
            shown = longer
        found.append(shown)
    return [line.replace(_UNBROKEN_PERCENT, " %") for line in found]


def shortened_to(text: str, metrics: QFontMetrics, room: int) -> str:
    """Return the text, elided where it is wider than ``room`` pixels.

    Qt elides a text that exceeds the room by a part of a pixel, which is not seen.
    """
    return text if metrics.horizontalAdvance(text) <= room else metrics.elidedText(text, _CUT, room)


def _bold(font: QFont) -> QFont:
    made = QFont(font)
    made.setBold(True)
    return made
