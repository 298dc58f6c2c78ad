"""Lines below the folded headings of the Plan workspace."""

from __future__ import annotations

from dataclasses import replace

import pytest

from firegui.domain.airspace import AirspaceRule
from firegui.domain.fleet import Fleet
from firegui.domain.operations import Daylight, Operations
from firegui.domain.project import Project
from firegui.domain.settings import Margin, ObjectiveWeights, Setting
from firegui.gui.scenario.section_summaries import SECTION_SUMMARIES
from firegui.gui.window.workspaces import WorkspaceName, panels_of


def test_every_section_of_the_plan_but_the_first_has_a_summary() -> None:
    assert tuple(SECTION_SUMMARIES) == tuple(sorted(SECTION_SUMMARIES, key=panels_of(WorkspaceName.PLAN).index))
    assert {"Start", *SECTION_SUMMARIES} == set(panels_of(WorkspaceName.PLAN))


def test_the_goal_says_days_and_margin(project: Project) -> None:
    plan = replace(project.plan, setting=Setting.B, days=1)
    text = SECTION_SUMMARIES["Objective"](replace(project, plan=plan).with_margin(Margin.NONE))
    assert text == "Keep the fire out of the regions · 1 day · margin: the model alone"


def test_regions_are_named_and_said_to_be_unprotected(project: Project) -> None:
    region = project.regions[0]
    summary = SECTION_SUMMARIES["Regions"]
    weighed = replace(project, regions=(replace(region, weight=1.0),))
    weighed = replace(weighed, plan=replace(project.plan, weights=ObjectiveWeights.of(Setting.B)))
    assert summary(weighed) == region.name
    assert summary(replace(weighed, regions=(replace(region, weight=0.0),))) == f"{region.name}: not protected yet"
    assert summary(replace(weighed, regions=tuple(replace(region, name=f"R{k}") for k in range(4)))) == "4 regions"
    assert summary(replace(project, regions=())) == "No region yet"


@pytest.mark.parametrize(
    ("days", "text"),
    [
        ([(), ()], "All aircraft fly every day"),
        ([(2,), (2,)], "2 of 2 types grounded, on day 3"),
        ([(1,), (0, 1)], "up to 2 of 2 types grounded, on days 1 and 2"),
        ([(1, 3), (1, 3)], "2 of 2 types grounded, on days 2 and 4"),
        ([(0, 1, 2), (2,)], "up to 2 of 2 types grounded, on days 1, 2 and 3"),
        ([(0, 1, 2, 3, 4), ()], "1 of 2 types grounded, on 5 of 6 days"),
        ([(), (1, 90)], "1 of 2 types grounded, on day 2"),
    ],
)
def test_grounded_days_are_told(project: Project, days: list[tuple[int, ...]], text: str) -> None:
    kinds = project.planned_fleet.types[:2]
    fleet = Fleet(tuple(kind.with_grounded_days(on) for kind, on in zip(kinds, days, strict=True)))
    grounded = replace(project.with_fleet(fleet), plan=replace(project.plan, days=6))
    assert SECTION_SUMMARIES["Calendar"](grounded) == text


def test_rules_are_listed(project: Project) -> None:
    summary = SECTION_SUMMARIES["Constraints"]
    assert summary(replace(project, operations=Operations())) == "No rule is set"
    rules = (AirspaceRule(1, 60.0, 300.0), AirspaceRule(6, 60.0))
    operations = Operations(daylight=Daylight(), hard_cap=300, no_drop_zones=project.regions[:1], airspace=rules)
    ruled = replace(project, operations=operations)
    assert summary(ruled) == "Drops in daylight only · at most 300 drops · 2 airspace rules · 1 no-drop zone"
