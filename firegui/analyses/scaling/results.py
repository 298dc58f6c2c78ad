"""Folder of a scaling study on disk: ``scaling.toml``, ``scaling.json``, its tables.

Every file is replaced whole. The sheets are for people and other programs; only the first two are read back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from firegui.analyses.scaling.report import quality_csv, times_csv, times_latex
from firegui.domain.scaling import ScalingSettings, ScalingTable
from firegui.errors import Problem
from firegui.io import atomic
from firegui.runs.header import SavedHeader
from firegui.runs.result_store import ResultStore
from firegui.runs.resume import ResumeCheck
from firegui.runs.spec import ScalingSpec

HEADER, TABLE = "scaling.toml", "scaling.json"
TIMES, LATEX, QUALITY = "scaling.csv", "scaling.tex", "quality.csv"
TITLE = "The scaling study cannot be made"

_REMEDY = "set it back, or make the study in another folder"
_LIKENESS = ResumeCheck("made", "made of", _REMEDY)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalingHeader(SavedHeader):
    """The content of ``scaling.toml``.

    The hashes are those of a plan's ``run.toml``. ``machine`` is what decides how fast anything is; ``seconds`` count
    every one of the ``sessions``.
    """

    settings: ScalingSettings
    sessions: int = 1
    device: str
    machine: Mapping[str, str | int] = field(default_factory=dict)


STORE = ResultStore(
    "a scaling study", HEADER, TITLE, ScalingHeader, "make the study again elsewhere", lambda names: TABLE in names
)
read_header, write_header = STORE.read, STORE.write


def resume_problems(then: ScalingHeader, spec: ScalingSpec) -> list[Problem]:
    """Return what keeps ``spec`` from resuming ``then``, but for the machine."""
    return _LIKENESS.problems(spec, then, then.settings)


def machine_problems(then: ScalingHeader, now: ScalingHeader, where: Path) -> list[Problem]:
    """Refuse to mix timings of two machines or engines, or of other conditions, in one table."""
    return _LIKENESS.engine_problems(then, now, where) + [
        Problem(str(where), f"was timed with {_words(name, then.machine)}, now {_words(name, now.machine)}", _REMEDY)
        for name in sorted(then.machine.keys() | now.machine.keys())
        if then.machine.get(name) != now.machine.get(name)
    ]


def write_table(folder: Path, table: ScalingTable) -> None:
    """Replace ``scaling.json`` and the tables made of it."""
    atomic.write_json(folder / TABLE, table)
    if table.rows:
        atomic.write_text(folder / TIMES, times_csv(table))
        atomic.write_text(folder / LATEX, times_latex(table))
    if table.quality:
        atomic.write_text(folder / QUALITY, quality_csv(table))


def read_table(folder: Path) -> ScalingTable:
    """Read the study in ``folder``. Raises :class:`~firegui.errors.InputError` where it cannot."""
    return STORE.read_json(folder / TABLE, ScalingTable)


def _words(name: str, found: Mapping[str, Any]) -> str:
    return f"{name.replace('_', ' ')} {found.get(name) or 'none'}"
