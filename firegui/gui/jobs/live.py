"""Works out what a change of a drop does to the fire while it is being made, and keeps a plan made by hand.

The thread answers the latest wish and forgets those that it overtook, so what is on screen is never more than one
rollout behind the mouse. It works on values and never sees a widget.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QThread, QTimer, Signal, Slot

from firegui.domain.drops import DropList
from firegui.domain.project import Project
from firegui.errors import CancelledError
from firegui.gui.hand import Change, HandPlan
from firegui.gui.jobs.draft import Draft, recovered
from firegui.gui.jobs.queue import RunQueue
from firegui.gui.jobs.specs import WarmStart, plan_spec
from firegui.gui.map.shown import Shown
from firegui.gui.reporting import as_input_error, refusing
from firegui.gui.session import Session, ShownResult, Tool
from firegui.io.schedule_file import write_plan_safetensors
from firegui.runs.live import LiveFire, LiveLook, LiveWish
from firegui.runs.protocols import Check
from firegui.runs.spec import Stage

BY_HAND = "by-hand"
"""The folder of a project that holds the schedules made by hand."""
STRIDE = 5
"""Steps between the frames of playback, as a run has them."""
_AT_WORK = "the shown run is still at work: wait until it has ended, or show another one"

Look = Callable[[LiveWish, Check], LiveLook]


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a wish has no answer."""

    error: Exception


class LiveThread(QThread):
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


class LiveDesk(QObject):
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
        self._make_look, self._clock = look, clock
        self._thread: LiveThread | None = None
        self._unkept: HandPlan | None = None
        self._kept: list[DropList] = []
        self._warmed: ShownResult | None = None
        self._over = False
        self._draft = Draft(self)
        self._keep_later = QTimer(self, singleShot=True, interval=0)
        self._keep_later.timeout.connect(self._keep_run)
        self._waiting: tuple[Project, WarmStart] | None = None
        self._hand.wondered.connect(self._on_wondered)
        self._hand.edited.connect(self._on_edited)
        self._hand.left.connect(self._on_left)
        self._hand.keep_wanted.connect(self.keep)
        session.dirty_changed.connect(self._on_dirty)
        session.project_opened.connect(self._on_opened)
        session.step_changed.connect(self._on_step)
        for signal in (session.tool_changed, session.result_changed):
            signal.connect(self._warm)
        queue.changed.connect(self._on_queue)

    @property
    def has_unkept(self) -> bool:
        """Whether there are drops made by hand that are in no file yet."""
        return self._unkept is not None

    def shutdown(self) -> None:
        """End the thread; no other begins."""
        self._over = True
        self._draft.clear()
        self._end_thread()

    # -- looking -----------------------------------------------------------------------------------------------------
    def _tell(self, wish: LiveWish) -> None:
        if self._over:
            return
        if self._thread is None:
            self._thread = LiveThread(self._make_look(), self)
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
        # What was undone can be done again, and what is as it was before needs no keeping.
        known = plan is None or plan.drops in self._kept or plan.drops == DropList.of(plan.origin.drops)
        self._unkept = None if known else plan
        self._note_draft()
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

    # -- keeping -----------------------------------------------------------------------------------------------------
    def keep(self) -> bool:
        """Write the drops made by hand to a file of the project, and score them as a run; whether they are kept."""
        plan, folder = self._unkept, self._session.folder
        if plan is None or folder is None:
            return False
        project = plan.origin.project or self._session.project
        with refusing(self._session, str(folder / BY_HAND)):
            schedule = plan.drops.schedule(project.calendar.n_steps, project.planned_fleet.n_aircraft)
            file = _free(folder / BY_HAND / f"{self._clock():%Y%m%d-%H%M%S}.safetensors")
            file.parent.mkdir(parents=True, exist_ok=True)
            write_plan_safetensors(file, schedule)
            self._kept.append(plan.drops)
            self._unkept, self._waiting = None, (project, WarmStart(schedule, file))
            self._draft.clear()
            # Not within the saving that may have asked for it.
            self._keep_later.start()
        return self._unkept is None

    def _note_draft(self) -> None:
        """What is in no run yet lies in a file a moment later, where the project has a folder."""
        plan, folder = self._unkept, self._session.folder
        if plan is None or folder is None:
            self._draft.clear()
            return
        project = plan.origin.project or self._session.project
        schedule = plan.drops.schedule(project.calendar.n_steps, project.planned_fleet.n_aircraft)
        self._draft.note(folder / BY_HAND, schedule)

    def _keep_run(self) -> None:
        waiting, self._waiting = self._waiting, None
        folder = self._session.folder
        if waiting is None or folder is None:
            return
        project, start = waiting
        taken = [entry.folder for entry in self._queue.entries]
        self._queue.start(
            plan_spec(
                project, folder, self._clock(), stages=(Stage.KEEP,), start=start, backend=self._session.backend,
                taken=taken,
            )
        )  # fmt: skip

    def _on_dirty(self, dirty: bool) -> None:
        # Saving the project saves what was done to the drops too.
        if not dirty:
            self.keep()

    def _on_left(self, plan: HandPlan) -> None:
        """The plan made by hand left the screen; what is in no file yet must not be lost with it."""
        if self._unkept is plan:
            self.keep()

    # -- following ---------------------------------------------------------------------------------------------------
    def _on_opened(self) -> None:
        self._unkept, self._waiting = None, None
        self._kept.clear()
        self._draft.clear()
        folder = self._session.folder
        left = None if folder is None else recovered(folder / BY_HAND, self._clock())
        if left is not None:
            self._session.message.emit(f"Drops changed by hand that were not saved lie in {left}: start a run from it")
        self._end_thread()

    def _on_queue(self) -> None:
        shown = self._queue.shown
        self._hand.block(_AT_WORK if shown is not None and not shown.is_over else "")

    def _end_thread(self) -> None:
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.answered.disconnect(self._on_answer)
            thread.end()
            thread.deleteLater()


def _free(file: Path) -> Path:
    """``file``, with a number behind its name where that is there already."""
    found, number = file, 1
    while found.exists():
        number += 1
        found = file.with_name(f"{file.stem}-{number}{file.suffix}")
    return found
