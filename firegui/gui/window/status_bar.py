"""Status bar: position under the mouse, latest message, current work, analysis at work and device."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QProgressBar, QSizePolicy, QStatusBar, QWidget

from firegui.domain.units import percent_text
from firegui.gui.analyses.registry import Controller
from firegui.gui.base.controls import tool_button
from firegui.gui.base.dialogs import show_message
from firegui.gui.base.elided_label import ElidedLabel
from firegui.gui.base.layouts import horizontal
from firegui.gui.base.number_text import duration
from firegui.gui.base.plain_text import tooltip
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.map.map_view import MapView
from firegui.gui.planning.run_cards import work_words
from firegui.gui.session.session import Session
from firegui.gui.widgets.device_menu import DeviceButton

_TICK_MS = 1_000
_GAP, _PADDING = 4, 14


_MESSAGE_MS = 10_000
_BAR_WIDTH, _BAR_HEIGHT, _STEPS = 64, 8, 1_000
_PERMANENT = 0.55
"""Largest share of the bar for work and device: the rest is for position and message."""
_AIR = 100
"""Pixels beside the position that work and device leave free: gaps, and the way to a whole message."""


class AnalysisStatus(QWidget):
    """Progress of the analysis at work, with a button for its page and one that stops it.

    It is hidden without an analysis. The first of several is shown; the tooltip names all.
    """

    requested = Signal(str)
    """Show the page of this analysis."""
    changed = Signal()
    """It has another text, or was shown or hidden."""

    def __init__(self, controllers: Mapping[str, Controller], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controllers = controllers
        self._texts: tuple[str, ...] = ("",)
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setFixedSize(_BAR_WIDTH, _BAR_HEIGHT)
        self.progress.setAccessibleName("Progress of the analysis at work")
        self.open = tool_button("", "Open the page of the analysis at work")
        self.open.setAccessibleName("Analysis at work")
        self.open.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.open.clicked.connect(lambda _checked=False: self._show())
        self.stop = tool_button("Stop", "Stop the analysis; what is done is kept")
        self.stop.setAccessibleName("Stop the analysis")
        self.stop.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.stop.clicked.connect(lambda _checked=False: self._stop())
        horizontal(self, self.progress, self.open, self.stop, margins=(0, 0, 0, 0), spacing=_GAP)
        # The time left falls between two reports.
        self._tick = QTimer(self, interval=_TICK_MS)
        self._tick.timeout.connect(self._refresh)
        for controller in controllers.values():
            controller.changed.connect(self._refresh)
        self._refresh()

    @property
    def name(self) -> str:
        """Name of the analysis that is shown, empty for none."""
        return next((name for name, each in self._controllers.items() if each.is_busy), "")

    def fit(self, room: int) -> int:
        """Show as much of the text as fits into ``room``, and return the width that is needed."""
        if not self.name:
            return 0
        metrics, fixed = self.open.fontMetrics(), _BAR_WIDTH + self.stop.sizeHint().width() + 2 * _GAP + _PADDING
        widths = [metrics.horizontalAdvance(text) + fixed for text in self._texts]
        chosen = next((k for k, width in enumerate(widths) if width <= room), len(widths) - 1)
        if self.open.text() != self._texts[chosen]:
            self.open.setText(self._texts[chosen])
        return widths[chosen]

    def _refresh(self) -> None:
        name = self.name
        controller = self._controllers.get(name)
        self.setVisible(controller is not None)
        if controller is None:
            self._tick.stop()
            self.changed.emit()
            return
        if not self._tick.isActive():
            self._tick.start()
        self._texts = status_texts(controller)
        # A range without steps is a bar that moves.
        self.progress.setRange(0, _STEPS if controller.share else 0)
        self.progress.setValue(round(_STEPS * controller.share))
        others = [each.name for each in self._controllers.values() if each.is_busy and each is not controller]
        also = f"\nAlso at work: {', '.join(others)}" if others else ""
        self.open.setToolTip(tooltip(f"{self._texts[0]}\n{controller.activity}{also}\nClick to open its page"))
        self.open.setAccessibleName(self._texts[0])
        self.stop.setEnabled(not controller.is_stopping)
        self.changed.emit()

    def _show(self) -> None:
        if self.name:
            self.requested.emit(self.name)

    def _stop(self) -> None:
        if self.name:
            self._controllers[self.name].stop()


def status_texts(controller: Controller) -> tuple[str, ...]:
    """Return what runs, how far it is and the time left: in full, without the plan, and without the time."""
    whole, kind = controller.name, controller.name.partition(" of ")[0]
    if controller.is_stopping:
        return f"{whole} · Stopping…", f"{kind} · Stopping…"
    if not controller.share:
        return f"{whole} · Preparing…", f"{kind} · Preparing…"
    # Whole percents: the bar shows the rest.
    done, left = percent_text(round(controller.share, 2), 0), controller.seconds_left
    time = f" · about {duration(left)} left" if left else ""
    return f"{whole} · {done}{time}", f"{kind} · {done}{time}", f"{kind} · {done}"


class PlaceReadout(ElidedLabel):
    """Values under the mouse, as wide as the widest of them since the mouse came to the map.

    What stands beside them does not move with every cell.
    """

    widened = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._widest = 0
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def set_text(self, text: str) -> None:
        """Show other values; an empty text ends the visit of the mouse."""
        super().set_text(text)
        widest = max(self._widest, self.width_of(text)) if text else 0
        if widest != self._widest:
            self._widest = widest
            self.updateGeometry()
            self.widened.emit()

    def sizeHint(self) -> QSize:
        """Return the width at which no values are elided."""
        return QSize(self._widest, super().sizeHint().height())


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
        self.place, self.message = PlaceReadout(), ElidedLabel()
        self.place.setAccessibleDescription("Under the mouse")
        self.message.setAccessibleDescription("Message")
        self.details = tool_button("Details", "Show the whole message")
        self.details.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.details.clicked.connect(lambda _checked=False: show_message(self._bar, self.message.text()))
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
        bar.addWidget(self.place)
        bar.addWidget(self.message, 1)
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
        for signal in (session.backend_changed, session.device_changed, self.place.widened):
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
        """Show as much of work and device as leaves room for the position and a message.

        The detected device goes first, then the name of the run. How far the run is stays to the last. An analysis
        leaves a run half of the room.
        """
        room = min(int(_PERMANENT * self._bar.width()), self._bar.width() - self.place.sizeHint().width() - _AIR)
        room -= 0 if self.progress.isHidden() else _BAR_WIDTH
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
