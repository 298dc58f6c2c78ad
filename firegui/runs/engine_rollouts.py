"""The engine's fires as runs see them; see :mod:`firegui.runs.engine`."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from firegui.domain.fleet import Fleet
from firegui.domain.maps import FireMaps
from firegui.domain.project import Project
from firegui.domain.schedule import DropRecord, Schedule
from firegui.domain.settings import Effectiveness
from firegui.domain.uncertainty import WeatherDraw
from firegui.planning.audit import AuditReport, Conditions
from firegui.rollout.remark import Tell, silent
from firegui.runs.engine_values import Check, EngineModel, GradientResult, RolloutResult
from firegui.runs.torch_library import load_ahead, undisturbed


class RolloutCalls:
    """Models, rollouts and what is derived of them."""

    def build(
        self,
        project: Project,
        effectiveness: Effectiveness,
        backend: str,
        precision: str = "float32",
        *,
        tell: Tell = silent,
        check: Check | None = None,
        maps: FireMaps | None = None,
    ) -> EngineModel:
        """See :func:`firegui.planning.problem.build`."""
        if "torch" not in sys.modules:
            with undisturbed():
                load_ahead()
                import_module("firegui.planning.problem")
        model: EngineModel = import_module("firegui.planning.problem").build(
            project, effectiveness=effectiveness, backend=backend, precision=precision, tell=tell, check=check,
            maps=maps,
        )  # fmt: skip
        return model

    def method(self, model: Any) -> str:
        """See :func:`firegui.rollout.backend.method`."""
        return str(import_module("firegui.rollout.backend").method(model))

    def simulate(
        self,
        model: Any,
        schedule: Schedule,
        *,
        check: Check | None = None,
        frame_stride: int | None = None,
        keep_days: bool = False,
    ) -> RolloutResult:
        """See :func:`firegui.rollout.simulate.simulate`."""
        module = import_module("firegui.rollout.simulate")
        rollout: RolloutResult = module.simulate(
            model, schedule, check=check, frame_stride=frame_stride, keep_days=keep_days
        )
        return rollout

    def glance(
        self, model: Any, schedule: Schedule, steps: Collection[int], *, start: Any = None, keep_states: bool = False,
        check: Check | None = None,
    ) -> Any:  # fmt: skip
        """See :func:`firegui.rollout.glance.glance`."""
        module = import_module("firegui.rollout.glance")
        return module.glance(model, schedule, steps, start=start, keep_states=keep_states, check=check)

    def gradient(
        self, model: Any, schedule: Schedule, *, check: Check | None = None
    ) -> tuple[RolloutResult, GradientResult]:
        """See :func:`firegui.rollout.simulate.simulate_with_gradient`."""
        module = import_module("firegui.rollout.simulate")
        rollout, gradient = module.simulate_with_gradient(model, schedule, check=check)
        return rollout, gradient

    def drops(self, model: Any, schedule: Schedule, *, flown: bool = False) -> tuple[DropRecord, ...]:
        """See :func:`firegui.rollout.drops.drop_records`."""
        module = import_module("firegui.rollout.drops")
        records: tuple[DropRecord, ...] = module.drop_records(
            model.maps, model.fleet, schedule, model.rules, flown=flown
        )
        return records

    def audit(
        self,
        schedule: Schedule,
        fleet: Fleet,
        steps_per_day: int,
        shape: tuple[int, int],
        executed: Sequence[tuple[int, int]],
        conditions: Conditions | None = None,
    ) -> AuditReport:
        """See :func:`firegui.planning.audit.audit`."""
        module = import_module("firegui.planning.audit")
        report: AuditReport = module.audit(schedule, fleet, steps_per_day, shape, list(executed), conditions=conditions)
        return report

    def executed(self, schedule: Schedule, project: Project) -> list[tuple[int, int]]:
        """``(step, column)`` of the drops that the rollout's gates let through (:mod:`firegui.rollout.gates`).

        Raises :class:`~firegui.errors.InputError` where the project's operational constraints cannot be kept.
        """
        gates = import_module("firegui.planning.flight_rules").project_gates(schedule, project)
        return [(int(step), int(column)) for step, column in np.argwhere(gates.executed)]

    def project_maps(self, project: Project, check: Check | None = None) -> FireMaps:
        """The frozen model's maps of the planned days (:func:`firegui.fire.maps.project_maps`)."""
        maps: FireMaps = import_module("firegui.fire.maps").project_maps(project, check)
        return maps

    def blown(self, project: Project, draw: WeatherDraw) -> Project:
        """See :func:`firegui.uncertainty.weather.blown`."""
        changed: Project = import_module("firegui.uncertainty.weather").blown(project, draw)
        return changed

    def demo(self) -> Project:
        """The synthetic demo fire (:func:`firegui.fire.demo.make_demo`)."""
        project: Project = import_module("firegui.fire.demo").make_demo()
        return project
