"""Fitting the scalar spread model to the first days of an observed fire, by a small seeded search.

A candidate is rolled out from the perimeter of day 0 through the engine itself and compared with the perimeters of days
``1 … fit_days``; later perimeters are not read. Only terms whose layers the event has are searched.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from firegui.calibration.forecast import cropped, scalar_forecast, score_days
from firegui.domain.calendar import MOST_DAYS
from firegui.domain.options import bounds_problems, option
from firegui.domain.scenario import Scenario
from firegui.errors import Check, InputError, Problems
from firegui.fire.card import DayScore
from firegui.fire.parameters import ScalarParameters
from firegui.fire.scalar import terrain
from firegui.fire.skill import observed_start

PENALTY = 0.01
STEP_SHARE = 0.2
STEP_SHRINK = 0.6


@dataclass(frozen=True, slots=True)
class SearchedParameter:
    """A searched parameter: its bounds, and the plausible value it is drawn to where the fire says little."""

    name: str
    low: float
    high: float
    plausible: float
    spread: float
    logarithmic: bool = False

    def value(self, share: float) -> float:
        """Map a share in ``[0, 1]`` to the bounds."""
        if self.logarithmic:
            return self.low * math.exp(share * math.log(self.high / self.low))
        return self.low + (self.high - self.low) * share

    def share(self, value: float) -> float:
        """Return the inverse of :meth:`value`, clipped to ``[0, 1]``."""
        if self.logarithmic:
            found = math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)
        else:
            found = (value - self.low) / (self.high - self.low)
        return min(max(found, 0.0), 1.0)

    def penalty(self, value: float) -> float:
        """Return ``PENALTY ((value − plausible) / spread)²``.

        The base rate has none, because every fire determines it.
        """
        return 0.0 if self.logarithmic else PENALTY * ((value - self.plausible) / self.spread) ** 2


SEARCHED_PARAMETERS = (
    SearchedParameter("p", 0.005, 0.08, 0.03, 1.0, logarithmic=True),
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
    search = _Search(cropped(event, settings.fit_days, settings.margin_cells), settings, start, progress, check)
    search.sample()
    search.refine()
    return search.result()


def misfit(scores: Sequence[DayScore], start_cells: int) -> float:
    """Return how far shape, size and growth are off. The fit minimizes this number.

    ``mean(1 − soft IoU) + ½ mean|area error| + ½ Σ|ΔP − ΔO| / ΣΔO``, the last over the growth from one scored day to
    the next, beginning with ``start_cells``. Shape and size alone would accept a fire that passes the observed one at
    full speed on the last fitted day; the growth term makes it slow down where the observed one did.
    """
    shape = float(np.mean([1.0 - score.soft_iou for score in scores]))
    size = float(np.mean([abs(score.area_error) for score in scores]))
    grown = np.diff([start_cells, *(score.observed_cells for score in scores)])
    expected = np.diff([start_cells, *(score.expected_cells for score in scores)])
    growth = float(np.abs(expected - grown).sum()) / max(float(grown.sum()), 1.0)
    return shape + 0.5 * size + 0.5 * growth


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


class _Search:
    """State of a search: the best candidate and counts."""

    def __init__(
        self,
        event: Scenario,
        settings: FitSettings,
        start: ScalarParameters,
        progress: Callable[[ScalarFitProgress], None] | None,
        check: Check | None,
    ) -> None:
        self._event, self._settings, self._progress, self._check = event, settings, progress, check
        self._knobs = searched_parameters(event)
        self._start_cells = int(observed_start(event).sum())
        self._total = 1 + settings.samples + (2 * len(self._knobs) + 1) * settings.sweeps
        self._done = 0
        self._best, self._best_loss = start, math.inf
        self._scores: tuple[DayScore, ...] = ()
        self._try(start)

    def sample(self) -> None:
        """Try random candidates over the whole of the bounds."""
        generator = np.random.default_rng(self._settings.seed)
        for shares in generator.random((self._settings.samples, len(self._knobs))).tolist():
            values = {knob.name: knob.value(share) for knob, share in zip(self._knobs, shares, strict=True)}
            self._try(replace(self._best, **values))

    def refine(self) -> None:
        """Run a pattern search (Hooke and Jeeves).

        Each parameter is moved up, else down. Then the whole move is made once more.
        """
        step = STEP_SHARE
        for _ in range(self._settings.sweeps):
            before = self._best
            for knob in self._knobs:
                if not self._move({knob: step}):
                    self._move({knob: -step})
            if self._best == before:
                step *= STEP_SHRINK
            else:
                self._move({knob: self._share(self._best, knob) - self._share(before, knob) for knob in self._knobs})

    def result(self) -> FitResult:
        """Return the best parameters found."""
        return FitResult(self._best, self._best_loss, self._done, self._scores)

    @staticmethod
    def _share(candidate: ScalarParameters, knob: SearchedParameter) -> float:
        return knob.share(getattr(candidate, knob.name))

    def _move(self, steps: Mapping[SearchedParameter, float]) -> bool:
        """Step from the best, within the bounds; says whether that was better."""
        shares = {knob: min(max(self._share(self._best, knob) + step, 0.0), 1.0) for knob, step in steps.items()}
        moved = replace(self._best, **{knob.name: knob.value(share) for knob, share in shares.items()})
        return moved != self._best and self._try(moved)

    def _try(self, candidate: ScalarParameters) -> bool:
        states = scalar_forecast(self._event, candidate, self._settings.fit_days, check=self._check)
        scores = score_days(self._event, states, self._settings.fit_days)
        loss = misfit(scores, self._start_cells)
        loss += sum(knob.penalty(getattr(candidate, knob.name)) for knob in self._knobs)
        better = loss < self._best_loss
        if better:
            self._best, self._best_loss, self._scores = candidate, loss, scores
        self._done += 1
        if self._progress is not None:
            self._progress(ScalarFitProgress(self._done, self._total, loss, self._best_loss, self._best))
        return better
