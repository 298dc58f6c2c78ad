"""Rules that a drop set by hand would break, and where it comes down."""

from __future__ import annotations

from dataclasses import replace

import pytest

from firegui.domain.drops import Drop, DropList
from firegui.domain.operations import Operations
from firegui.domain.regions import Region
from firegui.planning.drop_validator import DropValidator
from firegui.planning.problem import build
from firegui.rollout.drops import drop_records
from tests.support import make_project

PROJECT = make_project()
# R flies every 2 steps at most (3 h of 2.4 h each), BIG is grounded on day 1, 10 steps a day.
FINE = DropList((Drop(2, 0, 5.0, 6.0, 0.3), Drop(8, 0, 7.0, 9.0, 1.2)))


def test_drops_that_keep_the_rules_break_none() -> None:
    assert DropValidator(PROJECT).violations(FINE) == ()


@pytest.mark.parametrize(
    ("drop", "word"),
    [
        (Drop(9, 0, 5.0, 5.0, 0.0), "turnaround"),
        (Drop(2, 0, 9.0, 9.0, 0.0), "more than once"),
        (Drop(12, 2, 5.0, 5.0, 0.0), "grounded"),
        (Drop(5, 3, -1.0, 5.0, 0.0), "outside the grid"),
        (Drop(99, 3, 1.0, 5.0, 0.0), "outside the plan"),
    ],
    ids=["too soon", "twice at once", "grounded", "off the grid", "after the plan"],
)
def test_a_drop_that_breaks_a_rule_is_named_with_the_rule(drop: Drop, word: str) -> None:
    (sentence,) = DropValidator(PROJECT).broken(FINE, FINE.plus(drop))
    assert word in sentence and DropValidator(PROJECT).tails[drop.column].name in sentence


def test_a_zone_is_a_rule_too_and_what_was_wrong_before_is_not_said_again() -> None:
    zone = Region.rectangle("Z1", (0, 16), (0, 20))
    check = DropValidator(replace(PROJECT, operations=Operations(no_drop_zones=(zone,))))
    assert len(check.violations(FINE)) == 2
    assert len(check.broken(FINE, FINE.plus(Drop(5, 1, 5.0, 6.0, 0.0)))) == 1
    assert check.broken(FINE, FINE.minus(FINE.drops[0])) == ()


def test_records_and_landing_points_are_those_of_the_model() -> None:
    model = build(PROJECT, effectiveness=PROJECT.plan.nominal)
    check = DropValidator(PROJECT)
    records = check.records(FINE)
    assert records == drop_records(model.maps, model.fleet, FINE.schedule(model.n_steps, 4), model.rules)
    assert check.landing(FINE.drops[0]) == (records[0].landing_y, records[0].landing_x)
    assert DropList.of(records) == FINE
