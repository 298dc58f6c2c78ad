"""Summary of an ensemble: the paper's tables (section ``uq``) and their pairs, as plain values."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from firegui.domain.ensemble import (
    BASELINE,
    PLAN,
    QUANTILES,
    Ensemble,
    EnsembleSpread,
    Floats,
    fan_of,
    probability_worse,
    spread_of,
    worst_members,
)
from firegui.domain.sensitivity import MonteCarlo
from firegui.domain.uncertainty import UncertaintyKind
from firegui.io.tables import csv_text, records_csv

WORST = 10
"""How many of the worst members are named."""
CASES = ("baseline", "plan")


@dataclass(frozen=True, slots=True)
class Benefit:
    """Cells saved by the plan, by member; ``worse`` is the share of members in which more burns.

    ``reduction`` is that of the mean, a fraction (``None`` where there is nothing to reduce), ``reduction_error`` its
    standard error, ``worse_error`` that of ``worse``.
    """

    spread: EnsembleSpread
    reduction: float | None
    reduction_error: float | None
    worse: float
    worse_error: float


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """One quantity over all members: without drops, with the plan, and the saving (no plan: ``None``)."""

    quantity: str
    unit: str
    baseline: EnsembleSpread
    plan: EnsembleSpread | None
    benefit: Benefit | None


@dataclass(frozen=True, slots=True)
class WorstMember:
    """A member in which the plan does little; cells, at the end."""

    member: int
    baseline: float
    plan: float | None
    benefit: float | None


@dataclass(frozen=True, slots=True)
class Summary:
    """The rows, and the members in which the plan (or the fire without one) does worst, worst first."""

    kind: UncertaintyKind
    members: int
    asked: int
    rows: tuple[SummaryRow, ...]
    worst: tuple[WorstMember, ...]

    def row(self, quantity: str) -> SummaryRow | None:
        """Return the row of ``quantity``, ``None`` where there is none."""
        return next((row for row in self.rows if row.quantity == quantity), None)


def summarised(ensemble: Ensemble, *, regions: bool) -> Summary:
    """Summarize an ensemble with at least one member; ``regions`` says whether any is protected.

    Raises :class:`ValueError` for an ensemble without a member.
    """
    return Summary(
        ensemble.kind,
        ensemble.members,
        ensemble.asked,
        tuple(_row(*item, ensemble.has_plan) for item in _quantities(ensemble, regions)),
        tuple(_worst(ensemble, member) for member in worst_members(ensemble, WORST)),
    )


def ensemble_csv(ensemble: Ensemble, *, regions: bool) -> str:
    """Return ``ensemble.csv``: one line for each member, with numbers that read back exactly.

    ``baseline_extent_3`` is ``Σ P`` in cells at day boundary 3, the end of the third day; ``protected`` that in the
    regions. Benefits are of the end, in cells. A member of a weather ensemble says its wind.
    """
    series = [("extent", ensemble.extent)] + ([("protected", ensemble.protected)] if regions else [])
    columns: dict[str, list[Any]] = {"member": list(range(ensemble.members))}
    for name in ("speed_factor", "direction", "delay_h") if ensemble.weather else ():
        unit = "_rad" if name == "direction" else ""
        columns[f"{name}{unit}"] = [getattr(draw, name) for draw in ensemble.weather]
    for name, _ in series if ensemble.has_plan else ():
        columns[f"benefit_{name}"] = ensemble.benefit(protected=name == "protected").tolist()
    for case, title in enumerate(CASES[: len(ensemble.extent)]):
        for name, values in series:
            for day in range(ensemble.days + 1):
                columns[f"{title}_{name}_{day}"] = values[case, :, day].tolist()
    return csv_text([columns, *map(_plain, zip(*columns.values(), strict=True))])


def summary_csv(summary: Summary) -> str:
    """Return ``summary.csv``: one line for each quantity.

    Tables of several kinds can be put below each other.
    """
    return records_csv([_plain(_flat(summary, row)) for row in summary.rows])


def summary_values(summary: Summary) -> dict[str, Any]:
    """Return the summary as plain values, NaN as ``None``."""
    return {
        "kind": summary.kind.value,
        "members": summary.members,
        "members_asked": summary.asked,
        "quantiles": list(QUANTILES),
        "rows": [_plain(asdict(row)) for row in summary.rows],
        "worst": [asdict(member) for member in summary.worst],
    }


def by_day(ensemble: Ensemble, *, regions: bool) -> list[dict[str, Any]]:
    """Return a record per case, quantity and day boundary, with statistics over the members."""
    series = [("extent", ensemble.extent)] + ([("protected", ensemble.protected)] if regions else [])
    records = []
    for case, title in enumerate(CASES[: len(ensemble.extent)]):
        for name, values in series:
            fan = fan_of(values[case])
            for day in range(ensemble.days + 1):
                numbers = {
                    "mean": float(fan.mean[day]),
                    "sd": float(fan.sd[day]),
                    "quantiles": fan.quantiles[:, day].tolist(),
                }
                records.append(_plain({"case": title, "quantity": name, "day": day, **numbers}))
    return records


def _quantities(ensemble: Ensemble, regions: bool) -> Iterator[tuple[str, str, list[Floats]]]:
    """Name, unit and, per case, every member's number."""
    cases = range(len(ensemble.extent))
    final = [ensemble.final(case) for case in cases]
    yield "final_extent", "cells", final
    yield "final_area", "ha", [cells * ensemble.cell_area_ha for cells in final]
    yield "exposure", "cell-days", [ensemble.exposure(case) for case in cases]
    if regions:
        yield "protected", "cells", [ensemble.final(case, protected=True) for case in cases]
        yield "protected_exposure", "cell-days", [ensemble.exposure(case, protected=True) for case in cases]


def _row(quantity: str, unit: str, values: list[Floats], has_plan: bool) -> SummaryRow:
    baseline = spread_of(values[BASELINE])
    if not has_plan:
        return SummaryRow(quantity, unit, baseline, None, None)
    gain = values[BASELINE] - values[PLAN]
    paired = MonteCarlo.of(values[PLAN].tolist(), values[BASELINE].tolist()) if baseline.mean else MonteCarlo(None)
    benefit = Benefit(spread_of(gain), paired.reduction, paired.error, *probability_worse(gain))
    return SummaryRow(quantity, unit, baseline, spread_of(values[PLAN]), benefit)


def _worst(ensemble: Ensemble, member: int) -> WorstMember:
    before = float(ensemble.final(BASELINE)[member])
    if not ensemble.has_plan:
        return WorstMember(member, before, None, None)
    after = float(ensemble.final(PLAN)[member])
    return WorstMember(member, before, after, before - after)


def _flat(summary: Summary, row: SummaryRow) -> dict[str, Any]:
    gain = row.benefit
    return {
        "kind": summary.kind.value,
        "quantity": row.quantity,
        "unit": row.unit,
        "members": summary.members,
        **_spread("baseline", row.baseline),
        **(_spread("plan", row.plan) if row.plan else {}),
        **(
            {
                "reduction_percent": None if gain.reduction is None else 100.0 * gain.reduction,
                "reduction_percent_error": None if gain.reduction_error is None else 100.0 * gain.reduction_error,
                **_spread("benefit", gain.spread),
                "probability_worse": gain.worse,
                "probability_worse_error": gain.worse_error,
            }
            if gain
            else {}
        ),
    }


def _spread(name: str, spread: EnsembleSpread) -> dict[str, Any]:
    levels = {f"{name}_q{100 * level:g}": value for level, value in zip(QUANTILES, spread.quantiles, strict=True)}
    return {f"{name}_mean": spread.mean, f"{name}_sd": spread.sd, f"{name}_mean_error": spread.error, **levels}


def _plain(value: Any) -> Any:
    """Return ``value`` with NaN as ``None``, at any depth."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and math.isnan(value) else value
