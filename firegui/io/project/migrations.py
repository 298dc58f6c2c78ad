"""Numbered steps from an older project file to the current one.

``project.toml`` carries ``format = n``. A step takes the parsed table of format ``n`` (plain values, as TOML gives
them) and returns that of ``n + 1``. A step uses no other code of firegui, because other code changes and old files do
not. To change the format, add the function that leads from ``n`` to ``n + 1``, enter it in :data:`STEPS` and raise
:data:`CURRENT_FORMAT`. Never change an older step.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

TomlTable = dict[str, Any]
Step = Callable[[TomlTable], TomlTable]

CURRENT_FORMAT = 22


def _to_format_2(table: TomlTable) -> TomlTable:
    """Migrate to format 2, which adds the network fire model and its weights.

    No value changes: the constant parameters or imported maps of an older project stay its fire model.
    The number changes, so that an older version of firegui refuses the project.
    """
    return table


def _to_format_3(table: TomlTable) -> TomlTable:
    """Migrate to format 3, which adds the second stage and the operational constraints.

    An older project gets the elimination of the paper, a gradient that follows the burning state from step to step, and
    no operational constraint. Its search starts at the front of the fire.
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
    """Migrate to format 4, which adds the coverage that the fuel requires.

    In format 3 every fire had the coverage of the paper. An older project keeps these 2.7 gal/100 ft², with which its
    plans were made.
    """
    source = "the paper's value for Bear 2020, as every project had before it could be set"
    table.setdefault("coverage", {"c_req": 2.7, "source": source, "levels": {}})
    return table


def _to_format_5(table: TomlTable) -> TomlTable:
    """Migrate to format 5, which adds the stress scenarios that test plans, and the margin of a plan.

    An older project gets the stress scenarios of a new one. It has no margin: its plans are still made by the method of
    the paper.
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
    """Migrate to format 6, which adds the physical fire model.

    No value changes.
    The number changes, so that an older version of firegui refuses the project.
    """
    return table


def _to_format_7(table: TomlTable) -> TomlTable:
    """Migrate to format 7, which adds the weather of the periods of a day.

    Format 6 had the weather of whole days. The physical model of an older project keeps one wind a day and the
    moistures of its settings. The whole area of a perimeter still burns at the start of a plan.
    """
    plan = table.get("plan")
    if isinstance(plan, dict):
        plan.setdefault("burning_at_start", "whole")
    _add_physical(table, {"periods_per_day": 1.0, "air_moisture": 0.0})
    return table


def _to_format_8(table: TomlTable) -> TomlTable:
    """Migrate to format 8, which adds crown fire.

    In format 7 no crowns burned. An older project keeps crown fire off.
    """
    _add_crown_settings(table)
    return table


def _add_crown_settings(table: TomlTable) -> None:
    """Turn crown fire off in a project that was made before crown fire was added."""
    _add_physical(table, {"crown_fire": 0.0, "foliar_moisture": 100.0})


def _to_format_9(table: TomlTable) -> TomlTable:
    """Migrate to format 9, which adds the flame length above which drops are marked.

    The limit changes no number of a plan. An older project gets the limit of a new one.
    """
    plan = table.get("plan")
    if isinstance(plan, dict):
        plan.setdefault("flame_limit_m", 2.4)
    return table


def _to_format_10(table: TomlTable) -> TomlTable:
    """Migrate to format 10, which adds the factors of a calibration of the physical model.

    An older project gets factors that keep the published model.
    """
    _add_spread_factors(table)
    return table


def _add_spread_factors(table: TomlTable) -> None:
    """Add the factors that leave the physical model of a project as it was before it had factors."""
    groups = ("grass", "grass_shrub", "shrub", "understory", "litter", "slash")
    speeds = {f"{group}_speed": 1.0 for group in groups}
    _add_physical(table, {**speeds, "moisture_shift": 0.0, "wind_factor": 1.0})


def _to_format_11(table: TomlTable) -> TomlTable:
    """Migrate to format 11, which adds whether drops fail in long flames.

    In format 10 drops in long flames were only marked. In an older project they still are.
    """
    plan = table.get("plan")
    if isinstance(plan, dict):
        plan.setdefault("drops_fail_in_flames", False)
    return table


def _to_format_12(table: TomlTable) -> TomlTable:
    """Migrate to format 12, which adds a front in motion at the start.

    In format 11 the front of the physical model first built up. In an older project it still does.
    """
    _add_moving_start(table)
    return table


def _add_moving_start(table: TomlTable) -> None:
    """Let the front build up in a project that was made before a front could be in motion at the start."""
    _add_physical(table, {"moving_start": 0.0})


def _to_format_13(table: TomlTable) -> TomlTable:
    """Migrate to format 13, which adds the fast search. An older project keeps the search of the paper."""
    plan = table.get("plan")
    if isinstance(plan, dict) and isinstance(plan.get("optimizer"), dict):
        plan["optimizer"].setdefault("search", "paper")
    return table


def _to_format_14(table: TomlTable) -> TomlTable:
    """Migrate to format 14, which adds prices of aircraft and their currency.

    An older project has no prices.
    """
    table.setdefault("currency", "USD")
    return table


def _to_format_15(table: TomlTable) -> TomlTable:
    """Migrate to format 15, which adds a weight of cost and the order of removal.

    In an older project the weight of cost is 0, and drops of least effect are removed first.
    """
    plan = table.get("plan")
    if isinstance(plan, dict):
        if isinstance(plan.get("weights"), dict):
            plan["weights"].setdefault("cost", 0.0)
        if isinstance(plan.get("elimination"), dict):
            plan["elimination"].setdefault("order", "effect")
    return table


def _to_format_16(table: TomlTable) -> TomlTable:
    """Migrate to format 16, which adds values at risk.

    An older project has no values at risk, and their weight in its goal is 0.
    """
    plan = table.get("plan")
    if isinstance(plan, dict) and isinstance(plan.get("weights"), dict):
        plan["weights"].setdefault("val", 0.0)
    return table


def _to_format_17(table: TomlTable) -> TomlTable:
    """Migrate to format 17, which adds bases, hours of a day and wind limits of aircraft types.

    No value changes: an older project has none of them, and its turnarounds are fixed.
    The number changes, so that an older version of firegui refuses the project.
    """
    return table


def _to_format_18(table: TomlTable) -> TomlTable:
    """Migrate to format 18, which adds radio frequencies and hazards.

    No value changes: an older project has none.
    The number changes, so that an older version of firegui refuses the project.
    """
    return table


def _to_format_19(table: TomlTable) -> TomlTable:
    """Migrate to format 19, which adds airspace rules.

    No value changes: an older project has none.
    The number changes, so that an older version of firegui refuses the project.
    """
    return table


def _to_format_20(table: TomlTable) -> TomlTable:
    """Migrate to format 20, which adds barriers.

    No value changes: an older project has none.
    The number changes, so that an older version of firegui refuses the project.
    """
    return table


def _to_format_21(table: TomlTable) -> TomlTable:
    """Migrate to format 21, which adds the end of the weather.

    No value changes: of an older project it is not known.
    The number changes, so that an older version of firegui refuses the project.
    """
    return table


def _to_format_22(table: TomlTable) -> TomlTable:
    """Migrate to format 22, which adds gains that are fitted to fronts in motion.

    An older project keeps the gains that it had.
    """
    _add_steady_front(table)
    return table


def _add_steady_front(table: TomlTable) -> None:
    """Keep the gains of a project that was made before they were fitted to fronts in motion."""
    _add_physical(table, {"steady_front": 0.0})


def add_physical_settings(table: TomlTable) -> None:
    """Add the physical settings that the project of an older run lacks.

    Their values keep the numbers of the run.
    """
    _add_crown_settings(table)
    _add_spread_factors(table)
    _add_moving_start(table)
    _add_steady_front(table)


def _add_physical(table: TomlTable, values: Mapping[str, float]) -> None:
    """Add those of ``values`` to the parameters of a physical model whose names it lacks."""
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
        20: _to_format_21, 21: _to_format_22,
    }
)  # fmt: skip
"""Steps by the format that they start from: ``n`` → the step from format ``n`` to ``n + 1``."""


def migrate(table: TomlTable, *, steps: Mapping[int, Step] = STEPS, current: int = CURRENT_FORMAT) -> TomlTable:
    """Return a table of format 1 … ``current`` in the format ``current``; the given table does not change.

    Raises ``KeyError`` when a step is missing, which is an error in firegui and not in the file.
    """
    result = copy.deepcopy(table)
    for number in range(int(table["format"]), current):
        result = steps[number](result)
        result["format"] = number + 1
    return result
