"""Previews of the effect of a changed drop on the fire, while the drop is being changed.

The thread answers the latest request and drops earlier ones, so the screen is never more than one rollout behind the
mouse. It works on values and never uses a widget.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import QObject, Qt, Slot

from firegui.domain.drops import DropList
from firegui.errors import CancelledError, Check
from firegui.gui.base.tasks import Task
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.map.map_content import MapState
from firegui.gui.planning.edited_plan_saver import EditedPlanSaver
from firegui.gui.session.plan_editor import DropChange
from firegui.gui.session.reporting import as_input_error
from firegui.gui.session.session import Session, ShownResult, Tool
from firegui.runs.plan_preview import PlanPreviewer, PreviewRequest, PreviewResult

STRIDE = 5
"""Steps between the frames of playback, as in a run."""
_RUNNING = "the shown run is still running: wait until it has ended, or show another one"

Preview = Callable[[PreviewRequest, Check], PreviewResult]


class PreviewLoop:
    """Loop that answers the latest requests in the thread of a :class:`Task`, until :meth:`end`.

    A request for the effect of a change and one for frames wait beside each other; the effect comes first. Frames give
    way to another request and are made after it. The effect of a drop that is being moved does not: during a fast
    movement no answer would ever arrive.
    """

    def __init__(self, preview: Preview) -> None:
        self._preview = preview
        self._changed = threading.Condition()
        self._effect: PreviewRequest | None = None
        self._frames: PreviewRequest | None = None
        self._makes_frames = False
        self._ends = False

    def request(self, request: PreviewRequest) -> None:
        """Set the next request, and replace one of its kind that waits."""
        with self._changed:
            if request.stride is None:
                self._effect = request
            else:
                self._frames = request
            self._changed.notify()

    def forget(self, *, frames: bool) -> None:
        """Remove the waiting request for an effect, and that for ``frames``."""
        with self._changed:
            self._effect = None
            if frames:
                self._frames = None

    def end(self) -> None:
        """Cancel the current request and end the loop. Returns at once."""
        with self._changed:
            self._ends = True
            self._changed.notify()

    def run(self, task: Task[None]) -> None:
        """Report a :class:`PreviewResult` or exception per request. Called in the thread of ``task``."""
        while (request := self._next()) is not None:
            try:
                task.reported.emit(self._preview(request, self._check))
            except CancelledError:
                with self._changed:
                    self._frames = self._frames or request
            except Exception as error:  # Shown by the window.
                task.reported.emit(error)

    def _next(self) -> PreviewRequest | None:
        with self._changed:
            self._changed.wait_for(lambda: self._effect or self._frames or self._ends)
            if self._ends:
                return None
            request, self._makes_frames = self._effect or self._frames, self._effect is None
            if self._makes_frames:
                self._frames = None
            else:
                self._effect = None
            return request

    def _check(self) -> None:
        if self._ends or (self._makes_frames and (self._effect or self._frames)):
            raise CancelledError("another preview was requested")


class PlanPreview(QObject):
    """Previews that the session's plan editor requests, and the fire of the edited plan.

    :meth:`shutdown` must be called before the program ends.
    """

    def __init__(
        self,
        session: Session,
        queue: RunQueue,
        *,
        make_preview: Callable[[], Preview] = lambda: PlanPreviewer().preview,
        clock: Callable[[], datetime] = datetime.now,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session, self._editor, self._queue = session, session.plan_editor, queue
        self._make_preview = make_preview
        self._loop: PreviewLoop | None = None
        self._task: Task[None] | None = None
        self._prepared: ShownResult | None = None
        self._is_shut_down = False
        self.saver = EditedPlanSaver(session, queue, clock, self)
        self._editor.preview_requested.connect(self._on_preview_requested)
        self._editor.edited.connect(self._on_edited)
        session.project_opened.connect(self._end_thread)
        session.step_changed.connect(self._on_step)
        for signal in (session.tool_changed, session.result_changed):
            signal.connect(self._prepare)
        queue.changed.connect(self._on_queue)

    def shutdown(self) -> None:
        """Stop the thread for good."""
        self._is_shut_down = True
        self.saver.shutdown()
        self._end_thread()

    def _request(self, before: DropList, after: DropList, stride: int | None = None) -> None:
        shown = MapState.of(self._session)
        if self._is_shut_down or shown is None:
            return
        if self._loop is None:
            self._loop = PreviewLoop(self._make_preview())
            self._task = Task(self._loop.run, self)
            self._task.reported.connect(self._on_answer, Qt.ConnectionType.QueuedConnection)
            self._task.start()
        backend = self._session.backend
        self._loop.request(PreviewRequest(self._editor.project, backend, before, after, shown.frame_step, stride))

    def _on_preview_requested(self, change: DropChange | None) -> None:
        if change is not None:
            self._request(change.before, change.after)
        elif self._loop is not None:
            self._loop.forget(frames=not self._session.result.pending)

    def _prepare(self) -> None:
        """Simulate the fire once the drop tool is selected, so that the first movement is answered at once."""
        session, editor = self._session, self._editor
        wanted = session.tool is Tool.DROP and editor.change is None and not session.result.pending
        if not wanted or session.result is self._prepared or editor.obstacle:
            return
        self._prepared = session.result
        self._request(editor.drops, editor.drops)

    def _on_step(self, _: int) -> None:
        change = self._editor.change
        if change is not None:
            self._on_preview_requested(change)

    def _on_edited(self) -> None:
        plan = self._editor.plan
        if plan is not None and self._session.result.pending:
            self._request(plan.drops, plan.drops, STRIDE)

    @Slot(object)
    def _on_answer(self, answer: PreviewResult | Exception) -> None:
        if isinstance(answer, Exception):
            self._editor.request_preview(None)
            self._session.refuse(as_input_error(answer, "the drops changed by hand"))
        elif answer.frames is not None:
            self._editor.show_frames(answer)
        elif self._session.has_project and answer.request.project is self._editor.project:
            self._editor.show_preview(answer)

    def _on_queue(self) -> None:
        self._editor.block(_RUNNING if self._queue.shows_search else "")

    def _end_thread(self) -> None:
        loop, self._loop, task, self._task = self._loop, None, self._task, None
        if loop is not None and task is not None:
            task.reported.disconnect(self._on_answer)
            loop.end()
            task.join()
            task.deleteLater()
