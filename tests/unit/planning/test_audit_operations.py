"""The audit finds every broken operational rule in a list of drops that was tampered with."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from firegui.domain.operations import Daylight, Grounding, Operations, PinnedDrop
from firegui.domain.project import Project
from firegui.domain.regions import Region
from firegui.domain.schedule import Schedule
from firegui.planning.audit import AuditReport, Conditions, audit
from firegui.planning.flight_rules import project_gates
from tests.support import make_project

COUNTS = ("dark", "closed", "sorties", "cap", "zones", "pinned")


def report(
    operations: Operations, *drops: tuple[int, int], pose: tuple[float, float, float] = (8.0, 10.0, 0.3)
) -> AuditReport:
    project = replace(make_project(), operations=operations)
    schedule = Schedule.empty(20, project.fleet.n_aircraft)
    for step, column in drops:
        schedule.logits[step, column] = 3.0
        schedule.poses[step, column] = pose
    fleet, shape = project.planned_fleet, project.scenario.grid.shape
    return audit(schedule, fleet, 10, shape, list(drops), conditions=Conditions.of(project))


def counts(found: AuditReport) -> dict[str, int]:
    return {name: count for name in COUNTS if (count := getattr(found, name))}


START = make_project().calendar.start


def test_without_constraints_nothing_of_it_is_counted() -> None:
    found = report(Operations(), (0, 0), (5, 1))
    assert counts(found) == {}
    assert found.ok


def test_a_drop_in_the_dark_is_a_violation() -> None:
    found = report(Operations(Daylight()), (0, 0), (5, 1))
    assert counts(found) == {"dark": 1}
    assert found.violations == ("R-1 drops at step 0, at 00:00 local time, outside daylight (06:50 to 19:26)",)


def test_a_drop_in_a_grounded_part_of_a_day_is_a_violation_for_a_tail_and_for_a_type() -> None:
    begin, end = START + timedelta(hours=12), START + timedelta(hours=14.4)
    assert counts(report(Operations(groundings=(Grounding("R-2", begin, end),)), (5, 0), (5, 1))) == {"closed": 1}
    assert counts(report(Operations(groundings=(Grounding("R", begin, end),)), (5, 0), (5, 1))) == {"closed": 2}
    assert counts(report(Operations(groundings=(Grounding("R", begin, end),)), (4, 0), (6, 1))) == {}


def test_a_sortie_too_many_is_a_violation() -> None:
    found = report(Operations(sorties_per_day={"R": 1}), (0, 0), (6, 0), (6, 1), (12, 0))
    assert counts(found) == {"sorties": 1}
    assert "its drop 2 of day 0, of 1 allowed" in found.violations[0]


def test_every_drop_over_the_cap_is_a_violation() -> None:
    found = report(Operations(hard_cap=1), (0, 0), (6, 0), (6, 1))
    assert counts(found) == {"cap": 2}
    assert "drop 2 of the plan, over the cap of 1" in found.violations[0]


def test_a_drop_into_a_zone_is_a_violation_and_names_it() -> None:
    found = report(Operations(no_drop_zones=(Region.rectangle("lake", (0.0, 16.0), (0.0, 20.0)),)), (5, 0))
    assert counts(found) == {"zones": 1}
    assert found.violations == ("R-1 drops at step 5 into the no-drop zone lake",)


def pinned_at(step: int) -> Operations:
    when = make_project().calendar.time_of_step(step)
    return Operations(pinned=(PinnedDrop(when, "R-1", 8.0, 10.0, 0.3),))


def test_a_pinned_drop_that_is_not_flown_or_flown_elsewhere_is_a_violation() -> None:
    assert counts(report(pinned_at(5), (5, 0))) == {}
    assert counts(report(pinned_at(5), (5, 0), pose=(8.0, 10.0, 0.3 + np.pi))) == {}
    assert report(pinned_at(5)).violations == ("R-1 does not fly its pinned drop at step 5",)
    assert counts(report(pinned_at(5), (5, 0), pose=(8.0, 11.0, 0.3))) == {"pinned": 1}
    assert counts(report(pinned_at(500))) == {}


@pytest.mark.parametrize("seed", range(4))
def test_what_the_gates_let_through_is_never_found_wrong(seed: int) -> None:
    rng = np.random.default_rng(seed)
    camp = Region("camp", ((((9.5, 9.0), (14.2, 12.0), (9.0, 15.5)),),))
    operations = Operations(
        Daylight(0.0, -60.0),
        (Grounding("BIG", START + timedelta(hours=9), START + timedelta(hours=33)),),
        {"R": 2, "W": 1},
        9,
        (Region.rectangle("lake", (3.0, 9.0), (2.0, 8.0)), camp),
    )
    project: Project = replace(make_project(), operations=operations)
    size = (20, project.fleet.n_aircraft)
    schedule = Schedule(rng.normal(1.0, 1.0, size), rng.uniform(size=(*size, 3)) * [15.0, 19.0, np.pi])
    executed = [(int(step), int(column)) for step, column in np.argwhere(project_gates(schedule, project).executed)]
    found = audit(schedule, project.planned_fleet, 10, (16, 20), executed, conditions=Conditions.of(project))
    assert found.violations == ()
    assert 0 < found.executed <= 9
