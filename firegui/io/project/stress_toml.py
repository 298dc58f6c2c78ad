"""A stress set as a table: ``[stress]`` of a project, or a file of its own.

Every entry but the name is optional, and what is absent is as in the model::

    seed = 0                              # of all draws of the set

    [[scenario]]
    name = "weak"
    effectiveness = "0.70/0.60"           # retardant/water; or [0.7, 0.6]; or { retardant = 0.7, water = 0.6 }
    retardant_acts_on = "both"            # or "emitter", "receiver"

    [[scenario]]
    name = "fast and windy"
    spread_factor = 1.15                  # of the ignition gain
    wind = { speed = 1.2, turn = 15 }     # factor, degrees counter-clockwise; or wind_speed_factor, wind_turn_deg
    ignition_growth_m = 30                # the fire at the start is wider; or ignition_growth_cells = 1

    [[scenario]]
    name = "careless"
    pose_noise_m = 30                     # standard deviation of landing points; or pose_noise = 1 in cells
    heading_noise_deg = 5                 # standard deviation of headings
    delay_minutes = 30                    # every drop comes later; or delay_steps = 1
    failure_rate = 0.05                   # share of the drops that do not happen
    repair_hours = 12                     # the rest is replanned this often; a multiple of a step
    draws = 8                             # how often the random part is drawn
    seed = 0                              # beside that of the set

A project's own ``[stress]`` table is read as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from enum import Enum
from pathlib import Path
from typing import Any

from firegui.domain.grid import Grid
from firegui.domain.settings import Effectiveness
from firegui.domain.stress import StressScenario, StressSet
from firegui.errors import Problems
from firegui.io import toml
from firegui.io.atomic import write_text
from firegui.io.toml import dumps

_ETA = "effectiveness"
_ETA_REMEDY = 'write "0.70/0.60", [0.7, 0.6] or { retardant = 0.7, water = 0.6 }'
_WIND = {"speed": "wind_speed_factor", "turn": "wind_turn_deg"}


def read_scenarios(path: Path, grid: Grid, steps_per_day: int) -> StressSet:
    """Read a file of scenarios for an event on ``grid``, whose cells and steps some numbers are given in.

    Raises :class:`~firegui.errors.InputError` with everything that is wrong with it.
    """
    problems = Problems()
    raw = toml.read_toml(path, problems)
    if raw is not None:
        raw = raw["stress"] if set(raw) == {"stress"} else raw  # as a project has it
        table = toml.Table(raw, path.name, problems)
        stress = stress_from_table(table, grid, steps_per_day)
        all_broken = not stress.scenarios and ("scenario" in table or not table.is_table)
        found = stress.problems(steps_per_day)
        problems.extend(item for item in found if not all_broken or item.what != "there is none")
    problems.raise_if_any(f"The scenarios in {path.name} cannot be used")
    assert raw is not None
    return stress


def write_scenarios(stress: StressSet, path: Path) -> None:
    """Write a file of scenarios, atomically.

    Raises :class:`~firegui.errors.InputError` where that is not allowed.
    """
    write_text(path, dumps(stress_to_table(stress)))


def stress_from_table(table: toml.Table, grid: Grid, steps_per_day: int) -> StressSet:
    """Read a set, strictly: no other key may be there.

    What is wrong goes into the table's problems, and the rest is returned. Wrong values are left for
    :meth:`StressSet.problems`.
    """
    seed = table.take("seed", int, 0)
    units = {
        "ignition_growth_cells": ("ignition_growth_m", grid.cell_size_m),
        "pose_noise": ("pose_noise_m", grid.cell_size_m),
        "delay_steps": ("delay_minutes", 24.0 * 60.0 / steps_per_day),
    }
    read = [_scenario(row, units) for row in table.tables("scenario")]
    table.finish()
    return StressSet(tuple(scenario for scenario in read if scenario is not None), seed)


def stress_to_table(stress: StressSet) -> dict[str, Any]:
    """Return the inverse of :func:`stress_from_table`. What is as in the model is left out."""
    return {"seed": stress.seed, "scenario": [_scenario_table(scenario) for scenario in stress.scenarios]}


def _scenario_table(scenario: StressScenario) -> dict[str, Any]:
    neutral = StressScenario(scenario.name)
    table: dict[str, Any] = {"name": scenario.name}
    for item in fields(scenario):
        value = getattr(scenario, item.name)
        if value != getattr(neutral, item.name):
            table[item.name] = _plain(value, item.type == "float")
    return table


def _plain(value: Any, real: bool) -> Any:
    if isinstance(value, Effectiveness):
        return [float(value.retardant), float(value.water)]
    if isinstance(value, Enum):
        return value.value
    return float(value) if real else value


def _scenario(row: toml.Table, units: Mapping[str, tuple[str, float]]) -> StressScenario | None:
    if not row.is_table:
        return None
    name = row.raw("name")
    where = f"{row.where} ({name})" if isinstance(name, str) and name else row.where
    before = len(row.problems)
    plain = {key: row.raw(key) for key in row.names}
    _unpack_wind(plain, where, row.problems)
    for word, (field, factor) in units.items():
        _put(plain, word, field, factor, where, row.problems)
    if _ETA in plain:
        plain[_ETA] = _effectiveness(plain[_ETA], where, row.problems)
    found = toml.read_dataclass(StressScenario, toml.Table(plain, where, row.problems), lenient=True)
    return found if len(row.problems) == before else None


def _put(plain: dict[str, Any], word: str, field: str, factor: float, where: str, problems: Problems) -> None:
    """Replace the entry ``word``, if there is one, by the field that it stands for, in the field's unit."""
    if word not in plain:
        return
    value = plain.pop(word)
    if field in plain:
        problems.add(where, f"gives both {word} and {field}", "leave one of them out")
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        plain[field] = value * factor
    else:
        problems.add(where, f"{word} is {value!r}", "write a number")


def _unpack_wind(plain: dict[str, Any], where: str, problems: Problems) -> None:
    if "wind" not in plain:
        return
    wind = plain.pop("wind")
    if not isinstance(wind, Mapping) or not wind or set(wind) - set(_WIND):
        problems.add(where, f"wind is {wind!r}", "write wind = { speed = 1.2, turn = 15 }, or one of the two")
        return
    for part, field in _WIND.items():
        if part in wind:
            plain[f"wind.{part}"] = wind[part]
            _put(plain, f"wind.{part}", field, 1.0, where, problems)


def _effectiveness(value: Any, where: str, problems: Problems) -> dict[str, float] | None:
    """Return both numbers of an effectiveness however it is written; ``None`` with a problem noted."""
    pair: Any = value
    if isinstance(value, Mapping):
        pair = [value["retardant"], value["water"]] if set(value) == {"retardant", "water"} else None
    try:
        if isinstance(value, str):
            return asdict(Effectiveness.parse(value))
        retardant, water = (float(part) for part in pair if not isinstance(part, bool))
    except (TypeError, ValueError):
        problems.add(where, f"{_ETA} is {value!r}", _ETA_REMEDY)
        return None
    return {"retardant": retardant, "water": water}
