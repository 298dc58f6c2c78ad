"""Legends as widgets: colour ramps with numbers, and samples with labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QBrush,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from firegui.gui.base.layouts import add_layout, horizontal, plain_label
from firegui.gui.base.legend_width import GAP, MARGINS, SAMPLE_WIDTH, legend_width, text_width
from firegui.gui.map.decorations import scale_image
from firegui.gui.map.layers.layer import Legend, LegendEntry, MapLayer, Sample
from firegui.gui.map.layers.wind_layer import add_arrow
from firegui.gui.map.map_colors import EDGE_CASING, ColorScale, faded

_BETWEEN = 5
"""Pixels between the legends of two layers."""
SAMPLE_SIZE = QSize(SAMPLE_WIDTH, 14)


def swatch_entry(layer: MapLayer, *, faint: bool = False) -> LegendEntry:
    """Return the entry for what the layer draws, faint if the layer has nothing to show.

    Layers of one colour differ by the shape of their samples.
    """
    sample = next((sample for _label, _ink, sample in layer.samples), layer.swatch_sample)
    return LegendEntry(layer.title, faded(layer.swatch, 0.35 if faint else 1.0), sample)


def sample_pixmap(entry: LegendEntry) -> QPixmap:
    """Return a sample of an entry as the map draws it."""
    pixmap = QPixmap(SAMPLE_SIZE * 2)
    pixmap.setDevicePixelRatio(2.0)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    middle = QPointF(SAMPLE_SIZE.width() / 2, SAMPLE_SIZE.height() / 2)
    if entry.sample is Sample.ARROW:
        path = QPainterPath()
        add_arrow(path, middle, 20.0, 0.0)
        painter.strokePath(path, QPen(entry.color, 1.4))
    elif entry.sample is Sample.CASED:
        # Bright on near black, as on the map: without the casing it would be lost on a light card.
        for color, width in ((EDGE_CASING, 6.0), (entry.color, 2.4)):
            painter.setPen(QPen(color, width, c=Qt.PenCapStyle.RoundCap))
            painter.drawLine(QPointF(3, middle.y()), QPointF(SAMPLE_SIZE.width() - 3, middle.y()))
    elif entry.sample in (Sample.LINE, Sample.DASH):
        style = Qt.PenStyle.DashLine if entry.sample is Sample.DASH else Qt.PenStyle.SolidLine
        painter.setPen(QPen(entry.color, 2.0, style))
        painter.drawLine(QPointF(1, middle.y()), QPointF(SAMPLE_SIZE.width() - 1, middle.y()))
    elif entry.sample in (Sample.ELLIPSE, Sample.OUTLINE):
        painter.setPen(QPen(entry.color, 1.4))
        if entry.sample is Sample.ELLIPSE:
            painter.setBrush(faded(entry.color, 0.55))
        painter.drawEllipse(middle, 9.5, 3.5)
    elif entry.sample is Sample.DIAMOND:
        painter.setPen(QPen(entry.color, 1.4))
        painter.drawLine(QPointF(1, middle.y()), QPointF(SAMPLE_SIZE.width() - 1, middle.y()))
        painter.setBrush(entry.color)
        corners = QPointF(0, -5), QPointF(5, 0), QPointF(0, 5), QPointF(-5, 0)
        painter.drawPolygon([middle + corner for corner in corners])
    elif entry.sample is Sample.ROUTE:
        painter.setPen(QPen(entry.color, 1.6, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(1, middle.y()), QPointF(SAMPLE_SIZE.width() - 1, middle.y()))
        painter.fillRect(QRectF(middle.x() - 4, middle.y() - 4, 8, 8), entry.color)
    elif entry.sample is Sample.DISC:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(entry.color)
        painter.drawEllipse(middle, 4.5, 4.5)
    elif entry.sample is Sample.HATCH:
        painter.setPen(QPen(entry.color, 1.2))
        painter.setBrush(QBrush(entry.color, Qt.BrushStyle.BDiagPattern))
        painter.drawRect(QRectF(middle.x() - 9, middle.y() - 5, 18, 10))
    else:
        width = 8.0 if entry.sample is Sample.DOT else 16.0
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(entry.color)
        painter.drawRoundedRect(QRectF(middle.x() - width / 2, middle.y() - 4, width, 8), 2, 2)
    painter.end()
    return pixmap


class _Ramp(QWidget):
    """Colour scale as a bar."""

    def __init__(self, scale: ColorScale) -> None:
        super().__init__()
        self._image = scale_image(scale)
        self.setFixedHeight(10)
        self.setAccessibleName(f"Colour scale of {scale.title}, {scale.low} to {scale.high}")

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the bar."""
        painter = QPainter(self)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawImage(box, self._image)
        painter.setPen(self.palette().mid().color())
        painter.drawRect(box)
        painter.end()


class LegendView(QWidget):
    """Legends of several layers, one below the other, in one column or more."""

    def __init__(self) -> None:
        super().__init__()
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(MARGINS)
        self._columns: list[QVBoxLayout] = []
        self._blocks: dict[str, tuple[Legend, QWidget]] = {}
        self.set_columns(1)

    def set_columns(self, count: int) -> None:
        """Arrange the legends in ``count`` columns of similar height, in their order."""
        if count == len(self._columns):
            return
        while len(self._columns) < count:
            column = QVBoxLayout()
            column.setSpacing(_BETWEEN)
            self._columns.append(column)
            add_layout(self._row, column, 1)
        for column in self._columns[count:]:
            while column.takeAt(0) is not None:
                pass
            self._row.removeItem(column)
            column.deleteLater()
        del self._columns[count:]
        self._arrange()

    @property
    def columns(self) -> int:
        """Number of columns."""
        return len(self._columns)

    def height_in(self, count: int) -> int:
        """Return the height that the legends take in ``count`` columns."""
        heights = self._heights()
        return max(sum(heights[part]) + _BETWEEN * (len(heights[part]) - 1) for part in self._parts(count))

    def _parts(self, count: int) -> list[slice]:
        return [slice(None)] if count == 1 else balanced(self._heights(), count)

    def _heights(self) -> list[int]:
        wide = legend_width() - MARGINS
        return [max(block.heightForWidth(wide), block.sizeHint().height()) for _legend, block in self._blocks.values()]

    def show_layers(self, layers: Sequence[MapLayer]) -> None:
        """Show the legends of ``layers`` and no others.

        Unchanged blocks stay, because a new one is slow to build.
        """
        before, self._blocks = self._blocks, {}
        for layer in layers:
            legend = replace(layer.legend, scale=None) if layer.has_bar else layer.legend
            if legend.scale is None and not legend.entries and not legend.note:
                continue
            old = before.get(layer.key)
            if old is not None and _same(old[0], legend):
                self._blocks[layer.key] = before.pop(layer.key)
            else:
                self._blocks[layer.key] = legend, _block(layer.title, legend)
        for _legend, block in before.values():
            for column in self._columns:
                column.removeWidget(block)
            block.hide()
            block.deleteLater()
        self._arrange()

    def _arrange(self) -> None:
        blocks = [block for _legend, block in self._blocks.values()]
        for column, part in zip(self._columns, self._parts(len(self._columns)), strict=True):
            for place, block in enumerate(blocks[part]):
                if column.indexOf(block) != place:
                    for other in self._columns:
                        other.removeWidget(block)
                    column.insertWidget(place, block)
            # Columns of other heights begin at the top.
            self._row.setAlignment(column, Qt.AlignmentFlag.AlignTop if len(self._columns) > 1 else Qt.AlignmentFlag(0))


def balanced(heights: Sequence[int], count: int) -> list[slice]:
    """Return ``count`` consecutive parts of a list of which the highest is as low as possible."""
    limits = sorted({sum(heights[first:end]) for end in range(len(heights) + 1) for first in range(end)})
    parts: list[slice] = []
    for limit in limits:
        parts, first = [], 0
        for end in range(1, len(heights) + 1):
            if sum(heights[first:end]) > limit:
                parts.append(slice(first, end - 1))
                first = end - 1
        parts.append(slice(first, len(heights)))
        if len(parts) <= count and all(sum(heights[part]) <= limit for part in parts):
            break
    return parts + [slice(len(heights), None)] * (count - len(parts))


def _block(title: str, legend: Legend) -> QWidget:
    block, scale = QWidget(), legend.scale
    column = QVBoxLayout(block)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(1)
    title = legend.title or (scale.title if scale is not None else title)
    if len(legend.entries) == 1:
        (entry,) = legend.entries
        add_layout(column, _entries([replace(entry, label=f"{title}: {entry.label}" if entry.label else title)]))
    elif legend.entries and _columns(legend.entries, text_width(title) + 2 * GAP) == len(legend.entries):
        parts = plain_label(title), (_entries(legend.entries, text_width(title) + 2 * GAP), 1)
        add_layout(column, horizontal(None, *parts, margins=0, spacing=2 * GAP))
    else:
        column.addWidget(_label(title))
        add_layout(column, _entries(legend.entries))
    if scale is not None:
        column.addWidget(_Ramp(scale))
        add_layout(column, _ends(scale))
    if legend.note:
        column.addWidget(_label(legend.note, muted=True))
    return block


def _same(legend: Legend, other: Legend) -> bool:
    # Scales are large: the same one is compared by identity.
    return legend.scale is other.scale and replace(legend, scale=None) == replace(other, scale=None)


class LegendRow(QWidget):
    """Samples with labels, in as many columns as fit."""

    def __init__(self) -> None:
        super().__init__()
        self._entries: tuple[LegendEntry, ...] = ()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(10)
        self._grid.setVerticalSpacing(1)
        self._columns = 0
        self.hide()

    def show_entries(self, entries: Sequence[LegendEntry]) -> None:
        """Show other entries; hide the row if there are none."""
        if tuple(entries) != self._entries:
            self._entries = tuple(entries)
            self._arrange()
        self.setVisible(bool(entries))

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the texts of the labels."""
        return tuple(entry.label for entry in self._entries)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Arrange the columns for the new width."""
        super().resizeEvent(event)
        if self._fitting() != self._columns:
            self._arrange()

    def _fitting(self) -> int:
        metrics = self.fontMetrics()
        widest = max((metrics.horizontalAdvance(entry.label) for entry in self._entries), default=1)
        return max(min(self.width() // (widest + SAMPLE_SIZE.width() + 22), len(self._entries)), 1)

    def _arrange(self) -> None:
        while (item := self._grid.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        self._columns = self._fitting()
        for number, entry in enumerate(self._entries):
            row, column = divmod(number, self._columns)
            sample, words = plain_label(), plain_label(entry.label)
            sample.setPixmap(sample_pixmap(entry))
            words.setProperty("role", "muted")
            self._grid.addWidget(sample, row, 2 * column)
            self._grid.addWidget(words, row, 2 * column + 1)
        for column in range(self._grid.columnCount()):
            self._grid.setColumnStretch(column, column % 2 if column < 2 * self._columns else 0)


def _ends(scale: ColorScale) -> QHBoxLayout:
    row = QHBoxLayout()
    for text, alignment in (
        (scale.low, Qt.AlignmentFlag.AlignLeft),
        (scale.middle, Qt.AlignmentFlag.AlignHCenter),
        (scale.high, Qt.AlignmentFlag.AlignRight),
    ):
        label = _label(text, muted=True)
        label.setAlignment(alignment)
        row.addWidget(label, 1 if text else 0)
    return row


def _columns(entries: Sequence[LegendEntry], taken: int = 0) -> int:
    """Return in how many columns samples and labels fit beside ``taken`` pixels of something else."""
    widths = [SAMPLE_SIZE.width() + 2 * GAP + text_width(entry.label) for entry in entries]
    for columns in range(len(entries), 1, -1):
        if sum(max(widths[column::columns]) for column in range(columns)) + taken <= legend_width() - MARGINS + GAP:
            return columns
    return 1


def _entries(entries: Sequence[LegendEntry], taken: int = 0) -> QGridLayout:
    """Return samples with labels, in as many columns as fit."""
    grid, columns = QGridLayout(), _columns(entries, taken)
    grid.setHorizontalSpacing(GAP)
    grid.setVerticalSpacing(1)
    for number, entry in enumerate(entries):
        row, column = divmod(number, columns)
        grid.addWidget(_sample(entry), row, 2 * column)
        # A label beside others has room; a word wrap would make it narrower.
        words = _label(entry.label, muted=len(entries) > 1)
        words.setWordWrap(columns == 1)
        grid.addWidget(words, row, 2 * column + 1)
    for column in range(columns):
        grid.setColumnStretch(2 * column + 1, 1)
    return grid


def _sample(entry: LegendEntry) -> QLabel:
    sample = plain_label()
    sample.setPixmap(sample_pixmap(entry))
    return sample


def _label(text: str, *, muted: bool = False) -> QLabel:
    label = plain_label(text)
    label.setWordWrap(True)
    if muted:
        label.setProperty("role", "muted")
    return label
