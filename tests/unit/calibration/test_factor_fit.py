"""Fit of the physical model's factors on fires that the model made itself."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from functools import cache
from statistics import fmean

import numpy as np
import pytest

from firegui.analyses.calibration.factors_run import default_factor_settings
from firegui.calibration.factor_fit import fit_factors, searched_factors
from firegui.calibration.fittable import factor_fit_problems
from firegui.calibration.forecast import roll_out
from firegui.domain.fit import FactorFitSettings, FitProgress
from firegui.domain.options import declared_option
from firegui.domain.project import FireModel, Project
from firegui.domain.settings import NOMINAL, PlanSettings
from firegui.domain.spread_factors import SpreadFactors
from firegui.errors import CancelledError, InputError
from firegui.fire.physical import with_physical_model
from firegui.fire.skill import LIKELY, disc_skill, distance_from, start_skill
from firegui.planning.problem import build
from tests.support import StopAt, make_project
from tests.unit.calibration.physical_fires import SHAPE, TRUTH, physical_fire, two_fires
from tests.unit.fire.events import observed, square

SETTINGS = FactorFitSettings(fit_days=3, rollouts=60)
QUICK = FactorFitSettings(fit_days=2, rollouts=6)


@cache
def fire() -> Project:
    return physical_fire()


def test_the_factors_that_made_a_fire_are_found_within_a_fifth_and_others_stay_near_one() -> None:
    heard: list[FitProgress] = []
    found = fit_factors([fire()], SETTINGS, progress=heard.append)
    assert found.grass_speed == pytest.approx(TRUTH.grass_speed, rel=0.2)
    assert found.shrub_speed == pytest.approx(TRUTH.shrub_speed, rel=0.2)
    assert found.wind_factor == pytest.approx(1.0, rel=0.2)
    assert found.moisture_shift == pytest.approx(0.0, abs=1.0)
    assert [each.epoch for each in heard] == list(range(len(heard))) and len(heard) <= SETTINGS.rollouts
    last = heard[-1]
    assert last.best_loss < 0.6 * heard[0].loss
    assert heard[last.best_epoch].loss == last.best_loss


def test_a_group_that_never_burned_stays_exactly_as_published() -> None:
    found = fit_factors([fire()], replace(QUICK, rollouts=12))
    assert [one.name for one in searched_factors([fire().scenario], 2)] == [
        "grass_speed", "shrub_speed", "moisture_shift", "wind_factor",
    ]  # fmt: skip
    unreached = ("grass_shrub_speed", "understory_speed", "litter_speed", "slash_speed")
    assert all(getattr(found, name) == 1.0 for name in unreached)
    assert found != SpreadFactors()


def test_a_fire_far_faster_than_the_bounds_allow_ends_within_them() -> None:
    project = fire()
    event = project.scenario
    far = [square(SHAPE, 3), *(np.ones(SHAPE, bool) for _ in range(3))]
    found = fit_factors([replace(project, scenario=observed(event, far))], replace(QUICK, rollouts=30))
    assert found.grass_speed > 1.5
    for item in fields(found):
        bounds = declared_option(found, item.name)
        assert bounds.low is not None and bounds.high is not None
        assert bounds.low <= getattr(found, item.name) <= bounds.high


def test_the_same_seed_gives_the_same_factors_and_present_ones_do_not_matter() -> None:
    calibrated = replace(fire().fire_model, parameters={**fire().fire_model.parameters, "grass_speed": 2.0})
    settings = replace(QUICK, rollouts=14, seed=3)
    one, other = (fit_factors([each], settings) for each in (fire(), replace(fire(), fire_model=calibrated)))
    assert one == other


@pytest.mark.parametrize("moving", [True, False])
def test_the_fit_starts_its_fires_as_plans_do(moving: bool) -> None:
    project = with_physical_model(fire(), replace(fire().fire_model.physical, moving_start=moving))
    project = replace(project, fleet=make_project().fleet, plan=PlanSettings(days=2))
    planned = roll_out(build(project, NOMINAL, "cpu").maps)
    made = replace(project, scenario=observed(project.scenario, planned >= LIKELY))
    heard: list[FitProgress] = []
    fit_factors([made], replace(QUICK, rollouts=1), progress=heard.append)
    assert heard[0].events[0].iou == (1.0, 1.0)


def test_perimeters_after_the_fitted_days_are_not_read() -> None:
    project = fire()
    assert project.scenario.observed is not None
    masks = [*project.scenario.observed[:3], np.ones(SHAPE, bool)]
    other = replace(project, scenario=observed(project.scenario, masks))
    assert fit_factors([project], QUICK) == fit_factors([other], QUICK)


def test_a_stop_gets_through_in_the_middle_of_a_rollout() -> None:
    kept: list[SpreadFactors] = []
    with pytest.raises(CancelledError):
        fit_factors([fire()], QUICK, keep=kept.append, check=StopAt(40))
    assert kept[0] == SpreadFactors()


def test_what_cannot_be_fitted_is_said() -> None:
    project = fire()
    scalar = replace(project, fire_model=FireModel("scalar", "test", {}))
    with pytest.raises(InputError, match="is the scalar one, which has no factors"):
        fit_factors([scalar], QUICK)
    (problem,) = factor_fit_problems([project], replace(QUICK, fit_days=9))
    assert "9 days with weather for 3" in str(problem)
    assert default_factor_settings(project).fit_days == 1


def test_two_fires_together_give_the_factors_that_neither_gives_alone() -> None:
    def error(found: SpreadFactors) -> float:
        pairs = ((found.grass_speed, TRUTH.grass_speed), (found.shrub_speed, TRUTH.shrub_speed))
        return sum(abs(math.log(speed / true)) for speed, true in pairs)

    settings = replace(SETTINGS, rollouts=12)
    joint = fit_factors(two_fires(), settings)
    alone = [fit_factors([project], settings) for project in two_fires()]
    assert (alone[0].shrub_speed, alone[1].grass_speed) == (1.0, 1.0)
    assert error(joint) < 0.5 * min(map(error, alone))
    assert joint.grass_speed == pytest.approx(TRUTH.grass_speed, rel=0.2)
    assert joint.shrub_speed == pytest.approx(TRUTH.shrub_speed, rel=0.2)


def test_every_fire_counts_the_same_and_a_group_that_one_of_them_reaches_is_searched() -> None:
    heard: list[FitProgress] = []
    one = replace(QUICK, rollouts=1)
    for projects in (two_fires(), *([project] for project in two_fires())):
        fit_factors(projects, one, progress=heard.append)
    together, *alone = heard
    assert together.loss == fmean(each.loss for each in alone)
    assert together.events == tuple(each.events[0] for each in alone)
    events = [project.scenario for project in two_fires()]
    names = [[one.name for one in searched_factors(each, 2)] for each in (events, events[1:], events[::-1])]
    assert names[0] == names[2] == ["grass_speed", "shrub_speed", "moisture_shift", "wind_factor"]
    assert names[1] == ["shrub_speed", "moisture_shift", "wind_factor"]


def test_all_that_is_wrong_with_several_projects_is_said_at_once() -> None:
    grass, shrub = two_fires()
    network = replace(shrub, fire_model=FireModel("network", "test", {}), scenario=replace(shrub.scenario, name="Net"))
    blind = replace(shrub, scenario=replace(shrub.scenario, name="Blind", observed=None, observed_dates=()))
    bare = replace(shrub, scenario=replace(shrub.scenario, name="Bare", layers={}))
    problems = factor_fit_problems([grass, network, blind, bare, grass], replace(QUICK, rollouts=0))
    assert all(problem.remedy for problem in problems)
    assert [problem.head for problem in problems] == [
        "fit: Rollouts is 0",
        "projects: 2 events are called 'Grass'",
        "Blind: there is no observed perimeter on day 0",
        "Net: the fire model is the network one, which has no factors",
        "Bare, fuel: the event has no fuel model layer",
    ]
    assert [problem.where for problem in factor_fit_problems([], QUICK)] == ["projects"]
    (alone,) = factor_fit_problems([grass], replace(QUICK, leave_one_out=True))
    assert "no fire is left" in str(alone)


def test_the_disc_grows_by_the_distance_that_gives_the_observed_area() -> None:
    masks = [square(SHAPE, half) for half in (3, 5, 7, 9)]
    event = observed(fire().scenario, masks)
    disc, start = disc_skill(event, 3, 2), start_skill(event, 3, 2)
    assert disc.label == "disc of 75 m a day"
    assert disc.days[2].overlap.likely == pytest.approx(masks[2].sum(), rel=0.15)
    assert disc.days[3].iou > 0.8 > start.days[3].iou
    assert start.days[3].new_iou == 0.0
    far = distance_from(square(SHAPE, 0))
    with pytest.raises(CancelledError):
        disc_skill(event, 3, 2, StopAt(3))
    assert far[30, 35] == 0.0 and far[33, 39] == 5.0 and far[0, 0] == pytest.approx(np.hypot(30, 35))
