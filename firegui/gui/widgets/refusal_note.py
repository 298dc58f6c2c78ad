"""Note over a form that says why the text of a field was refused."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtWidgets import QLabel, QScrollArea, QWidget

from firegui.gui.base.theme import set_role

_WIDEST, _GAP, _SHOWN_MS = 300, 2, 10_000


class RefusalNote(QLabel):
    """Note above a field, laid over the form, which does not move. It hides by itself after some seconds."""

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

    def tell(self, text: str, *, stays: bool = False) -> None:
        """Show ``text`` above the field, or below it at the top of the form: the next field stays in view.

        A note that ``stays`` is hidden by its owner.
        """
        page = self._page
        self.setText(text)
        self.setAccessibleName(text)
        width = min(_WIDEST, page.width())
        self.resize(width, self.heightForWidth(width))
        left = self._field.mapTo(page, QPoint(0, 0)).x()
        top = self._field.mapTo(page, QPoint(0, 0)).y() - self.height() - _GAP
        if top < 0:
            top += self.height() + self._field.height() + 2 * _GAP
        self.move(max(min(left, page.width() - width), 0), top)
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
