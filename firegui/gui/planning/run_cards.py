"""Cards of the list of runs: name and state, what the plan saves, and what it costs."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from firegui.domain.plan_summary import percent_text, saved_share
from firegui.domain.units import Units
from firegui.gui.base.theme import current_colors
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.planning.run_order import gallons, night_drops, saved_ha
from firegui.gui.planning.runs_table import RunsModel, bar_color, progress_text, state_color, time_text

_PAD, _BAR = 6, 3
_SEPARATOR = " · "


def card_lines(entry: RunEntry, units: Units = Units.METRIC) -> list[str]:
    """Return the lines below the name of a run.

    First what burns of the protected regions, where the goal counts them; then what its plan saves, with drops and
    gallons; then drops at night and the worst stress case. A run at work has its progress first.
    """
    lines = []
    if not entry.is_over:
        time, left = time_text(entry)
        lines.append(_SEPARATOR.join(filter(None, (progress_text(entry), f"{time}{left}" if time else ""))))
    lines.append(_regions_text(entry, units))
    saved, drops, used = saved_ha(entry), entry.drops, gallons(entry)
    lines.append(
        _SEPARATOR.join(
            filter(
                None,
                (
                    "" if saved is None else _saved_text(entry, saved, units),
                    "" if drops is None else f"{drops:,} drops",
                    "" if used is None else f"{used:,.0f} gal",
                ),
            )
        )
    )
    night = night_drops(entry)
    worst = "" if entry.stress is None else f"worst case {percent_text(entry.stress.worst.share_worst)} growth left"
    lines.append(_SEPARATOR.join(filter(None, ("" if night is None else f"{night:,} at night", worst))))
    return [line for line in lines if line]


def _regions_text(entry: RunEntry, units: Units) -> str:
    """Return what burns of the regions: ``R1: 0.4 ha of 52.0 ha burned``.

    Empty where the goal does not count them.
    """
    summary = entry.summary
    if summary is None or not summary.protects_regions or summary.all_regions is None:
        return ""
    found = replace(summary.all_regions, burned_ha_no_drops=None)
    return f"{found.name or 'Regions'}: {found.text(summary.bare, units)}"


def _saved_text(entry: RunEntry, saved: float, units: Units) -> str:
    """Return the saved area and its share: ``1,198 ha saved (99.5 %)``, or how much larger the fire is."""
    summary = entry.summary
    share = None
    if summary is not None and summary.final_ha is not None:
        share = saved_share(summary.final_ha, summary.final_ha_no_drops)
    percent = "" if share is None else f" ({percent_text(abs(share))})"
    return f"{units.area(abs(saved))} {'saved' if saved >= 0 else 'larger'}{percent}"


class RunCards(QStyledItemDelegate):
    """Delegate that draws a run as a card, below the heading of its group if it is the first of one."""

    def __init__(self, model: RunsModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = model

    def height(self, place: int, view: QWidget) -> int:
        """Return the height of the card in a row, with the heading above it."""
        line = view.fontMetrics().height()
        lines = 1 + len(card_lines(self._model.row(place), self._model.units)) + bool(self._model.heading(place))
        return lines * line + 2 * _PAD + _BAR

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
        focused = chosen and bool(option.state & QStyle.StateFlag.State_HasFocus)
        painter.setPen(QColor(colors.accent if chosen or focused else colors.border))
        painter.setBrush(QColor(colors.chosen if chosen else colors.alternate))
        painter.drawRoundedRect(frame, 4, 4)
        text = area.adjusted(_PAD + 3, _PAD - 1, -_PAD - 3, 0)
        text.setHeight(line)
        self._paint_head(painter, text, option.font, entry, place)
        painter.setFont(option.font)
        painter.setPen(QColor(colors.text))
        for words in card_lines(entry, self._model.units):
            text.translate(0, line)
            shown = QFontMetrics(option.font).elidedText(words, Qt.TextElideMode.ElideRight, text.width())
            painter.drawText(text, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)
        if not entry.is_over:
            whole = QRectF(frame.left() + 4, frame.bottom() - _BAR, (frame.width() - 8) * entry.progress, _BAR - 1)
            painter.fillRect(whole, QColor(bar_color(entry)))
        painter.restore()

    def _paint_head(self, painter: QPainter, box: QRect, font: QFont, entry: RunEntry, place: int) -> None:
        """Draw the name, and the state at the right."""
        colors = current_colors()
        state = f"⚠ {entry.status}" if entry.stale else entry.status
        width = QFontMetrics(font).horizontalAdvance(state)
        painter.setFont(font)
        painter.setPen(QColor(getattr(colors, state_color(entry) or "muted")))
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, state)
        name_font = _bold(font) if self._model.is_shown(place) else font
        painter.setFont(name_font)
        painter.setPen(QColor(colors.text))
        name = str(self._model.index(place, 0).data())
        room = box.width() - width - 2 * _PAD
        shown = QFontMetrics(name_font).elidedText(name, Qt.TextElideMode.ElideMiddle, room)
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Put the field of the name on the line of the name."""
        line = option.fontMetrics.height()
        box = QRect(option.rect).adjusted(_PAD - 1, 2, -_PAD, 0)
        box.translate(0, line if self._model.heading(index.row()) else 0)
        box.setHeight(line + 6)
        editor.setGeometry(box)


def _bold(font: QFont) -> QFont:
    made = QFont(font)
    made.setBold(True)
    return made
