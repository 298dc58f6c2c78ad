"""Scaling study (paper, section ``scaling``): cost and result of a gradient on larger problems."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from firegui.domain.fleet import Fleet
from firegui.domain.maps import FireMaps
from firegui.domain.operations import Operations
from firegui.domain.project import Project
from firegui.domain.scaling import (
    QualityRow,
    QualityTask,
    ScalingAxis,
    ScalingCase,
    ScalingRow,
    ScalingSettings,
    Timings,
    part_of,
)
from firegui.domain.schedule import Schedule
from firegui.domain.settings import OptimizerSettings
from firegui.errors import Check
from firegui.io.cache_folder import processor
from firegui.io.rasters.masks import region_masks
from firegui.planning.benchmark import planner_of
from firegui.planning.evaluations import Evaluations
from firegui.planning.gradient import GradientPlanner
from firegui.planning.initialization import front_schedule
from firegui.planning.planner_context import PlannerContext
from firegui.planning.problem import build
from firegui.planning.shared_objective import SharedObjective
from firegui.rollout.backend import kernel_threads
from firegui.rollout.benchmark import PAUSE_S, once
from firegui.rollout.engine_message import MessageCallback
from firegui.rollout.gates import gates_of
from firegui.rollout.machine import available_memory, compilers
from firegui.rollout.model import Model
from firegui.rollout.simulate import prepare, simulate

Hear = Callable[[int, int, str], None]
"""Hears before every piece of work how many are done, of how many, and what comes next."""
Keep = Callable[[tuple[ScalingRow, ...]], None]

FLYING_LOGIT = 0.04
"""Just above the threshold, as far as stage 1 starts below it."""


class ScalingTimer:
    """Timing of rollouts, gradient steps and searches at the fleet sizes of ``project``."""

    def __init__(self, project: Project, backend: str, tell: MessageCallback, check: Check) -> None:
        """Raise :class:`~firegui.errors.InputError` for a project that cannot be planned."""
        self._fires = ScalingFires(project, backend, tell, check)
        self._optimizer = project.plan.optimizer

    @property
    def model(self) -> Model:
        """The largest problem."""
        return self._fires.whole

    @property
    def machine(self) -> Mapping[str, Any]:
        """Properties of the machine that decide its speed: processor, cores, threads, card and compilers."""
        card = torch.cuda.get_device_name() if self.model.device.startswith("cuda") else ""
        found = {name: text for name, text in compilers().items() if name in ("numba", "llvmlite", "triton") and text}
        return {
            "processor": processor(),
            "cores": os.cpu_count() or 1,
            "kernel_threads": kernel_threads(),
            "torch_threads": torch.get_num_threads(),
            "card": card,
            **found,
        }

    def times(
        self, cases: Sequence[ScalingCase], settings: ScalingSettings, done: Sequence[ScalingRow], *, hear: Hear,
        keep: Keep, check: Check,
    ) -> tuple[ScalingRow, ...]:  # fmt: skip
        """Return the row of every one of ``cases``, those ``done`` as far as they are.

        A round times every setting once; ``keep`` hears all rows after each, so whole rounds are what is kept. All
        settings take part in a round, so that a machine that slows down slows all of them, unless their fires do not
        fit into memory together.
        """
        rows = {row.case: row for row in done}
        for group in self._fires.groups(cases):
            least = min(rows[case].repeats if case in rows else 0 for case in group)
            if least >= settings.repeats:
                continue
            timers = self._prepared(group, hear, check)
            for number in range(settings.warm_ups):
                hear(number, settings.warm_ups, "Warming up")
                for timer in timers:
                    timer.timed(timer.blank, check)
            for number in range(least, settings.repeats):
                hear(number, settings.repeats, f"Timing {len(group)} settings in turn")
                for timer in timers:
                    row = rows.get(timer.case, timer.blank)
                    rows[timer.case] = timer.timed(row, check) if row.repeats <= number else row
                keep(tuple(rows[case] for case in cases if case in rows))
            self._fires.forget()
        return tuple(rows[case] for case in cases)

    def _prepared(self, group: Sequence[ScalingCase], hear: Hear, check: Check) -> list[_Timer]:
        timers = []
        for number, case in enumerate(group):
            hear(number, len(group), f"Preparing {case.label}")
            timers.append(_Timer(case, self._fires.model(case), self._optimizer, check))
        return timers

    def search(
        self, cases: Sequence[ScalingCase], task: QualityTask, settings: ScalingSettings, check: Check
    ) -> QualityRow:
        """Carry ``task`` out on the fleet sweep's problem of its size.

        The planners are the benchmark's, on its shared objective; without a budget that is the project's own objective.
        """
        case = next(case for case in cases if case.sweep is ScalingAxis.FLEET and case.aircraft == task.aircraft)
        model = self._fires.model(case)
        nothing = Schedule.empty(model.n_steps, model.fleet.n_aircraft)
        budget = settings.budget or most_drops(model)
        began = time.process_time()
        context = PlannerContext(
            model,
            Evaluations(model, SharedObjective(budget), settings.evaluations),
            replace(self._optimizer, seed=task.seed),
        )
        planner = planner_of(task.planner, context, None)
        while not planner.finished:
            planner.advance(check)
        seconds = time.process_time() - began
        found = context.evaluations
        return QualityRow(
            task=task,
            dimension=case.dimension,
            searched=planner.dimension,
            baseline=simulate(model, nothing, check=check).metrics.objective,
            objective=found.best_objective,
            drops=executed_drops(model, found.best),
            budget=budget,
            evaluations=found.spent,
            seconds=seconds,
        )


class _Timer:
    """One setting, with the two schedules that it is timed with."""

    def __init__(self, case: ScalingCase, model: Model, settings: OptimizerSettings, check: Check) -> None:
        self.case, self._model, self._settings = case, model, settings
        self._start = front_schedule(model, settings, check=check)
        self._flying = replace(self._start, logits=np.full_like(self._start.logits, FLYING_LOGIT))
        nothing = Schedule.empty(model.n_steps, model.fleet.n_aircraft)
        fire = simulate(model, nothing, check=check).metrics.final_extent_cells
        start, flying = (Timings(executed_drops(model, one)) for one in (self._start, self._flying))
        self.blank = ScalingRow(case, fire, start, flying)

    def timed(self, row: ScalingRow, check: Check) -> ScalingRow:
        """Return ``row`` with one more repeat."""
        start = row.start.plus(*self._pair(self._start, check))
        return replace(row, start=start, flying=row.flying.plus(*self._pair(self._flying, check)))

    def _pair(self, schedule: Schedule, check: Check) -> tuple[float, float]:
        """Return the milliseconds of a rollout and of a gradient step of ``schedule``.

        Every repeat uses the same schedule.
        """
        model, settings = self._model, self._settings
        time.sleep(PAUSE_S)
        rollout = once(lambda: simulate(model, schedule, check=check))
        time.sleep(PAUSE_S)
        return rollout, once(lambda: GradientPlanner(model, settings, schedule).epoch(check))


def executed_drops(model: Model, schedule: Schedule) -> int:
    """Return the drops that the gates let through. They do not depend on the fire."""
    return int(gates_of(schedule, model.fleet, model.maps, model.rules).executed.sum())


def most_drops(model: Model) -> int:
    """Return as many drops as the fleet can make.

    Every pair proposes one, and only the gates decide.
    """
    schedule = Schedule.empty(model.n_steps, model.fleet.n_aircraft)
    return executed_drops(model, replace(schedule, logits=np.ones_like(schedule.logits)))


Window = tuple[slice, slice]

BYTES_PER_CELL_AND_DAY = 3 * 4 * (8 + 1 + 2)
"""Of a fire: its maps, the gains laid out from them, and the way there."""
ROOM_SHARE = 0.5
"""Of the free memory that fires held at once may take."""

_Size = tuple[int, int, int]


class ScalingFires:
    """Fires of a study from one project, at nominal effectiveness.

    Operational constraints are left out: the paper's table knows only turnaround and grounded days, and pins and zones
    would not lie in every part of the raster. Settings with the same fire share it.
    """

    def __init__(self, project: Project, backend: str, tell: MessageCallback, check: Check) -> None:
        """Raise :class:`~firegui.errors.InputError` for a project that cannot be planned."""
        bare = replace(project, operations=Operations(), fleet=project.fleet.without_limits)
        nominal = project.plan.nominal
        self.whole = build(bare, effectiveness=nominal, backend=backend, tell=tell, check=check)
        self._project, self._backend = bare, backend
        self._masks = region_masks(project.regions, self.whole.shape)
        self._kept: dict[_Size, Model] = {}

    def model(self, case: ScalingCase) -> Model:
        """Return the problem of ``case``; its fire is kept until :meth:`forget`."""
        fleet = grounded_within(part_of(self._project.planned_fleet, case.aircraft), case.days)
        return replace(self._fire(_size(case)), fleet=fleet)

    def forget(self) -> None:
        """Let go of every fire but the whole one."""
        self._kept.clear()

    def groups(self, cases: Sequence[ScalingCase]) -> list[list[ScalingCase]]:
        """Return ``cases`` in groups whose fires fit into memory together: one, unless memory is short."""
        room = available_memory()
        return grouped(cases, None if room is None else ROOM_SHARE * room)

    def _fire(self, size: _Size) -> Model:
        if size == (*self.whole.shape, self.whole.maps.days):
            return self.whole
        if size not in self._kept:
            self._kept[size] = self._prepared(size)
        return self._kept[size]

    def _prepared(self, size: _Size) -> Model:
        rows, columns, days = size
        whole, plan = self.whole, self._project.plan
        window = window_around(whole.maps.ignition, (rows, columns))
        masks = self._masks[:, window[0], window[1]]
        inside = np.array([mask.any() for mask in masks], bool)
        weights = [region.weight for region, there in zip(self._project.regions, inside.tolist(), strict=True) if there]
        return prepare(
            part_of_maps(whole.maps.window(0, days), window),
            whole.fleet,
            masks[inside],
            weights,
            weights=plan.weights,
            effectiveness=plan.nominal,
            retardant_acts_on=plan.retardant_acts_on,
            backend=self._backend,
            tell=whole.tell,
        )


def grouped(cases: Sequence[ScalingCase], room: float | None) -> list[list[ScalingCase]]:
    """Return ``cases`` in their order, grouped so that the fires of a group fit into ``room`` bytes.

    A fire that does not fit alone is tried alone. ``None`` is room enough.
    """
    groups: list[list[ScalingCase]] = []
    held: set[_Size] = set()
    taken = 0.0
    for case in cases:
        size = _size(case)
        need = 0.0 if size in held else float(BYTES_PER_CELL_AND_DAY * case.cells * case.days)
        if not groups or (room is not None and need > 0.0 and taken + need > room):
            groups.append([])
            held, taken = set(), 0.0
            need = float(BYTES_PER_CELL_AND_DAY * case.cells * case.days)
        groups[-1].append(case)
        held.add(size)
        taken += need
    return groups


def grounded_within(fleet: Fleet, days: int) -> Fleet:
    """Return the fleet with the grounded days of its first ``days`` alone."""
    kinds = (kind.with_grounded_days(tuple(day for day in kind.grounded_days if day < days)) for kind in fleet.types)
    return replace(fleet, types=tuple(kinds))


def window_around(ignition: NDArray[np.bool_], shape: tuple[int, int]) -> Window:
    """Return a part of the raster, of ``shape``, with the start of the fire in its middle.

    Near the rim it is moved inward. Its middle is the burning cell nearest to the centroid of all, so that there is
    always a fire in it. A window keeps the cells as they are. On a coarser raster of the same extent the same daily
    maps would carry the fire several times as fast, and a footprint would shrink to a fraction of a cell: another fire
    and another problem.
    """
    cells = np.argwhere(ignition)
    middle = cells[np.argmin(((cells - cells.mean(axis=0)) ** 2).sum(axis=1))]
    first = [
        int(np.clip(at - size // 2, 0, whole - size))
        for at, size, whole in zip(middle, shape, ignition.shape, strict=True)
    ]
    return slice(first[0], first[0] + shape[0]), slice(first[1], first[1] + shape[1])


def part_of_maps(maps: FireMaps, window: Window) -> FireMaps:
    """Return the fire inside ``window``; beyond it nothing burns."""
    rows, columns = window
    return replace(
        maps,
        phi=np.asarray(maps.phi)[..., rows, columns],
        gamma=maps.gamma[..., rows, columns],
        burnable=maps.burnable[rows, columns],
        wind_speed=np.asarray(maps.wind_speed)[..., rows, columns],
        wind_dir=np.asarray(maps.wind_dir)[..., rows, columns],
        ignition=maps.ignition[rows, columns],
        burned_out=None if maps.burned_out is None else maps.burned_out[rows, columns],
        drop_cells=None if maps.drop_cells is None else maps.drop_cells.part(window),
        barriers=None if maps.barriers is None else maps.barriers.part(window),
    )


def _size(case: ScalingCase) -> _Size:
    return case.rows, case.columns, case.days
