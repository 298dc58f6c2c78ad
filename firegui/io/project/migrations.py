"""Numbered steps from an older project file to the current one.

``project.toml`` carries ``format = n``. A step takes the parsed table of format ``n`` (plain values, as TOML gives
them) and returns that of ``n + 1``. Steps use no live code: the code moves on, the old files do not. To change the
format, add the function that leads from ``n`` to ``n + 1``, enter it in :data:`STEPS` and raise
:data:`CURRENT_FORMAT`; never change an older step.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

TomlTable = dict[str, Any]
Step = Callable[[TomlTable], TomlTable]

CURRENT_FORMAT = 20


def _to_format_2(table: TomlTable) -> TomlTable:
    """Migrate to format 2, which knows the network fire model and its weights; format 1 had neither.

    Nothing moves: the constant parameters or imported maps of an older project stay its fire model.

    The number changes, so that a firegui which does not know the network says that it is too old.
    """
    return table


def _to_format_3(table: TomlTable) -> TomlTable:
    """Migrate to format 3, which knows the second stage and the operational constraints.

    The paper's elimination, the gradient with its full carry, and no operational constraint.
    """
    plan = table.get("plan")
    if isinstance(plan, dict):
        plan.setdefault(
            "elimination",
            {
                "slack": 1.02, "floor": 1e-4, "first_batch": 32, "largest_batch": 256, "allowance": 40_000,
                "keep": 0, "perturbations": 0, "perturbation_scale": 1e-3, "front_shift": 0.0, "smoothing": 0,
            },
        )  # fmt: skip
        if isinstance(plan.get("optimizer"), dict):
            plan["optimizer"].setdefault("full_carry", True)
            plan["optimizer"].setdefault("start", "front")
    table.setdefault("operations", {})
    return table


def _to_format_4(table: TomlTable) -> TomlTable:
    """Migrate to format 4, which knows the coverage that the fuel requires.

    In format 3 it was the paper's for every fire. The paper's 2.7 gal/100 ft² stays what the plans of an older project
    were made with.
    """
    source = "the paper's value for Bear 2020, as every project had before it could be set"
    table.setdefault("coverage", {"c_req": 2.7, "source": source, "levels": {}})
    return table


def _to_format_5(table: TomlTable) -> TomlTable:
    """Migrate to format 5, which knows the worlds in which plans are tested, and plans with a margin.

    Format 4 had neither. An older project gets the set that a new one has. Its plans go on being made by the paper's
    method.
    """
    scenarios = [
        {"name": "weak", "effectiveness": [0.7, 0.6]},
        {"name": "fast", "spread_factor": 1.15},
        {"name": "wind stronger", "wind_speed_factor": 1.2},
        {"name": "wind turned left", "wind_turn_deg": 15.0},
        {"name": "wind turned right", "wind_turn_deg": -15.0},
        {"name": "wide", "ignition_growth_m": 30.0},
        {"name": "off target", "pose_noise_m": 30.0, "heading_noise_deg": 5.0, "draws": 4},
        {"name": "late", "delay_minutes": 30.0},
        {"name": "failures", "failure_rate": 0.05, "draws": 8},
        {"name": "failures, repaired", "failure_rate": 0.1, "repair_hours": 24.0, "draws": 8},
    ]
    table.setdefault("stress", {"seed": 0, "scenario": scenarios})
    plan = table.get("plan")
    if isinstance(plan, dict):
        margin = {"kind": "none", "limit": 0.05, "draws": 24}
        plan.setdefault("margin", margin | {"search_epochs": 600, "training_epochs": 1200, "adapt_epochs": 2600})
    return table


def _to_format_6(table: TomlTable) -> TomlTable:
    """Migrate to format 6, which knows the physical fire model; format 5 did not.

    Nothing moves. The number changes, so that a firegui which does not know the model says that it is too old.
    """
    return table


def _to_format_7(table: TomlTable) -> TomlTable:
    """Migrate to format 7, which knows the weather of the periods of a day.

    Format 6 knew that of whole days. The physical model of an older project keeps one wind a day and the moistures of
    its settings. All of a perimeter burns at the start of a plan.
    """
    plan = table.get("plan")
    if isinstance(plan, dict):
        plan.setdefault("burning_at_start", "whole")
    _add_physical(table, {"periods_per_day": 1.0, "air_moisture": 0.0})
    return table


def _to_format_8(table: TomlTable) -> TomlTable:
    """Migrate to format 8, which knows crown fire.

    In format 7 no crowns burned, and none do in an older project.
    """
    _add_crown_settings(table)
    return table


def _add_crown_settings(table: TomlTable) -> None:
    """Let no crowns burn in a project from before they could."""
    _add_physical(table, {"crown_fire": 0.0, "foliar_moisture": 100.0})


def _to_format_9(table: TomlTable) -> TomlTable:
    """Migrate to format 9, which knows the flame length above which drops are marked.

    The limit changes no number of a plan. An older project gets that of a new one.
    """
    plan = table.get("plan")
    if isinstance(plan, dict):
        plan.setdefault("flame_limit_m", 2.4)
    return table


def _to_format_10(table: TomlTable) -> TomlTable:
    """Migrate to format 10, which knows the factors of a calibration of the physical model.

    In format 9 there were none, and an older project keeps the published model.
    """
    _add_spread_factors(table)
    return table


def _add_spread_factors(table: TomlTable) -> None:
    """Leave the physical model of a project as it was before it had factors."""
    groups = ("grass", "grass_shrub", "shrub", "understory", "litter", "slash")
    speeds = {f"{group}_speed": 1.0 for group in groups}
    _add_physical(table, {**speeds, "moisture_shift": 0.0, "wind_factor": 1.0})


def _to_format_11(table: TomlTable) -> TomlTable:
    """Migrate to format 11, which knows whether drops fail in long flames.

    In format 10 they were marked only, and in an older project they still are.
    """
    plan = table.get("plan")
    if isinstance(plan, dict):
        plan.setdefault("drops_fail_in_flames", False)
    return table


def _to_format_12(table: TomlTable) -> TomlTable:
    """Migrate to format 12, which knows a front in motion at the start.

    In format 11 the front of the physical model first built up, and it does in an older project.
    """
    _add_moving_start(table)
    return table


def _add_moving_start(table: TomlTable) -> None:
    """Let the front build up in a project from before it could be in motion."""
    _add_physical(table, {"moving_start": 0.0})


def _to_format_13(table: TomlTable) -> TomlTable:
    """Migrate to format 13, which knows the fast search. An older project is searched as in the paper."""
    plan = table.get("plan")
    if isinstance(plan, dict) and isinstance(plan.get("optimizer"), dict):
        plan["optimizer"].setdefault("search", "paper")
    return table


def _to_format_14(table: TomlTable) -> TomlTable:
    """Migrate to format 14, which knows prices of aircraft and their currency.

    An older project has no prices.
    """
    table.setdefault("currency", "USD")
    return table


def _to_format_15(table: TomlTable) -> TomlTable:
    """Migrate to format 15, which knows a weight of cost and the order of removal.

    In an older project cost counts nothing, and drops of least effect are removed first.
    """
    plan = table.get("plan")
    if isinstance(plan, dict):
        if isinstance(plan.get("weights"), dict):
            plan["weights"].setdefault("cost", 0.0)
        if isinstance(plan.get("elimination"), dict):
            plan["elimination"].setdefault("order", "effect")
    return table


def _to_format_16(table: TomlTable) -> TomlTable:
    """Migrate to format 16, which knows values at risk.

    An older project has none, and its goal counts none.
    """
    plan = table.get("plan")
    if isinstance(plan, dict) and isinstance(plan.get("weights"), dict):
        plan["weights"].setdefault("val", 0.0)
    return table


def _to_format_17(table: TomlTable) -> TomlTable:
    """Migrate to format 17, which knows bases, hours of a day and wind limits of aircraft types.

    Nothing moves: an older project has none of them, and its turnarounds are fixed. The number changes, so that a
    firegui which does not know the limits says that it is too old.
    """
    return table


def _to_format_18(table: TomlTable) -> TomlTable:
    """Migrate to format 18, which knows radio frequencies and hazards.

    Nothing moves: an older project has none. The number changes, so that a firegui which does not know the tables says
    that it is too old.
    """
    return table


def _to_format_19(table: TomlTable) -> TomlTable:
    """Migrate to format 19, which knows airspace rules.

    Nothing moves: an older project has none. The number changes, so that a firegui which does not know the tables says
    that it is too old.
    """
    return table


def _to_format_20(table: TomlTable) -> TomlTable:
    """Migrate to format 20, which knows barriers.

    Nothing moves: an older project has none. The number changes, so that a firegui which does not know the table says
    that it is too old.
    """
    return table


def add_physical_settings(table: TomlTable) -> None:
    """Complete the physical model of a run's project from before some settings; it keeps its numbers."""
    _add_crown_settings(table)
    _add_spread_factors(table)
    _add_moving_start(table)


def _add_physical(table: TomlTable, values: Mapping[str, float]) -> None:
    """Give ``values`` to the parameters of a physical model that have none of these names."""
    model = table.get("fire_model")
    if isinstance(model, dict) and model.get("kind") == "physical" and isinstance(model.get("parameters"), dict):
        for name, value in values.items():
            model["parameters"].setdefault(name, value)


STEPS: Mapping[int, Step] = MappingProxyType(
    {
        1: _to_format_2, 2: _to_format_3, 3: _to_format_4, 4: _to_format_5, 5: _to_format_6, 6: _to_format_7,
        7: _to_format_8, 8: _to_format_9, 9: _to_format_10, 10: _to_format_11, 11: _to_format_12, 12: _to_format_13,
        13: _to_format_14, 14: _to_format_15, 15: _to_format_16, 16: _to_format_17,
        17: _to_format_18, 18: _to_format_19, 19: _to_format_20,
    }
)  # fmt: skip
"""``n`` → the step from format ``n`` to ``n + 1``."""


def migrate(table: TomlTable, *, steps: Mapping[int, Step] = STEPS, current: int = CURRENT_FORMAT) -> TomlTable:
    """Bring a table of format 1 … ``current`` to ``current``; the given table is left as it is.

    Raises ``KeyError`` when a step is missing, which is a fault of firegui and not of the file.
    """
    result = copy.deepcopy(table)
    for number in range(int(table["format"]), current):
        result = steps[number](result)
        result["format"] = number + 1
    return result
