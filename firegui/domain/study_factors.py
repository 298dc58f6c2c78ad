"""Factors that a study can vary, by name, and the project that a cell plans.

======================== ==============================================================================================
``fleet.ID.FIELD``       a number of an aircraft type: ``fleet.S-2T.count``, ``fleet.S-2T.turnaround_h``
``grounded.ID``          the days of the plan, from 0, on which a type stays on the ground; ``grounded.all`` for every
                         type
``lifted.ID``            days on which a type flies after all, whatever the project says; ``lifted.all`` likewise
``start_day``, ``days``  and every other setting of a plan by its path: ``weights.burn``, ``nominal.water``,
                         ``design.retardant``, ``optimizer.epochs``, ``elimination.slack``, ``setting``
``nominal``, ``design``  the effectiveness of both materials at once
``seed``                 of every random choice of the planner
``planner``, ``allowance``, ``budget``   how it is planned
``wind.speed_factor``, ``wind.direction_deg``, ``wind.delay_h``   a wind that differs from the forecast's
======================== ==============================================================================================
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from typing import Any, get_type_hints

from firegui.domain.benchmark import PlannerName
from firegui.domain.fleet import AircraftType
from firegui.domain.options import bounds_problems, setting_fields, value_at
from firegui.domain.project import Project
from firegui.domain.settings import Effectiveness, Margin, ObjectiveWeights, PlanSettings, Setting
from firegui.domain.study import SCHEDULE, Case, Cell, StudySettings, Value, cells_of
from firegui.domain.uncertainty import WeatherDraw
from firegui.errors import InputError, Problem, Problems

ALL = "all"
"""Every type of the fleet."""
PLANNERS = (SCHEDULE, *(name.value for name in PlannerName))
_TERMS = {"planner": str, "allowance": int, "budget": int}
_WIND = ("speed_factor", "direction_deg", "delay_h")
_DAY_LISTS = ("grounded", "lifted")
_ALIASES = {"seed": "optimizer.seed"}
_REMEDY = "see the table of factors in the help page Study"


@dataclass(frozen=True, slots=True, eq=False)
class PreparedCell:
    """Cell that is ready to run: the project with the cell's settings, the planner and the wind.

    ``wind`` is the difference to the wind of the forecast, if any. The project still has the forecast's wind, because
    only the engine can change its rasters.
    """

    project: Project
    planner: str
    allowance: int
    budget: int
    wind: WeatherDraw | None


def study_cells(settings: StudySettings, project: Project) -> tuple[Cell, ...]:
    """Return every cell of ``settings``; factors that are whole numbers get whole numbers."""
    names = {each.name for each in settings.vary}
    return cells_of(settings, frozenset(name for name in names if kind_of(name, project) is int))


def prepared(project: Project, settings: StudySettings, cell: Cell) -> PreparedCell:
    """Return ``cell`` as it is planned.

    Raises :class:`~firegui.errors.InputError` for an unknown factor or an invalid value.
    """
    values = {**settings.set, **dict(cell.values)}
    problems = Problems()
    problems.extend(problem for name, value in values.items() for problem in value_problems(name, value, project))
    problems.raise_if_any(f"Cell {cell.number} cannot be planned")
    terms = {key: values.pop(key) for key in _TERMS if key in values}
    wind = {key: float(values.pop(f"wind.{key}")) for key in _WIND if f"wind.{key}" in values}  # type: ignore[arg-type]
    return PreparedCell(
        _applied(project, values),
        str(terms.get("planner", settings.planner)),
        int(terms.get("allowance", settings.allowance)),  # type: ignore[arg-type]
        int(terms.get("budget", settings.budget)),  # type: ignore[arg-type]
        _draw(wind) if wind else None,
    )


def study_problems(settings: StudySettings, project: Project) -> list[Problem]:
    """Return everything wrong with a study of ``project``.

    Every value is tried by itself and every case as a whole; a combination that cannot be planned shows in its cell.
    """
    found = settings.problems()
    if settings.planner not in PLANNERS:
        found.append(Problem("planner", f"{settings.planner!r} is unknown", f"use one of {', '.join(PLANNERS)}"))
    for name, value in settings.set.items():
        found += value_problems(name, value, project)
    for each in settings.vary:
        found += _vary_problems(each.name, each.levels or (each.low, each.high), project)
    for case in settings.cases:
        wrong = [problem for name, value in case.set.items() for problem in value_problems(name, value, project)]
        found += [replace(problem, where=f"case {case.name}: {problem.where}") for problem in wrong]
        if not wrong:
            found += _whole_case_problems(case, settings, project)
    return list(dict.fromkeys(found))


def value_problems(name: str, value: Value | None, project: Project) -> list[Problem]:
    """Return the problems of setting the factor ``name`` to ``value`` alone."""
    kind = kind_of(name, project)
    if kind is None:
        return [_unknown(name, project)]
    if not _is(value, kind):
        return [Problem(name, f"cannot be {value!r}", f"give {_choices(kind)}")]
    if name == "planner" and value not in PLANNERS:
        return [Problem(name, f"{value!r} is unknown", f"use one of {', '.join(PLANNERS)}")]
    if name == "wind.speed_factor" and not 0.0 < float(value) <= 10.0:  # type: ignore[arg-type]
        return [Problem(name, f"is {value}", "give a factor above 0, up to 10")]
    if name.startswith("wind.") and project.fire_model.kind == "maps":
        return [Problem(name, "imported maps cannot be computed for another wind", "use a fire model of firegui")]
    if name in _TERMS or name.startswith("wind."):
        low = {"allowance": 1, "budget": 0}.get(name, -math.inf)
        wrong = not isinstance(value, str) and not float(value) >= low  # type: ignore[arg-type]
        return [Problem(name, f"is {value}", f"give {low} or more")] if wrong else []
    return _bounds(name, value, project)


def kind_of(name: str, project: Project) -> type[Any] | None:
    """Return the type of the factor's value. It is ``None`` for an unknown factor."""
    if name in _TERMS:
        return _TERMS[name]
    if name in ("nominal", "design"):
        return float
    head, _, rest = name.partition(".")
    ids = {kind.id for kind in project.fleet.types}
    if head == "wind":
        return float if rest in _WIND else None
    if head in _DAY_LISTS:
        return tuple if rest == ALL or rest in ids else None
    if head == "fleet":
        identity, _, item = rest.rpartition(".")
        hints = get_type_hints(AircraftType)
        return hints[item] if identity in ids and hints.get(item) in (int, float) else None
    return _kind_in(PlanSettings, _ALIASES.get(name, name))


_TITLES: Mapping[str, str] = {
    "nominal": "How well both materials work, to score", "design": "How well both materials work, to plan with",
    "seed": "Random seed", "planner": "Planner", "allowance": "Fire simulations of a search", "budget": "Drop budget",
    "wind.speed_factor": "Wind speed, factor", "wind.direction_deg": "Wind direction, turned by (degrees)",
    "wind.delay_h": "Wind, later by (h)", "grounded.all": "All aircraft: grounded days",
    "lifted.all": "All aircraft: days on which they fly after all",
}  # fmt: skip


def _fleet_titles(kind: AircraftType) -> dict[str, str]:
    """Return the title of every number of an aircraft type, by the name of its factor."""
    titles = {}
    for item in setting_fields(kind):
        if item.kind in (int, float):
            unit = f" ({item.option.unit})" if item.option.unit else ""
            titles[f"fleet.{kind.id}.{item.name}"] = f"{kind.id}: {item.option.title.lower()}{unit}"
    return titles


def factor_titles(project: Project) -> dict[str, str]:
    """Return a title for people of every factor of a project, by name.

    Those that are varied most come first.
    """
    titles: dict[str, str] = {}
    for kind in project.fleet.types:
        name = f"fleet.{kind.id}.count"
        titles[name] = _fleet_titles(kind)[name]
    titles |= _TITLES
    for item in setting_fields(PlanSettings()):
        name = ".".join(item.path)
        group = _GROUPS.get(item.path[0], "") if len(item.path) > 1 else ""
        label, unit = item.option.field_label, item.option.unit
        shown = f"{label} ({unit})" if unit and unit not in label.lower() else label
        titles.setdefault(name, f"{group}{shown}")
    for kind in project.fleet.types:
        titles[f"grounded.{kind.id}"] = f"{kind.id}: grounded days"
        titles[f"lifted.{kind.id}"] = f"{kind.id}: days on which it flies after all"
        titles |= _fleet_titles(kind)
    return {name: title for name, title in titles.items() if kind_of(name, project) is not None}


_GROUPS: Mapping[str, str] = {
    "weights": "Weight: ", "nominal": "To score: ", "design": "To plan with: ", "optimizer": "Search: ",
    "elimination": "Remove drops: ", "margin": "Margin: ",
}  # fmt: skip


# -- setting ----------------------------------------------------------------------------------------------------------
def _applied(project: Project, values: Mapping[str, Value]) -> Project:
    """Return the project with ``values`` applied.

    The plan's settings come first, because the days of the others are counted in the plan. The fleet and its days
    follow. A two-stage plan is the paper's, whatever the margin of the project is, where no factor says otherwise.
    """
    plan = project.with_margin(Margin.NONE).plan
    for name in sorted((name for name in values if kind_in_plan(name)), key=lambda name: name != "setting"):
        plan = _with(plan, name, values[name])
    changed = replace(project, plan=plan)
    fleet = changed.planned_fleet
    return changed.with_fleet(replace(fleet, types=tuple(_typed(kind, values) for kind in fleet.types)))


def kind_in_plan(name: str) -> bool:
    """Return whether the factor is a setting of the plan."""
    return name in ("nominal", "design") or _kind_in(PlanSettings, _ALIASES.get(name, name)) is not None


def _with(plan: PlanSettings, name: str, value: Value) -> PlanSettings:
    if name in ("nominal", "design"):
        both = float(value)  # type: ignore[arg-type]
        alike = Effectiveness(both, both)
        return replace(plan, nominal=alike) if name == "nominal" else replace(plan, design=alike)
    changed: PlanSettings = _replaced(plan, tuple(_ALIASES.get(name, name).split(".")), value)
    if name == "setting" and changed.setting is not Setting.CUSTOM:
        return replace(changed, weights=ObjectiveWeights.of(changed.setting))
    return replace(changed, setting=Setting.CUSTOM) if name.startswith("weights.") else changed


def _replaced(settings: Any, path: tuple[str, ...], value: Any) -> Any:
    name, rest = path[0], path[1:]
    if rest:
        return replace(settings, **{name: _replaced(getattr(settings, name), rest, value)})
    kind = get_type_hints(type(settings))[name]
    return replace(settings, **{name: kind(value)})


def _typed(kind: AircraftType, values: Mapping[str, Value]) -> AircraftType:
    """Return a type with its numbers and grounded days.

    Values of this type override those of all types.
    """
    hints = get_type_hints(AircraftType)
    prefix = f"fleet.{kind.id}."
    numbers = {name[len(prefix) :]: value for name, value in values.items() if name.startswith(prefix)}
    changed = replace(kind, **{key: hints[key](value) for key, value in numbers.items()})
    days = set(_days(values, "grounded", kind.id, kind.grounded_days))
    days -= set(_days(values, "lifted", kind.id, ()))
    return changed.with_grounded_days(tuple(days))


def _days(values: Mapping[str, Value], what: str, identity: str, otherwise: tuple[int, ...]) -> Iterable[int]:
    found = values.get(f"{what}.{identity}", values.get(f"{what}.{ALL}", otherwise))
    assert isinstance(found, (tuple, list))
    return found


def _draw(wind: Mapping[str, float]) -> WeatherDraw:
    turned = math.radians(wind.get("direction_deg", 0.0))
    return WeatherDraw(wind.get("speed_factor", 1.0), turned, wind.get("delay_h", 0.0))


# -- what is wrong ----------------------------------------------------------------------------------------------------
_WORDS: Mapping[Any, str] = {
    int: "a whole number", float: "a number", bool: "true or false", str: "text", tuple: "a list of days from 0",
}  # fmt: skip


def _is(value: Any, kind: Any) -> bool:
    if kind is tuple:
        whole = isinstance(value, (tuple, list)) and all(isinstance(day, int) and day >= 0 for day in value)
        return whole and not any(isinstance(day, bool) for day in value)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return value in [member.value for member in kind]
    if isinstance(value, bool) or kind is bool:
        return kind is bool and isinstance(value, bool)
    if kind is int:
        return isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if kind is float:
        return isinstance(value, (int, float)) and math.isfinite(value)
    return isinstance(value, kind)


def _choices(kind: Any) -> str:
    return _WORDS[kind] if kind in _WORDS else "one of " + ", ".join(str(member.value) for member in kind)


def _kind_in(settings: type[Any], name: str) -> type[Any] | None:
    head, _, rest = name.partition(".")
    hints = get_type_hints(settings)
    if head not in {item.name for item in fields(settings)}:
        return None
    kind = hints[head]
    if is_dataclass(kind) and isinstance(kind, type):
        return _kind_in(kind, rest) if rest else None
    return None if rest or not isinstance(kind, type) else kind


def _unknown(name: str, project: Project) -> Problem:
    ids = ", ".join(kind.id for kind in project.fleet.types) or "none"
    of_fleet = name.split(".")[0] in ("fleet", *_DAY_LISTS)
    return Problem(name, "is not a factor of this project", f"its fleet has {ids}; {_REMEDY}" if of_fleet else _REMEDY)


def _bounds(name: str, value: Value | None, project: Project) -> list[Problem]:
    """Return whether the settings that ``value`` goes into would still be within their bounds."""
    assert value is not None
    head = name.partition(".")[0]
    if head == "fleet":
        kinds = (_typed(kind, {name: value}) for kind in project.fleet.types)
        return [problem for kind in kinds for problem in kind.problems()]
    if head in _DAY_LISTS:
        return []
    plan = _with(project.plan, name, value)
    part = value_at(plan, (_ALIASES.get(name, name).partition(".")[0],))
    return bounds_problems(part if is_dataclass(part) else plan, name)


def _vary_problems(name: str, values: Iterable[Value | None], project: Project) -> list[Problem]:
    found = [problem for value in values if value is not None for problem in value_problems(name, value, project)]
    return list(dict.fromkeys(found))


def _whole_case_problems(case: Case, settings: StudySettings, project: Project) -> list[Problem]:
    """Return the problems that keep a case from being planned, whatever else varies."""
    try:
        problems = prepared(project, settings, Cell(0, tuple(case.set.items()), case.name)).project.problems()
    except InputError:
        return []  # of what is set for every cell, which is told of by itself
    return [replace(problem, where=f"case {case.name}: {problem.where}") for problem in problems]
