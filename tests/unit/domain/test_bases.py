"""Bases: hours, cycles by the nearest open base, the centre of the burning area, and every problem at once."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from numpy.typing import NDArray

from firegui.domain.bases import (
    Base,
    BaseKind,
    centres_of_burning,
    cycles_of,
    flights,
    hour_of,
    hours_text,
    lake_problems,
)
from firegui.domain.operations import Operations, PinnedDrop, day_limits
from firegui.domain.project import Project, changed_inputs
from tests.unit.domain.samples import aircraft, project

CENTRES = ((10.0, 10.0),) * 5
FLOWN = aircraft(cruise_ms=100.0, target_min=6.0)


def base(name: str = "Near", km: float = 36.0, **changes: object) -> Base:
    """Return a base ``km`` west of the centres, on cells of 30 m: a tenth of an hour at 100 m/s for 36 km."""
    given: dict[str, object] = {"reload_min": 12.0, "serves": ("S-2T",)} | changes
    return Base(name, BaseKind.AIRTANKER, 10.0, 10.0 - km / 0.03, **given)  # type: ignore[arg-type]


def served(*bases: Base, **changes: object) -> Project:
    kinds = tuple(replace(kind, cruise_ms=100.0, target_min=6.0) for kind in project().fleet.types)
    whole = project(fleet=replace(project().fleet, types=kinds), operations=Operations(bases=bases))
    return replace(whole.with_centres(CENTRES), **changes)  # type: ignore[arg-type]


def words(*bases: Base, whole: Project | None = None) -> str:
    whole = served(*bases) if whole is None else whole
    return "\n".join(str(problem) for problem in whole.problems())


def test_a_turnaround_is_reload_time_two_flights_and_the_time_at_the_fire() -> None:
    (way,) = flights(FLOWN, [base()], CENTRES[0], 30.0)
    assert way.distance_km == pytest.approx(36.0)
    assert (way.leg_h, way.flight_h, way.turnaround_h) == pytest.approx((0.1, 0.3, 0.5))


def test_a_turnaround_is_rounded_up_to_steps_and_a_drop_flies_its_flights() -> None:
    kind = served(base()).planned_fleet.types[0]
    assert [kind.wait_steps(step, 50) for step in (0, 49, 249)] == [2, 2, 2]  # 0.5 h of steps of 0.48 h
    assert kind.flight_h_at(7) == pytest.approx(0.3)
    fixed = served().planned_fleet.types[0]
    assert (fixed.wait_steps(0, 50), fixed.flight_h_at(0)) == (2, 0.5)


def test_types_that_no_base_serves_keep_their_turnaround() -> None:
    kinds = served(base()).planned_fleet.types
    assert kinds[0].cycles
    assert not kinds[1].cycles


def test_the_nearest_open_base_is_flown_to_and_a_closed_one_is_waited_for() -> None:
    near, far = base("Near", 36.0, opens_h=8.0, closes_h=18.0), base("Far", 72.0, opens_h=6.0, closes_h=20.0)
    calendar = served().calendar
    cycles = cycles_of(FLOWN, (near, far), CENTRES, calendar, 30.0)
    by_hour = {round(0.48 * step, 2): cycle for step, cycle in enumerate(cycles[:50])}
    assert by_hour[12.0].base == "Near"
    assert by_hour[18.24].base == "Far"  # arrives at 18:20, when only the far one is open
    assert by_hour[6.72].base == "Far"
    night = by_hour[21.6]
    assert night.base == "Far"
    assert night.wait_h == pytest.approx(8.4 + 0.2 + 0.1 + 0.2)  # opens at 6:00, loads, flies back, target area
    assert night.flight_h == pytest.approx(0.5)


@pytest.mark.parametrize(("hour", "closed"), [(19.0, 0.0), (23.0, 0.0), (3.0, 0.0), (7.0, 11.0), (17.5, 0.5)])
def test_hours_may_run_past_midnight(hour: float, closed: float) -> None:
    assert base(opens_h=18.0, closes_h=6.0).hours_closed(hour) == pytest.approx(closed)


def test_hours_are_read_and_shown_as_clock_times() -> None:
    assert (hour_of("08:30"), hour_of("8.5"), hour_of(" ")) == (8.5, 8.5, None)
    assert hours_text(base(opens_h=8.5, closes_h=20.0)) == "08:30 to 20:00"
    assert hours_text(base()) == "always"
    for wrong in ("8:75", "eight", "1_0", "8:3a"):
        with pytest.raises(ValueError, match=r"."):
            hour_of(wrong)


def test_the_centre_is_that_of_what_burns_on_the_day_and_stays_where_nothing_does() -> None:
    days = np.zeros((4, 9, 9), np.float32)
    days[0, 1, 1] = 1.0
    days[1] = days[0]
    days[1, 4, 2:5] = 1.0
    days[2] = days[1]
    days[3] = days[2]
    days[3, 8, 8] = 0.5
    assert centres_of_burning(days) == ((4.0, 3.0), (4.0, 3.0), (8.0, 8.0))
    assert centres_of_burning(np.stack([days[0], days[0]])) == ((1.0, 1.0),)
    assert centres_of_burning(np.zeros((3, 4, 4), np.float32)) == ()


def test_everything_wrong_with_bases_is_said_at_once() -> None:
    found = words(
        base("Same"),
        base("same"),
        base("", reload_min=-3.0),
        base("Nowhere", math.nan),
        base("Moon", 400_000.0),
        base("Typo", serves=("S-2", "S-2T")),
        base("Half", opens_h=8.0),
        base("Never", opens_h=8.0, closes_h=8.0),
        base("Late", opens_h=25.0, closes_h=8.0),
        base("Twice", serves=("S-2T", "S-2T")),
    )
    for said in (
        "differ only in letter case", "(no name): the name is empty", "Reload time is -3.0", "is not a place",
        "base Moon: is 400,000 km from the grid, out of reach", "base Typo: serves S-2, which is not an aircraft type",
        "base Half: one of its hours is missing", "base Never: it closes at the hour", "Opens is 25.0",
        "serves S-2T more than once",
    ):  # fmt: skip
        assert said in found


def test_a_served_type_needs_a_cruise_speed_and_time_enough_for_one_drop() -> None:
    assert "aircraft S-2T: is served by Near and has no cruise speed" in words(
        whole=project(operations=Operations(bases=(base(),)))
    )
    whole = served(base("Far", 720.0))
    assert whole.problems() == []
    limited = replace(whole.fleet, types=(replace(whole.fleet.types[0], most_flight_h=3.0), *whole.fleet.types[1:]))
    assert "S-2T flies 4.1 h to the fire and back, and Flight hours a day is 3" in words(
        whole=replace(whole, fleet=limited)
    )


def test_the_hours_of_a_day_limit_drops_and_the_steps_between_them() -> None:
    kind, calendar = served(base()).planned_fleet.types[0], served().calendar
    limits = day_limits(replace(kind, most_flight_h=1.0, most_duty_h=5.1), 0, calendar)
    assert (limits.drops, limits.window) == (3, 10)  # 0.3 h a drop; 4.8 h are ten steps
    fixed = day_limits(aircraft(most_flight_h=1.0, most_duty_h=0.2), 0, calendar)
    assert (fixed.drops, fixed.window) == (2, -1)
    assert day_limits(aircraft(), 0, calendar).drops is None


def test_pins_that_take_more_hours_than_a_day_has_are_said() -> None:
    whole = served(base())
    kind = replace(whole.fleet.types[0], most_flight_h=0.5, most_duty_h=2.0)
    pins = tuple(
        PinnedDrop(whole.calendar.start + timedelta(hours=hours), "S-2T-1", 5.0, 5.0, 0.5) for hours in (9.0, 15.0)
    )
    limited = replace(
        whole,
        fleet=replace(whole.fleet, types=(kind, *whole.fleet.types[1:])),
        operations=replace(whole.operations, pinned=pins),
    )
    found = words(whole=limited)
    assert "take more than its flight hours a day of 0.5" in found
    assert "take more than its duty hours a day of 2" in found


def test_the_centres_are_of_one_fire_and_no_input_of_their_own() -> None:
    whole = served(base())
    assert not whole.needs_centres
    other = replace(whole, plan=replace(whole.plan, days=4))
    assert other.needs_centres
    assert not other.planned_fleet.types[0].cycles
    assert changed_inputs(replace(whole, centres=None), whole) == ()
    assert whole.with_fleet(whole.planned_fleet).fleet.types[0].cycles == ()


def test_costs_and_flight_hours_follow_the_flights_of_each_drop() -> None:
    whole = served(base(opens_h=8.0, closes_h=18.0), base("Far", 72.0))
    kind = replace(whole.planned_fleet.types[0], hour_price=100.0, gallon_price=1.0)
    fleet = replace(whole.fleet, types=(kind,))
    flown = np.zeros((250, kind.count), bool)
    flown[25, 0] = flown[40, 0] = True  # at 12:00 from the near base, at 19:12 from the far one
    use = fleet.used(flown.sum(axis=0).tolist(), flown)
    assert use.flight_hours == pytest.approx(0.3 + 0.5)
    assert use.cost == pytest.approx(80.0 + 2 * kind.payload_gal)


def test_a_scooping_lake_lies_on_water_of_the_fuel_layer() -> None:
    whole = project()
    fuel = np.full(whole.scenario.grid.shape, 102.0, np.float32)
    lake = Base("Lake", BaseKind.LAKE, 4.0, 5.0)

    def said(base: Base, fuel: NDArray[np.float32] | None) -> list[str]:
        return [str(problem) for problem in lake_problems([base], whole.scenario.grid, fuel)]

    assert said(lake, None) == []
    (text,) = said(lake, fuel)
    assert "base Lake" in text and "has no water within 300 m" in text and "dip site" in text
    for other in (replace(lake, kind=BaseKind.DIP), replace(lake, y=-2.0)):
        assert said(other, fuel) == []
    fuel[4, 5] = 98.0
    assert said(lake, fuel) == []
    reach = math.floor(300.0 / whole.scenario.grid.cell_size_m)
    assert said(replace(lake, x=5.0 + reach), fuel) == []
    assert said(replace(lake, y=4.0 + reach, x=5.0 + reach), fuel) != []


def test_a_project_with_a_lake_on_land_cannot_be_planned() -> None:
    whole = project()
    dry = np.full(whole.scenario.grid.shape, 102.0, np.float32)
    event = replace(whole.scenario, layers={**whole.scenario.layers, "fuel": dry})
    operations = Operations(bases=(Base("Lake", BaseKind.LAKE, 4.0, 5.0),))
    found = replace(whole, scenario=event, operations=operations).problems()
    assert [problem.where for problem in found if "no water" in problem.what] == ["base Lake"]
