"""Arguments and options that several commands share, and readers of their text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import click

from firegui.cli.arguments import FILE as FILE
from firegui.cli.arguments import project_argument as project_argument
from firegui.cli.setting_options import given_settings, setting_options
from firegui.domain.options import bounds_problems
from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.domain.settings import Effectiveness, ObjectiveWeights
from firegui.errors import InputError, Problem, Problems
from firegui.io.project.schedule_file import read_project_schedule
from firegui.runs.run_folder import PLAN, SCHEDULE

F = TypeVar("F", bound=Callable[..., Any])

backend_option = click.option(
    "--backend", default="auto", show_default=True, metavar="auto|reference|cpu|cuda", help="What computes the rollout."
)

precision_option = click.option(
    "--precision",
    type=click.Choice(["float32", "float64"]),
    default="float32",
    show_default=True,
    help="float32 is part of the fire model; float64 checks equations on short horizons.",
)


def schedule_option(required: bool) -> Callable[[F], F]:
    """Add ``--schedule``, passed as ``schedule_file``."""
    help = "A schedule: a CSV, plan.safetensors of a run, or the run's folder."
    return click.option("--schedule", "schedule_file", metavar="FILE", type=FILE, required=required, help=help)


nominal_options = setting_options(
    Effectiveness(), prefix="eta", suffix=", in place of the project's nominal", show_defaults=False
)


def with_nominal(project: Project, given: Mapping[str, Any], problems: Problems) -> Project:
    """Return the project at the nominal effectiveness that was given."""
    nominal = given_settings(project.plan.nominal, given, problems, prefix="eta")
    return replace(project, plan=replace(project.plan, nominal=nominal))


def schedule_of_run(path: Path, *names: str) -> Path:
    """Return ``path``, or in a run folder its first file of ``names`` (default: the plan, then the schedule).

    Raises :class:`~firegui.errors.InputError` for a folder that holds no schedule.
    """
    if not path.is_dir():
        return path
    found = next((path / name for name in names or (PLAN, SCHEDULE) if (path / name).is_file()), None)
    if found is None:
        remedy = f"give a CSV, {PLAN}, or the folder of a run that has a plan"
        raise InputError([Problem(str(path), "is a folder without a schedule", remedy)])
    return found


def project_schedule(path: Path, project: Project) -> Schedule:
    """Read a schedule, or that of a run folder, for the project's fleet, days and grid."""
    return read_project_schedule(schedule_of_run(path), project)


def parse_weights(text: str, base: ObjectiveWeights) -> ObjectiveWeights:
    """Return ``base`` with ``burn=…,final=…`` replaced.

    Raises :class:`~firegui.errors.InputError` listing every bad part.
    """
    problems = Problems()
    known = [item.name for item in fields(ObjectiveWeights)]
    values: dict[str, float] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, number = (word.strip() for word in part.partition("="))
        if not equals or name not in known:
            problems.add(
                "--weights", f"{part!r} is not a weight", f"write NAME=NUMBER with NAME one of {', '.join(known)}"
            )
        elif name in values:
            problems.add("--weights", f"{name} is given twice", "give it once")
        else:
            _number(number, name, values, problems)
    if not values and not problems:
        problems.add("--weights", "is empty", "write for example burn=50,final=50")
    if problems:
        # With a part that cannot be read there will be no weights to check, so those that can be are checked here.
        problems.extend(bounds_problems(ObjectiveWeights(**values), "objective"))
    problems.raise_if_any()
    return replace(base, **values)


def parse_transform(text: str) -> tuple[float, ...]:
    """Return six numbers with commas between them. Raises :class:`~firegui.errors.InputError`."""
    try:
        values = tuple(float(part) for part in text.split(","))
    except ValueError:
        values = ()
    if len(values) != 6:
        raise InputError([Problem("--transform", f"{text!r} is not six numbers", "write a,b,c,d,e,f with commas")])
    return values


def parse_start(text: str) -> datetime:
    """Return an ISO date and time. Raises :class:`~firegui.errors.InputError`."""
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        remedy = "write an ISO time such as 2020-08-19T07:00Z"
        raise InputError([Problem("--start", f"{text!r} is not a time", remedy)]) from error


def _number(text: str, name: str, values: dict[str, float], problems: Problems) -> None:
    try:
        values[name] = float(text)
    except ValueError:
        problems.add("--weights", f"{name} is {text!r}, not a number", "write a number of 0 or more")
