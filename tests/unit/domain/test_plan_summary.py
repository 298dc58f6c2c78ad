from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import msgspec
import numpy as np
import pytest

from firegui.domain.operations import Daylight
from firegui.domain.plan_summary import (
    PUT_OUT,
    PlanSummary,
    boundary_areas,
    plan_summary,
    saved_text,
    start_area,
    with_regions,
)
from firegui.domain.project import Project
from firegui.domain.regions import Region
from firegui.domain.scenario import UNKNOWN_START
from firegui.domain.schedule import DropRecord
from firegui.domain.settings import Margin, ObjectiveWeights, Setting
from firegui.domain.stress import NOMINAL, StressDraw, StressResult, StressScenario, StressTable
from firegui.domain.units import Units, percent_text
from firegui.io.daylight import night_steps
from firegui.io.rasters.masks import region_masks
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
    fires = {"plan": {0: 1.0, 1: 3.0, 2: 5.5}, "baseline": {1: 40.0, 2: 1204.0}}
    given: dict[str, object] = {**fires, "night": night, "drops": DROPS}
    given |= changes
    names = ("night", "plan", "baseline", "drops")
    night_given, plan, baseline, drops = (given.pop(name) for name in names)
    return plan_summary(whole, drops, night_given, plan, baseline, **given)  # type: ignore[arg-type]


def test_it_counts_executed_drops_by_day_type_and_material() -> None:
    found = summary()
    assert [(day.drops, day.gallons, day.night) for day in found.days] == [(3, 2500.0, 1), (1, 700.0, 0)]
    assert [(line.type, line.drops) for line in found.days[0].types] == [("R", 2), ("W", 1)]
    assert (found.drops, found.gallons, found.night) == (4, 3200.0, 1)
    assert [(day.fire_ha, day.fire_ha_no_drops) for day in found.days] == [(3.0, 40.0), (5.5, 1204.0)]


def test_the_headline_says_what_is_reported_on_the_radio() -> None:
    found = dict(summary().headline())
    assert found["Final size"] == "5.5 ha (1,204 ha without drops)"
    assert found["Saved"] == "99.5 %"
    assert found["Drops"] == "4"
    assert found["Volume"] == "12.1 m³ (6.8 retardant, 5.3 water)"
    assert found["Drops at night"] == "1 (of 4; no daylight rule)"
    assert "Worst stress case" not in found
    table = summary().day_rows()
    assert table[1] == ["1", "2020-08-19", "3", "R 2, W 1", "9.5", "1", "3.0 ha", "40.0 ha"]


def test_drops_in_long_flames_are_reported_where_flame_lengths_are_known() -> None:
    flames = {(0, 0): 2.5, (4, 0): 2.4, (4, 1): 9.0, (5, 2): 9.0}
    found = summary(flames=flames)
    assert (found.long_flames, found.flame_limit_m) == (2, 2.4)
    assert [day.long_flames for day in found.days] == [2, 0]
    title = "Drops in long flames"
    assert dict(found.headline())[title] == "2 (of 4; where flames are over 2.4 m long)"
    assert dict(found.headline(Units.US))[title] == "2 (of 4; where flames are over 7.9 ft long)"
    assert title in [figure.title for figure in found.plan_figures()]
    assert dict(summary(flames={}).headline())[title] == "none (where flames are over 2.4 m long)"
    title, value = next(line for line in replace(found, drops_fail_in_flames=True).headline() if line[0] == title)
    assert value == "2 (of 4; no effect where flames are over 2.4 m long)"
    unknown = summary()
    assert unknown.long_flames is None and title not in dict(unknown.headline())
    # Summaries of before there was a limit.
    old = msgspec.json.decode(msgspec.json.encode(unknown))
    del old["flame_limit_m"], old["drops_fail_in_flames"]
    for day in old["days"]:
        del day["long_flames"]
    assert msgspec.convert(old, PlanSummary) == unknown


def test_the_size_at_the_start_is_reported_and_why_a_fire_can_end_smaller() -> None:
    grown = summary()
    assert dict(grown.headline())["Size at the start"] == "1.0 ha"
    assert grown.start_row() == [["Start", "", "", "", "", "", "1.0 ha", "1.0 ha"]]
    assert grown.start_row(is_narrow=True) == [["Start", "", "", "1.0", "1.0", ""]]
    assert [len(row) for row in grown.start_row(is_narrow=True)] == [len(grown.narrow_day_rows()[0])]
    smaller = summary(plan={0: 8.6, 2: 5.5})
    assert dict(smaller.headline())["Final size"] == "5.5 ha (1,204 ha without drops)"
    assert dict(smaller.headline())["Size at the start"].endswith(f" ha ({PUT_OUT})")
    unknown = summary(plan={2: 5.5})
    assert unknown.start_row() == [] and "Size at the start" not in dict(unknown.headline())
    project = make_project()
    assert project.scenario.ignition is not None
    assert start_area(project) == project.scenario.ignition.sum() * project.scenario.grid.cell_area_ha


def test_the_worst_stress_case_is_an_area_and_a_name() -> None:
    scenario = StressScenario("late", delay_minutes=30.0)
    late = StressResult(scenario, 10.0, 210.0, (StressDraw(110.0, 0.0, 0.5, 4),))
    model = StressResult(NOMINAL, 10.0, 210.0, (StressDraw(20.0, 0.0, 0.05, 4),))
    found = summary(stress=StressTable(4, model, (late,)))
    text = "9.9 ha (late: every drop 30 min late; 18.9 ha without drops in that case, 50 % of the growth left)"
    assert dict(found.headline())["Worst stress case"] == text
    # The verdict of a plan for regions tells the largest fire, which may be in another scenario.
    fast = StressResult(StressScenario("fast"), 10.0, 910.0, (StressDraw(300.0, 0.0, 0.3, 4),))
    found = summary(stress=StressTable(4, model, (late, fast)))
    assert dict(found.headline())["Worst stress case"] == f"{text[:-1]}; largest fire 27.0 ha in “fast”)"


@pytest.mark.parametrize("kind", list(Margin))
@pytest.mark.parametrize("drops", [DROPS, ()])
def test_the_verdict_of_a_tested_plan_comes_first(drops: Sequence[DropRecord], kind: Margin) -> None:
    late = StressResult(StressScenario("late", delay_minutes=30.0), 10.0, 210.0, (StressDraw(110.0, 0.0, 0.73, 4),))
    model = StressResult(NOMINAL, 10.0, 210.0, (StressDraw(20.0, 0.0, 0.01, 4),))
    project, table = make_project().with_margin(kind), StressTable(4, model, (late, late))
    missed = summary(project, stress=table, drops=drops)
    assert missed.headline()[0] == ("Verdict", "⚠ Does not hold: 73 % of the growth left in “late” (limit 5.0 %)")
    holds = summary(project, stress=replace(table, results=(model, model)), drops=drops)
    assert holds.headline()[0] == ("Verdict", "Holds in all 2 scenarios")


def test_a_plan_that_was_not_tested_says_so_once() -> None:
    lines = summary().headline()
    assert lines[0] == ("Verdict", "not stress-tested")
    assert [text for _, text in lines if "tested" in text] == ["not stress-tested"]


def in_regions(project: Project, *, tested: bool = False) -> PlanSummary:
    """Return a summary in which a tenth of every cell burns, and half of it without drops."""
    table = None
    if tested:
        weak = StressResult(StressScenario("weak"), 10.0, 210.0, (StressDraw(60.0, 20.0, 0.25, 4),))
        late = StressResult(StressScenario("late"), 10.0, 210.0, (StressDraw(110.0, 5.0, 0.5, 4),))
        table = StressTable(4, weak, (weak, late))
    shape = project.scenario.grid.shape
    masks = region_masks(project.regions, shape)
    fires = [np.full(shape, share, np.float32) for share in (0.1, 0.5)]
    return with_regions(summary(project, stress=table), project, masks, fires[0], fires[1])


def with_areas(project: Project, *regions: Region) -> Project:
    return replace(project, regions=regions)


R1 = Region.rectangle("R1", (0, 10), (0, 10))
R2 = Region.rectangle("R2", (5, 15), (0, 10))


def test_where_the_goal_is_to_protect_regions_they_are_reported_first() -> None:
    project = with_areas(make_project(), R1).protecting()
    found = in_regions(project, tested=True)
    lines = found.headline()[1:]
    assert lines[0] == ("Burned in R1", "0.9 ha (4.5 ha without drops; area 9.0 ha)")
    assert lines[1][0] == "Final size"
    # The case in which most of the region burns is not the one in which most of the whole fire burns.
    assert dict(lines)["Worst stress case, regions"] == "1.8 ha (weak: as in the model)"
    # A test with other regions than those that are reported says so beside its number.
    other = replace(found, has_other_regions=True)
    inside = dict(other.headline())["Worst stress case, regions"]
    assert inside == "1.8 ha (weak: as in the model; with the regions of the run)"
    assert dict(lines)["Worst stress case"].startswith("9.9 ha (late: ")


def test_that_no_region_burns_is_said_in_words_and_not_as_a_zero() -> None:
    project = with_areas(make_project(), R1).protecting()
    shape = project.scenario.grid.shape
    late = StressResult(StressScenario("late"), 10.0, 210.0, (StressDraw(110.0, 0.2, 0.5, 4),))
    table = StressTable(4, late, (late,))
    # A chance to burn that is shown as 0.0 ha.
    fires = [np.full(shape, share, np.float32) for share in (1e-3, 0.5)]
    found = with_regions(summary(project, stress=table), project, region_masks(project.regions, shape), *fires)
    lines = dict(found.headline())
    assert lines["Burned in R1"] == "none (4.5 ha without drops; area 9.0 ha)"
    assert lines["Worst stress case, regions"] == "no protected region burns"
    other = dict(replace(found, has_other_regions=True).headline())["Worst stress case, regions"]
    assert other == "no protected region burns (with the regions of the run)"
    assert not any(text.startswith("0.0 ha") for text in lines.values())


def test_of_a_region_without_fire_it_is_said_only_that_the_fire_does_not_reach_it() -> None:
    plain = with_areas(make_project(), R1, R2)
    plain = replace(plain, plan=replace(plain.plan, setting=Setting.A, weights=ObjectiveWeights.of(Setting.A)))
    shape = plain.scenario.grid.shape
    none, some = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    some[12, 2] = 1.0
    for fires, of_r2, together in (
        ((none, none), "does not reach it", "reaches none of them"),
        ((none, some), "0.1 ha without drops", "0.1 ha without drops"),
    ):
        found = with_regions(summary(plain), plain, region_masks(plain.regions, shape), *fires)
        lines = dict(found.headline())
        assert lines["Burned in R1"] == "none (the fire without drops does not reach it; area 9.0 ha)"
        assert of_r2 in lines["Burned in R2"] and together in lines["Burned in all regions"]


def test_several_regions_are_reported_together_and_each_with_what_overlaps_counted_once() -> None:
    found = in_regions(with_areas(make_project(), R1, R2).protecting())
    lines = found.headline()
    assert lines[1:3] == [
        ("Burned in all regions", "1.4 ha (6.8 ha without drops; area 13.5 ha)"),
        ("Final size", "5.5 ha (1,204 ha without drops)"),
    ]
    # Drops, volume and worst case come before the single regions, to be seen without scrolling.
    assert lines[-2:] == [
        ("Burned in R1", "0.9 ha (4.5 ha without drops; area 9.0 ha)"),
        ("Burned in R2", "0.9 ha (4.5 ha without drops; area 9.0 ha)"),
    ]
    assert found.all_regions is found.together
    assert found.headline(Units.US)[-2] == ("Burned in R1", "2.2 acres (11.1 acres without drops; area 22.2 acres)")


def test_regions_that_the_goal_leaves_out_come_after_the_whole_fire_and_say_so() -> None:
    plain = with_areas(make_project(), R1)
    plain = replace(plain, plan=replace(plain.plan, setting=Setting.A, weights=ObjectiveWeights.of(Setting.A)))
    lines = in_regions(plain, tested=True).headline()[1:]
    assert lines[0][0] == "Final size"
    assert lines[-1] == ("Burned in R1", "0.9 ha (4.5 ha without drops; area 9.0 ha; not in the goal)")
    assert "Worst stress case, regions" not in dict(lines)


def test_of_many_regions_the_most_burned_have_a_line_each() -> None:
    regions = [Region.rectangle(f"R{k}", (0, 1 + k), (0, 5)) for k in range(12)]
    figures = in_regions(with_areas(make_project(), *regions).protecting()).region_figures()
    lines = {figure.title: figure.text for figure in figures}
    assert len(lines) == 10
    assert "Burned in R11" in lines and "Burned in R3" not in lines
    assert lines["Other regions: 4"] == "0.2 ha (or less burned in each)"


def test_without_regions_nothing_is_added_and_an_old_summary_opens() -> None:
    project = with_areas(make_project())
    found = in_regions(project)
    assert found.regions == () and found.together is None and found.region_figures() == []
    old = msgspec.json.decode(msgspec.json.encode(found))
    del old["regions"], old["together"]
    assert msgspec.convert(old, PlanSummary) == found


def test_what_is_not_known_is_said_and_never_shown_as_a_number() -> None:
    project = make_project()
    undated = replace(project, scenario=replace(project.scenario, start=UNKNOWN_START))
    assert night_steps(undated) is None
    found = summary(undated, night=night_steps(undated), plan={}, baseline={})
    assert found.days[0].when is None and found.days[0].night is None
    headline = dict(found.headline())
    assert headline["Drops at night"] == "not known (the date of the fire is not known)"
    assert (headline["Final size"], found.short_size_text()) == ("not known", "final size not known")
    assert "Saved" not in headline
    known = replace(found, final_ha=8.1, final_ha_no_drops=1158.0)
    assert known.short_size_text() == "8.1 ha (99.3 % saved)"
    assert known.short_size_text(Units.US) == "20.0 acres (99.3 % saved)"
    assert found.day_rows()[1] == ["1", "date unknown", "3", "R 2, W 1", "9.5", "–", "–", "–"]
    assert "2000" not in str(found.day_rows())


def test_night_is_before_sunrise_and_after_sunset() -> None:
    project = make_project()
    night = night_steps(project)
    # The plan begins at local midnight in August: about ten of 24 hours are night.
    assert night is not None and night[0] and not night[STEPS_PER_DAY // 2]
    assert 3 <= night[:STEPS_PER_DAY].sum() <= 5
    lit = replace(project, operations=replace(project.operations, daylight=Daylight()))
    assert "daylight rule allows" in dict(summary(lit, night=night).headline())["Drops at night"]


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


def priced(project: Project, **prices: float) -> Project:
    kinds = tuple(replace(kind, turnaround_h=0.5, hour_price=prices.get(kind.id)) for kind in project.fleet.types)
    return replace(project, fleet=replace(project.fleet, types=kinds, currency="CAD"))


def test_flight_hours_and_cost_follow_from_the_fleet() -> None:
    found = summary(priced(make_project(), R=1000.0, W=3000.0))
    assert [(day.flight_hours, day.cost) for day in found.days] == [(1.5, 2500.0), (0.5, 1500.0)]
    figures = {figure.title: figure.text for figure in found.key_figures()}
    assert (figures["Flight hours"], figures["Cost"]) == ("2.0", "4,000 CAD")
    assert {("Flight hours", "2.0"), ("Cost", "4,000 CAD")} <= {
        (each.title, each.text) for each in found.plan_figures()
    }


def test_a_cost_is_not_known_where_a_type_that_drops_has_no_price() -> None:
    found = summary(priced(make_project(), R=1000.0))
    assert (found.flight_hours, found.cost, found.unpriced) == (2.0, None, ("W",))
    (cost,) = [figure for figure in found.key_figures() if figure.title == "Cost"]
    assert cost.text == "not known (no price for W; 1,000 CAD for the others)"


def test_without_any_price_no_cost_is_shown() -> None:
    found = summary(priced(make_project()))
    assert found.cost is None and "Cost" not in {figure.title for figure in found.key_figures()}
    elsewhere = summary(drops=[drop(0, 0, aircraft="X-1", type="Other")])
    assert elsewhere.flight_hours is None and "Flight hours" not in {each.title for each in elsewhere.key_figures()}
