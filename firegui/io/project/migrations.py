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

CURRENT_FORMAT = 7


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
    model = table.get("fire_model")
    if isinstance(model, dict) and model.get("kind") == "physical" and isinstance(model.get("parameters"), dict):
        model["parameters"].setdefault("periods_per_day", 1.0)
        model["parameters"].setdefault("air_moisture", 0.0)
    return table


STEPS: Mapping[int, Step] = MappingProxyType(
    {1: _to_format_2, 2: _to_format_3, 3: _to_format_4, 4: _to_format_5, 5: _to_format_6, 6: _to_format_7}
)
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
