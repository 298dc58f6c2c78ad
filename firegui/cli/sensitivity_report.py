"""The robustness tables as people read them, with the columns of the paper's."""

from __future__ import annotations

from collections.abc import Iterator

from firegui.cli.output import table
from firegui.domain.sensitivity import (
    DesignRow,
    EffectivenessRow,
    MonteCarlo,
    PoseRow,
    Reading,
    Row,
    SensitivityKind,
    SensitivityTable,
    SideRow,
)
from firegui.domain.settings import RetardantSide
from firegui.domain.uncertainty import ErrorSource
from firegui.runs.sensitivity_text import pair_text

_HEADS = {
    SensitivityKind.EFFECTIVENESS: ("η ret./water", "final extent", "relative", "J_fire", "protected", "drops"),
    SensitivityKind.POSE: ("perturbation", "J_fire, mean", "range", "final extent", "draws"),
    SensitivityKind.RETARDANT_SIDE: ("acts on", "final extent", "relative", "J_fire", "protected", "drops"),
    SensitivityKind.DESIGN: (
        "design η", "drops", "J_fire", "mean field", "state sampling", "model error", "epochs; rollouts", "time",
    ),
}  # fmt: skip


def table_lines(found: SensitivityTable[Row]) -> list[str]:
    """The table with what it is of above it."""
    rows = table([_HEADS[found.kind], *map(_row, found.rows)]) if found.rows else []
    return [*_head(found), *rows, *_notes(found)]


def _head(found: SensitivityTable[Row]) -> Iterator[str]:
    side = f", retardant acts on {_side(found.retardant_acts_on)}"
    yield f"{found.event}, setting {found.setting.value}, scored at nominal η {pair_text(found.nominal)}{side}"
    yield f"Fire model: {found.fire_model}. Extents and protected cells are sums of probabilities, in cells."
    yield f"No drops: {_reading(found.baseline)}"
    if found.scored is not None:
        yield f"Schedule {found.schedule}: {_reading(found.scored)}"


def _reading(reading: Reading) -> str:
    extent = f"final extent {reading.final_extent_cells:,.0f} cells"
    return f"{extent}, J_fire {_number(reading.fire_objective)}, protected {reading.protected_cells:,.0f}"


def _row(row: Row) -> tuple[str, ...]:
    match row:
        case EffectivenessRow():
            return (pair_text(row.effectiveness), *_scored(row.reading, row.relative))
        case SideRow():
            return (_side(row.side), *_scored(row.reading, row.relative))
        case PoseRow():
            spread = f"{_number(row.lowest)} to {_number(row.highest)}" if len(row.draws) > 1 else ""
            name = f"{row.scale:g}" if row.scale else "none"
            return (name, _number(row.mean), spread, f"{row.mean_extent:,.0f}", str(len(row.draws)))
        case DesignRow():
            return (
                pair_text(row.design),
                f"{row.reading.drops:,}",
                _number(row.reading.fire_objective),
                f"{row.reduction:.1%}",
                _sampled(row.state_sampling),
                _sampled(row.model_error),
                f"{row.epochs:,}; {row.pruning_rollouts:,}",
                f"{row.seconds:,.0f} s",
            )


def _scored(reading: Reading, relative: float) -> tuple[str, ...]:
    return (
        f"{reading.final_extent_cells:,.0f}",
        f"{relative:.2f}",
        _number(reading.fire_objective),
        f"{reading.protected_cells:,.0f}",
        f"{reading.drops:,}",
    )


def _notes(found: SensitivityTable[Row]) -> Iterator[str]:
    if found.kind is SensitivityKind.POSE:
        yield f"Normal noise on all pose logits, the same draws at every scale, seed {found.settings.seed}."
    plans = [row for row in found.rows if isinstance(row, DesignRow)]
    if not plans:
        return
    yield "Reductions of the final extent against no drops, at nominal η; rollouts are those of the second stage."
    for title, column in (("State sampling", plans[0].state_sampling), ("Model error", plans[0].model_error)):
        if column.reduction is None:
            yield f"{title}: {column.reason}."
        else:
            fires = f"{column.members:,} sampled fires"
            yield f"{title}: means over {fires} with their standard error, seed {found.settings.seed}."
    if plans[0].model_error.reduction is not None and found.settings.error is ErrorSource.PAPER:
        yield "The model error is the paper's for Bear 2020 on its own fire model: approximate here."


def _sampled(column: MonteCarlo) -> str:
    if column.reduction is None:
        return "–"
    return f"{column.reduction:.1%}" + ("" if column.error is None else f" ± {column.error:.1%}")


def _side(side: RetardantSide) -> str:
    return {"both": "both cells", "emitter": "the emitting cell", "receiver": "the receiving cell"}[side.value]


def _number(value: float) -> str:
    """Three digits that count, as in the paper, and no exponent."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
