"""Fit of the physical fire model's factors to the first days of observed fires, by a pattern search.

A candidate is rolled out on each fire from the perimeter of day 0 by the project's own model and compared with the
perimeters of days ``1 … fit_days``; later ones are not read. The search lowers the mean of the fires' misfits, each
fire counting the same. The speed of a fuel group is searched where at least :data:`LEAST_SHARE` of the growth of a fire
on those days was in it; other groups keep the published speed. Every factor is drawn to the published model, so one
about which the observations say nothing stays there.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import fmean

import numpy as np

from firegui.calibration.fittable import factor_fit_problems
from firegui.calibration.forecast import forecast, misfit, score_days
from firegui.calibration.pattern_search import PatternSearch, SearchedParameter, Values
from firegui.domain.fit import EventProgress, FactorFitSettings, FitProgress
from firegui.domain.options import declared_option
from firegui.domain.project import Project
from firegui.domain.scenario import Scenario
from firegui.domain.spread_factors import SPEED_GROUPS, SpreadFactors
from firegui.errors import Check, InputError
from firegui.fire.card import DayScore
from firegui.fire.physical import with_factors
from firegui.fire.skill import observed_start
from firegui.rollout.engine_message import MessageCallback, ignore_message

LEAST_SHARE = 0.01
"""Share of a fire's observed growth in a fuel group from which its speed is searched."""
_SPREADS = {"moisture_shift": 2.0, "wind_factor": math.log(1.3)}
_SPEED_SPREAD = math.log(1.35)
"""A standard deviation of the error of the speed (Cruz and Alexander 2013)."""
_SWEEPS = 12


def searched_factors(events: Sequence[Scenario], fit_days: int) -> tuple[SearchedParameter, ...]:
    """Return the factors that the growth of the fires on days ``1 … fit_days`` can say anything about."""
    reached = set().union(*(_reached(event, fit_days) for event in events))
    return tuple(_searched(name) for name in (*(name for name in SPEED_GROUPS if name in reached), *_SPREADS))


def _reached(event: Scenario, fit_days: int) -> Iterator[str]:
    """Yield the factors of the fuel groups in which one fire has grown."""
    last = event.observed_on(fit_days)
    assert last is not None
    codes = event.layers["fuel"][last & ~observed_start(event)]
    least = max(LEAST_SHARE * codes.size, 1.0)
    yield from (name for name, group in SPEED_GROUPS.items() if int(group.holds(codes).sum()) >= least)


def _searched(name: str) -> SearchedParameter:
    factors = SpreadFactors()
    bounds = declared_option(factors, name)
    assert bounds.low is not None and bounds.high is not None
    return SearchedParameter(
        name, bounds.low, bounds.high, getattr(factors, name), _SPREADS.get(name, _SPEED_SPREAD), bounds.low > 0.0
    )


def fit_factors(
    projects: Sequence[Project],
    settings: FactorFitSettings,
    *,
    progress: Callable[[FitProgress], None] | None = None,
    keep: Callable[[SpreadFactors], None] | None = None,
    check: Check | None = None,
    tell: MessageCallback = ignore_message,
) -> SpreadFactors:
    """Search the factors that serve all projects, beginning with the published model.

    The same input gives the same result. It is a pattern search, whose order the seed draws. ``progress`` hears of
    every candidate that was rolled out on all fires, and ``keep`` of the best factors so far. ``check`` may raise
    :class:`~firegui.errors.CancelledError` at any time. ``tell`` hears what the engine has to say. Raises
    :class:`~firegui.errors.InputError` with everything that keeps the model from being fitted.
    """
    problems = factor_fit_problems(projects, settings)
    if problems:
        raise InputError(problems, "The fire model cannot be calibrated")
    fit = _FactorRollouts(projects, settings, progress, keep, check, tell)
    searched = searched_factors([project.scenario for project in projects], settings.fit_days)
    parameters = _in_order(searched, settings.seed)
    start = {one.name: one.plausible for one in parameters}
    search = PatternSearch(parameters, start, fit.misfit, fit.hear, settings.rollouts)
    search.refine(_SWEEPS)
    return _factors(search.best)


def _factors(values: Values) -> SpreadFactors:
    """Return the factors to the digits that people read; the other ones are those of the published model."""
    return SpreadFactors(**{name: round(value, 3) for name, value in values.items()})


def _in_order(parameters: Sequence[SearchedParameter], seed: int) -> list[SearchedParameter]:
    """Return the fuel groups in an order drawn by the seed, then moisture and wind.

    Those change every group, and a search that began with them would make up for it group by group.
    """
    order = np.random.default_rng(seed).permutation(len(parameters))
    return sorted((parameters[place] for place in order), key=lambda one: one.name in _SPREADS)


@dataclass(slots=True)
class _FactorRollouts:
    """Rollouts of candidates, and what was heard of them."""

    projects: Sequence[Project]
    settings: FactorFitSettings
    progress: Callable[[FitProgress], None] | None
    keep: Callable[[SpreadFactors], None] | None
    check: Check | None
    tell: MessageCallback
    scores: Sequence[Sequence[DayScore]] = ()
    best: int = -1
    began: float = field(default_factory=time.monotonic)

    def misfit(self, values: Values) -> float:
        """Return the mean misfit of a candidate.

        It is infinite where a fire needs more steps a day than there can be.
        """
        try:
            candidates = [with_factors(project, _factors(values), self.check) for project in self.projects]
        except InputError:
            if not self.scores:  # the published model itself
                raise
            return math.inf
        days = self.settings.fit_days
        states = (forecast(candidate, days, check=self.check, tell=self.tell) for candidate in candidates)
        events = [project.scenario for project in self.projects]
        self.scores = [score_days(event, state, days) for event, state in zip(events, states, strict=True)]
        starts = [int(observed_start(event).sum()) for event in events]
        return fmean(map(misfit, self.scores, starts))

    def hear(self, search: PatternSearch, loss: float, better: bool) -> None:
        """Report a rollout and, where they are better, its factors."""
        number = search.done - 1
        if better:
            self.best = number
            if self.keep is not None:
                self.keep(_factors(search.best))
        if self.progress is not None:
            events = tuple(map(_event_progress, self.projects, self.scores))
            seconds = time.monotonic() - self.began
            self.progress(FitProgress(number, search.most, loss, search.best_loss, self.best, {}, events, seconds))


def _event_progress(project: Project, scores: Sequence[DayScore]) -> EventProgress:
    days, overlaps = zip(*((score.day, score.iou) for score in scores), strict=True)
    return EventProgress(project.scenario.name, days, overlaps)
