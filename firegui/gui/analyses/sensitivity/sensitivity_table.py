"""Columns of the robustness tables, as in the paper."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, partial
from operator import attrgetter
from typing import Any

from firegui.domain.sensitivity import (
    DesignRow,
    EffectivenessRow,
    MonteCarlo,
    PoseRow,
    Row,
    SensitivityKind,
    SideRow,
)
from firegui.domain.settings import RETARDANT_SIDES, Effectiveness, pair_text
from firegui.domain.units import Units, amount_text, percent_text, sampled_percent_text
from firegui.gui.base.number_text import duration, number
from firegui.gui.widgets.table_model import MISSING, Column

_J = "the objective without what drops cost (J_fire), at expected effectiveness unless the row names another"
_EXTENT = "final size: sum of the probabilities that cells have burned at the end, in cells"
_PROTECTED = "expected burned area of the protected regions at the end"


def row_name(row: Row) -> str:
    """Return the name of the variation in a row."""
    match row:
        case EffectivenessRow():
            return _pair_text(row.effectiveness)
        case SideRow():
            return RETARDANT_SIDES[row.side]
        case PoseRow():
            return row.text
        case DesignRow():
            return _pair_text(row.design)


def _sampled(title: str, unit: str, tip: str, pick: Callable[[Any], MonteCarlo]) -> Column:
    return Column(title, pick, _reduction_text, tip, unit, sort_key=lambda sampled: sampled.reduction,
                  cell_tip=lambda row: pick(row).reason)  # fmt: skip


def _reduction_text(sampled: MonteCarlo) -> str:
    if sampled.reduction is None:
        return MISSING
    return sampled_percent_text(sampled.reduction, sampled.error)


def _pair_text(pair: Effectiveness) -> str:
    """Return ``0.85/0.75``: retardant, then water; ``0.9`` where both are alike."""
    return f"{pair.water:g}" if pair.retardant == pair.water else pair_text(pair)


def _pair_key(pair: Effectiveness) -> float:
    return pair.retardant + 1e-3 * pair.water


def _whole(value: float) -> str:
    return f"{value:,.0f}"


_DROPS = Column("Drops", lambda row: row.reading.drops, _whole, "drops that are flown")
_OBJECTIVE = Column("Objective", lambda row: row.reading.fire_objective, number, _J)
_SCORES = (
    Column("Final size", lambda row: row.reading.final_extent_ha, amount_text, "expected burned area at the end", "ha",
           cell_tip=lambda row: f"{_EXTENT}: {row.reading.final_extent_cells:,.0f}"),
    Column("Relative", lambda row: row.relative, "{:.2f}".format,
           "final size over that of the schedule as it was planned for, at expected effectiveness"),
    Column("In regions", lambda row: row.reading.protected_ha, amount_text, _PROTECTED, "ha",
           cell_tip=lambda row: f"{_PROTECTED}; in cells: {row.reading.protected_cells:,.1f}"),
    _DROPS,
    _OBJECTIVE,
)  # fmt: skip
_ROW_TEXT, _ROW_SCALE = attrgetter("text"), attrgetter("scale")
_DISPLACED = (
    Column(
        "Final size",
        lambda row: row.mean_extent_ha,
        amount_text,
        "expected burned area at the end, mean of the draws",
        "ha, mean",
    ),
    Column("Objective", lambda row: row.mean, number, _J, "mean"),
    Column("Objective", lambda row: row.lowest, number, "smallest of the draws", "lowest"),
    Column("Objective", lambda row: row.highest, number, "largest of the draws", "highest"),
    Column("Draws", lambda row: len(row.draws), tip="displaced plans"),
)
_HECTARES = "ha"


@lru_cache(maxsize=16)
def columns_in(kind: SensitivityKind, units: Units) -> tuple[Column, ...]:
    """Return the columns of a kind of table, with areas in ``units``."""
    factor = units.area_value(1.0)
    return tuple(
        replace(column, format=amount_text, factor=factor, unit=column.unit.replace(_HECTARES, units.area_unit, 1))
        if column.unit.startswith(_HECTARES)
        else column
        for column in COLUMNS[kind]
    )


COLUMNS: dict[SensitivityKind, tuple[Column, ...]] = {
    SensitivityKind.EFFECTIVENESS: (
        Column("Effectiveness", lambda row: row.effectiveness, _pair_text,
               "effectiveness that the schedule is scored at; 0.9 is 90 %", "ret. / water", is_text=True,
               sort_key=_pair_key),
        *_SCORES,
    ),
    SensitivityKind.RETARDANT_SIDE: (
        Column("Retardant acts on", lambda row: row.side, RETARDANT_SIDES.__getitem__,
               "which use of the fuel factor retardant changes", is_text=True, sort_key=list(RETARDANT_SIDES).index),
        *_SCORES,
    ),
    SensitivityKind.OFF_TARGET: (
        Column("Laid off by", lambda row: row, _ROW_TEXT, "standard deviation of the landing points, in metres",
               is_text=True, sort_key=_ROW_SCALE),
        *_DISPLACED,
    ),
    SensitivityKind.POSE: (
        Column("Perturbation", lambda row: row, _ROW_TEXT, "standard deviation of the noise on all pose logits",
               "of the logits", is_text=True, sort_key=_ROW_SCALE),
        *_DISPLACED,
    ),
    SensitivityKind.DESIGN: (
        Column("Planned with", lambda row: row.design, _pair_text, "effectiveness that the plan was made with",
               "ret. / water", is_text=True, sort_key=_pair_key),
        _DROPS,
        _OBJECTIVE,
        Column("Mean", lambda row: row.reduction, partial(percent_text, digits=1),
               "reduction of the final extent against no drops", "field"),
        _sampled("State", "sampling", "the same as a mean over sampled fires, with its standard error",
                 lambda row: row.state_sampling),
        _sampled("Model", "error", "the same with the model's error sampled too", lambda row: row.model_error),
        Column("Search steps", lambda row: row.epochs, "{:,}".format, "while drops are placed"),
        Column("Removal", lambda row: row.pruning_rollouts, "{:,}".format, "while drops are removed",
               "simulations"),
        Column("Time", lambda row: row.seconds, duration, "what the plan took"),
    ),
}  # fmt: skip
