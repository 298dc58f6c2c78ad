"""Note over a form that says why the text of a field was refused."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt, QTimer
from PySide6.QtWidgets import QLabel, QScrollArea, QWidget

from firegui.gui.base.theme import set_role

_WIDEST, _GAP, _SHOWN_MS = 300, 2, 10_000


class RefusalNote(QLabel):
    """Note above a field, laid over the form, which does not move. It hides by itself after some seconds.

    The note is as high as its whole text.
    """

    def __init__(self, field: QWidget) -> None:
        page = _page_of(field)
        super().__init__(page)
        self._field, self._page = field, page
        self.setObjectName("overlayCard")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setMargin(6)
        set_role(self, "warning")
        self._timer = QTimer(self, singleShot=True, interval=_SHOWN_MS)
        self._timer.timeout.connect(self.hide)
        self.hide()

    def tell(self, text: str, *, stays: bool = False, part: QRect | None = None) -> None:
        """Show ``text`` above the field, or below it where there is no room: the next field stays in view.

        A note that ``stays`` is hidden by its owner. ``part`` is the part of the field that the note is about, such as
        a cell of a table.
        """
        page, part = self._page, self._field.rect() if part is None else part
        self.setText(text)
        self.setAccessibleName(text)
        # Without the frame and the font of the theme, the height would be too small for the text.
        self.ensurePolished()
        width = min(_WIDEST, page.width())
        self.resize(width, self.heightForWidth(width))
        shown, corner = page.visibleRegion().boundingRect(), self._field.mapTo(page, part.topLeft())
        top = corner.y() - self.height() - _GAP
        if top < shown.top():
            below = corner.y() + part.height() + _GAP
            top = below if below + self.height() <= page.height() else max(page.height() - self.height(), 0)
        self.move(max(min(corner.x(), page.width() - width), 0), top)
        self.show()
        self.raise_()
        if stays:
            self._timer.stop()
        else:
            self._timer.start()


def _page_of(field: QWidget) -> QWidget:
    """Return the content of the scroll area that ``field`` is in, else its window."""
    page = field
    while (above := page.parentWidget()) is not None and not page.isWindow():
        if isinstance(above.parentWidget(), QScrollArea):
            break
        page = above
    return page
