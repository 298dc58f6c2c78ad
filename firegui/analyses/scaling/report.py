"""Report of a scaling study: its sheets, the paper's table, a sentence, and the command."""

from __future__ import annotations

from collections import Counter
from typing import Any

from firegui.domain.benchmark import PlannerName, SeedSpread
from firegui.domain.project import Project
from firegui.domain.scaling import QualityRow, ScalingAxis, ScalingRow, ScalingTable, Timings, slope_of
from firegui.domain.units import percent_text
from firegui.io.tables import booktabs, records_csv
from firegui.runs.messages import counted
from firegui.runs.stages import FinishReason

HEADS = (
    "Setting", "Grid", "T", "N_a", "d", "Fire (cells)", "Rollout (ms)", "Grad. step (ms)", "Grad./rollout", "Drops",
    "Rollout (ms)", "Grad./rollout",
)  # fmt: skip
"""The paper's columns, the fire, and the same again with every aircraft flying."""
QUALITY_HEADS = ("Aircraft", "d", "Removed by gradient", "by CMA-ES (daily basis)", "Gradient ahead by")


def notes_of(project: Project, backend: str) -> tuple[str, ...]:
    """Return what a reader has to know of a study of ``project``, computed with ``backend``."""
    found = []
    if not project.operations.off:
        found.append("The project's operational constraints are left out: only turnaround and grounded days count.")
    if backend == "cuda" and project.plan.optimizer.full_carry:
        found.append(
            "Gradients with the full carry are the processor's, so the ratio compares it with the card; "
            "--cut-carry times both on the card."
        )
    return tuple(found)


# -- the timings ------------------------------------------------------------------------------------------------------
def printed_rows(table: ScalingTable) -> list[tuple[str, ...]]:
    """Return the rows under :data:`HEADS`: medians, and the interquartile range in percent of the median."""
    return [_printed(row) for row in table.rows]


def _printed(row: ScalingRow) -> tuple[str, ...]:
    case, start, flying = row.case, row.start, row.flying
    return (
        case.label,
        f"{case.rows}×{case.columns}",
        f"{case.steps:,}",
        f"{case.aircraft:,}",
        f"{case.dimension:,}",
        f"{row.fire_cells:,.0f}",
        f"{start.rollout.median:,.1f} ({start.rollout.iqr_percent:.0f} %)",
        f"{start.gradient.median:,.1f} ({start.gradient.iqr_percent:.0f} %)",
        f"{start.ratio.median:.2f}× ({start.ratio.iqr_percent:.0f} %)",
        f"{flying.drops:,}",
        f"{flying.rollout.median:,.1f} ({flying.rollout.iqr_percent:.0f} %)",
        f"{flying.ratio.median:.2f}× ({flying.ratio.iqr_percent:.0f} %)",
    )


def ratios_text(table: ScalingTable, *, flying: bool = False) -> str:
    """Return ``2.05 ± 0.18 rollouts (1.71 to 2.47), log-log slope −0.026 against d``."""
    medians = [_pair(row, flying).ratio.median for row in table.rows]
    slope = slope_of(table.rows, flying=flying)
    tail = "" if slope is None else f", log-log slope {slope:.3f} against d".replace("-0", "−0")
    reach = f" ({min(medians):.2f} to {max(medians):.2f})" if len(medians) > 1 else ""
    return f"{spread_text(SeedSpread.of(medians), 2)} rollouts{reach}{tail}"


def states_text(table: ScalingTable) -> str:
    """In which two states of the aircraft everything is timed."""
    most = max(row.start.drops for row in table.rows)
    none = "no drop is executed" if most == 0 else f"at most {counted(most, 'drop')} are executed"
    carry = "with the full carry" if table.full_carry else "with the carry cut, as in the paper"
    return (
        f"Timed at the start of stage 1 (every logit at the initial one: {none}), and again with every aircraft flying"
        f" as often as it can; a gradient step is one Adam epoch with all derivatives, {carry}"
    )


def repeats_text(table: ScalingTable) -> str:
    """Return the number of repeats, and the meaning of the numbers."""
    done = sorted({row.repeats for row in table.rows})
    many = str(done[0]) if len(done) == 1 else f"{done[0]} to {done[-1]}"
    few = "" if table.timed else f" of {table.settings.repeats}"
    return f"Medians of {many}{few} interleaved repeats, with the interquartile range as a percentage of the median"


def windows_text(table: ScalingTable) -> str:
    """Say what the grid sweep does to the fire; empty without one."""
    grids = [row for row in table.rows if row.case.sweep is ScalingAxis.GRID]
    if len(grids) < 2:
        return ""
    return "Smaller grids are windows of the raster around the place where the fire begins; it ends at their rim"


def times_latex(table: ScalingTable) -> str:
    """Return the paper's Table ``scalability`` on this machine."""
    parts = [
        f"Cost of a full gradient relative to one forward rollout, across problem sizes of {table.event}"
        f" ({table.fire_model})",
        repeats_text(table),
        states_text(table),
        "The last three columns are of the flying aircraft",
        windows_text(table),
        f"A gradient step costs {ratios_text(table)}; with the aircraft flying {ratios_text(table, flying=True)}",
    ]
    heads = tuple("Drops (flying)" if name == "Drops" else name for name in HEADS)
    return booktabs(
        heads, printed_rows(table), caption=". ".join(filter(None, parts)) + ".", label="scalability"
    )  # fmt: skip


def times_csv(table: ScalingTable) -> str:
    """Return ``scaling.csv``: a line for each setting, with numbers that read back exactly."""
    return records_csv([flat_row(row) for row in table.rows])


def flat_row(row: ScalingRow) -> dict[str, Any]:
    """Return a row as one record of plain values."""
    case = row.case
    return {
        "setting": case.label,
        "sweep": case.sweep.value,
        "rows": case.rows,
        "columns": case.columns,
        "cells": case.cells,
        "days": case.days,
        "steps": case.steps,
        "aircraft": case.aircraft,
        "dimension": case.dimension,
        "fire_cells": row.fire_cells,
        "repeats": row.repeats,
        **_flat("", row.start),
        **_flat("flying_", row.flying),
    }


def _flat(prefix: str, found: Timings) -> dict[str, Any]:
    rollout, gradient, ratio = found.rollout, found.gradient, found.ratio
    values = {
        "drops": found.drops,
        "rollout_ms": rollout.median,
        "rollout_iqr_percent": rollout.iqr_percent,
        "gradient_ms": gradient.median,
        "gradient_iqr_percent": gradient.iqr_percent,
        "ratio": ratio.median,
        "ratio_iqr_percent": ratio.iqr_percent,
    }
    return {prefix + name: value for name, value in values.items()}


# -- the searches -----------------------------------------------------------------------------------------------------
def printed_points(table: ScalingTable) -> list[tuple[str, ...]]:
    """Return the rows under :data:`QUALITY_HEADS`: means and standard deviations over the seeds."""
    return [
        (
            f"{point.aircraft:,}",
            f"{point.dimension:,}",
            spread_percent(point.gradient),
            spread_percent(point.cma_es),
            spread_text(point.advantage, 3),
        )
        for point in table.points
    ]


def searches_text(table: ScalingTable) -> str:
    """Say what the searches were given."""
    settings = table.settings
    limit = f"{settings.budget:,} drops" if settings.budget else "as many drops as can be flown, so without a penalty"
    return (
        f"Searches of {settings.evaluations:,} rollout-equivalents (a gradient epoch counts three),"
        f" {_seeds(table)} each, with a budget of {limit}; fractions are of the objective without"
        " drops, ± is a standard deviation. A larger fleet is also a stronger one"
    )


def _seeds(table: ScalingTable) -> str:
    """Return the number of runs behind a mean.

    In a study that was stopped, some means may have fewer than others.
    """
    found = Counter((row.task.aircraft, row.task.planner) for row in table.quality).values()
    fewest, most = min(found, default=table.settings.seeds), max(found, default=table.settings.seeds)
    return counted(most, "seed") if fewest == most else f"{fewest} to {most} seeds"


def quality_csv(table: ScalingTable) -> str:
    """Return ``quality.csv``: a line for each search, with numbers that read back exactly."""
    return records_csv([flat_search(row) for row in table.quality])


def flat_search(row: QualityRow) -> dict[str, Any]:
    """Return a search as one record of plain values."""
    return {
        "aircraft": row.task.aircraft,
        "dimension": row.dimension,
        "planner": row.task.planner.value,
        "searched": row.searched,
        "seed": row.task.seed,
        "baseline_objective": row.baseline,
        "objective": row.objective,
        "removed": row.removed,
        "drops": row.drops,
        "budget": row.budget,
        "evaluations": row.evaluations,
        "seconds": row.seconds,
    }


def spread_text(spread: SeedSpread, digits: int) -> str:
    """Return ``2.05 ± 0.18``, or the mean alone of a single value."""
    return f"{spread.mean:.{digits}f}" + ("" if spread.sd is None else f" ± {spread.sd:.{digits}f}")


def spread_percent(spread: SeedSpread) -> str:
    """Return ``80.6 % ± 1.2``."""
    return percent_text(spread.mean, 1) + ("" if spread.sd is None else f" ± {100.0 * spread.sd:.1f}")


# -- the whole --------------------------------------------------------------------------------------------------------
def study_message(table: ScalingTable, reason: FinishReason) -> str:
    """Summarize the study in one sentence; say of a stopped one how far it came."""
    if not table.rows:
        return "stopped on request before every setting was timed once; resume to go on"
    text = f"a gradient step costs {ratios_text(table)}"
    points = table.points
    if points:
        ahead = sum(point.advantage.mean > 0.0 for point in points)
        text += f"; the gradient planner ends below CMA-ES at {ahead} of {counted(len(points), 'fleet size')}"
    if reason is not FinishReason.STOPPED:
        return text
    repeats = f"{min(row.repeats for row in table.rows)} of {counted(table.settings.repeats, 'repeat')}"
    searches = f" and {len(table.tasks) - len(table.missing)} of {counted(len(table.tasks), 'search', 'searches')}"
    return f"stopped on request after {repeats}{searches if table.tasks else ''}; resume to go on; so far {text}"


def planner_words(planner: PlannerName) -> str:
    """Return the name of a planner in a progress line."""
    return "gradient" if planner is PlannerName.GRADIENT else "CMA-ES"


def _pair(row: ScalingRow, flying: bool) -> Timings:
    return row.flying if flying else row.start
