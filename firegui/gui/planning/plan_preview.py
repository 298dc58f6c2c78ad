"""Works out what a change of a drop does to the fire while it is being made.

The thread answers the latest wish and forgets those that it overtook, so what is on screen is never more than one
rollout behind the mouse. It works on values and never sees a widget.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from PySide6.QtCore import QObject, Qt, QThread, Signal, Slot

from firegui.domain.drops import DropList
from firegui.errors import CancelledError
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.map.map_content import Shown
from firegui.gui.planning.edited_plan_saver import EditedPlanSaver
from firegui.gui.session.plan_editor import Change
from firegui.gui.session.reporting import as_input_error
from firegui.gui.session.session import Session, ShownResult, Tool
from firegui.runs.engine_values import Check
from firegui.runs.live import LiveFire, LiveLook, LiveWish

STRIDE = 5
"""Steps between the frames of playback, as a run has them."""
_AT_WORK = "the shown run is still at work: wait until it has ended, or show another one"

Look = Callable[[LiveWish, Check], LiveLook]


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a wish has no answer."""

    error: Exception


class PreviewThread(QThread):
    """Answers the latest of the wishes that it is told, one at a time, until it is ended.

    A wish for frames ends early when another comes; a look at a drop on the move does not, for then a fast mouse would
    never see anything.
    """

    answered = Signal(object)
    """A :class:`LiveLook` or a :class:`Trouble`, delivered in the window's thread."""

    def __init__(self, look: Look, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._news = threading.Condition()
        self._wish: LiveWish | None = None
        self._current: LiveWish | None = None
        self._ends = False

    def tell(self, wish: LiveWish | None) -> None:
        """Answer ``wish`` next, in place of whatever waits; ``None`` lets nothing wait."""
        with self._news:
            self._wish = wish
            self._news.notify()

    def end(self) -> None:
        """Give up what is at work and wait until the thread is over."""
        with self._news:
            self._ends, self._wish = True, None
            self._news.notify()
        self.wait()

    def run(self) -> None:
        """Called by Qt in the new thread."""
        while (wish := self._next()) is not None:
            try:
                self.answered.emit(self._look(wish, self._go_on))
            except CancelledError:
                continue
            except Exception as error:  # whatever goes wrong is said in the window
                self.answered.emit(Trouble(error))

    def _next(self) -> LiveWish | None:
        with self._news:
            self._current = None
            self._news.wait_for(lambda: self._wish is not None or self._ends)
            self._current, self._wish = self._wish, None
            return self._current

    def _go_on(self) -> None:
        overtaken = self._wish is not None and self._current is not None and self._current.stride is not None
        if self._ends or overtaken:
            raise CancelledError("another look is wanted")


class PlanPreview(QObject):
    """Answers what the session's hand wonders about. :meth:`shutdown` must be called before the program ends."""

    def __init__(
        self,
        session: Session,
        queue: RunQueue,
        *,
        look: Callable[[], Look] = lambda: LiveFire().look,
        clock: Callable[[], datetime] = datetime.now,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session, self._hand, self._queue = session, session.hand, queue
        self._make_look = look
        self._thread: PreviewThread | None = None
        self._warmed: ShownResult | None = None
        self._over = False
        self.keeper = EditedPlanSaver(session, queue, clock, self)
        """Keeps what comes of it."""
        self._hand.wondered.connect(self._on_wondered)
        self._hand.edited.connect(self._on_edited)
        session.project_opened.connect(self._end_thread)
        session.step_changed.connect(self._on_step)
        for signal in (session.tool_changed, session.result_changed):
            signal.connect(self._warm)
        queue.changed.connect(self._on_queue)

    def shutdown(self) -> None:
        """End the thread; no other begins."""
        self._over = True
        self.keeper.shutdown()
        self._end_thread()

    # -- looking -----------------------------------------------------------------------------------------------------
    def _tell(self, wish: LiveWish) -> None:
        if self._over:
            return
        if self._thread is None:
            self._thread = PreviewThread(self._make_look(), self)
            self._thread.answered.connect(self._on_answer, Qt.ConnectionType.QueuedConnection)
            self._thread.start()
        self._thread.tell(wish)

    def _wish(self, before: DropList, after: DropList, stride: int | None = None) -> LiveWish:
        shown = Shown.of(self._session)
        assert shown is not None
        return LiveWish(self._hand.project, self._session.backend, before, after, shown.frame_step, stride)

    def _on_wondered(self, change: Change | None) -> None:
        if change is not None:
            self._tell(self._wish(change.before, change.after))
        elif not self._session.result.pending and self._thread is not None:
            self._thread.tell(None)

    def _warm(self) -> None:
        """Make the fire ready once the tool for drops is chosen, so that the first movement finds it."""
        session, hand = self._session, self._hand
        wanted = session.tool is Tool.DROP and hand.change is None and not session.result.pending
        if not wanted or session.result is self._warmed or hand.obstacle:
            return
        self._warmed = session.result
        self._tell(self._wish(hand.drops, hand.drops))

    def _on_step(self, _: int) -> None:
        change = self._hand.change
        if change is not None:
            self._on_wondered(change)

    def _on_edited(self) -> None:
        plan = self._hand.plan
        if plan is not None and self._session.result.pending:
            self._tell(self._wish(plan.drops, plan.drops, STRIDE))

    @Slot(object)
    def _on_answer(self, answer: LiveLook | Trouble) -> None:
        if isinstance(answer, Trouble):
            self._hand.wonder(None)
            self._session.refuse(as_input_error(answer.error, "the drops changed by hand"))
        elif answer.frames is not None:
            self._hand.take_frames(answer)
        elif self._session.has_project and answer.wish.project is self._hand.project:
            self._hand.show_look(answer)

    # -- following ---------------------------------------------------------------------------------------------------
    def _on_queue(self) -> None:
        shown = self._queue.shown
        self._hand.block(_AT_WORK if shown is not None and not shown.is_over else "")

    def _end_thread(self) -> None:
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.answered.disconnect(self._on_answer)
            thread.end()
            thread.deleteLater()
