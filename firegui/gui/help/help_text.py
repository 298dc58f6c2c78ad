"""The text of a help page: Markdown with pictures as wide as the dock, places to jump to, and code on a ground."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from PySide6.QtCore import QSize, Qt, QTimer, QUrl
from PySide6.QtGui import (
    QImage,
    QPalette,
    QResizeEvent,
    QTextBlock,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextTable,
    QTextTableFormat,
)
from PySide6.QtWidgets import QFrame, QTextBrowser, QWidget

from firegui.assets import resource

_MARGIN = 8
_SETTLED_MS = 80
_ABOVE_HEADING, _AROUND_CODE = 14, 6
_NO_WORD = re.compile(r"[^\w\s-]")


def place_name(heading: str) -> str:
    """What a link calls a heading behind ``#``: its words in small letters with dashes between them."""
    return "-".join(_NO_WORD.sub("", heading.lower()).split())


class HelpText(QTextBrowser):
    """Shows the Markdown of a page; what a link asks for is left to others."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, openLinks=False)
        self._markdown = ""
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName("Help")
        self.setToolTip("Click a link to go to its page")
        self.document().setDocumentMargin(_MARGIN)
        self.document().setIndentWidth(24)
        # Pictures are drawn for the width of the text; while the dock is dragged they wait for it to come to rest.
        self._resized = QTimer(self, singleShot=True, interval=_SETTLED_MS)
        self._resized.timeout.connect(self.redress)

    def show_markdown(self, markdown: str) -> None:
        """Show a page from its beginning."""
        self._markdown = markdown
        self.setMarkdown(markdown)
        self._dress()

    def go_to(self, place: str) -> bool:
        """Bring the heading that :func:`place_name` calls ``place`` to the top; whether there is one."""
        found = next((block for block in self._headings() if place_name(block.text()) == place), None)
        if found is not None:
            top = self.document().documentLayout().blockBoundingRect(found).top()
            self.verticalScrollBar().setValue(int(top))
        return found is not None

    def redress(self) -> None:
        """Draw the page again where it stands: a text browser keeps the colours that it was filled with."""
        bar = self.verticalScrollBar()
        stood = bar.value() / max(bar.maximum(), 1)
        self.show_markdown(self._markdown)
        bar.setValue(round(stood * bar.maximum()))

    # -- pictures ----------------------------------------------------------------------------------------------------
    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        """A picture of the help, made smaller where the dock is narrower. Nothing else is loaded, from nowhere."""
        path = QUrl(name).path()
        if kind != QTextDocument.ResourceType.ImageResource.value or not path.startswith("pictures/"):
            return None
        image, ratio = QImage(str(resource("help") / path)), self.devicePixelRatioF()
        room = round(self._room() * ratio)
        if image.width() > room:
            image = image.scaledToWidth(max(room, 1), Qt.TransformationMode.SmoothTransformation)
            image.setDevicePixelRatio(ratio)
        return image

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the pictures of the page to another width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width() and "](pictures/" in self._markdown:
            self._resized.start()

    def _room(self) -> int:
        # Counted with a scroll bar even while there is none, or pictures would grow and shrink in turn.
        return self.width() - self.verticalScrollBar().sizeHint().width() - 2 * _MARGIN - 2

    # -- blocks ------------------------------------------------------------------------------------------------------
    def _blocks(self) -> Iterator[QTextBlock]:
        block = self.document().begin()
        while block.isValid():
            yield block
            block = block.next()

    def _headings(self) -> Iterator[QTextBlock]:
        return (block for block in self._blocks() if block.blockFormat().headingLevel() > 0)

    def _dress(self) -> None:
        """Code stands on a ground of its own and breaks where the dock is narrow; tables have quiet lines."""
        ground = self.palette().brush(QPalette.ColorRole.AlternateBase)
        for block in self._blocks():
            form = block.blockFormat()
            if form.headingLevel() > 0 and block.blockNumber() > 0:
                form.setTopMargin(_ABOVE_HEADING)
            elif _is_code(block):
                form.setBackground(ground)
                form.setNonBreakableLines(False)
                form.setTopMargin(0 if _is_code(block.previous()) else _AROUND_CODE)
                form.setBottomMargin(0 if _is_code(block.next()) else _AROUND_CODE)
            else:
                continue
            QTextCursor(block).setBlockFormat(form)
        for frame in self.document().rootFrame().childFrames():
            if isinstance(frame, QTextTable):
                lines = frame.format().toTableFormat()
                lines.setBorderStyle(QTextTableFormat.BorderStyle.BorderStyle_Solid)
                lines.setBorderBrush(self.palette().brush(QPalette.ColorRole.Mid))
                frame.setFormat(lines)

    def minimumSizeHint(self) -> QSize:
        """A dock of help can be made narrow."""
        return QSize(120, 80)


def _is_code(block: QTextBlock) -> bool:
    return block.isValid() and block.blockFormat().hasProperty(QTextFormat.Property.BlockCodeFence.value)
