"""The folder of a scaling study on disk: ``scaling.toml`` (what was asked, on what), ``scaling.json``, its tables.

Every file is replaced whole. The sheets are for people and other programs; only the first two are read back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from firegui.domain.scaling import ScalingSettings, ScalingTable
from firegui.errors import InputError, Problem
from firegui.io import atomic
from firegui.io.plain_words import plain_words
from firegui.runs.events import FinishReason, RunState
from firegui.runs.header import event_hash, header_text
from firegui.runs.place import Place, read_kept
from firegui.runs.resume import differences
from firegui.runs.scaling_text import quality_csv, times_csv, times_latex
from firegui.runs.snapshot import ProjectSnapshot
from firegui.runs.spec import ScalingSpec

HEADER, TABLE = "scaling.toml", "scaling.json"
TIMES, LATEX, QUALITY = "scaling.csv", "scaling.tex", "quality.csv"
FORMAT = 1
TITLE = "The scaling study cannot be made"

_GROWING = ("repeats", "quality", "seeds")
"""Settings of which more may be asked for when a study goes on, or less, which leaves what is done."""
_REMEDY = "set it back, or make the study in another folder"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalingHeader:
    """The content of ``scaling.toml``.

    The hashes are those of a plan's ``run.toml``. ``machine`` is what decides how fast anything is; ``seconds`` count
    every one of the ``sessions``.
    """

    format: int = FORMAT
    command: str
    settings: ScalingSettings
    state: RunState
    reason: FinishReason | None = None
    message: str = ""
    started: datetime
    updated: datetime | None = None
    seconds: float = 0.0
    sessions: int = 1
    backend: str
    device: str
    project_folder: str = ""
    project_hash: str
    event_hash: str
    machine: Mapping[str, str | int] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    project: ProjectSnapshot

    def text(self) -> str:
        """The file's text; what has no value is left out, for TOML has no null."""
        return header_text(self)


def read_header(folder: Path) -> ScalingHeader:
    """Read ``scaling.toml``. Raises :class:`~firegui.errors.InputError` where it is missing or damaged."""
    return read_kept(folder / HEADER, ScalingHeader, FORMAT, "make the study again elsewhere", TITLE)


PLACE = Place("a scaling study", HEADER, TITLE, read_header, lambda names: TABLE in names)


def resume_problems(then: ScalingHeader, spec: ScalingSpec, digest: str) -> list[Problem]:
    """What keeps ``spec`` from going on with ``then``, but for the machine; ``digest`` is the project's hash now."""
    where, now = str(spec.out), ProjectSnapshot.of(spec.project)
    found = []
    if then.event_hash != event_hash(spec.project):
        found.append(Problem(where, "was made on another event or fire model", "give the project it was made of"))
    pairs = [
        *differences(then.project.plan, now.plan, free=()),
        *differences(then.settings, spec.settings, free=_GROWING),
    ]
    for title, before, after in pairs:
        found.append(Problem(where, f"was made with {title} = {before}, now {after}", _REMEDY))
    if not found and then.project_hash != digest:
        found.append(Problem(where, "was made with another fleet, other regions or other rules", _REMEDY))
    return found


def machine_problems(then: ScalingHeader, backend: str, machine: Mapping[str, str | int], where: Path) -> list[Problem]:
    """Timings of two machines, or of one under other conditions, do not belong into one table."""
    before = {"backend": then.backend, **then.machine}
    now: dict[str, str | int] = {"backend": backend, **machine}
    return [
        Problem(str(where), f"was timed with {_words(name, before)}, now {_words(name, now)}", _REMEDY)
        for name in sorted(before.keys() | now.keys())
        if before.get(name) != now.get(name)
    ]


def write_header(folder: Path, header: ScalingHeader) -> None:
    """Replace ``scaling.toml``."""
    atomic.write_text(folder / HEADER, header.text())


def write_table(folder: Path, table: ScalingTable) -> None:
    """Replace ``scaling.json`` and the tables made of it."""
    atomic.write_text(folder / TABLE, msgspec.json.format(msgspec.json.encode(table)).decode() + "\n")
    if table.rows:
        atomic.write_text(folder / TIMES, times_csv(table))
        atomic.write_text(folder / LATEX, times_latex(table))
    if table.quality:
        atomic.write_text(folder / QUALITY, quality_csv(table))


def read_table(folder: Path) -> ScalingTable:
    """The study in ``folder``. Raises :class:`~firegui.errors.InputError` where there is none that can be read."""
    path = folder / TABLE
    try:
        return msgspec.json.decode(path.read_bytes(), type=ScalingTable)
    except (OSError, msgspec.MsgspecError) as error:
        raise _refusal(path, f"cannot be read ({plain_words(error)})", "make the study again elsewhere") from error


def _words(name: str, found: Mapping[str, Any]) -> str:
    return f"{name.replace('_', ' ')} {found.get(name) or 'none'}"


def _refusal(path: Path, what: str, remedy: str) -> InputError:
    return InputError([Problem(str(path), what, remedy)], TITLE)
