"""Run of a calibration of the physical fire model: fit its factors, then score before and after."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from firegui.analyses.calibration.run import TITLE, last_perimeter, mean_iou
from firegui.calibration.fittable import factor_fit_problems
from firegui.domain.fit import FactorFitSettings, FitProgress
from firegui.domain.project import Project
from firegui.domain.spread_factors import SpreadFactors
from firegui.errors import CancelledError, InputError, Problems
from firegui.fire.physical import with_factors
from firegui.fire.skill import ForecastSkill, disc_skill, forecast_skill, held_skill, start_skill
from firegui.rollout.engine_message import EngineMessage
from firegui.runs.base_run import BaseRun
from firegui.runs.events import FactorsReady, FireComparison, FitEpoch, Message, RunFinished
from firegui.runs.messages import counted
from firegui.runs.spec import CalibrateFactorsSpec
from firegui.runs.stages import FinishReason, RunState

PRESENT, CALIBRATED, OTHERS = "present", "calibrated", "others"
"""Keys of the forecasts of the model before and after, and of the one fitted to the other fires."""


def default_factor_settings(*projects: Project) -> FactorFitSettings:
    """Return the settings to begin with, which fit half of the days with perimeters of all fires.

    They fit at most the usual number of days.
    """
    usual = FactorFitSettings()
    last = min((last_perimeter(project.scenario) for project in projects), default=2 * usual.fit_days)
    return replace(usual, fit_days=min(usual.fit_days, max(last // 2, 1)))


class FactorsCalibration(BaseRun[CalibrateFactorsSpec]):
    """Run of a :class:`~firegui.runs.spec.CalibrateFactorsSpec`; writes nothing."""

    _best: FitProgress | None = None
    _factors: SpreadFactors | None = None
    _done = 0

    def run(self) -> RunFinished:
        """Fit the factors, compare, then leave each fire out if requested."""
        spec, problems = self._spec, Problems()
        problems.extend(factor_fit_problems(spec.projects, spec.settings))
        problems.raise_if_any(TITLE)
        self._machine.move(RunState.RUNNING)
        reason, how = FinishReason.COMPLETED, "completed"
        fires: list[FireComparison] = []
        try:
            self._engine.fit_factors(
                spec.projects,
                spec.settings,
                progress=self._hear,
                keep=self._keep,
                check=self._control.check,
                tell=self._pass_on,
            )
            assert self._factors is not None
            factors = self._factors
            fires = [self._compared(project, factors) for project in spec.projects]
            for number in range(len(fires)) if spec.settings.leave_one_out else ():
                fires[number] = self._left_out(number, fires[number])
        except CancelledError:
            self._machine.move(RunState.STOPPING)
            reason, how = FinishReason.STOPPED, "stopped on request after"
        if self._factors is None or self._best is None:
            raise CancelledError
        self._emit(FactorsReady(self._factors, self._best, self._done, tuple(fires)))
        rollouts, best = counted(self._done, "rollout"), self._best
        text = f"{how} {rollouts}; the best is rollout {best.epoch + 1:,} (mean overlap {mean_iou(best):.2f})"
        return RunFinished(reason, text, None, None, None)

    def _compared(self, project: Project, factors: SpreadFactors) -> FireComparison:
        """Return the skill of the project's model, of the calibrated one and of the references."""
        calibrated = with_factors(project, factors, self._control.check)
        models = (PRESENT, "present model", project), (CALIBRATED, "calibrated model", calibrated)
        forecasts = [self._forecast(*model) for model in models]
        return FireComparison(
            project.scenario.name, self._spec.settings.fit_days, (*forecasts, *self._references(project))
        )

    def _left_out(self, number: int, fire: FireComparison) -> FireComparison:
        """Return the comparison with the model whose factors are fitted to the other fires alone."""
        projects = self._spec.projects
        self._say(number, len(projects), f"Fitting without {fire.fire}")
        others = self._engine.fit_factors(
            [project for place, project in enumerate(projects) if place != number],
            replace(self._spec.settings, leave_one_out=False),
            check=self._control.check,
            tell=self._pass_on,
        )
        try:
            model = with_factors(projects[number], others, self._control.check)
        except InputError as error:
            said = f"{fire.fire} cannot be computed with the factors of the other fires ({error.problems[0]})"
            self._emit(Message(said, "warning"))
            return replace(fire, others=others)
        found = self._forecast(OTHERS, "fitted to other fires", model)
        return replace(fire, forecasts=(*fire.forecasts[:2], found, *fire.forecasts[2:]), others=others)

    def _forecast(self, key: str, label: str, project: Project) -> ForecastSkill:
        event, check = project.scenario, self._control.check
        states = self._engine.forecast(project, last_perimeter(event), check=check, tell=self._pass_on)
        return forecast_skill(key, label, event, states, self._spec.settings.fit_days)

    def _references(self, project: Project) -> Iterator[ForecastSkill]:
        event, fit_days = project.scenario, self._spec.settings.fit_days
        days = last_perimeter(event)
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
