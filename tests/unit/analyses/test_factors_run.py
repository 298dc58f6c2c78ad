"""Run of a joint calibration of the physical model: comparison of every fire, and fires that are left out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from firegui.analyses.calibration.factors_run import CALIBRATED, OTHERS, PRESENT
from firegui.analyses.calibration.factors_table import about_text, comparison_rows, conclusion_text, others_text
from firegui.calibration.factor_fit import fit_factors
from firegui.calibration.forecast import forecast
from firegui.domain.fit import FactorFitSettings
from firegui.domain.project import Project
from firegui.fire.physical import with_factors
from firegui.fire.skill import forecast_skill
from firegui.runs.control import RunControl
from firegui.runs.events import FactorsReady, FireComparison, Progress, RunEvent, RunFinished
from firegui.runs.runner import execute
from firegui.runs.spec import CalibrateFactorsSpec
from firegui.runs.stages import FinishReason
from tests.unit.calibration.physical_fires import SHAPE, two_fires
from tests.unit.fire.events import observed, square

SETTINGS = FactorFitSettings(fit_days=2, rollouts=8)


def run(
    projects: tuple[Project, ...], settings: FactorFitSettings, stop: Callable[[RunEvent], bool] = lambda _event: False
) -> tuple[FactorsReady, RunFinished]:
    control, events = RunControl(), list[RunEvent]()

    def hear(event: RunEvent) -> None:
        events.append(event)
        if stop(event):
            control.request_stop()

    execute(CalibrateFactorsSpec(projects, settings), hear, control)
    finished = events[-1]
    assert isinstance(finished, RunFinished)
    (ready,) = (event for event in events if isinstance(event, FactorsReady))
    return ready, finished


def keys(fire: FireComparison) -> list[str]:
    return [each.key for each in fire.forecasts]


def test_every_fire_is_compared_and_left_out_once() -> None:
    ready, finished = run(two_fires(), replace(SETTINGS, leave_one_out=True))
    assert finished.reason is FinishReason.COMPLETED
    assert [fire.fire for fire in ready.fires] == ["Grass", "Shrub"]
    assert ready.factors == fit_factors(two_fires(), SETTINGS)
    for number, fire in enumerate(ready.fires):
        assert keys(fire) == [PRESENT, CALIBRATED, OTHERS, "start", "held", "disc"]
        project, (other,) = two_fires()[number], (two_fires()[1 - number],)
        assert fire.others == fit_factors([other], SETTINGS)
        expected = forecast_skill(OTHERS, "", project.scenario, forecast(with_factors(project, fire.others), 3), 2)
        found = fire.skill(OTHERS)
        assert found is not None and found.days == expected.days
    text = conclusion_text(ready)
    assert " of 2 fires by " in text and ", disc by " in text
    assert " Fitted to the other fires alone, it overlaps all days by " in text and " of 2 fires." in text
    head, *rows = comparison_rows(ready.fires[0])
    assert head == ("Mean overlap (IoU)", "days 1–2, fitted", "day 3, held out", "new growth", "all days")
    assert rows[2][0] == "fitted to other fires" and all(rows[2])
    assert "shrub × " in others_text(ready.fires[0]) and "knows only the perimeter of day 0" in about_text(ready)


def test_a_fire_that_is_left_out_has_no_part_in_the_factors_of_the_others() -> None:
    grass, shrub = two_fires()
    far = [square(SHAPE, 3), *(np.ones(SHAPE, bool) for _ in range(3))]
    changed = replace(grass, scenario=observed(grass.scenario, far))
    settings = replace(SETTINGS, leave_one_out=True)
    before, after = (run((each, shrub), settings)[0] for each in (grass, changed))
    assert before.fires[0].others == after.fires[0].others
    assert before.fires[1].others != after.fires[1].others
    assert before.factors != after.factors


@pytest.mark.parametrize("place", [0, 1])
def test_a_stop_while_fires_are_left_out_keeps_the_factors_and_what_is_scored(place: int) -> None:
    def stop(event: RunEvent) -> bool:
        return isinstance(event, Progress) and event.done == place

    ready, finished = run(two_fires(), replace(SETTINGS, leave_one_out=True), stop)
    assert finished.reason is FinishReason.STOPPED and finished.message.startswith(
        "stopped on request after 8 rollouts"
    )
    assert ready.factors == fit_factors(two_fires(), SETTINGS)
    assert [fire.others is not None for fire in ready.fires] == [number < place for number in range(2)]
    assert all(keys(fire)[:2] == [PRESENT, CALIBRATED] and keys(fire)[-1] == "disc" for fire in ready.fires)
    assert "The calibrated model is " in conclusion_text(ready)


def test_the_conclusion_names_the_fires_that_get_worse() -> None:
    ready, _ = run(two_fires(), replace(SETTINGS, rollouts=1))
    fire, other = ready.fires
    present = fire.skill(PRESENT)
    start = fire.skill("start")
    assert present is not None and start is not None
    worse = replace(fire, forecasts=(present, replace(start, key=CALIBRATED), *fire.forecasts[2:]))
    text = conclusion_text(replace(ready, fires=(worse, other)))
    assert text.startswith("The calibrated model is worse than the present one: ")
    assert text.endswith(" It does worse than the present one on Grass.")
