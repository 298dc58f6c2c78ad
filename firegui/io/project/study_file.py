"""``STUDY.toml``: the project that a study is of, what varies around it, and what is measured.

::

    project = "demo.firegui"              # beside this file, or anywhere
    name = "What another tanker is worth"
    planner = "gradient"                  # any of the benchmark's, or "schedule" with schedule = "plan.safetensors"
    allowance = 300                       # rollout-equivalents of each search
    measure = ["objective", "final_extent_ha", "drops_executed"]

    [set]                                 # for every cell
    days = 5

    [[vary]]                              # every combination of these …
    name = "fleet.S-2T.count"
    values = [0, 1, 2]
    [[vary]]
    name = "nominal"
    low = 0.7
    high = 0.95
    steps = 6

    [[case]]                              # … with every one of those; the first is what the others are compared with
    name = "as it is"
    [[case]]
    name = "none grounded"
    set = { lifted.all = [2, 3] }

``sampling = "latin"`` draws ``samples`` cells from the ranges in place of a grid, with ``seed``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firegui.domain.study import Case, Sampling, StudySettings, Value, Vary
from firegui.domain.study_table import MEASURES
from firegui.errors import Problems
from firegui.io import toml
from firegui.io.toml import dumps

TITLE = "The study cannot be read"
_NUMBERS = (("allowance", int), ("budget", int), ("excess", float), ("samples", int), ("seed", int))


@dataclass(frozen=True, slots=True)
class StudyFile:
    """What a study file says; ``project`` and ``schedule`` as they are written in it."""

    project: str
    settings: StudySettings
    schedule: str = ""

    def project_folder(self, path: Path) -> Path:
        """Return where the project is, for a file at ``path``: beside it, unless it says the whole way."""
        return path.absolute().parent / self.project

    def schedule_file(self, path: Path) -> Path | None:
        """Return where the schedule is, if it names one."""
        return path.absolute().parent / self.schedule if self.schedule else None

    def text(self) -> str:
        """Return the file's text."""
        return dumps(_tables(self))


def read_study(path: Path) -> StudyFile:
    """Read a study file.

    Raises :class:`~firegui.errors.InputError` listing everything that is wrong with it.
    """
    problems = Problems()
    raw = toml.read_toml(path, problems)
    study = None if raw is None else _study_of(raw, path.name, problems)
    problems.raise_if_any(TITLE)
    assert study is not None
    return study


def parse_study(text: str, where: str = "the study") -> StudyFile:
    """Return the same of a text that is not kept anywhere. Raises :class:`~firegui.errors.InputError`."""
    problems = Problems()
    raw = toml.parse_toml(text, where, problems)
    study = None if raw is None else _study_of(raw, where, problems)
    problems.raise_if_any(TITLE)
    assert study is not None
    return study


def measure_problems(settings: StudySettings, problems: Problems) -> None:
    """Report every measure that there is not."""
    for name in settings.measure:
        if name not in MEASURES:
            problems.add("measure", f"{name!r} is unknown", f"use any of {', '.join(MEASURES)}")
    if not settings.measure:
        problems.add("measure", "is empty", f"name any of {', '.join(MEASURES)}")


def _study_of(raw: Mapping[str, Any], where: str, problems: Problems) -> StudyFile | None:
    before = len(problems)
    table, plain = toml.Table(raw, where, problems), StudySettings()
    project, schedule = table.take("project", str), table.take("schedule", str, "")
    numbers: dict[str, Any] = {name: table.take(name, kind, getattr(plain, name)) for name, kind in _NUMBERS}
    settings = StudySettings(
        name=table.take("name", str, Path(where).stem),
        planner=table.take("planner", str, plain.planner),
        set=_values(table.raw("set"), f"{where} [set]", problems),
        vary=tuple(_vary(each) for each in table.tables("vary")),
        cases=tuple(_case(each) for each in table.tables("case")),
        sampling=table.take("sampling", Sampling, plain.sampling),
        measure=tuple(table.take("measure", list[str], list(plain.measure)) or ()),
        **numbers,
    )
    table.finish()
    measure_problems(settings, problems)
    return StudyFile(project, settings, schedule) if len(problems) == before else None


def _vary(table: toml.Table) -> Vary:
    values = table.take("values", list[bool | int | float | str | list[int]], [])
    each = Vary(
        name=table.take("name", str),
        values=tuple(_value(value) for value in values or ()),
        low=table.take("low", float | None, None),  # type: ignore[arg-type]
        high=table.take("high", float | None, None),  # type: ignore[arg-type]
        steps=table.take("steps", int, 0),
    )
    table.finish()
    return each


def _case(table: toml.Table) -> Case:
    case = Case(table.take("name", str), _values(table.raw("set"), f"{table.where} [set]", table.problems))
    table.finish()
    return case


def _values(raw: Any, where: str, problems: Problems) -> dict[str, Value]:
    """Return factors and what they are set to.

    ``fleet.S-2T.count = 2`` may be written with quotes around it or without.
    """
    found: dict[str, Value] = {}
    if raw is not None and not isinstance(raw, Mapping):
        problems.add(where, "is not a table", "write set = { NAME = VALUE }")
        return found
    for name, value in _flat(raw or {}):
        if isinstance(value, (bool, int, float, str)):
            found[name] = value
        elif isinstance(value, list) and all(isinstance(day, int) and not isinstance(day, bool) for day in value):
            found[name] = tuple(value)
        else:
            problems.add(where, f"{name} cannot be {value!r}", "give a number, a word or a list of days")
    return found


def _flat(raw: Mapping[str, Any], above: str = "") -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for key, value in raw.items():
        name = f"{above}{key}"
        found += _flat(value, f"{name}.") if isinstance(value, Mapping) else [(name, value)]
    return found


def _value(value: Any) -> Value:
    return tuple(value) if isinstance(value, list) else value


def _tables(study: StudyFile) -> dict[str, Any]:
    settings = study.settings
    tables: dict[str, Any] = {"project": study.project, "name": settings.name, "planner": settings.planner}
    tables |= {"schedule": study.schedule} if study.schedule else {}
    tables |= {"allowance": settings.allowance, "measure": list(settings.measure)}
    plain = StudySettings()
    for name in ("budget", "excess", "sampling", "samples", "seed"):
        if getattr(settings, name) != getattr(plain, name):
            value = getattr(settings, name)
            tables[name] = value.value if isinstance(value, Sampling) else value
    tables |= {"set": dict(settings.set)} if settings.set else {}
    if settings.vary:
        tables["vary"] = [_vary_table(each) for each in settings.vary]
    if settings.cases:
        tables["case"] = [{"name": case.name, "set": dict(case.set)} for case in settings.cases]
    return tables


def _vary_table(each: Vary) -> dict[str, Any]:
    table: dict[str, Any] = {"name": each.name}
    table |= {"values": list(each.values)} if each.values else {}
    table |= {name: getattr(each, name) for name in ("low", "high") if getattr(each, name) is not None}
    return table | ({"steps": each.steps} if each.steps else {})
