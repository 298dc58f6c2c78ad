"""Run of a calibration of the physical fire model: fit its factors, then score before and after."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from firegui.analyses.calibration.run import TITLE, last_perimeter, mean_iou
from firegui.calibration.fittable import factor_fit_problems
from firegui.domain.fit import FactorFitSettings, FitProgress
from firegui.domain.project import Project
from firegui.domain.spread_factors import SpreadFactors
from firegui.errors import CancelledError, Problems
from firegui.fire.physical import with_factors
from firegui.fire.skill import ForecastSkill, disc_skill, forecast_skill, held_skill, start_skill
from firegui.rollout.engine_message import EngineMessage
from firegui.runs.base_run import BaseRun
from firegui.runs.events import FactorsReady, FitEpoch, Message, RunFinished
from firegui.runs.messages import counted
from firegui.runs.spec import CalibrateFactorsSpec
from firegui.runs.stages import FinishReason, RunState

PRESENT, CALIBRATED = "present", "calibrated"
"""Keys of the forecasts of the model before and after."""


def default_factor_settings(project: Project) -> FactorFitSettings:
    """Return the settings to begin with: half of the days with a perimeter, at most the usual number."""
    usual = FactorFitSettings()
    return replace(usual, fit_days=min(usual.fit_days, max(last_perimeter(project.scenario) // 2, 1)))


class FactorsCalibration(BaseRun[CalibrateFactorsSpec]):
    """Run of a :class:`~firegui.runs.spec.CalibrateFactorsSpec`; writes nothing."""

    _best: FitProgress | None = None
    _factors: SpreadFactors | None = None
    _done = 0

    def run(self) -> RunFinished:
        """Fit the factors, then compare."""
        spec, problems = self._spec, Problems()
        problems.extend(factor_fit_problems(spec.project, spec.settings))
        problems.raise_if_any(TITLE)
        self._machine.move(RunState.RUNNING)
        try:
            factors = self._engine.fit_factors(
                spec.project,
                spec.settings,
                progress=self._hear,
                keep=self._keep,
                check=self._control.check,
                tell=self._pass_on,
            )
        except CancelledError:
            self._machine.move(RunState.STOPPING)
            return self._finish(FinishReason.STOPPED, "stopped on request after", self._factors)
        return self._finish(FinishReason.COMPLETED, "completed", factors)

    def _finish(self, reason: FinishReason, how: str, factors: SpreadFactors | None) -> RunFinished:
        best = self._best
        if factors is None or best is None:
            raise CancelledError
        forecasts = self._compared(factors)
        self._emit(FactorsReady(factors, best, self._done, self._spec.settings.fit_days, forecasts))
        rollouts = counted(self._done, "rollout")
        text = f"{how} {rollouts}; the best is rollout {best.epoch + 1:,} (mean overlap {mean_iou(best):.2f})"
        return RunFinished(reason, text, None, None, None)

    def _compared(self, factors: SpreadFactors) -> tuple[ForecastSkill, ...]:
        """Return the skill of the project's model, of the calibrated one and of the references.

        All are empty once a stop was requested.
        """
        try:
            return tuple(self._forecasts(factors))
        except CancelledError:
            return ()

    def _forecasts(self, factors: SpreadFactors) -> Iterator[ForecastSkill]:
        project, fit_days = self._spec.project, self._spec.settings.fit_days
        event, days = project.scenario, last_perimeter(project.scenario)
        calibrated = with_factors(project, factors, self._control.check)
        for key, label, each in ((PRESENT, "present model", project), (CALIBRATED, "calibrated model", calibrated)):
            states = self._engine.forecast(each, days, check=self._control.check, tell=self._pass_on)
            yield forecast_skill(key, label, event, states, fit_days)
        yield start_skill(event, days, fit_days)
        yield held_skill(event, days, fit_days)
        yield disc_skill(event, days, fit_days, self._control.check)

    def _keep(self, factors: SpreadFactors) -> None:
        self._factors = factors

    def _hear(self, progress: FitProgress) -> None:
        self._done = progress.epoch + 1
        if progress.best_epoch == progress.epoch:
            self._best = progress
        self._emit(FitEpoch(progress))

    def _pass_on(self, remark: EngineMessage) -> None:
        self._emit(Message(remark.text, remark.level))
