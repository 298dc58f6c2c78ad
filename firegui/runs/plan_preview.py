"""Previews of an edited plan. Each change of a drop rolls out only the days that it can change."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from firegui.domain.drops import DropList
from firegui.domain.project import Project
from firegui.domain.results import Frames, Metrics
from firegui.domain.schedule import Schedule
from firegui.errors import Check
from firegui.runs.engine import Engine

if TYPE_CHECKING:
    from firegui.rollout.model import Model
    from firegui.rollout.preview import RolloutPreview


Bytes = NDArray[np.uint8]

CLEAR_CHANGE = 0.1
"""A cell counts as changed where its probability of fire at the end changes by at least this much."""


@dataclass(frozen=True, slots=True, eq=False)
class PreviewRequest:
    """Request to preview the fire when the drops ``before`` become ``after``, at ``step`` and at the end.

    With ``stride`` the frames of ``after`` for playback are requested instead.
    """

    project: Project
    backend: str
    before: DropList
    after: DropList
    step: int
    stride: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class PreviewResult:
    """Answer to ``request``, at nominal effectiveness; ``fire [H, W]`` is ``P`` of the new plan.

    ``change [H, W]`` is ``P_before − P_after`` at the end in 1/255, int16, and ``changed`` how many cells that are
    :data:`CLEAR_CHANGE` different. Where frames were requested, only ``frames`` and ``after`` are set.
    """

    request: PreviewRequest
    after: Metrics
    before: Metrics | None = None
    fire: Bytes | None = None
    change: NDArray[np.int16] | None = None
    changed: int = 0
    frames: Frames | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class _Base:
    """Plan before the change: its states at the starts of days and its fire."""

    drops: DropList
    glance: RolloutPreview


class PlanPreviewer:
    """Previewer that answers requests in order. It keeps the model and the plan before the change."""

    def __init__(self, engine: Engine | None = None) -> None:
        self._engine = engine or Engine()
        self._made_of: tuple[Project, str] | None = None
        self._model: Model | None = None
        self._base: _Base | None = None

    def preview(self, request: PreviewRequest, check: Check) -> PreviewResult:
        """Return the answer to ``request``. ``check`` may raise to cancel; what is kept stays valid.

        Raises :class:`~firegui.errors.InputError` for a project that cannot be planned.
        """
        model = self._prepared(request, check)
        began = perf_counter()
        if request.stride is not None:
            whole = self._engine.simulate(
                model, _schedule(model, request.after), check=check, frame_stride=request.stride
            )  # fmt: skip
            return PreviewResult(request, whole.metrics, frames=whole.frames, seconds=perf_counter() - began)
        base = self._base_of(model, request, check)
        after = self._after(model, request, base, check)
        end = model.maps.n_steps
        # A state before the change is the same in both.
        fire = after.fire.get(request.step, base.fire[request.step])
        change = base.fire[end].astype(np.int16) - after.fire[end].astype(np.int16)
        changed = int((np.abs(change) >= round(CLEAR_CHANGE * 255)).sum())
        return PreviewResult(
            request, after.metrics, base.metrics, fire, change, changed, seconds=perf_counter() - began
        )

    def _prepared(self, request: PreviewRequest, check: Check) -> Model:
        made_of = self._made_of
        if self._model is None or made_of is None or made_of[0] is not request.project or made_of[1] != request.backend:
            self._model = self._base = None
            project = request.project
            if project.needs_centres:
                project = self._engine.with_burning_centres(project, request.backend, check=check)
            self._model = self._engine.build(project, project.plan.nominal, request.backend, check=check)
            self._made_of = request.project, request.backend
        return self._model

    def _base_of(self, model: Model, request: PreviewRequest, check: Check) -> RolloutPreview:
        known = self._base
        if known is not None and known.drops == request.before and request.step in known.glance.fire:
            return known.glance
        schedule, steps = _schedule(model, request.before), {request.step, model.maps.n_steps}
        found = self._engine.preview_rollout(model, schedule, steps, keep_states=True, check=check)
        self._base = _Base(request.before, found)
        return found

    def _after(self, model: Model, request: PreviewRequest, base: RolloutPreview, check: Check) -> RolloutPreview:
        """Roll out from the start of the day of the first change. Gates and fire before it are the same."""
        first = request.after.first_change(request.before)
        if first is None:
            return base
        start = base.states[first // model.maps.steps_per_day]
        steps = {request.step, model.maps.n_steps}
        return self._engine.preview_rollout(model, _schedule(model, request.after), steps, start=start, check=check)


def _schedule(model: Model, drops: DropList) -> Schedule:
    return drops.schedule(model.maps.n_steps, model.fleet.n_aircraft)
