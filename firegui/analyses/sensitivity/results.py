"""Folder of a robustness table on disk: ``sensitivity.toml``, the table, its pictures.

Every file is replaced whole. A sweep also keeps its plans here, each a run folder of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import msgspec

from firegui.domain.sensitivity import (
    DESIGN_PREFIX,
    DesignRow,
    EffectivenessRow,
    PoseRow,
    RolloutSummary,
    Row,
    SensitivityKind,
    SensitivitySettings,
    SensitivityTable,
    SideRow,
    ratio,
)
from firegui.domain.settings import Effectiveness
from firegui.errors import Problem
from firegui.io import atomic
from firegui.io.tables import records_csv
from firegui.runs.header import SavedHeader
from firegui.runs.result_store import ResultStore
from firegui.runs.resume import ResumeCheck
from firegui.runs.spec import SensitivitySpec

HEADER, TABLE, SHEET = "sensitivity.toml", "sensitivity.json", "sensitivity.csv"
TITLE = "The table cannot be made"

AnyTable = SensitivityTable[Row]

_LIKENESS = ResumeCheck("made", "made of", "set it back, or make the table in another folder")
_TABLES: Mapping[SensitivityKind, Any] = {
    SensitivityKind.EFFECTIVENESS: SensitivityTable[EffectivenessRow],
    SensitivityKind.OFF_TARGET: SensitivityTable[PoseRow],
    SensitivityKind.POSE: SensitivityTable[PoseRow],
    SensitivityKind.DESIGN: SensitivityTable[DesignRow],
    SensitivityKind.RETARDANT_SIDE: SensitivityTable[SideRow],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SensitivityHeader(SavedHeader):
    """The content of ``sensitivity.toml``. Its hashes, ``schedule`` included, are those of ``run.toml``."""

    kind: SensitivityKind
    settings: SensitivitySettings
    seed: int
    device: str = ""
    schedule: str = ""
    schedule_file: str = ""


def _holds_a_table(names: list[str]) -> bool:
    return TABLE in names or any(name.startswith(DESIGN_PREFIX) for name in names)


STORE = ResultStore("a table", HEADER, TITLE, SensitivityHeader, "make the table again elsewhere", _holds_a_table)
read_header, write_header = STORE.read, STORE.write


def resume_problems(then: SensitivityHeader, spec: SensitivitySpec, schedule: str) -> list[Problem]:
    """Return what keeps ``spec`` from resuming ``then``; ``schedule`` is the hash of the schedule now."""
    where, more = str(spec.out), []
    if then.kind is not spec.kind:
        return [Problem(where, f"holds the table {then.kind.value}, not {spec.kind.value}", "give another folder")]
    if then.schedule != schedule:
        more.append(Problem(where, "was made of another schedule", "give its schedule again (--schedule)"))
    return _LIKENESS.problems(spec, then, then.settings, more=more)


def write_table(folder: Path, table: AnyTable) -> None:
    """Replace ``sensitivity.csv`` and ``sensitivity.json``."""
    atomic.write_text(folder / SHEET, table_csv(table))
    atomic.write_json(folder / TABLE, table)


def read_table(folder: Path) -> AnyTable:
    """Read the table in ``folder``. Raises :class:`~firegui.errors.InputError` where it cannot."""
    path = folder / TABLE
    try:
        raw = msgspec.json.decode(path.read_bytes())
        table: AnyTable = msgspec.convert(raw, _TABLES[SensitivityKind(raw["kind"])])
        return table
    except (OSError, KeyError, TypeError, ValueError, msgspec.MsgspecError) as error:
        raise STORE.unreadable(path, error) from error


def flat_rows(table: AnyTable) -> list[dict[str, Any]]:
    """Return every row as one record of plain values, for the CSV, ``--json`` and tables."""
    return [_flat(row, table.baseline) for row in table.rows]


def table_csv(table: AnyTable) -> str:
    """Return ``sensitivity.csv``: a line a row, with exact numbers, empty where there is no value."""
    return records_csv(flat_rows(table))


def _flat(row: Row, baseline: RolloutSummary) -> dict[str, Any]:
    match row:
        case EffectivenessRow():
            return {**_pair(row.effectiveness), **_plain(row.reading, baseline), "relative_extent": row.relative}
        case SideRow():
            return {
                "retardant_acts_on": row.side.value, **_plain(row.reading, baseline), "relative_extent": row.relative,
            }  # fmt: skip
        case PoseRow():
            return {
                "distance_m" if row.in_metres else "scale": row.scale,
                "draws": len(row.draws),
                "fire_objective_mean": row.mean,
                "fire_objective_min": row.lowest,
                "fire_objective_max": row.highest,
                "final_extent_cells_mean": row.mean_extent,
            }
        case DesignRow():
            return {
                **{f"design_{name}": value for name, value in _pair(row.design).items()},
                **_plain(row.reading, baseline),
                "reduction_state_sampling": row.state_sampling.reduction,
                "state_sampling_error": row.state_sampling.error,
                "state_sampling_members": row.state_sampling.members,
                "state_sampling_reason": row.state_sampling.reason,
                "reduction_model_error": row.model_error.reduction,
                "model_error_error": row.model_error.error,
                "model_error_members": row.model_error.members,
                "model_error_reason": row.model_error.reason,
                "epochs": row.epochs,
                "pruning_rollouts": row.pruning_rollouts,
                "seconds": row.seconds,
                "folder": row.folder,
            }


def _pair(effectiveness: Effectiveness) -> dict[str, float]:
    return {"eta_retardant": effectiveness.retardant, "eta_water": effectiveness.water}


def _plain(reading: RolloutSummary, baseline: RolloutSummary) -> dict[str, Any]:
    return {**asdict(reading), "reduction": 1.0 - ratio(reading.final_extent_cells, baseline.final_extent_cells)}
