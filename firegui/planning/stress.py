"""Plans in worlds that differ from the model: worlds of a stress set, flight errors, scores.

A scenario of :class:`~firegui.domain.stress.StressScenario` changes the fire (another spread, wind or start), the
material (another effectiveness) and how the drops are flown (late, off target, not at all). The fire and the material
make a world, which is a :class:`~firegui.rollout.model.Model`. How the drops are flown is a :class:`FlightErrors`.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.domain.grid import widened
from firegui.domain.maps import FireMaps
from firegui.domain.project import Project
from firegui.domain.results import Metrics
from firegui.domain.schedule import UNLISTED_LOGIT, Schedule
from firegui.domain.settings import ObjectiveWeights
from firegui.domain.stress import (
    NEEDS_EXERCISE,
    NOMINAL,
    StressDraw,
    StressResult,
    StressScenario,
    StressSet,
    StressTable,
    counted_share,
    growth_share,
)
from firegui.domain.uncertainty import WeatherDraw
from firegui.ensembles.weather import with_wind
from firegui.errors import Check, InputError
from firegui.fire.maps import compute_maps
from firegui.rollout import backend as backends
from firegui.rollout.day_state import UNBOUNDED, Bounds
from firegui.rollout.gates import FlightRules, gates_of
from firegui.rollout.measure import value_loss
from firegui.rollout.model import Model
from firegui.rollout.observe import FinalState
from firegui.rollout.outcome import WHOLE
from firegui.rollout.simulate import Gradient, Rollout, simulate, simulate_many
from firegui.rollout.zones import nearby

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Seed = int | tuple[int, ...]
ScenarioBegan = Callable[[int, int, str], None]
"""Called with the number of a scenario, how many there are, and its name."""
DrawBurned = Callable[[str, Bools], None]
"""Called with the name of a scenario and the cells ``[H, W]`` that burn in its next draw."""
_BURNS = 0.5
"""A cell burns where its probability of fire is above this."""

_FAILURES, _OFFSETS = 0x6661696C, 0x6F666673
"""Keep the two kinds of draws apart from each other and from whatever else is drawn from the same seed."""

_LARGEST_BATCH = 32


@dataclass(frozen=True, slots=True, eq=False)
class FlightErrors:
    """Errors in flying a schedule, in one draw.

    ``delay`` in steps, ``flown [T, A]`` false for drops that do not happen, ``offsets [T, A, 3]`` added to the poses in
    cells and radians; ``None`` where nothing of the kind happens. Errors belong to the drop of the plan: a drop fails
    or is displaced, and then comes late.
    """

    delay: int = 0
    flown: Bools | None = None
    offsets: Floats | None = None

    def applied(self, schedule: Schedule, shape: tuple[int, int]) -> Schedule:
        """Return the schedule as it is flown on a raster of ``shape``. Release points stay on the raster."""
        logits, poses = schedule.logits, schedule.poses
        if self.flown is not None:
            logits = np.where(self.flown, logits, np.minimum(logits, UNLISTED_LOGIT))
        if self.offsets is not None:
            poses = poses + self.offsets
            poses[..., :2] = np.clip(poses[..., :2], 0.0, [shape[0] - 1, shape[1] - 1])
        return Schedule(later(logits, self.delay, UNLISTED_LOGIT), later(poses, self.delay, poses))

    def pulled_back(self, gradient: Gradient) -> Gradient:
        """Return the derivatives by the schedule before the errors.

        A release point that was moved back onto the raster counts as one that moves freely.
        """
        logit, pose = later(gradient.logit, -self.delay, 0.0), later(gradient.pose, -self.delay, 0.0)
        if self.flown is not None:
            logit, pose = logit * self.flown, pose * self.flown[..., None]
        return Gradient(gradient.loss, logit, pose)


def later(values: NDArray[Any], steps: int, fill: NDArray[Any] | float) -> NDArray[Any]:
    """Return ``values [T, ...]`` moved by ``steps``, to earlier ones where negative.

    Steps without a value get ``fill``.
    """
    if steps == 0:
        return values
    moved = np.full_like(values, fill)
    if steps < 0:
        moved[:steps] = values[-steps:]
    else:
        moved[steps:] = values[: len(values) - steps]
    return moved


def flight_errors(scenario: StressScenario, model: Model, draw: int, seed: Seed) -> FlightErrors:
    """Return draw number ``draw`` of a scenario's errors in flying a plan of ``model``.

    Failures are independent with probability ``failure_rate``; positions and headings have independent normal errors.
    The draws of a scenario depend on its own values, ``seed`` and ``draw`` alone, so other scenarios change nothing.
    """
    size = (model.n_steps, model.fleet.n_aircraft)
    flown = offsets = None
    if scenario.failure_rate > 0.0:
        flown = _generator(_FAILURES, scenario, draw, seed).random(size) >= scenario.failure_rate
    if scenario.pose_noise_m > 0.0 or scenario.heading_noise_deg > 0.0:
        cells, heading = scenario.pose_noise_m / model.maps.cell_size_m, math.radians(scenario.heading_noise_deg)
        offsets = _generator(_OFFSETS, scenario, draw, seed).standard_normal((*size, 3)) * [cells, cells, heading]
    return FlightErrors(min(scenario.delay_steps(model.maps.steps_per_day), model.n_steps), flown, offsets)


def _generator(kind: int, scenario: StressScenario, draw: int, seed: Seed) -> np.random.Generator:
    name = zlib.crc32(scenario.name.encode())
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(kind, scenario.seed, name, draw)))


def executed_only(model: Model, schedule: Schedule) -> Schedule:
    """Return the executed drops of a schedule alone.

    A drop that the gates refuse does not take the place of a failed one.
    """
    executed = gates_of(schedule, model.fleet, model.maps, model.rules).executed
    return schedule.only(executed)


@dataclass(frozen=True, slots=True, eq=False)
class StressWorld:
    """A scenario's world: its ``model`` and what burns in it without drops.

    ``start_cells`` burn at the start and ``start_protected`` of them in protected regions, and ``start_val`` of the
    values at risk is lost by then; ``no_drops`` is the end.
    """

    scenario: StressScenario
    model: Model
    start_cells: float
    start_protected: float
    no_drops: Metrics
    start_val: float = 0.0

    @property
    def cells_no_drops(self) -> float:
        """Cells that burn at the end without drops."""
        return self.no_drops.final_extent_cells

    def with_weights(self, weights: ObjectiveWeights) -> StressWorld:
        """Return the same world with another objective."""
        return replace(self, model=self.model.with_weights(weights))

    def share(self, metrics: Metrics) -> float:
        """Return the part of the growth that is left."""
        return growth_share(metrics.final_extent_cells, self.start_cells, self.cells_no_drops)

    def held_share(self, metrics: Metrics) -> float:
        """Return the largest share of the growth that the objective counts.

        It is all growth, that in protected regions, that of the values lost, or several of them.
        """
        worst = self.no_drops.protected_cells
        in_regions = growth_share(metrics.protected_cells, self.start_protected, worst)
        of_values = growth_share(metrics.loss_val, self.start_val, self.no_drops.loss_val)
        return counted_share(self.model.weights, self.share(metrics), in_regions, of_values)

    def cells_at(self, share: float) -> float:
        """Return the cells that burn where ``share`` of all growth is left.

        Infinite for all of the growth and more, and for an objective that is about protected regions alone.
        """
        growth = self.cells_no_drops - self.start_cells
        is_bounded = share < 1.0 and growth > 0.0 and self.model.weights.counts_growth
        return self.start_cells + share * growth if is_bounded else math.inf

    def bounds(self, share: float) -> Bounds:
        """Return the loss terms at which :meth:`held_share` is ``share``.

        A rollout that must exceed them is given up. There are none of what burns in regions: that term is a mean over
        time.
        """
        cells = self.cells_at(share)
        if math.isinf(cells):
            return UNBOUNDED
        return Bounds(final=self.no_drops.loss_final * cells / self.cells_no_drops)

    def result(self, draws: Sequence[Metrics]) -> StressResult:
        """Return the result of a plan whose draws ended with these metrics."""
        rows = (
            StressDraw(
                one.final_extent_cells, one.protected_cells, self.share(one), one.drops_executed, loss_val=one.loss_val
            )
            for one in draws
        )
        return StressResult(
            self.scenario, self.start_cells, self.cells_no_drops, tuple(rows), self.start_protected,
            self.no_drops.protected_cells, self.start_val, self.no_drops.loss_val,
        )  # fmt: skip


def stress_worlds(
    project: Project, model: Model, scenarios: Sequence[StressScenario], others: Sequence[StressWorld] = (), *,
    check: Check | None = None,
) -> tuple[tuple[StressWorld, ...], tuple[tuple[str, str], ...]]:  # fmt: skip
    """Return the nominal world, that of every scenario, and the scenarios that cannot be computed.

    The last come with the reason. ``model`` is that of ``project``, at any effectiveness. Worlds with the same fire,
    and ``others`` of this project with it, share its maps.
    """
    left_out: list[tuple[str, str]] = []
    worlds = tuple(_each_world(project, model, (NOMINAL, *scenarios), others, left_out, check))
    return worlds, tuple(left_out)


def _each_world(
    project: Project, model: Model, scenarios: Iterable[StressScenario], others: Sequence[StressWorld],
    left_out: list[tuple[str, str]], check: Check | None,
) -> Iterator[StressWorld]:  # fmt: skip
    """Yield the world of each scenario that can be computed.

    The others are added to ``left_out`` with the reason.
    """
    worlds = list(others)
    for scenario in scenarios:
        try:
            worlds.append(stress_world(project, model, scenario, worlds, check=check))
        except InputError as error:
            left_out.append((scenario.name, reason_of(error)))
        else:
            yield worlds[-1]


def reason_of(error: InputError) -> str:
    """Return in one line why a scenario cannot be computed."""
    return "; ".join(problem.what for problem in error.problems)


def stress_world(
    project: Project, model: Model, scenario: StressScenario, others: Sequence[StressWorld] = (), *,
    check: Check | None = None,
) -> StressWorld:  # fmt: skip
    """Return the world of one scenario. One of ``others`` with the same fire lends its maps.

    Raises :class:`~firegui.errors.InputError` where the fire model knows no such fire.
    """
    if check is not None:
        check()
    like = next((world for world in others if _same_fire(world.scenario, scenario)), None)
    fire = _fire_of(project, model, scenario, check) if like is None else like.model
    world = replace(
        fire,
        rules=_rules_in(scenario, model.rules, fire),
        effectiveness=scenario.effectiveness or project.plan.nominal,
        retardant_acts_on=scenario.retardant_acts_on or project.plan.retardant_acts_on,
    )
    if like is None:
        nothing = Schedule.empty(world.n_steps, world.fleet.n_aircraft)
        no_drops = simulate(world, nothing, check=check).metrics
    else:
        no_drops = like.no_drops
    start, _ = world.gains.start()
    protected = float(start[world.protected.cpu().numpy()].sum())
    return StressWorld(scenario, world, float(start.sum()), protected, no_drops, value_loss(world, start))


def errors_in(world: StressWorld, draw: int, seed: Seed) -> FlightErrors:
    """Return draw number ``draw`` of the errors of a world's scenario; see :func:`flight_errors`."""
    return flight_errors(world.scenario, world.model, draw, seed)


ErrorsOf = Callable[[StressWorld, int, Seed], FlightErrors]
"""Returns the flight errors of a world in a draw of a seed."""


def _same_fire(one: StressScenario, other: StressScenario) -> bool:
    return (one.spread_factor, one.wind_speed_factor, one.wind_turn_deg, one.ignition_growth_m) == (
        other.spread_factor, other.wind_speed_factor, other.wind_turn_deg, other.ignition_growth_m,
    )  # fmt: skip


def _rules_in(scenario: StressScenario, rules: FlightRules | None, fire: Model) -> FlightRules | None:
    """Return the rules of a scenario's world.

    Late drops leave pinned drops late as well. Another wind carries drops into zones from farther away.
    """
    if rules is None:
        return None
    if rules.zones is not None and scenario.has_other_wind:
        rules = replace(rules, near=nearby(rules.zones, fire.fleet, fire.maps))
    delay = min(scenario.delay_steps(fire.maps.steps_per_day), fire.n_steps)
    if rules.pinned is None or rules.pinned_poses is None or not delay:
        return rules
    return replace(rules, pinned=later(rules.pinned, delay, False), pinned_poses=later(rules.pinned_poses, delay, 0.0))


def _fire_of(project: Project, base: Model, scenario: StressScenario, check: Check | None) -> Model:
    """Return ``base`` with the fire of a scenario.

    Raises :class:`~firegui.errors.InputError` where there is none.
    """
    if not scenario.has_other_fire:
        return base
    maps = base.maps
    if scenario.has_other_wind:
        draw = WeatherDraw(scenario.wind_speed_factor, math.radians(scenario.wind_turn_deg), 0.0)
        maps = compute_maps(with_wind(project, draw), check)
    if scenario.spread_factor != 1.0:
        maps = maps.scaled(scenario.spread_factor)
    growth = scenario.ignition_growth_cells(maps.cell_size_m)
    if growth:
        start = maps.start.fire
        wider = _widened_start(maps, growth) & maps.burnable & ~start
        maps = maps.with_ignition(maps.ignition | wider, maps.burned_out)
    changed = replace(base, maps=maps, gains=base.gains.of(maps))
    backends.prepare(changed)
    return changed


def _widened_start(maps: FireMaps, growth: int) -> Bools:
    """Return the fire at the start and the cells within ``growth`` rows and columns of it.

    No way leads across barriers that stop everything from the start on. One that lets something through is crossed: the
    scenario is to be the worse case.
    """
    factors = None if maps.barriers is None else maps.barriers.of_period(0)
    if factors is None:
        return widened(maps.start.fire, growth)
    wide, (rows, columns) = maps.start.fire, maps.shape
    ways = [
        (offset, factors.cells[factors.factors[:, n] == 0.0])
        for n, offset in enumerate(maps.stencil.offsets) if max(map(abs, offset)) == 1
    ]  # fmt: skip
    for _ in range(growth):
        padded, wide = np.pad(wide, 1), wide.copy()
        for (down, right), closed in ways:
            from_there = padded[1 + down : 1 + down + rows, 1 + right : 1 + right + columns].copy()
            from_there.ravel()[closed] = False
            wide |= from_there
    return wide


def stress_table(
    project: Project, model: Model, schedule: Schedule, stress: StressSet, others: Sequence[StressWorld] = (), *,
    began: ScenarioBegan | None = None, burned: DrawBurned | None = None, check: Check | None = None,
) -> StressTable:  # fmt: skip
    """Score ``schedule`` in every scenario of a set without repair.

    ``others`` are worlds that lend their fires. Scenarios with repair are left out, because they take replanning.
    ``began`` is called before each scenario, and ``burned`` after each draw, first for the nominal world.
    """
    repaired = tuple((one.name, NEEDS_EXERCISE) for one in stress.scenarios if one.repair_hours)
    scenarios = (NOMINAL, *stress.unrepaired)

    def announced() -> Iterator[StressScenario]:
        for number, scenario in enumerate(scenarios):
            if began is not None:
                began(number, len(scenarios), scenario.name)
            yield scenario

    left_out: list[tuple[str, str]] = []
    flown, results = executed_only(model, schedule), []
    for world in _each_world(project, model, announced(), others, left_out, check):
        draws = range(world.scenario.n_draws)
        of_world = None if burned is None else partial(burned, world.scenario.name)
        rolled = rollouts(world, flown, draws, stress.seed, burned=of_world, check=check)
        results.append(world.result([one.metrics for one in rolled]))
    return StressTable(int(flown.proposed.sum()), results[0], tuple(results[1:]), (*left_out, *repaired))


def rollouts(
    world: StressWorld, flown: Schedule, draws: Sequence[int], seed: Seed, *, errors_of: ErrorsOf = errors_in,
    bounds: Bounds = UNBOUNDED, burned: Callable[[Bools], None] | None = None, check: Check | None = None,
) -> list[Rollout]:  # fmt: skip
    """Return the rollouts of ``flown``, which :func:`executed_only` made, in the given draws of a world.

    ``errors_of`` returns the errors of a draw. ``burned`` is called with the cells that burn at the end of each draw.
    """
    found: list[Rollout] = []
    for begin in range(0, len(draws), _LARGEST_BATCH):
        errors = [errors_of(world, draw, seed) for draw in draws[begin:][:_LARGEST_BATCH]]
        schedules = [one.applied(flown, world.model.shape) for one in errors]
        lasts = None if burned is None else [FinalState(world.model) for _ in schedules]
        found += simulate_many(world.model, schedules, bounds=bounds, lasts=lasts, check=check)
        if burned is not None and lasts is not None:
            for last in lasts:
                burned(_burned(last))
    return found


def flown_in(world: StressWorld, model: Model, schedule: Schedule, draw: int, seed: Seed) -> Schedule:
    """Return ``schedule``, a plan of ``model``, as it is flown in one draw of a world."""
    return errors_in(world, draw, seed).applied(executed_only(model, schedule), world.model.shape)


def stress_draw(world: StressWorld, flown: Schedule, *, check: Check | None = None) -> tuple[Metrics, Bools]:
    """Return the metrics of what :func:`flown_in` made, and the cells ``[H, W]`` that burn at the end."""
    last = FinalState(world.model)
    outcome = backends.engine(world.model).simulate(world.model, flown, last, check, WHOLE)
    return outcome.metrics, _burned(last)


def _burned(last: FinalState) -> Bools:
    burns: Bools = 1.0 - last.unburned > _BURNS
    return burns
