"""The Monte Carlo columns of the sweep: a plan's reduction under both uncertainty models (paper, section ``uq``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from firegui.domain.ensemble import BASELINE, PLAN
from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.domain.sensitivity import NO_MEMBERS_REASON, MonteCarlo, SensitivitySettings
from firegui.domain.uncertainty import PAPER_BEAR, ErrorModel, ErrorSource, UncertaintyKind, UncertaintySettings
from firegui.errors import InputError
from firegui.runs.engine import Engine

if TYPE_CHECKING:
    from firegui.rollout.model import Model


Check = Callable[[], None]


class MonteCarloColumns:
    """Samples every plan of a sweep with the same random numbers; the error model is fitted once."""

    def __init__(
        self, project: Project, settings: SensitivitySettings, engine: Engine, model: Model, check: Check
    ) -> None:
        self._project, self._engine, self._model, self._check = project, engine, model, check
        self._settings = settings
        self._error: ErrorModel | None = None
        self._reason = ""

    def of(self, schedule: Schedule) -> tuple[MonteCarlo, MonteCarlo]:
        """The columns of ``schedule``: daily states drawn, and model error."""
        if self._settings.members == 0:
            return MonteCarlo(None, reason=NO_MEMBERS_REASON), MonteCarlo(None, reason=NO_MEMBERS_REASON)
        drawn = self._sampled(schedule, UncertaintyKind.ALEATORIC, None)
        error = self._error_model()
        if error is None:
            return drawn, MonteCarlo(None, reason=self._reason)
        return drawn, self._sampled(schedule, UncertaintyKind.EPISTEMIC, error)

    def _sampled(self, schedule: Schedule, kind: UncertaintyKind, error: ErrorModel | None) -> MonteCarlo:
        ensemble = self._engine.ensemble(
            self._project, self._model, schedule, self._ensemble(kind), error=error, state=None,
            progress=lambda done: None, keep=lambda state: None, check=self._check,
        )  # fmt: skip
        return MonteCarlo.of(ensemble.final(PLAN).tolist(), ensemble.final(BASELINE).tolist())

    def _error_model(self) -> ErrorModel | None:
        """The error model of every plan; ``None`` where the project has nothing to fit one to."""
        if self._error is not None or self._reason:
            return self._error
        if self._settings.error is ErrorSource.PAPER:
            self._error = PAPER_BEAR
            return self._error
        settings = self._ensemble(UncertaintyKind.EPISTEMIC)
        try:
            event, first = self._project.scenario, self._project.plan.start_day
            self._error = self._engine.fit_error(self._model, event, first, settings, check=self._check).error
        except InputError as error:
            self._reason = "; ".join(f"{problem.where}: {problem.what}" for problem in error.problems)
        return self._error

    def _ensemble(self, kind: UncertaintyKind) -> UncertaintySettings:
        settings = self._settings
        return UncertaintySettings(kind, members=settings.members, seed=settings.seed, error=settings.error)
