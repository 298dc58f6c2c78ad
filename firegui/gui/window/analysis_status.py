"""Part of the status bar on the analysis at work: how far it is, the way to its page, and its end."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QProgressBar, QWidget

from firegui.domain.units import percent_text
from firegui.gui.analyses.registry import Controller
from firegui.gui.base.controls import tool_button
from firegui.gui.base.layouts import horizontal
from firegui.gui.base.number_text import duration
from firegui.gui.base.plain_text import tooltip

_TICK_MS = 1_000
_BAR_WIDTH, _BAR_HEIGHT, _STEPS = 64, 8, 1_000
_GAP, _PADDING = 4, 14


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
