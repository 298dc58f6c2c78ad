"""Fitting the scalar spread model to the first days of an observed fire, by a small seeded search.

A candidate is rolled out from the perimeter of day 0 through the engine itself and compared with the perimeters of days
``1 … fit_days``; later perimeters are not read. Only terms whose layers the event has are searched.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from firegui.calibration.forecast import cropped, misfit, scalar_forecast, score_days
from firegui.calibration.pattern_search import PatternSearch, SearchedParameter, Values
from firegui.domain.calendar import MOST_DAYS
from firegui.domain.options import bounds_problems, option
from firegui.domain.scenario import Scenario
from firegui.errors import Check, InputError, Problems
from firegui.fire.card import DayScore
from firegui.fire.parameters import ScalarParameters
from firegui.fire.scalar import terrain
from firegui.fire.skill import observed_start

SEARCHED_PARAMETERS = (
    # Every fire determines the base rate, so nothing draws it.
    SearchedParameter("p", 0.005, 0.08, 0.03, math.inf, logarithmic=True),
    # A wind of 10 m/s multiplies the rate by exp(α_w1); beyond exp(6) the automaton, a cell a step, is saturated.
    SearchedParameter("wind_gain", 0.0, 6.0, 2.0, 2.0),
    SearchedParameter("wind_alignment", 0.0, 6.0, 1.0, 2.0),
    SearchedParameter("slope", 0.0, 6.0, 1.5, 1.5),
    SearchedParameter("fuel", 0.0, 3.0, 0.5, 1.0),
)

START = ScalarParameters(p=0.03, wind_gain=2.0, wind_alignment=1.0, slope=1.5, gamma=1.0, fuel=0.5)
"""Where a search starts, and what it leaves alone: γ, of which only the product with p matters, and absent layers."""


@dataclass(frozen=True, slots=True)
class FitSettings:
    """Settings of the search."""

    fit_days: int = option(10, "Fit days", "days from day 0 that may be read", unit="days", low=1, high=MOST_DAYS)
    samples: int = option(250, "Samples", "random candidates of the first stage", low=0, high=1_000_000)
    sweeps: int = option(14, "Sweeps", "rounds of refinement from the best candidate", low=0, high=1_000_000)
    margin_cells: int = option(
        45, "Margin", "cells kept around the last perimeter that may be read", unit="cells", low=1, high=10_000
    )
    seed: int = option(0, "Seed", "seed of the random candidates", low=0, high=2**32 - 1)


@dataclass(frozen=True, slots=True)
class ScalarFitProgress:
    """After each candidate: how many of about how many are done, and the best so far."""

    done: int
    total: int
    loss: float
    best_loss: float
    best: ScalarParameters


@dataclass(frozen=True, slots=True)
class FitResult:
    """Best parameters, their loss and their scores on the fitted days.

    The loss includes the pull to plausible values.
    """

    parameters: ScalarParameters
    loss: float
    evaluations: int
    scores: tuple[DayScore, ...]


def fit_scalar(
    event: Scenario,
    settings: FitSettings | None = None,
    *,
    start: ScalarParameters = START,
    progress: Callable[[ScalarFitProgress], None] | None = None,
    check: Check | None = None,
) -> FitResult:
    """Search the scalars on days ``0 … fit_days − 1``; the same event and settings give the same result.

    Random candidates within the bounds of :data:`SEARCHED_PARAMETERS`, then a pattern search from the best of them and
    ``start``, with steps that shrink when nothing improves. ``progress`` hears of every candidate. ``check`` may raise
    :class:`~firegui.errors.CancelledError` at any step; the best so far is in the last progress. Raises
    :class:`~firegui.errors.InputError` for an event without perimeters or weather to fit.
    """
    settings = FitSettings() if settings is None else settings
    _require_fittable(event, settings)
    fit = _ScalarRollouts(cropped(event, settings.fit_days, settings.margin_cells), settings, start, progress, check)
    parameters = searched_parameters(event)
    total = 1 + settings.samples + (2 * len(parameters) + 1) * settings.sweeps
    values = {one.name: getattr(start, one.name) for one in parameters}
    search = PatternSearch(parameters, values, fit.misfit, fit.hear, total)
    search.sample(settings.samples, settings.seed)
    search.refine(settings.sweeps)
    return FitResult(replace(start, **search.best), search.best_loss, search.done, fit.best_scores)


def searched_parameters(event: Scenario) -> tuple[SearchedParameter, ...]:
    """Return the parameters that this event's layers can say anything about."""
    absent = set() if "canopy_cover" in event.layers else {"fuel"}
    if terrain(event) is None:
        absent.add("slope")
    return tuple(knob for knob in SEARCHED_PARAMETERS if knob.name not in absent)


def _require_fittable(event: Scenario, settings: FitSettings) -> None:
    problems = Problems()
    problems.extend(bounds_problems(settings, "fit"))
    try:
        observed_start(event)
    except InputError as error:
        problems.extend(error.problems)
    else:
        if all(event.is_filled_forward(day) for day in range(1, settings.fit_days + 1)):
            remedy = "import more perimeters or fit more days"
            problems.add("fit", f"no perimeter on days 1 to {settings.fit_days}", remedy)
    if settings.fit_days > event.days:
        problems.add("fit", f"{settings.fit_days} days with weather for {event.days}", f"fit at most {event.days}")
    problems.raise_if_any("The fire model cannot be fitted to this event")


@dataclass(slots=True)
class _ScalarRollouts:
    """Rollouts of candidates, and the scores of the best one."""

    event: Scenario
    settings: FitSettings
    start: ScalarParameters
    progress: Callable[[ScalarFitProgress], None] | None
    check: Check | None
    scores: tuple[DayScore, ...] = ()
    best_scores: tuple[DayScore, ...] = ()

    def misfit(self, values: Values) -> float:
        """Return the misfit of a candidate."""
        days = self.settings.fit_days
        states = scalar_forecast(self.event, replace(self.start, **values), days, check=self.check)
        self.scores = score_days(self.event, states, days)
        return misfit(self.scores, int(observed_start(self.event).sum()))

    def hear(self, search: PatternSearch, loss: float, better: bool) -> None:
        """Keep the scores of the best candidate and report progress."""
        if better:
            self.best_scores = self.scores
        if self.progress is not None:
            best = replace(self.start, **search.best)
            self.progress(ScalarFitProgress(search.done, search.most, loss, search.best_loss, best))
