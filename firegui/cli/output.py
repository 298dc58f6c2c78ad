"""Output of commands: a short report for people, or exactly one JSON object for programs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click
import msgspec

from firegui.errors import Problem

if TYPE_CHECKING:
    from firegui.domain.units import Units

UNITS_KEY = "firegui.units"
"""Key of the chosen units in ``click.Context.meta``."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of the report.")
"""Adds ``--json``, passed as ``as_json``."""


def json_text(data: Mapping[str, Any]) -> str:
    """Return one JSON object on one line; NaN becomes null, because JSON has no other word for it."""
    plain = msgspec.json.decode(msgspec.json.encode(data, enc_hook=str))
    return json.dumps(plain)


def print_json(data: Mapping[str, Any]) -> None:
    """Print :func:`json_text`."""
    click.echo(json_text(data))


def error_data(text: str, problems: Iterable[Problem] = ()) -> dict[str, Any]:
    """Return an error and what is wrong as an object for programs."""
    listed = [{"where": item.where, "what": item.what, "remedy": item.remedy} for item in problems]
    return {"error": text, "problems": listed}


def report_text(as_json: bool, data: Mapping[str, Any], lines: Callable[[], Iterable[str]]) -> str:
    """Return ``data`` as JSON, or the ``lines`` for people."""
    return json_text(data) if as_json else "\n".join(lines())


def report(as_json: bool, data: Mapping[str, Any], lines: Callable[[], Iterable[str]]) -> None:
    """Print :func:`report_text`."""
    click.echo(report_text(as_json, data, lines))


def chosen_units() -> Units:
    """Return the units of reports: those of ``firegui --units``, metric without it."""
    context = click.get_current_context(silent=True)
    # The help of the program is shown without anything of the domain.
    kinds: type[Units] = import_module("firegui.domain.units").Units
    return kinds.METRIC if context is None else kinds(context.find_root().meta.get(UNITS_KEY, kinds.METRIC))


def table(rows: Sequence[Sequence[str]], indent: str = "  ") -> list[str]:
    """Return rows as aligned columns: the first to the left, the others to the right."""
    if not rows:
        return []
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        indent
        + "  ".join(
            _cell(text, width, column) for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _cell(text: str, width: int, column: int) -> str:
    return text.ljust(width) if column == 0 else text.rjust(width)
