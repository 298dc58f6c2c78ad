"""Residuals against perimeters: what is compared, in which coordinates, and what cannot be fitted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.domain.uncertainty import ErrorFit, ResidualMode, UncertaintySettings
from firegui.ensembles.ilr import ilr
from firegui.ensembles.residuals import (
    fit_error,
    fit_error_model,
    incremental_forecasts,
    observed_days,
    softened,
)
from firegui.errors import InputError
from firegui.fire.maps import project_maps
from firegui.rollout.model import Model
from firegui.rollout.simulate import last_state, simulate
from tests.numerics.cases import model_of
from tests.support import small_fleet, watched_project

CUMULATIVE = UncertaintySettings()
INCREMENTAL = UncertaintySettings(mode=ResidualMode.INCREMENTAL)


def fire_of(project: Project) -> Model:
    return model_of(project_maps(project), small_fleet())


def fitted(project: Project, settings: UncertaintySettings = CUMULATIVE) -> ErrorFit:
    return fit_error_model(fire_of(project), project.scenario, 0, settings)


def nothing(model: Model) -> Schedule:
    return Schedule.empty(model.n_steps, model.fleet.n_aircraft)


def test_cumulative_residuals_are_those_of_the_forecast_from_the_first_day() -> None:
    project = watched_project()
    found, model = fitted(project), fire_of(project)
    assert found.days == (1, 2, 3, 4)
    days = simulate(model, nothing(model), keep_days=True).p_fire_days
    assert days is not None
    np.testing.assert_allclose(found.extents[0], days[1:].sum(axis=(1, 2)), rtol=1e-5)
    unburned, burning = last_state(model, nothing(model))
    seen = project.scenario.observed_on(4)
    assert seen is not None
    rest = 1.0 - unburned.astype(np.float64) - burning
    expected = ilr(*softened(seen, 0.01)) - ilr(unburned, burning, rest)
    np.testing.assert_allclose(found.residuals[-1][:, found.mask], expected[:, found.mask], rtol=1e-4, atol=1e-4)


def test_the_mask_is_where_fire_was_seen_or_likely_on_some_day() -> None:
    project = watched_project()
    found, model = fitted(project), fire_of(project)
    days = simulate(model, nothing(model), keep_days=True).p_fire_days
    assert days is not None and project.scenario.observed is not None
    expected = project.scenario.observed[1:].any(axis=0) | (days[1:] > 0.1).any(axis=0)
    np.testing.assert_array_equal(found.mask, expected)
    assert np.isnan(found.residuals[:, :, ~found.mask]).all()
    assert np.isfinite(found.residuals[:, :, found.mask]).all()


def test_mean_and_covariance_pool_days_and_cells() -> None:
    found = fitted(watched_project())
    pooled = np.concatenate([day[:, found.mask] for day in found.residuals], axis=1)
    np.testing.assert_allclose(found.error.mean, pooled.mean(axis=1), rtol=1e-4)
    np.testing.assert_allclose(found.error.covariance, np.cov(pooled), rtol=1e-4)
    assert found.error.mode is ResidualMode.CUMULATIVE
    assert "4 days" in found.error.source


def test_one_step_forecasts_start_from_what_was_seen_the_day_before() -> None:
    project = watched_project()
    model = fire_of(project)
    seen = observed_days(project.scenario, 0, 4)
    forecasts = incremental_forecasts(model, seen)
    assert [one.day for one in forecasts] == [1, 2, 3, 4]
    # On day 2: what was new on it burns, what was there on day 1 has burned out and stays out.
    second = forecasts[2]
    assert (second.unburned[seen[2]] == 0.0).all()
    assert (second.burning[seen[1]] == 0.0).all()
    assert (second.burning[seen[2] & ~seen[1]] > 0.0).all()
    maps = model.maps.window(2, 1)
    today = replace(maps, ignition=seen[2] & ~seen[1], burnable=maps.burnable & ~seen[1])
    alone = model_of(today, small_fleet())
    unburned, _ = last_state(alone, nothing(alone))
    np.testing.assert_array_equal(second.unburned[~seen[1]], unburned[~seen[1]])


def test_days_without_a_perimeter_of_their_own_are_left_out() -> None:
    project = watched_project(skipped=(2,))
    assert fitted(project).days == (1, 3, 4)
    assert fitted(project, INCREMENTAL).days == (1, 4)


def test_a_fit_of_a_project_is_that_of_its_model() -> None:
    project = watched_project()
    assert fit_error(project, CUMULATIVE, backend="cpu").error == fitted(project).error


def no_perimeters(project: Project) -> Project:
    return replace(project, scenario=replace(project.scenario, observed=None, observed_dates=()))


def empty_perimeters(project: Project) -> Project:
    assert project.scenario.observed is not None
    return replace(project, scenario=replace(project.scenario, observed=np.zeros_like(project.scenario.observed)))


def only_the_start(project: Project) -> Project:
    event = project.scenario
    assert event.observed is not None
    return replace(
        project, scenario=replace(event, observed=event.observed[:1], observed_dates=event.observed_dates[:1])
    )


@pytest.mark.parametrize("settings", [CUMULATIVE, INCREMENTAL])
@pytest.mark.parametrize(
    ("changed", "named"),
    [
        (no_perimeters, "has none on the days of the plan"),
        (empty_perimeters, "has none on the days of the plan"),
        (only_the_start, "only the first day"),
    ],
)
def test_too_few_perimeters_are_refused(
    changed: Callable[[Project], Project], named: str, settings: UncertaintySettings
) -> None:
    with pytest.raises(InputError, match=named):
        fitted(changed(watched_project()), settings)


def test_one_step_forecasts_need_two_days_in_a_row() -> None:
    with pytest.raises(InputError, match="no two days in a row"):
        fitted(watched_project(skipped=(1, 3)), INCREMENTAL)


def test_a_fire_without_numbers_is_refused_with_its_day() -> None:
    project = watched_project()
    model = fire_of(project)
    phi = np.asarray(model.maps.phi).copy()
    phi[2, 0, 3, 3] = np.nan
    broken = model_of(replace(model.maps, phi=phi), small_fleet())
    with pytest.raises(InputError, match="spread maps of day 2 have cells without a number"):
        fit_error_model(broken, project.scenario, 0, CUMULATIVE)


def test_residuals_without_a_covariance_are_refused() -> None:
    """A fire that never leaves its cells, and perimeters of just these: every residual is the same."""
    project = watched_project()
    event = project.scenario
    assert event.observed is not None
    project = replace(project, scenario=replace(event, observed=np.repeat(event.observed[:1], 5, axis=0)))
    model = fire_of(project)
    still = replace(model.maps, phi=np.zeros_like(model.maps.phi), t_burn=1.0)
    with pytest.raises(InputError, match="do not vary"):
        fit_error_model(model_of(still, small_fleet()), project.scenario, 0, CUMULATIVE)
