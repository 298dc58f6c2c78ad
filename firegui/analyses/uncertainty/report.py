"""What an ensemble is called and says, in words for people."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from firegui.analyses.uncertainty.summary import Summary
from firegui.domain.ensemble import BASELINE, Ensemble, EnsembleSpread, below_start
from firegui.domain.project import Project
from firegui.domain.uncertainty import ErrorModel, ErrorSource, UncertaintyKind, UncertaintySettings
from firegui.domain.units import Units, percent_text
from firegui.errors import InputError
from firegui.runs.messages import counted
from firegui.runs.run_folder import RUN, STORE
from firegui.runs.stages import FinishReason

UNBURNED = (
    "At the end of every day the error acts on every cell with P above the threshold, those that burned at the start "
    "too, and may unburn them: a mean extent can fall below what burned at the start"
)

MEAN_OF_DRAWS = (
    "The mean of drawn fires is not the expected fire that the map and a plan's result show: the expected fire takes "
    "neighbouring cells as independent, while a drawn fire spreads from what really burns and may die out. So the fire "
    "without drops has another size here; compare the plan with it, not with the expected one"
)
REPLANNED = "The schedule was replanned"
"""How the note on a schedule begins that was made for another fire than the members'."""


def error_text(error: ErrorModel) -> str:
    """Return the numbers of an error model in one line."""
    (a, b), (_, c) = error.covariance
    spread = f"μ ({error.mean[0]:.3g}, {error.mean[1]:.3g}), Σ ({a:.4g}, {b:.4g}; {b:.4g}, {c:.4g})"
    return f"{spread}, ℓ {error.correlation_cells:.4g} cells, sill {error.sill:.4g}"


def notes(project: Project, settings: UncertaintySettings) -> Iterator[str]:
    """Return what is approximate about an ensemble, a sentence each."""
    match settings.kind:
        case UncertaintyKind.EPISTEMIC if settings.error is ErrorSource.PAPER:
            other = "" if "bear" in project.scenario.name.lower() else ", and on another fire"
            yield (
                "The model error is the paper's for Bear 2020, fitted on the paper's own fire model"
                f"{other}: approximate here"
            )
        case UncertaintyKind.EPISTEMIC:
            yield (
                "The model error is fitted to this event's own perimeters: a sensitivity analysis, not a calibrated "
                "forecast"
            )
        case UncertaintyKind.WEATHER:
            wind = settings.weather
            turn = f"direction ±{math.degrees(wind.direction_sd):.3g}°"
            spread = f"log of the speed ±{wind.speed_sd:g}, {turn}, timing ±{wind.timing_sd:g} h"
            yield f"How far the wind is off is a guess, the same for a whole fire: {spread}"
        case UncertaintyKind.ALEATORIC:
            pass
    if settings.kind is UncertaintyKind.EPISTEMIC:
        yield UNBURNED


def replan_note(schedule_file: Path | None, project: Project) -> Iterator[str]:
    """Note that a schedule was replanned from a later fire than members begin with, if its run says so."""
    if schedule_file is None or not (schedule_file.parent / RUN).is_file():
        return
    with suppress(InputError):
        note = STORE.read(schedule_file.parent).replan
        if note is not None:
            when = project.calendar.date_of_day(note.day)
            yield (
                f"{REPLANNED} from the fire of {when:%Y-%m-%d}; the fires burn from the start of the plan "
                "and do not pass through that fire"
            )


def below_start_text(ensemble: Ensemble, units: Units = Units.METRIC) -> str:
    """Say where and why a mean extent under the model error is below that of the start; empty if nowhere."""
    found = below_start(ensemble)
    if ensemble.kind is not UncertaintyKind.EPISTEMIC or not found:
        return ""
    start = units.area(float(ensemble.extent[BASELINE, :, 0].mean()) * ensemble.cell_area_ha)
    where = (f"{'no drops' if case == BASELINE else 'with the plan'}, end of day {day}" for case, day in found)
    error = "the error, like water drops," if any(case != BASELINE for case, _ in found) else "the error"
    return f"The mean falls below the {start} that burned at the start: {error} may unburn them ({'; '.join(where)})"


def _spread(found: EnsembleSpread, cell_ha: float) -> str:
    """Return mean and standard deviation of an extent in cells as an area: ``11.4 ± 2.1 ha``."""
    mean, deviation = found.mean * cell_ha, found.sd * cell_ha
    digits = 1 if mean < 100.0 else 0
    return f"{mean:,.{digits}f} ± {Units.METRIC.area(deviation, digits)}"


def summary_message(summary: Summary, reason: FinishReason, cell_ha: float) -> str:
    """Summarize the ensemble in one sentence; say of a stopped one how far it came.

    ``cell_ha`` is the area of a cell in hectares.
    """
    done = f"{summary.members:,} of {counted(summary.asked, 'member')}"
    row = summary.row("final_extent")
    assert row is not None
    if row.plan is None or row.benefit is None:
        text = f"the fire ends at {_spread(row.baseline, cell_ha)} without drops"
    else:
        share = "" if row.benefit.reduction is None else f", {percent_text(row.benefit.reduction)} less"
        text = (
            f"with the plan the fire ends at {_spread(row.plan, cell_ha)}"
            f" ({_spread(row.baseline, cell_ha)} without{share});"
            f" more burns with it in {percent_text(row.benefit.worse)} of the fires"
        )
    head = f"stopped on request after {done}; resume to go on" if reason is FinishReason.STOPPED else ""
    return f"{head}; {text}" if head else text
