"""A plan on the map whose drops can be edited, with an engine that answers at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
from pytestqt.qtbot import QtBot

from firegui.domain.drops import Drop, DropList
from firegui.domain.film import Film
from firegui.domain.results import Frames, Metrics
from firegui.errors import Check
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.planning.plan_preview import PlanPreview
from firegui.gui.session.plan_editor import DropChange
from firegui.gui.session.session import Session, ShownResult, Tool
from firegui.planning.drop_validator import DropValidator
from firegui.runs.plan_preview import PreviewRequest, PreviewResult
from tests.unit.domain.samples import untreated

# S-2T-1 on the first day, S-2T-2 on the second, CL-415-1 on the second; S-2T are grounded on the third.
DROPS = DropList((Drop(10, 0, 20.0, 30.0, 0.0), Drop(60, 1, 10.0, 20.0, 1.0), Drop(70, 2, 30.0, 45.0, 0.5)))


def metrics(extent: float, drops: int) -> Metrics:
    """Return a rollout that burns ``extent`` cells."""
    return Metrics(extent, 0.09 * extent, 200.0, extent / 10, 0.1, 0.2, 0.3, drops, drops, extent)


def extent_of(drops: DropList) -> float:
    """Return the extent: every drop saves ten cells, and one more per column further east."""
    return 1000.0 - sum(10.0 + drop.x for drop in drops.drops)


class FakePreviewer:
    """Test double of the engine: the fire is a square whose side shows how much burns."""

    def __init__(self) -> None:
        self.requests: list[PreviewRequest] = []

    def __call__(self, request: PreviewRequest, check: Check) -> PreviewResult:
        check()
        self.requests.append(request)
        shape, steps = request.project.scenario.grid.shape, request.project.calendar.n_steps
        after = metrics(extent_of(request.after), len(request.after.drops))
        if request.stride is not None:
            count = steps // request.stride + 1
            film = Film.of(np.full((count, *shape), len(request.after.drops), np.uint8))
            return PreviewResult(request, after, frames=Frames(request.stride, film, film, untreated(film), steps))
        fire, change = np.zeros(shape, np.uint8), np.zeros(shape, np.int16)
        fire[:5, :5] = 255
        change[30:, :10] = 200 if request.after != request.before else 0
        before = metrics(extent_of(request.before), len(request.before.drops))
        return PreviewResult(request, after, before, fire, change, int((change > 25).sum()), seconds=0.01)


def show_plan(session: Session, drops: DropList = DROPS) -> None:
    """Show a finished plan of ``drops`` on the map."""
    project = session.project
    shape, steps = project.scenario.grid.shape, project.calendar.n_steps
    fire = Film.of(np.zeros((steps // 5 + 1, *shape), np.uint8))
    frames = Frames(5, fire, fire, untreated(fire), steps)
    session.show_result(
        ShownResult(
            "Whole fire, 19 Aug 14:24", frames, metrics(1000.0, 0), frames, metrics(extent_of(drops), len(drops.drops)),
            DropValidator(project).records(drops), project=project,
        )
    )  # fmt: skip
    session.set_step(10)
    session.set_tool(Tool.DROP)


@contextmanager
def preview_of(
    session: Session, queue: RunQueue, look: Callable[[PreviewRequest, Check], PreviewResult]
) -> Iterator[PlanPreview]:
    """Yield a plan preview that calls ``look``; its thread has ended afterwards."""
    plan_preview = PlanPreview(session, queue, make_preview=lambda: look)
    try:
        yield plan_preview
    finally:
        plan_preview.shutdown()
        plan_preview.deleteLater()


def settled(qtbot: QtBot, session: Session) -> None:
    """Wait until the fire of the edited drops is shown."""
    qtbot.waitUntil(lambda: not session.result.pending)


def shows_preview_of(session: Session, change: DropChange) -> bool:
    """Return whether the answer to ``change`` is shown."""
    preview = session.plan_editor.preview
    return preview is not None and preview.request.after == change.after
