"""Ensembles: pairs under the same numbers, the same whatever the threads, and gone on with bit for bit."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from firegui.domain.ensemble import BASELINE, PLAN, Ensemble, EnsembleProgress, EnsembleState, unpacked
from firegui.domain.project import FireModel, Project
from firegui.domain.schedule import Schedule
from firegui.domain.uncertainty import PAPER_BEAR, UncertaintyKind, UncertaintySettings, WeatherSpread
from firegui.ensembles import ensemble as engine
from firegui.ensembles.aleatoric import state_sampling
from firegui.ensembles.ensemble import all_weather, member_rollout, run_ensemble
from firegui.ensembles.weather import ForecastWind, weather_of
from firegui.errors import CancelledError, InputError
from firegui.rollout.model import Model
from firegui.rollout.simulate import simulate
from tests.unit.ensembles.worlds import blown_project, model_of, plan_of

ERROR = replace(PAPER_BEAR, correlation_cells=6.0, covariance=((2.0, 0.5), (0.5, 1.0)))
KINDS = list(UncertaintyKind)


@cache
def world() -> tuple[Project, Model, Schedule]:
    project = blown_project()
    model = model_of(project)
    return project, model, plan_of(model)


def settings(kind: UncertaintyKind, members: int = 5, **changes: object) -> UncertaintySettings:
    return replace(UncertaintySettings(kind=kind, members=members, seed=3), **changes)  # type: ignore[arg-type]


def run(chosen: UncertaintySettings, *, flown: bool = True, **more: object) -> Ensemble:
    project, model, plan = world()
    return run_ensemble(project, model, plan if flown else None, chosen, error=ERROR, **more)  # type: ignore[arg-type]


def assert_same(first: Ensemble, second: Ensemble) -> None:
    for name in ("extent", "protected", "fire", "burning"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    assert (first.samples, first.weather) == (second.samples, second.weather)


@pytest.mark.parametrize("kind", KINDS)
def test_a_plan_with_no_drops_has_no_benefit_in_any_pair(kind: UncertaintyKind) -> None:
    project, model, _ = world()
    nothing = Schedule.empty(model.n_steps, model.fleet.n_aircraft)
    found = run_ensemble(project, model, nothing, settings(kind, 8), error=ERROR)
    np.testing.assert_array_equal(found.benefit(), 0.0)
    np.testing.assert_array_equal(found.extent[BASELINE], found.extent[PLAN])
    np.testing.assert_array_equal(found.protected[BASELINE], found.protected[PLAN])
    np.testing.assert_array_equal(found.fire[BASELINE], found.fire[PLAN])
    assert len(set(found.final(BASELINE).tolist())) > 1, "the members differ"


@pytest.mark.parametrize("kind", KINDS)
def test_members_are_the_same_on_any_number_of_threads_and_in_any_portions(kind: UncertaintyKind) -> None:
    chosen = settings(kind, 6, keep_members=kind is UncertaintyKind.ALEATORIC)
    once = run(chosen, threads=1, portion=100)
    assert_same(once, run(chosen, threads=3, portion=1))
    assert_same(once, run(chosen, threads=2, portion=4))


@pytest.mark.parametrize("kind", KINDS)
def test_an_ensemble_that_was_stopped_goes_on_bit_for_bit(kind: UncertaintyKind) -> None:
    chosen = settings(kind, 6, keep_members=kind is UncertaintyKind.ALEATORIC)
    states: list[EnsembleState] = []
    whole = run(chosen, keep=states.append, portion=2)
    assert [state.members for state in states] == [2, 4, 6]
    for state in states:
        back = EnsembleState.of_tensors({name: tensor.copy() for name, tensor in state.tensors().items()})
        assert_same(whole, run(chosen, state=back))
    _, model, _ = world()
    part = states[0].ensemble(chosen.kind, model.shape, model.cell_area_ha, 6, all_weather(chosen))
    np.testing.assert_array_equal(part.extent, whole.extent[:, :2])
    assert not part.complete


@pytest.mark.parametrize("kind", KINDS)
def test_more_members_leave_the_first_ones_as_they_are(kind: UncertaintyKind) -> None:
    few, more = run(settings(kind, 3)), run(settings(kind, 5))
    np.testing.assert_array_equal(few.extent, more.extent[:, :3])
    assert not np.array_equal(few.final(BASELINE), run(settings(kind, 3, seed=4)).final(BASELINE))


def test_drawn_members_are_those_of_the_sampling_alone() -> None:
    _, model, plan = world()
    found = run(settings(UncertaintyKind.ALEATORIC, 4, keep_members=True))
    for case, schedule in ((BASELINE, Schedule.empty(model.n_steps, model.fleet.n_aircraft)), (PLAN, plan)):
        days = []
        for member in range(4):
            alone = simulate(model, schedule, alter=state_sampling(model.shape, 3, member), keep_days=True)
            assert alone.p_fire_days is not None
            assert found.final(case)[member] == alone.metrics.final_extent_cells
            assert found.final(case, protected=True)[member] == alone.metrics.protected_cells
            np.testing.assert_array_equal(found.extent[case, member], alone.p_fire_days.sum(axis=(1, 2)))
            fire, burning = unpacked(found.samples[case][member], alone.p_fire_days.shape)
            np.testing.assert_array_equal(fire, alone.p_fire_days == 1.0)
            assert (burning & ~fire).sum() == 0 < burning.sum()
            days.append(alone.p_fire_days)
        np.testing.assert_array_equal(found.fire[case], np.mean(days, axis=0, dtype=np.float64).astype(np.float32))


@pytest.mark.parametrize("kind", [UncertaintyKind.ALEATORIC, UncertaintyKind.EPISTEMIC])
def test_a_member_can_be_played_again(kind: UncertaintyKind) -> None:
    project, model, plan = world()
    found = run(settings(kind, 3))
    for case, schedule in ((BASELINE, None), (PLAN, plan)):
        again = member_rollout(project, model, schedule, settings(kind, 3), 2, error=ERROR, frame_stride=4)
        assert again.frames is not None and again.p_fire_days is not None
        np.testing.assert_allclose(again.p_fire_days.sum(axis=(1, 2), dtype=np.float64), found.extent[case, 2])


@pytest.mark.parametrize("kind", ["scalar", "network"])
def test_members_of_another_wind_are_the_fire_on_maps_of_that_wind(kind: str) -> None:
    project = blown_project(kind)
    model = model_of(project)
    plan, chosen = plan_of(model), settings(UncertaintyKind.WEATHER, 4, weather=WeatherSpread(0.5, 0.6, 10.0))
    found = run_ensemble(project, model, plan, chosen)
    event = project.scenario
    winds = ForecastWind.of(event.weather_of(1))
    whole = (slice(0, model.shape[0]), slice(0, model.shape[1]))
    for member in range(4):
        draw = weather_of(chosen.weather, chosen.seed, member)
        assert found.weather[member] == draw
        speed, towards = winds.perturbed(draw, 0, event.days, whole)
        other = model_of(replace(project, scenario=replace(event, wind_speed=speed, wind_dir=towards)))
        again = member_rollout(project, model, plan, chosen, member)
        for case, schedule in ((BASELINE, Schedule.empty(model.n_steps, model.fleet.n_aircraft)), (PLAN, plan)):
            alone = simulate(other, schedule).metrics
            assert found.final(case)[member] == pytest.approx(alone.final_extent_cells, rel=1e-4)
            assert found.final(case, protected=True)[member] == pytest.approx(alone.protected_cells, rel=1e-3, abs=1e-3)
        assert again.metrics.final_extent_cells == pytest.approx(found.final(PLAN)[member], rel=1e-4)


def test_a_fire_that_leaves_its_window_is_computed_again_with_more_room(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = settings(UncertaintyKind.WEATHER, 3, weather=WeatherSpread(0.6, 0.0, 0.0))
    wide = run(chosen)
    monkeypatch.setattr(engine, "ROOM", 1)
    monkeypatch.setattr(engine, "MORE_ROOM", 2)
    np.testing.assert_allclose(run(chosen).extent, wide.extent, rtol=1e-6)


def test_an_error_that_is_as_good_as_none_leaves_the_forecast() -> None:
    _, model, plan = world()
    project = world()[0]
    tiny = replace(ERROR, covariance=((1e-12, 0.0), (0.0, 1e-12)))
    found = run_ensemble(project, model, plan, settings(UncertaintyKind.EPISTEMIC, 2), error=tiny)
    assert found.final(PLAN)[0] == pytest.approx(simulate(model, plan).metrics.final_extent_cells, rel=1e-3)


def test_the_threshold_of_the_settings_is_used() -> None:
    found = run(settings(UncertaintyKind.EPISTEMIC, 2, threshold=1.0))
    _, model, plan = world()
    assert found.final(PLAN)[1] == pytest.approx(simulate(model, plan).metrics.final_extent_cells, rel=1e-6)


def test_it_says_how_far_it_is() -> None:
    heard: list[EnsembleProgress] = []
    found = run(settings(UncertaintyKind.ALEATORIC, 5), progress=heard.append, portion=2)
    assert [(one.done, one.asked) for one in heard] == [(done, 5) for done in range(1, 6)]
    np.testing.assert_array_equal(heard[3].extent, found.extent[:, :4])


@pytest.mark.parametrize("kind", KINDS)
def test_it_stops_when_asked_and_what_was_kept_stays(kind: UncertaintyKind) -> None:
    kept: list[EnsembleState] = []

    def check() -> None:
        if kept:
            raise CancelledError("stopped")

    with pytest.raises(CancelledError):
        run(settings(kind, 500), keep=kept.append, portion=2, check=check)
    assert kept[-1].members < 20, "members that were being computed may still be kept"
    np.testing.assert_array_equal(kept[-1].extent[:, :2], run(settings(kind, 2)).extent)


def test_members_after_the_last_portion_are_kept_at_a_cancel() -> None:
    kept: list[EnsembleState] = []

    def hear(progress: EnsembleProgress) -> None:
        if progress.done == 3:
            raise CancelledError("stopped")

    with pytest.raises(CancelledError):
        run(settings(UncertaintyKind.ALEATORIC, 500), keep=kept.append, portion=2, progress=hear)
    assert [state.members for state in kept] == [2, 3]


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_on_a_gpu_is_computed_on_the_processor(kind: UncertaintyKind) -> None:
    project, model, plan = world()
    there = replace(model, backend="cuda")
    assert_same(run(settings(kind, 2)), run_ensemble(project, there, plan, settings(kind, 2), error=ERROR))


def test_without_a_plan_there_is_one_case() -> None:
    found = run(settings(UncertaintyKind.ALEATORIC, 2), flown=False)
    assert found.extent.shape[0] == found.fire.shape[0] == 1
    np.testing.assert_array_equal(found.extent[0], run(settings(UncertaintyKind.ALEATORIC, 2)).extent[0])


def test_everything_that_is_wrong_is_said_at_once() -> None:
    project, model, plan = world()
    broken = replace(plan, logits=np.where(plan.logits > 2.0, math.nan, plan.logits))
    with pytest.raises(InputError) as caught:
        run_ensemble(project, model, broken, settings(UncertaintyKind.EPISTEMIC, 0))
    text = str(caught.value)
    for part in ("Number of fires is 0", "not numbers", "error model"):
        assert part in text
    with pytest.raises(InputError, match="give a schedule of this project"):
        run_ensemble(project, model, Schedule.empty(5, 2), settings(UncertaintyKind.ALEATORIC))
    with pytest.raises(InputError, match="singular"):
        singular = replace(ERROR, covariance=((1.0, 1.0), (1.0, 1.0)))
        run_ensemble(project, model, plan, settings(UncertaintyKind.EPISTEMIC), error=singular)


def test_imported_maps_have_no_weather_to_perturb() -> None:
    project, model, plan = world()
    imported = replace(project, fire_model=FireModel("maps", "imported", {}))
    with pytest.raises(InputError, match="imported maps hold for the wind"):
        run_ensemble(imported, model, plan, settings(UncertaintyKind.WEATHER))


def test_a_wind_with_a_hole_is_refused() -> None:
    project, model, plan = world()
    speed = project.scenario.wind_speed.copy()
    speed[3, 2, 2] = np.nan
    with pytest.raises(InputError, match="without a number"):
        holed = replace(project, scenario=replace(project.scenario, wind_speed=speed))
        run_ensemble(holed, model, plan, settings(UncertaintyKind.WEATHER))


def test_a_state_of_another_ensemble_is_refused() -> None:
    states: list[EnsembleState] = []
    run(settings(UncertaintyKind.ALEATORIC, 2), flown=False, keep=states.append)
    with pytest.raises(InputError, match="1 cases"):
        run(settings(UncertaintyKind.ALEATORIC, 4), state=states[0])
    with pytest.raises(InputError, match="has not kept"):
        run(settings(UncertaintyKind.ALEATORIC, 4, keep_members=True), flown=False, state=states[0])
    with pytest.raises(InputError, match="2 members, more than the 1 asked for"):
        run(settings(UncertaintyKind.ALEATORIC, 1), flown=False, state=states[0])
    moved = replace(states[0], corner=(55, 60))
    with pytest.raises(InputError, match="beyond the raster"):
        run(settings(UncertaintyKind.ALEATORIC, 4), flown=False, state=moved)
