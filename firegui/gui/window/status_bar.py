"""Status bar: position under the mouse, latest message, current work and device."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QMessageBox, QProgressBar, QSizePolicy, QStatusBar

from firegui.gui.analyses.registry import Controller
from firegui.gui.base.controls import tool_button
from firegui.gui.base.dialogs import message_box
from firegui.gui.base.elided_label import ElidedLabel
from firegui.gui.base.plain_text import tooltip
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.map.map_view import MapView
from firegui.gui.map.readout import SEPARATOR
from firegui.gui.planning.run_cards import work_words
from firegui.gui.session.session import Session
from firegui.gui.widgets.device_menu import DeviceButton
from firegui.gui.window.analysis_status import AnalysisStatus

_MESSAGE_MS = 10_000
_BAR_WIDTH, _BAR_HEIGHT, _STEPS = 64, 8, 1_000
_PERMANENT = 0.55
"""Largest share of the bar for work and device: the rest is for position and message."""


class StatusBar(QObject):
    """Contents of the status bar: position under the mouse, latest message, current work and device."""

    def __init__(
        self,
        session: Session,
        queue: RunQueue,
        view: MapView,
        bar: QStatusBar,
        controllers: Mapping[str, Controller],
    ) -> None:
        super().__init__(bar)
        self._queue, self._session, self._bar = queue, session, bar
        self.place = _label("Under the mouse")
        self.message = _label("Message")
        self.details = tool_button("Details", "Show the whole message")
        self.details.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.details.clicked.connect(lambda _checked=False: self._show_whole())
        self.work = ElidedLabel(role="muted")
        self.work.setAccessibleDescription("Current work")
        self.work.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._work: tuple[str, ...] = ()
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setFixedSize(_BAR_WIDTH, _BAR_HEIGHT)
        self.progress.setToolTip(
            tooltip("How far the run at work is in its present part; it moves while something is prepared")
        )
        self.progress.setAccessibleName("Progress of the run at work")
        bar.setSizeGripEnabled(False)
        bar.addWidget(self.place, 2)
        bar.addWidget(self.message, 3)
        bar.addWidget(self.details)
        self.analysis = AnalysisStatus(controllers)
        self.analysis.changed.connect(self._fit_permanent)
        bar.addPermanentWidget(self.analysis)
        bar.addPermanentWidget(self.progress)
        bar.addPermanentWidget(self.work)
        self.device = DeviceButton(session)
        bar.addPermanentWidget(self.device)
        self._fade = QTimer(self, singleShot=True, interval=_MESSAGE_MS)
        self._fade.timeout.connect(lambda: self._show_message(""))
        # Widths are known after the layout.
        self._fit = QTimer(self, singleShot=True, interval=0)
        self._fit.timeout.connect(self._fit_message)
        for signal in (session.backend_changed, session.device_changed):
            signal.connect(self._fit_permanent)
        view.hovered.connect(lambda text: self._show_place(str(text)))
        session.message.connect(self._show_message)
        # A message about an edit that is taken back, or about another project, is no longer true.
        for signal in (session.project_opened, session.undone, session.redone):
            signal.connect(lambda *_: self._show_message(""))
        queue.changed.connect(self._show_work)
        bar.messageChanged.connect(self._on_tip)
        bar.installEventFilter(self)
        self._show_place("")
        self._show_message("")
        self._show_work()

    def _show_place(self, text: str) -> None:
        self.place.set_text(text)
        # The coordinates are not cut off beside a long message; what stands after them may be.
        self.place.setMinimumWidth(self.place.width_of(f"{text.partition(SEPARATOR)[0]}…"))
        self._arrange()

    def _show_message(self, text: str) -> None:
        self.message.set_text(self._session.units.restate(text))
        self._fade.start()
        if text:
            # The mouse may rest on the button of a tool, whose tip would hide that a run has finished.
            self._bar.clearMessage()
        self._arrange()

    def _on_tip(self, tip: str) -> None:
        """Keep the message while the tip of a command is in its place."""
        if tip:
            self._fade.stop()
        elif self.message.text():
            self._fade.start()
        self._arrange()

    def _arrange(self) -> None:
        """Show position and message where there are any: either has the whole bar without the other.

        The bar paints the tip of a command under the mouse itself, over its whole width, and hides what is in it for
        that time. A label that is shown then would be painted over the tip.
        """
        is_free = not self._bar.currentMessage()
        for label in (self.place, self.message):
            label.setVisible(is_free and bool(label.text()))
        self._fit.start()

    def _fit_message(self) -> None:
        """Offer the whole message if it has no room: its end says what to do."""
        room = self.message.width() + (self.details.width() if self.details.isVisible() else 0)
        needed = self.message.fontMetrics().horizontalAdvance(self.message.text())
        self.details.setVisible(self.message.isVisible() and needed > room)

    def _show_whole(self) -> None:
        box = message_box(self.message.window(), QMessageBox.Icon.Information, "Message", self.message.text())
        box.addButton(QMessageBox.StandardButton.Ok)
        box.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.open()

    def _show_work(self) -> None:
        active = self._queue.active
        parts = () if active is None else (active.title, active.status, work_words(active))
        self._work = tuple(filter(None, parts)) or (self._queue.activity,)
        self.progress.setVisible(active is not None)
        if active is not None:
            # A range without steps is a bar that moves.
            self.progress.setRange(0, 0 if active.is_unmeasured else _STEPS)
            self.progress.setValue(round(_STEPS * active.progress))
        self._fit_permanent()

    def _fit_permanent(self) -> None:
        """Show as much of work and device as leaves room for a message.

        The detected device goes first, then the name of the run. How far the run is stays to the last. An analysis
        leaves a run half of the room.
        """
        room = int(_PERMANENT * self._bar.width()) - (0 if self.progress.isHidden() else _BAR_WIDTH)
        texts = [" · ".join(self._work[first:]) for first in range(len(self._work))]
        device = self.device.width_of(short=True)
        room -= self.analysis.fit(room - device if not texts[0] else (room - device) // 2)
        choices = [(False, texts[0]), *((True, text) for text in texts)]
        for is_short, text in choices:
            others = self.device.width_of(short=is_short)
            if others + self.work.width_of(text) <= room:
                break
        # Only what is shown is set: each text that is set is measured, described and painted.
        self.work.set_text(text)
        self.device.set_short(is_short)
        self.work.setToolTip(tooltip(texts[0]))
        self.work.setAccessibleName(texts[0])
        self.work.setFixedWidth(max(min(self.work.width_of(text), room - others), 0))
        self._fit.start()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Fit the texts to another width or font of the bar."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.FontChange):
            self._fit_permanent()
        return False


def _label(name: str) -> ElidedLabel:
    # A long text is elided, so that it does not widen the window.
    label = ElidedLabel()
    label.setAccessibleDescription(name)
    return label
