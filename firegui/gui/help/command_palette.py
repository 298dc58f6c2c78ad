"""Command palette: finds actions, panels, recent projects and help pages by a few letters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QIcon, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)
from shiboken6 import isValid

from firegui.gui.base.layouts import muted_label, vertical
from firegui.gui.base.plain_text import tooltip
from firegui.gui.base.search_rank import MatchRank, search_rank, words_begin
from firegui.gui.base.theme import current_colors

Item = TypeVar("Item")

_ENTRY = Qt.ItemDataRole.UserRole
_MOST = 60
_SIZE = QSize(620, 420)
_ICON = 18
_KIND_PENALTY = 100.0
_PAGE_PENALTY = 10.0
NO_MATCHES = "No matches. Try another word, or find a setting (Ctrl+F)."
HELP_KIND = "Help"
"""Kind of the entries that open a page of the help."""
_RUN, _BEGINNING, _WORD, _GAP, _LENGTH = 8.0, 10.0, 6.0, 0.4, 0.05


@dataclass(frozen=True, slots=True, eq=False)
class PaletteEntry:
    """Entry of the palette. ``kind`` is its menu, or Tool, Panel, Project, Help.

    ``why_not`` is the reason why the entry cannot be run now; empty if it can. ``synonyms`` are other words that
    find it.
    """

    kind: str
    title: str
    help: str
    icon: QIcon
    run: Callable[[], object]
    keys: str = ""
    why_not: str = ""
    synonyms: str = ""


class _EntryDelegate(QStyledItemDelegate):
    """Delegate for an entry: icon and title at the left, kind and keys at the right."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Return the height of one line with a margin."""
        return QSize(200, option.fontMetrics.height() + 12)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw one entry."""
        entry = index.data(_ENTRY)
        if not isinstance(entry, PaletteEntry):
            return
        colors, area = current_colors(), QRect(option.rect)
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(area, QColor(colors.chosen))
        inner = area.adjusted(8, 0, -8, 0)
        entry.icon.paint(painter, QRect(inner.left(), inner.center().y() - _ICON // 2, _ICON, _ICON))
        side = "  ".join(part for part in (entry.kind, entry.keys) if part)
        metrics = painter.fontMetrics()
        right = metrics.horizontalAdvance(side)
        painter.setPen(QColor(colors.muted))
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(inner, middle | Qt.AlignmentFlag.AlignRight, side)
        room = inner.adjusted(_ICON + 8, 0, -right - 16, 0)
        painter.setPen(QColor(colors.muted if entry.why_not else colors.text))
        title = f"{entry.title} ({entry.why_not})" if entry.why_not else entry.title
        painter.drawText(room, middle, metrics.elidedText(title, Qt.TextElideMode.ElideRight, room.width()))
        painter.restore()


class Palette(QFrame):
    """Search field and list over the window.

    Enter runs the selected entry. Esc or a click elsewhere closes the palette.
    """

    closed = Signal()

    def __init__(self, entries: Sequence[PaletteEntry], parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("palette")
        self.setAccessibleName("Commands")
        self.setAutoFillBackground(True)
        self._entries = entries
        self._before: QWidget | None = parent.window().focusWidget()
        self.field = QLineEdit(placeholderText="Command, panel, project or page of the help")
        self.field.setAccessibleName("Search commands")
        self.field.setToolTip(tooltip("Type a few letters; the arrows choose, Enter runs it, Esc closes"))
        self.list = QListWidget()
        self.list.setAccessibleName("Commands found")
        self.list.setToolTip(tooltip("What fits, the best first (arrows and Enter in the field above)"))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setItemDelegate(_EntryDelegate(self.list))
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.help = muted_label()
        vertical(self, self.field, self.list, self.help, margins=10)
        self.field.installEventFilter(self)
        self.field.textChanged.connect(self._fill)
        self.list.currentItemChanged.connect(lambda *_: self._explain())
        self.list.itemClicked.connect(self._take)
        self._fill("")
        size = _SIZE.boundedTo(QSize(parent.width() - 40, parent.height() - 80))
        self.setGeometry((parent.width() - size.width()) // 2, 40, size.width(), size.height())

    @property
    def shown(self) -> tuple[PaletteEntry, ...]:
        """The listed entries."""
        return tuple(self.list.item(row).data(_ENTRY) for row in range(self.list.count()))

    def begin(self, typed: str = "") -> None:
        """Open the palette with a text, ready for typing."""
        self.field.setText(typed)
        self.show()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    def close_palette(self) -> None:
        """Close, and return the focus to the widget that had it."""
        if self.isHidden():
            return
        self.hide()
        if self._before is not None and isValid(self._before):
            self._before.setFocus(Qt.FocusReason.PopupFocusReason)
        self.closed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Handle arrow keys and Enter in the field, and close when the focus leaves."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and self._on_key(event.key()):
            return True
        elsewhere = isinstance(event, QFocusEvent) and event.reason() is not Qt.FocusReason.ActiveWindowFocusReason
        if event.type() == QEvent.Type.FocusOut and elsewhere and not self.isHidden():
            # The widget that took the focus keeps it.
            self._before = None
            self.close_palette()
        return super().eventFilter(watched, event)

    def _on_key(self, key: int) -> bool:
        steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 10, Qt.Key.Key_PageUp: -10}
        if key == Qt.Key.Key_Escape:
            self.close_palette()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if (item := self.list.currentItem()) is not None:
                self._take(item)
        elif key in steps and self.list.count():
            step, row, count = steps[Qt.Key(key)], self.list.currentRow(), self.list.count()
            self.list.setCurrentRow((row + step) % count if abs(step) == 1 else min(max(row + step, 0), count - 1))
        else:
            return False
        return True

    def _fill(self, typed: str) -> None:
        self.list.clear()
        for entry in _usable_first(typed, _matching(typed, self._entries)[:_MOST]):
            item = QListWidgetItem(f"{entry.kind}: {entry.title}")
            item.setData(_ENTRY, entry)
            self.list.addItem(item)
        self.list.setCurrentRow(0)
        self._explain()

    def _explain(self) -> None:
        item = self.list.currentItem()
        entry = item.data(_ENTRY) if item is not None else None
        text = NO_MATCHES if not isinstance(entry, PaletteEntry) else entry.why_not or entry.help
        self.help.setText(text or " ")

    def _take(self, item: QListWidgetItem) -> None:
        entry = item.data(_ENTRY)
        if isinstance(entry, PaletteEntry) and not entry.why_not:
            self.close_palette()
            entry.run()


def meant_entries(typed: str, entries: Iterable[PaletteEntry]) -> list[PaletteEntry]:
    """Return the entries of which words begin with every typed word, as the palette orders them."""
    return _usable_first(typed, [entry for entry in _matching(typed, entries) if _is_meant(typed, entry)])


def _matching(typed: str, entries: Iterable[PaletteEntry]) -> list[PaletteEntry]:
    return best_matches(
        typed, entries, lambda entry: entry.title, lambda entry: entry.kind, lambda entry: entry.synonyms
    )


def _is_meant(typed: str, entry: PaletteEntry) -> bool:
    return bool(typed.strip()) and _words_begin(typed, f"{entry.title} {entry.synonyms}")


def _usable_first(typed: str, found: Sequence[PaletteEntry]) -> list[PaletteEntry]:
    """Return the entries with those that cannot be run now at the end.

    An entry whose words begin as typed comes before those that merely have the letters, even if it cannot be run: it
    says why not.
    """
    meant = [entry for entry in found if _is_meant(typed, entry)]
    if any(entry.why_not for entry in meant):
        return sorted(found, key=lambda entry: (entry not in meant, bool(entry.why_not)))
    return sorted(found, key=lambda entry: bool(entry.why_not))


def _words_begin(typed: str, text: str) -> bool:
    """Return whether every typed word begins a word of ``text``."""
    return words_begin(typed.lower().split(), text.lower())


def match_score(typed: str, title: str) -> float | None:
    """Return how well ``typed`` matches ``title``; ``None`` if its letters are not in it in this order.

    Consecutive letters, and letters at the beginning of the title or of a word, score more. Gaps and length score less.
    Words may come in any order.
    """
    total = 0.0
    for word in typed.lower().split():
        found = _score_word(word, title.lower())
        if found is None:
            return None
        total += found
    return total - _LENGTH * len(title)


def _score_word(word: str, title: str) -> float | None:
    starts = [place for place, letter in enumerate(title) if letter == word[0]]
    found = [value for start in starts if (value := _score_from(word, title, start)) is not None]
    return max(found) if found else None


def _score_from(word: str, title: str, start: int) -> float | None:
    total, last = 0.0, start - 1
    for letter in word:
        place = title.find(letter, last + 1)
        if place < 0:
            return None
        if place == last + 1 and place > start:
            total += _RUN
        elif place == 0:
            total += _BEGINNING
        elif not title[place - 1].isalnum():
            total += _WORD
        total -= _GAP * (place - last - 1)
        last = place
    return total


def _synonym_score(typed: str, title: str, synonyms: str) -> float | None:
    """Return the score of an item of which words of title or synonyms begin with every typed word.

    It is a little less than that of a title that begins with them, and more than that of letters scattered in a title.
    ``None`` if a typed word is missing.
    """
    begun = _words_begin(typed, f"{title} {synonyms}")
    run = sum(_RUN * (len(word) - 1) for word in typed.split())
    return run - _LENGTH * len(title) if synonyms and begun else None


def best_matches(
    typed: str, items: Iterable[Item], title: Callable[[Item], str], kind: Callable[[Item], str],
    synonyms: Callable[[Item], str] = lambda _item: "",
) -> list[Item]:  # fmt: skip
    """Return the matching items, the best first; all of them in their order if ``typed`` is empty.

    A title that is typed to its end comes first, then titles that begin as typed, then those of which words do. Items
    that match only together with their ``kind`` come after those that match by ``title``. Words of ``synonyms`` match
    by their beginning, and come before letters that are scattered in a title. A command comes before the page of the
    help on it.
    """
    if not typed.strip():
        return list(items)
    scored: list[tuple[int, float, Item]] = []
    for item in items:
        alone, together = match_score(typed, title(item)), match_score(typed, f"{title(item)} {kind(item)}")
        other = _synonym_score(typed, title(item), synonyms(item))
        if alone is not None or other is not None:
            best = max(score for score in (alone, other) if score is not None)
            is_page = kind(item) == HELP_KIND
            rank = search_rank(typed, (title(item),))
            begun = MatchRank.INSIDE if rank is None else min(rank + is_page, MatchRank.INSIDE)
            scored.append((begun, best - (_PAGE_PENALTY if is_page else 0.0), item))
        elif together is not None:
            scored.append((MatchRank.DESCRIPTION, together - _KIND_PENALTY, item))
    # The sort is stable: equal scores keep their order.
    return [item for _rank, _value, item in sorted(scored, key=lambda each: (each[0], -each[1]))]
