"""Arguments and options that several commands share, and readers of their text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from datetime import datetime

import click

from firegui.cli.arguments import FILE, F
from firegui.cli.setting_options import setting_options
from firegui.domain.options import bounds_problems, number_from_text
from firegui.domain.settings import Effectiveness, ObjectiveWeights
from firegui.errors import InputError, Problem, Problems

backend_option = click.option(
    "--backend", default="auto", show_default=True, metavar="auto|reference|cpu|cuda", help="What computes the fire."
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
    Effectiveness(), prefix="eta", suffix=", in place of the expected value of the project", show_defaults=False
)


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
        values = tuple(number_from_text(part.strip()) for part in text.split(","))
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
        values[name] = number_from_text(text)
    except ValueError:
        problems.add("--weights", f"{name} is {text!r}, not a number", "write a number of 0 or more")
