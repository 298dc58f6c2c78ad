from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from firegui.domain.operations import Daylight
from firegui.domain.plan_summary import PlanSummary, boundary_areas, percent_text, plan_summary, saved_text
from firegui.domain.project import Project
from firegui.domain.scenario import UNKNOWN_START
from firegui.domain.stress import NOMINAL, StressDraw, StressResult, StressScenario, StressTable
from firegui.io.daylight import night_steps
from tests.support import STEPS_PER_DAY, make_project
from tests.unit.io.builders import drop

DROPS = (
    drop(0, 0, aircraft="R-1", type="Retardant plane", material="retardant", payload_gal=900.0),
    drop(4, 0, aircraft="R-1", type="Retardant plane", material="retardant", payload_gal=900.0),
    drop(4, 1, aircraft="W-1", type="Scooper", material="water", payload_gal=700.0),
    drop(STEPS_PER_DAY, 1, aircraft="W-1", type="Scooper", material="water", payload_gal=700.0),
    drop(5, 2, aircraft="BIG-1", type="Tanker", material="retardant", payload_gal=3000.0, executed=False),
)


def summary(project: Project | None = None, **changes: object) -> PlanSummary:
    whole = make_project() if project is None else project
    night = np.zeros(whole.calendar.n_steps, bool)
    night[[0, 5]] = True
    given: dict[str, object] = {"plan": {0: 1.0, 1: 3.0, 2: 5.5}, "baseline": {1: 40.0, 2: 1204.0}, "night": night}
    given |= changes
    night_given, plan, baseline = (given.pop(name) for name in ("night", "plan", "baseline"))
    return plan_summary(whole, DROPS, night_given, plan, baseline, **given)  # type: ignore[arg-type]


def test_it_counts_executed_drops_by_day_type_and_material() -> None:
    found = summary()
    assert [(day.drops, day.gallons, day.night) for day in found.days] == [(3, 2500.0, 1), (1, 700.0, 0)]
    assert [(line.type, line.drops) for line in found.days[0].types] == [("R", 2), ("W", 1)]
    assert (found.drops, found.gallons, found.night) == (4, 3200.0, 1)
    assert [(day.fire_ha, day.fire_ha_no_drops) for day in found.days] == [(3.0, 40.0), (5.5, 1204.0)]


def test_the_headline_says_what_is_reported_on_the_radio() -> None:
    found = dict(summary().headline())
    assert found["Final size"] == "5.5 ha, 99.5 % saved (1,204 ha without drops)"
    assert found["Drops"] == "4"
    assert found["Gallons"] == "3,200 (1,800 retardant, 1,400 water)"
    assert found["Drops at night"] == "1 of 4; no daylight rule"
    assert "Worst stress case" not in found
    table = summary().day_rows()
    assert table[1] == ["1", "2020-08-19", "3", "R 2, W 1", "2,500", "1", "3.0 ha", "40.0 ha"]


def test_the_worst_stress_case_is_an_area_and_a_name() -> None:
    late = StressResult(StressScenario("late"), 10.0, 210.0, (StressDraw(110.0, 0.0, 0.5, 4),))
    model = StressResult(NOMINAL, 10.0, 210.0, (StressDraw(20.0, 0.0, 0.05, 4),))
    found = summary(stress=StressTable(4, model, (late,)))
    assert dict(found.headline())["Worst stress case"] == "9.9 ha (late; 50 % of the growth left)"


def test_what_is_not_known_is_said_and_never_shown_as_a_number() -> None:
    project = make_project()
    undated = replace(project, scenario=replace(project.scenario, start=UNKNOWN_START))
    assert night_steps(undated) is None
    found = summary(undated, night=night_steps(undated), plan={}, baseline={})
    assert found.days[0].when is None and found.days[0].night is None
    assert found.night_text == "not known: the date of the fire is not known"
    assert found.size_text() == "not known"
    assert found.day_rows()[1] == ["1", "date unknown", "3", "R 2, W 1", "2,500", "–", "–", "–"]
    assert "2000" not in str(found.day_rows())


def test_night_is_before_sunrise_and_after_sunset() -> None:
    project = make_project()
    night = night_steps(project)
    # The plan begins at local midnight in August: about ten of 24 hours are night.
    assert night is not None and night[0] and not night[STEPS_PER_DAY // 2]
    assert 3 <= night[:STEPS_PER_DAY].sum() <= 5
    lit = replace(project, operations=replace(project.operations, daylight=Daylight()))
    assert "daylight rule allows" in summary(lit, night=night).night_text


def test_areas_are_expected_areas_at_day_boundaries() -> None:
    states = np.full((2, 16, 20), 0.25, np.float32)
    found = boundary_areas(states, 1, make_project())
    assert found == {1: pytest.approx(16 * 20 * 0.25 * 0.09), 2: pytest.approx(16 * 20 * 0.25 * 0.09)}


@pytest.mark.parametrize(
    ("share", "text"), [(0.995, "99.5 % saved"), (0.5, "50 % saved"), (-0.2, "20 % larger"), (1.0, "100 % saved")]
)
def test_shares_do_not_round_to_all_or_nothing(share: float, text: str) -> None:
    assert saved_text(share) == text
    assert percent_text(0.004) == "0.4 %"
