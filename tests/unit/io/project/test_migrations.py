from __future__ import annotations

import ast
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from firegui.domain.physical import PhysicalSettings
from firegui.domain.settings import PlanSettings
from firegui.domain.spread_factors import SpreadFactors
from firegui.io.project import migrations
from firegui.io.project.migrations import CURRENT_FORMAT, STEPS, migrate


def rename(table: dict[str, Any]) -> dict[str, Any]:
    table["label"] = table.pop("title")
    return table


def split(table: dict[str, Any]) -> dict[str, Any]:
    return table | {"words": table["label"].split()}


FAKE = {1: rename, 2: split}


def test_steps_are_taken_in_order_up_to_the_current_format() -> None:
    assert migrate({"format": 1, "title": "a b"}, steps=FAKE, current=3) == {
        "format": 3,
        "label": "a b",
        "words": ["a", "b"],
    }


def test_a_newer_file_starts_at_its_own_step() -> None:
    assert migrate({"format": 2, "label": "a"}, steps=FAKE, current=3) == {"format": 3, "label": "a", "words": ["a"]}


def test_a_current_file_is_left_as_it_is() -> None:
    assert migrate({"format": 3, "x": 1}, steps=FAKE, current=3) == {"format": 3, "x": 1}
    assert migrate({"format": CURRENT_FORMAT, "x": 1}) == {"format": CURRENT_FORMAT, "x": 1}


def test_the_table_that_was_read_is_not_changed() -> None:
    before = {"format": 1, "title": "a"}
    migrate(before, steps=FAKE, current=2)
    assert before == {"format": 1, "title": "a"}


def test_a_missing_step_is_an_error() -> None:
    with pytest.raises(KeyError):
        migrate({"format": 1}, steps={}, current=2)


def test_there_is_a_step_from_every_older_format() -> None:
    assert sorted(STEPS) == list(range(1, CURRENT_FORMAT))


def test_no_step_imports_live_code() -> None:
    for node in ast.walk(ast.parse(Path(migrations.__file__).read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        assert not any(name.startswith("firegui") for name in names)


def test_no_crowns_burn_in_a_physical_model_of_format_7() -> None:
    before = {"format": 7, "fire_model": {"kind": "physical", "parameters": {"burn_hours": 4.8}}}
    after = migrate(before)["fire_model"]["parameters"]
    added = {"crown_fire": 0.0, "foliar_moisture": 100.0, "moving_start": 0.0, "steady_front": 0.0}
    assert after == {"burn_hours": 4.8} | added | asdict(SpreadFactors())
    scalar = {"format": 7, "fire_model": {"kind": "scalar", "parameters": {"p": 0.2}}}
    assert migrate(scalar)["fire_model"] == scalar["fire_model"]


def test_the_front_of_an_older_project_builds_up_and_a_new_one_is_in_motion() -> None:
    before = {"format": 11, "fire_model": {"kind": "physical", "parameters": {"burn_hours": 4.8}}}
    added = {"moving_start": 0.0, "steady_front": 0.0}
    assert migrate(before)["fire_model"]["parameters"] == {"burn_hours": 4.8} | added
    assert PhysicalSettings().moving_start


def test_an_older_project_keeps_its_gains_and_a_new_one_has_those_of_a_front_in_motion() -> None:
    before = {"format": 21, "fire_model": {"kind": "physical", "parameters": {"moving_start": 1.0}}}
    assert migrate(before)["fire_model"]["parameters"] == {"moving_start": 1.0, "steady_front": 0.0}
    assert PhysicalSettings().steady_front


def test_an_older_project_gets_the_flame_limit_of_a_new_one_and_keeps_its_own() -> None:
    assert migrate({"format": 8, "plan": {"days": 3}})["plan"]["flame_limit_m"] == 2.4
    assert PlanSettings().flame_limit_m == 2.4
    assert migrate({"format": 9, "plan": {"flame_limit_m": 4.0}})["plan"]["flame_limit_m"] == 4.0


def test_the_physical_model_of_format_9_has_no_factors_and_later_ones_keep_theirs() -> None:
    older = {"format": 9, "fire_model": {"kind": "physical", "parameters": {"burn_hours": 4.8}}}
    added = {"moving_start": 0.0, "steady_front": 0.0}
    assert migrate(older)["fire_model"]["parameters"] == {"burn_hours": 4.8} | added | asdict(SpreadFactors())
    kept = {"format": 10, "fire_model": {"kind": "physical", "parameters": {"grass_speed": 1.5}}}
    assert migrate(kept)["fire_model"]["parameters"] == {"grass_speed": 1.5} | added


def test_drops_work_in_long_flames_in_a_project_of_format_10() -> None:
    after = migrate({"format": 10, "plan": {"flame_limit_m": 4.0}})["plan"]
    assert after == {"flame_limit_m": 4.0, "drops_fail_in_flames": False}
    assert not PlanSettings().drops_fail_in_flames
    kept = migrate({"format": 11, "plan": {"drops_fail_in_flames": True}})
    assert kept["plan"] == {"drops_fail_in_flames": True}


def test_an_older_project_is_searched_as_in_the_paper() -> None:
    assert migrate({"format": 12, "plan": {"optimizer": {"seed": 3}}})["plan"]["optimizer"] == {
        "seed": 3, "search": "paper",
    }  # fmt: skip


def test_a_project_of_format_13_has_no_prices_and_dollars() -> None:
    assert migrate({"format": 13, "fleet": [{"id": "S-2T"}]}, current=14) | {"format": 13} == {
        "format": 13, "fleet": [{"id": "S-2T"}], "currency": "USD",
    }  # fmt: skip


def test_cost_counts_nothing_in_a_project_of_format_14() -> None:
    plan = migrate({"format": 14, "plan": {"weights": {"burn": 1.0}, "elimination": {"keep": 3}}}, current=15)["plan"]
    assert plan == {"weights": {"burn": 1.0, "cost": 0.0}, "elimination": {"keep": 3, "order": "effect"}}


def test_values_at_risk_count_nothing_in_a_project_of_format_15() -> None:
    assert migrate({"format": 15, "plan": {"weights": {"burn": 1.0}}})["plan"] == {"weights": {"burn": 1.0, "val": 0.0}}
