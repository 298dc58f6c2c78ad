"""Header of a table whose titles break into lines."""

from __future__ import annotations

from dataclasses import dataclass, field

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QHeaderView, QStyle, QStyleOptionHeader, QWidget

_MOST_LINES = 3
_ARROWS = {Qt.SortOrder.AscendingOrder: "▲", Qt.SortOrder.DescendingOrder: "▼"}


def broken(text: str, width: int, metrics: QFontMetrics) -> str:
    """Return ``text`` in lines that are within ``width``, broken between words."""
    lines: list[str] = []
    for part in text.splitlines():
        line = ""
        for word in part.split(" "):
            longer = f"{line} {word}" if line else word
            if line and metrics.horizontalAdvance(longer) > width:
                lines.append(line)
                longer = word
            line = longer
        lines.append(line)
    return "\n".join(lines)


def least_width(text: str, metrics: QFontMetrics) -> int:
    """Return the smallest width at which ``text`` has at most three lines and no word is cut."""
    words = [part.split(" ") for part in text.splitlines()]
    advance = metrics.horizontalAdvance
    least = max((advance(word) for part in words for word in part), default=0)
    runs = (" ".join(part[first:last]) for part in words for first in range(len(part))
            for last in range(first + 1, len(part) + 1))  # fmt: skip
    most = max(_MOST_LINES, len(words))
    return next(
        (width for width in sorted({advance(run) for run in runs})
         if width >= least and broken(text, width, metrics).count("\n") < most),
        least,
    )  # fmt: skip


@dataclass(slots=True)
class _Measured:
    """What is known of titles in one font and style."""

    metrics: QFontMetrics
    edge: int
    """Width beside the title."""
    least: dict[str, int] = field(default_factory=dict)
    sizes: dict[tuple[str, int], QSize] = field(default_factory=dict)
    """Size of the section of a title by its text and present width."""


class WrappedHeader(QHeaderView):
    """Header whose titles break between words, so that a narrow column of numbers needs no wide title."""

    _kept: _Measured | None = None
    """Qt asks for the sizes of all sections whenever one of them or the table changes."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setSectionsClickable(True)
        self.setTextElideMode(Qt.TextElideMode.ElideNone)

    def title(self, section: int) -> str:
        """Return the title of a column with the line breaks that it has on screen."""
        known = self._measured
        return broken(self._text(section), self.sectionSize(section) - known.edge, known.metrics)

    def sectionSizeFromContents(self, section: int) -> QSize:
        """Return the least width of a column for its title, and the height of the title at the present width."""
        text, width, known = self._text(section), self.sectionSize(section), self._measured
        size = known.sizes.get((text, width))
        if size is None:
            if text not in known.least:
                known.least[text] = least_width(text, known.metrics)
            least = known.least[text]
            shown = broken(text, max(width - known.edge, least), known.metrics)
            size = QSize(least + known.edge, self._size_of(shown, known.metrics).height())
            known.sizes[text, width] = size
        return QSize(size)

    def changeEvent(self, event: QEvent) -> None:
        """Measure anew: the font or the style may be another."""
        self._kept = None
        super().changeEvent(event)

    def initStyleOptionForIndex(self, option: QStyleOptionHeader, section: int) -> None:
        """Paint the title with its line breaks. Qt would paint the arrow of the sorted column over it."""
        super().initStyleOptionForIndex(option, section)
        option.text, option.sortIndicator = self.title(section), QStyleOptionHeader.SortIndicator.None_

    def _text(self, section: int) -> str:
        text = str(self.model().headerData(section, self.orientation()) or "")
        if not self.isSortIndicatorShown() or section != self.sortIndicatorSection():
            return text
        return f"{text}\u00a0{_ARROWS[self.sortIndicatorOrder()]}"

    @property
    def _measured(self) -> _Measured:
        if self._kept is None:
            # The style may draw a title in bold.
            font = self.font()
            font.setBold(True)
            metrics = QFontMetrics(font)
            edge = self._size_of("0", metrics).width() - metrics.horizontalAdvance("0")
            self._kept = _Measured(metrics, edge)
        return self._kept

    def _size_of(self, text: str, metrics: QFontMetrics) -> QSize:
        option = QStyleOptionHeader()
        self.initStyleOption(option)
        option.text, option.fontMetrics = text, metrics
        return self.style().sizeFromContents(QStyle.ContentsType.CT_HeaderSection, option, QSize(), self)
