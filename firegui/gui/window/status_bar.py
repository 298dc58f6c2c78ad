"""The status bar: what is under the mouse, what the window has to say, what it is working on."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QLabel, QStatusBar

from firegui.gui.base.elided_label import ElidedLabel
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.map.map_view import MapView
from firegui.gui.session.session import Session
from firegui.gui.widgets.device_menu import DeviceButton

_MESSAGE_MS = 10_000


class StatusBar(QObject):
    """Side by side: where the mouse is, the latest message, the work in hand, and the device."""

    def __init__(self, session: Session, queue: RunQueue, view: MapView, bar: QStatusBar) -> None:
        super().__init__(bar)
        self._queue = queue
        self.place = _label("Under the mouse")
        self.message = _label("Message")
        self.work = QLabel()
        self.work.setProperty("role", "muted")
        bar.setSizeGripEnabled(False)
        bar.addWidget(self.place, 3)
        bar.addWidget(self.message, 2)
        bar.addPermanentWidget(self.work)
        self.device = DeviceButton(session)
        bar.addPermanentWidget(self.device)
        self._fade = QTimer(self)
        self._fade.setSingleShot(True)
        self._fade.setInterval(_MESSAGE_MS)
        self._fade.timeout.connect(lambda: self._say(""))
        view.hovered.connect(lambda text: self._point_at(str(text)))
        session.message.connect(self._say)
        queue.changed.connect(self._show_work)
        self._point_at("")
        self._say("")
        self._show_work()

    def _point_at(self, text: str) -> None:
        self.place.set_text(text)
        # With the mouse elsewhere a message has the whole bar.
        self.place.setVisible(bool(text))

    def _say(self, text: str) -> None:
        self.message.set_text(text)
        # Without a message the place under the mouse has the whole bar.
        self.message.setVisible(bool(text))
        self._fade.start()

    def _show_work(self) -> None:
        active = self._queue.active
        self.work.setText(self._queue.activity if active is None else f"{active.title} · {active.status}")


def _label(name: str) -> ElidedLabel:
    # A long text ends in an ellipsis rather than making the whole window wider.
    label = ElidedLabel()
    label.setAccessibleDescription(name)
    return label
