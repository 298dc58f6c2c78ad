"""Report of a study: its table as CSV with exact numbers, as Parquet with pyarrow, and in words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from firegui.domain.study import value_text
from firegui.domain.study_table import MEASURES, StudyTable
from firegui.io import atomic
from firegui.io.tables import csv_text
from firegui.runs.messages import counted
from firegui.runs.stages import FinishReason

TABLE, PARQUET, WORK = "table.csv", "table.parquet", "cells.csv"
WORST = "worst_growth_left"
_SHOWN = 3
"""Reasons and cells that a message names."""
NO_PARQUET = "no Parquet table is written: it needs the package pyarrow (pip install firegui[study])"


def has_parquet() -> bool:
    """Return whether Parquet can be written here."""
    return find_spec("pyarrow") is not None


def write_tables(folder: Path, table: StudyTable) -> None:
    """Replace the tables in ``folder``, each file whole. Raises :class:`~firegui.errors.InputError`.

    ``table.*`` have a line for every finished cell, in order: the same wherever and however they were computed.
    ``cells.csv`` says of every cell what became of it, by whom and in what time.
    """
    columns = columns_of(table)
    atomic.write_text(folder / TABLE, _csv(columns))
    atomic.write_text(folder / WORK, _csv(_work(table)))
    if has_parquet():
        notes = {"title": table.settings.name, **{name: MEASURES[name].label for name in table.settings.measure}}
        import_module("firegui.io.parquet").write_parquet(folder / PARQUET, columns, notes)


def columns_of(table: StudyTable) -> dict[str, list[Any]]:
    """Return cell numbers, factors, measures, and the growth left in each stress scenario, in %.

    A value that a cell does not set or have is ``None``. Without a stress table in any row its columns are left out.
    """
    done = table.done
    columns: dict[str, list[Any]] = {"cell": [cell.number for cell in done]}
    for name in table.settings.names:
        columns[name] = [_plain(cell.value(name)) for cell in done]
    for name in table.settings.measure:
        columns[name] = [_known(table.measured(cell, name)) for cell in done]
    return columns | _stress(table)


def _stress(table: StudyTable) -> dict[str, list[Any]]:
    if not table.scenarios:
        return {}
    tables = [table.rows[cell.number].stress for cell in table.done]
    columns: dict[str, list[Any]] = {
        name: [_known(table.measured(cell, name)) for cell in table.done] for name in ("growth_left", WORST)
    }
    columns["worst_scenario"] = [None if one is None else one.worst.scenario.name for one in tables]
    for name in table.scenarios:
        results = [None if one is None else one.result(name) for one in tables]
        columns[f"growth_left: {name}"] = [None if one is None else 100.0 * one.share_worst for one in results]
    return columns


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def _plain(value: Any) -> Any:
    return value_text(value) if isinstance(value, tuple) else value


def _work(table: StudyTable) -> Mapping[str, Sequence[Any]]:
    rows = [table.rows.get(cell.number) for cell in table.cells]
    states = [
        "done" if cell.number in table.rows else "failed" if cell.number in table.failed else "missing"
        for cell in table.cells
    ]
    return {
        "cell": [cell.number for cell in table.cells],
        "title": [cell.title for cell in table.cells],
        "state": states,
        "seconds": [None if row is None else row.seconds for row in rows],
        "worker": [None if row is None else row.worker for row in rows],
        "evaluations": [None if row is None else row.evaluations for row in rows],
        "error": [table.failed.get(cell.number) for cell in table.cells],
    }


def _csv(columns: Mapping[str, Sequence[Any]]) -> str:
    return csv_text([columns, *zip(*columns.values(), strict=True)])


# -- in words ----------------------------------------------------------------------------------------------------------
def study_message(table: StudyTable, reason: FinishReason) -> str:
    """Return the progress of a study and its result, in one sentence."""
    done, asked = len(table.rows), counted(len(table.cells), "cell")
    if reason is FinishReason.STOPPED:
        return f"stopped on request after {done:,} of {asked}; resume to go on"
    if reason is FinishReason.FAILED:
        return f"{done:,} of {asked} done and kept; {failures_text(table)}; resume to try the others again"
    measure = table.settings.measure[0]
    found = [table.measured(cell, measure) for cell in table.done if table.has(cell, measure)]
    span = f"from {min(found):.4g} to {max(found):.4g}" if found else "is not known"
    return f"{asked}; {MEASURES[measure].label.lower()} {span}"


def failures_text(table: StudyTable) -> str:
    """Return why cells failed: the first few reasons, each once."""
    reasons: dict[str, list[int]] = {}
    for cell, why in sorted(table.failed.items()):
        reasons.setdefault(why, []).append(cell)
    said = [f"{_cells(cells)}: {why}" for why, cells in list(reasons.items())[:_SHOWN]]
    more = len(reasons) - len(said)
    return "; ".join([*said, *([f"and {counted(more, 'more reason')}"] if more > 0 else [])]) or "some are missing"


def _cells(cells: list[int]) -> str:
    shown = ", ".join(map(str, cells[:_SHOWN]))
    more = f" and {len(cells) - _SHOWN:,} more" if len(cells) > _SHOWN else ""
    return f"cell{'s' if len(cells) > 1 else ''} {shown}{more}"
