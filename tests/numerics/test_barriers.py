"""Barriers in the maps of every fire model: an independent slow loop, lines without gaps, time, and gradients."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import numpy as np
import pytest

from firegui.domain.barriers import Barrier, BarrierKind, Line
from firegui.domain.compact_maps import SpreadOnDemand
from firegui.domain.fleet import Fleet
from firegui.domain.maps import FireMaps
from firegui.domain.project import FireModel, Project
from firegui.domain.schedule import Schedule
from firegui.domain.settings import NOMINAL, ObjectiveWeights, PlanSettings
from firegui.domain.stencil import stencil_of
from firegui.domain.stress import StressScenario
from firegui.domain.uncertainty import PAPER_BEAR, UncertaintyKind, UncertaintySettings, WeatherDraw
from firegui.ensembles.ensemble import run_ensemble
from firegui.ensembles.weather import WindForecastModel
from firegui.fire.maps import compute_maps, project_maps
from firegui.planning.problem import build
from firegui.planning.stress import stress_world
from firegui.rollout.moving_start import ahead_of_start
from firegui.rollout.simulate import prepare, simulate, simulate_with_gradient
from tests.numerics.cases import model_of, random_maps, random_schedule, small_fleet
from tests.numerics.front_cases import assert_near
from tests.numerics.test_gradient import autograd
from tests.numerics.test_physical_fire import project_of
from tests.unit.ensembles.worlds import blown_project
from tests.unit.fire.events import START, event

CELL = 30.0


def imported(maps: FireMaps, *barriers: Barrier) -> Project:
    """A project with imported maps."""
    small = replace(event(maps.shape, days=maps.days), ignition=maps.ignition, steps_per_day=maps.steps_per_day)
    model = FireModel("maps", "imported", {})
    return Project(small, Fleet(()), {}, (), PlanSettings(days=maps.days), model, maps, barriers=barriers)


def line(*corners: tuple[float, float], name: str = "line", **changes: object) -> Barrier:
    return replace(Barrier(name, BarrierKind.DOZER, (corners,), width_m=4.0), **changes)  # type: ignore[arg-type]


def area(*corners: tuple[float, float], name: str = "area", **changes: object) -> Barrier:
    return replace(Barrier(name, BarrierKind.RIVER, areas=((corners,),)), **changes)  # type: ignore[arg-type]


def even(size: int, neighbours: int, days: int = 1) -> FireMaps:
    """Lively uniform ground with a fire in the middle."""
    maps = random_maps(0, (size, size), days=days, steps_per_day=30, neighbours=neighbours)
    ignition = np.zeros(maps.shape, bool)
    ignition[size // 2, size // 2] = True
    return replace(
        maps, phi=np.full(maps.phi.shape, 2.0 / neighbours, np.float32), gamma=np.ones_like(maps.gamma),
        burnable=np.ones(maps.shape, bool), ignition=ignition,
    )  # fmt: skip


def burned(maps: FireMaps, backend: str = "cpu") -> np.ndarray:
    """``P`` at the ends of days, without drops."""
    model = prepare(
        maps, Fleet(()), np.empty((0, *maps.shape), bool), [], weights=ObjectiveWeights(1.0, 1.0, 1.0, 1.0),
        effectiveness=NOMINAL, backend=backend,
    )  # fmt: skip
    states = simulate(model, Schedule.empty(maps.n_steps, 0), keep_days=True).p_fire_days
    assert states is not None
    return states


# -- the slow loop -----------------------------------------------------------------------------------------------------
Point = tuple[float, float]


def meet(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Whether two closed segments have a point in common."""

    def turn(p: Point, q: Point, r: Point) -> int:
        value = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
        return (value > 0) - (value < 0)

    def between(p: Point, q: Point, r: Point) -> bool:
        return all(min(p[k], q[k]) <= r[k] <= max(p[k], q[k]) for k in (0, 1))

    turns = turn(a, b, c), turn(a, b, d), turn(c, d, a), turn(c, d, b)
    if turns[0] != turns[1] and turns[2] != turns[3]:
        return True
    ends = ((turns[0], a, b, c), (turns[1], a, b, d), (turns[2], c, d, a), (turns[3], c, d, b))
    return any(found == 0 and between(p, q, r) for found, p, q, r in ends)


def inside(ring: Line, row: float, column: float) -> bool:
    found = False
    for (r0, c0), (r1, c1) in zip(ring, (*ring[1:], ring[0]), strict=True):
        if (r0 > row) != (r1 > row) and column < c0 + (row - r0) / (r1 - r0) * (c1 - c0):
            found = not found
    return found


def away(row: float, column: float, corners: Line) -> float:
    found = math.inf
    for (r0, c0), (r1, c1) in pairwise(corners):
        length = (r1 - r0) ** 2 + (c1 - c0) ** 2
        share = min(max(((row - r0) * (r1 - r0) + (column - c0) * (c1 - c0)) / length, 0.0), 1.0)
        found = min(found, math.hypot(row - r0 - share * (r1 - r0), column - c0 - share * (c1 - c0)))
    return found


def is_met(barrier: Barrier, to: tuple[int, int], of: tuple[int, int]) -> bool:
    """Whether the edge from the cell ``of`` to the cell ``to`` meets a barrier."""
    here, there = ((row + 0.5, column + 0.5) for row, column in (to, of))
    rings = [(*ring, ring[0]) for part in barrier.areas for ring in part]
    crosses = any(meet(here, there, p, q) for corners in (*barrier.lines, *rings) for p, q in pairwise(corners))
    if barrier.areas:
        is_in, is_from = (
            any(sum(inside(ring, *place) for ring in part) % 2 == 1 for part in barrier.areas)
            for place in (here, there)
        )
        return is_in or (crosses and not is_from)
    is_near = min(away(*here, corners) for corners in barrier.lines) <= barrier.width_m / CELL / 2.0
    return crosses or (barrier.width_m > CELL and is_near)


def slow_maps(project: Project, bare: np.ndarray, periods: int) -> np.ndarray:
    """``φ [D P, N, H, W]`` of a project, of those without barriers."""
    found: np.ndarray = np.clip(bare, 0.0, 100.0).astype(np.float64)
    count, _, height, width = found.shape
    for barrier in project.barriers:
        factors = np.ones(found.shape[1:])
        for n, (down, right) in enumerate(stencil_of(found.shape[1]).offsets):
            for row in range(max(-down, 0), min(height - down, height)):
                for column in range(max(-right, 0), min(width - right, width)):
                    if is_met(barrier, (row, column), (row + down, column + right)):
                        factors[n, row, column] = 1.0 - barrier.strength
        for number in range(count):
            begin = project.scenario.start + timedelta(days=project.plan.start_day + number / periods)
            if barrier.exists_from is None or barrier.exists_from <= begin:
                found[number] *= factors
    return found


SOME = (
    line((2.3, 1.1), (6.9, 9.83), (12.2, 10.4), name="narrow", strength=0.8),
    line((-5.0, 12.37), (30.0, 3.61), name="beyond the grid", strength=0.5, exists_from=START + timedelta(hours=12)),
    line((9.5, 0.5), (9.5, 16.5), name="through centres", strength=1.0, exists_from=START + timedelta(days=1)),
    line((1.2, 14.9), (10.7, 13.2), name="wide", width_m=95.0, strength=0.6),
    area((3.2, 3.4), (3.9, 12.8), (8.1, 9.6), name="lake", strength=0.7),
    area((10.1, 2.0), (10.3, 15.0), (10.45, 15.0), (10.2, 2.0), name="between centres", strength=0.9),
    line((0.4, 0.4), (4.4, 4.4), name="of no strength", strength=0.0),
)


@pytest.mark.parametrize(("neighbours", "periods"), [(8, 1), (16, 2)])
def test_imported_maps_are_those_of_a_slow_loop(neighbours: int, periods: int) -> None:
    maps = random_maps(3, (12, 16), neighbours=neighbours, periods=periods)
    before = np.array(maps.phi)
    before[0, 3] = 1e5  # clipped before, not after
    maps = replace(maps, phi=before.copy())
    project = imported(maps, *SOME)
    expected = slow_maps(project, np.asarray(maps.phi), periods)
    found = np.clip(np.asarray(project_maps(project).phi), 0.0, 100.0)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-12)
    assert (found < np.clip(before, 0.0, 100.0)).mean() > 0.1
    np.testing.assert_array_equal(maps.phi, before)  # those of the project stay
    watched = replace(project.scenario, observed=maps.ignition[None], observed_dates=(START.date(),))
    later = replace(project, scenario=watched, plan=PlanSettings(start_day=1, days=1))
    np.testing.assert_allclose(np.clip(project_maps(later).phi, 0.0, 100.0), expected[periods:], rtol=1e-5, atol=1e-12)


def test_a_hole_of_an_area_is_no_barrier() -> None:
    ring, hole = ((2.0, 2.0), (2.0, 11.0), (11.0, 11.0), (11.0, 2.0)), ((4.0, 4.0), (4.0, 9.0), (9.0, 9.0), (9.0, 4.0))
    maps = random_maps(4, (13, 13))
    project = imported(maps, Barrier("ring", BarrierKind.BURNED_OUT, areas=((ring, hole),), strength=0.4))
    np.testing.assert_allclose(project_maps(project).phi, slow_maps(project, np.asarray(maps.phi), 1), rtol=1e-5)


def physical(*barriers: Barrier, size: int = 15, moving_start: bool = True) -> Project:
    fuel, ignition = np.full((size, size), 101.0), np.zeros((size, size), bool)
    ignition[size // 2, size // 2] = True
    project = project_of(fuel, ignition, CELL, wind=3.0)
    parameters = {**project.fire_model.parameters, "moving_start": float(moving_start)}
    return replace(project, fire_model=replace(project.fire_model, parameters=parameters), barriers=barriers)


@pytest.mark.parametrize("kind", ["scalar", "network", "physical"])
def test_the_maps_of_every_fire_model_are_those_of_a_slow_loop(kind: str) -> None:
    barriers = (SOME[0], SOME[3], SOME[4])
    bare = physical() if kind == "physical" else replace(blown_project(kind, shape=(12, 15)), plan=PlanSettings(days=1))
    project = replace(bare, barriers=barriers)
    maps = compute_maps(project)
    np.testing.assert_allclose(
        np.asarray(maps.phi), slow_maps(project, np.asarray(compute_maps(bare).phi), maps.periods_per_day), rtol=2e-5
    )
    if isinstance(maps.phi, SpreadOnDemand):
        rows, columns = np.array([[3, 4], [7, 8]]), np.array([[3, 12], [9, 9]])
        np.testing.assert_array_equal(maps.phi.of_cells(0, rows, columns), np.asarray(maps.phi)[0][:, rows, columns])


def test_without_barriers_maps_are_the_same_objects() -> None:
    maps = random_maps(1)
    found = project_maps(imported(maps))
    assert found.barriers is None
    np.testing.assert_array_equal(found.phi, maps.phi)
    assert np.shares_memory(found.phi, maps.phi)


# -- closed lines ------------------------------------------------------------------------------------------------------
def ring(size: int, turn: float, sides: int, radius: float, *, gap: bool = False) -> Line:
    """A polygon around the middle cell, closed or with one side left out."""
    middle = size / 2.0
    angles = [turn + 2.0 * math.pi * k / sides for k in range(sides + (0 if gap else 1))]
    return tuple((middle + radius * math.sin(angle), middle + radius * math.cos(angle)) for angle in angles)


def rings() -> Iterator[tuple[float, int, float]]:
    yield from (
        (turn, sides, radius) for turn in (0.0, 0.13, 0.4, math.pi / 4.0) for sides, radius in ((3, 7.1), (4, 5.0))
    )
    yield 0.2, 24, 6.3


def within(outline: Line, size: int) -> np.ndarray:
    """The cells inside a closed line, ``[size, size]``."""
    return np.array([[inside(outline[:-1], i + 0.5, j + 0.5) for j in range(size)] for i in range(size)])


def reached(maps: FireMaps) -> np.ndarray:
    """The cells that fire can reach at all, by edges whose spread is above 0."""
    gains, found = np.asarray(maps.phi)[0] > 0.0, maps.ignition.copy()
    height, width = maps.shape
    while True:
        padded, before = np.pad(found, 2), found
        found = before.copy()
        for n, (down, right) in enumerate(maps.stencil.offsets):
            found |= gains[n] & padded[2 + down : 2 + down + height, 2 + right : 2 + right + width]
        if (found == before).all():
            return found


@pytest.mark.parametrize("neighbours", [8, 16])
def test_no_fire_crosses_a_closed_line_at_any_angle(neighbours: int) -> None:
    maps = even(21, neighbours)
    assert reached(maps).all()
    for turn, sides, radius in rings():
        outline = ring(21, turn, sides, radius)
        found, held = reached(project_maps(imported(maps, line(*outline)))), within(outline, 21)
        # A cell whose centre lies on the line cannot be entered from either side.
        clear = [[away(i + 0.5, j + 0.5, outline) > 1e-3 for j in range(21)] for i in range(21)]
        assert not found[~held].any(), (turn, sides)
        assert found[held & clear].all(), (turn, sides)
        assert reached(project_maps(imported(maps, line(*outline, strength=0.9)))).all()
    outline = ring(21, 0.13, 5, 6.3)
    last = burned(project_maps(imported(maps, line(*outline))))[-1]
    assert last[~within(outline, 21)].max() == 0.0
    assert last[within(outline, 21)].mean() > 0.5
    weak = burned(project_maps(imported(maps, line(*outline, strength=0.9))))[-1]
    assert 0.05 < weak[~within(outline, 21)].max() < burned(maps)[-1][~within(outline, 21)].max()


@pytest.mark.parametrize("neighbours", [8, 16])
def test_no_fire_crosses_a_line_through_the_centres_of_cells(neighbours: int) -> None:
    maps = even(21, neighbours)
    corners = ((10.5, 4.5), (4.5, 10.5), (10.5, 16.5), (16.5, 10.5), (10.5, 4.5))
    apart = np.add.outer(np.abs(np.arange(21) - 10), np.abs(np.arange(21) - 10))
    np.testing.assert_array_equal(reached(project_maps(imported(maps, line(*corners)))), apart < 6)


@pytest.mark.parametrize("neighbours", [8, 16])
def test_a_fire_crosses_a_line_with_a_gap(neighbours: int) -> None:
    maps = even(21, neighbours)
    found = project_maps(imported(maps, line(*ring(21, 0.13, 6, 6.0, gap=True))))
    assert reached(found).all()
    assert burned(found)[-1][0, 0] > 0.05


def test_no_front_in_motion_is_ahead_of_a_closed_line() -> None:
    closed = line(*ring(41, 0.3, 5, 4.0))
    bare, project = physical(size=41), physical(closed, size=41)
    beyond = ~within(closed.lines[0], 41)
    before, ahead = ahead_of_start(project_maps(bare)), ahead_of_start(project_maps(project))
    assert before is not None and ahead is not None
    assert before[beyond].max() > 0.0
    assert ahead[beyond].max() == 0.0
    assert ahead.max() > 0.0
    assert burned(project_maps(project))[-1][beyond].max() == 0.0
    weak = ahead_of_start(project_maps(physical(replace(closed, strength=0.5), size=41)))
    assert weak is not None
    assert 0.0 < weak[beyond].max() < before[beyond].max()


@pytest.mark.parametrize("backend", ["reference", "cpu"])
def test_a_line_holds_from_its_time_on(backend: str) -> None:
    maps = replace(even(31, 8, days=3), phi=np.asarray(even(31, 8, days=3).phi) * np.float32(0.15))
    outline = ring(31, 0.2, 6, 13.0)
    beyond = ~within(outline, 31)
    grown = {
        when: burned(project_maps(imported(maps, line(*outline, exists_from=when))), backend)[:, beyond].max(axis=1)
        for when in (None, START, START + timedelta(days=1), START + timedelta(hours=25), START + timedelta(days=9))
    }
    never = burned(maps, backend)[:, beyond].max(axis=1)
    assert never[1] < 0.01 < never[3]
    np.testing.assert_array_equal(grown[START + timedelta(days=9)], never)
    assert grown[None].max() == grown[START].max() == 0.0
    # Of a period, the start counts.
    assert grown[START + timedelta(days=1)][1] == grown[START + timedelta(hours=25)][1] == never[1]
    assert grown[START + timedelta(days=1)][-1] < grown[START + timedelta(hours=25)][-1] < never[-1]


def test_what_is_left_of_a_plan_keeps_barriers_in_their_periods() -> None:
    maps = random_maps(5, (14, 17), days=3, periods=2)
    late = line((7.2, 0.0), (6.1, 17.0), exists_from=START + timedelta(days=1, hours=12))
    found = project_maps(imported(maps, late))
    assert found.barriers is not None
    assert found.barriers.periods.tolist() == [-1, -1, -1, 0, 0, 0]
    cut = found.window(1, 1)
    assert cut.barriers is not None
    assert cut.barriers.periods.tolist() == [-1, 0]
    np.testing.assert_array_equal(cut.phi, found.phi[2:4])


# -- worlds and gradients ----------------------------------------------------------------------------------------------
def test_worlds_with_another_wind_have_the_barriers() -> None:
    outline = ring(60, 0.3, 6, 12.0)
    moved = tuple((row, column + 5.0) for row, column in outline)
    project = replace(blown_project(), barriers=(line(*moved),))
    beyond = ~within(moved, 70)[:60]
    model = build(project, NOMINAL)
    world = stress_world(project, model, StressScenario("storm", wind_speed_factor=1.5, wind_turn_deg=20.0))
    nothing = Schedule.empty(model.n_steps, model.fleet.n_aircraft)
    for each in (model, world.model):
        states = simulate(each, nothing, keep_days=True).p_fire_days
        assert states is not None
        assert states[-1][beyond].max() == 0.0
    whole = (slice(0, 60), slice(0, 70))
    member, _ = WindForecastModel.of(project, model).under(WeatherDraw(1.0, 0.0, 0.0), [whole] * 3)
    np.testing.assert_allclose(np.asarray(member.maps.phi), np.asarray(model.maps.phi), rtol=2e-5, atol=1e-7)


@pytest.mark.parametrize("kind", ["line", "area"])
def test_a_wider_start_crosses_no_barrier_that_holds(kind: str) -> None:
    # The start has the rows 29 to 31 and the columns 34 to 36.
    made: dict[str, Barrier] = {
        "line": line((28.0, 20.0), (28.0, 50.0)),
        "area": area((26.0, 20.0), (26.0, 50.0), (28.0, 50.0), (28.0, 20.0)),
    }
    scenario = StressScenario("wide", ignition_growth_m=150.0)

    def start(*barriers: Barrier) -> np.ndarray:
        project = replace(blown_project(), barriers=barriers)
        return np.asarray(stress_world(project, build(project, NOMINAL), scenario).model.maps.ignition)

    bare, held = start(), start(made[kind])
    assert bare[24:37, 29:42].all() and bare.sum() == 13 * 13
    np.testing.assert_array_equal(held[28:], bare[28:])
    assert not held[:28].any()
    for other in (replace(made[kind], strength=0.99), replace(made[kind], exists_from=START + timedelta(days=1))):
        np.testing.assert_array_equal(start(other), bare)
    if kind == "line":
        # The way around the end of a line is longer.
        around = start(line((28.0, 20.0), (28.0, 37.0)))
        assert around[27, 38] and not around[24, 29:33].any() and around.sum() < bare.sum()


@pytest.mark.parametrize("kind", [UncertaintyKind.EPISTEMIC, UncertaintyKind.ALEATORIC])
def test_no_member_of_an_ensemble_burns_beyond_a_closed_line(kind: UncertaintyKind) -> None:
    outline = tuple((row, column + 5.0) for row, column in ring(60, 0.3, 6, 9.0))
    project = replace(blown_project(), barriers=(line(*outline),))
    beyond = ~within(outline, 70)[:60]
    for threshold in (0.1, 0.0):
        settings = UncertaintySettings(kind, members=6, threshold=threshold)
        found = run_ensemble(project, build(project, NOMINAL), None, settings, error=PAPER_BEAR)
        mean = found.fire[0, -1]
        assert mean[beyond].max() == 0.0 < mean[~beyond].max()


@pytest.mark.parametrize("neighbours", [8, 16])
def test_gradients_with_barriers_are_those_of_autograd(neighbours: int) -> None:
    maps, fleet = random_maps(6, neighbours=neighbours), small_fleet()
    barred = project_maps(imported(maps, SOME[0], SOME[4], line((0.0, 8.3), (14.0, 9.1), strength=0.5)))
    schedule = random_schedule(6, maps, fleet)
    for full_carry in (False, True):
        model = replace(model_of(barred, fleet), full_carry=full_carry)
        _, gradient = simulate_with_gradient(model, schedule)
        expected = autograd(model, schedule, full_carry=full_carry)
        for found, wanted in zip((gradient.logit, gradient.pose), expected, strict=True):
            assert_near(found, wanted, 1e-3)


def test_the_gradient_by_a_pose_beside_a_barrier_agrees_with_finite_differences() -> None:
    maps, fleet = random_maps(3, days=1), small_fleet()
    barred = project_maps(imported(maps, line((0.0, 8.3), (14.0, 9.1), strength=0.7)))
    model = replace(model_of(barred, fleet, precision="float64"), full_carry=True)
    schedule = random_schedule(3, maps, fleet)
    _, gradient = simulate_with_gradient(model, schedule)
    steepest = np.argsort(np.abs(gradient.pose), axis=None)[-4:]
    for step, aircraft, part in zip(*np.unravel_index(steepest, gradient.pose.shape), strict=True):
        objectives = []
        for shift in (1e-4, -1e-4):
            poses = schedule.poses.copy()
            poses[step, aircraft, part] += shift
            objectives.append(simulate(model, replace(schedule, poses=poses)).metrics.objective)
        slope = (objectives[0] - objectives[1]) / 2e-4
        assert gradient.pose[step, aircraft, part] == pytest.approx(slope, rel=1e-3)
