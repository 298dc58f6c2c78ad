"""What the engine fits and draws at random, as runs see it; see :mod:`firegui.runs.engine`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.domain.ensemble import Ensemble, EnsembleProgress, EnsembleState
from firegui.domain.fit import FitProgress, FitState, NetworkFitSettings
from firegui.domain.project import Project
from firegui.domain.scenario import Scenario
from firegui.domain.schedule import Schedule
from firegui.domain.uncertainty import ErrorFit, ErrorModel, UncertaintySettings, WeatherDraw
from firegui.domain.weights import NetworkWeights
from firegui.rollout.remark import Tell
from firegui.runs.engine_values import Check, RolloutResult
from firegui.runs.spec import MemberOf


class FitCalls:
    """Error models and ensembles, forecasts and fits of the fire model."""

    def fit_error(self, project: Project, model: Any, settings: UncertaintySettings, *, check: Check) -> ErrorFit:
        """See :func:`firegui.uncertainty.residuals.fit_error_model`."""
        module = import_module("firegui.uncertainty.residuals")
        event, start = project.scenario, project.plan.start_day
        fit: ErrorFit = module.fit_error_model(model, event, start, settings, check=check)
        return fit

    def ensemble(
        self,
        project: Project,
        model: Any,
        schedule: Schedule | None,
        settings: UncertaintySettings,
        error: ErrorModel | None,
        *,
        state: EnsembleState | None,
        progress: Callable[[EnsembleProgress], None],
        keep: Callable[[EnsembleState], None],
        check: Check,
    ) -> Ensemble:
        """See :func:`firegui.uncertainty.ensemble.run_ensemble`."""
        module = import_module("firegui.uncertainty.ensemble")
        found: Ensemble = module.run_ensemble(
            project, model, schedule, settings, error=error, state=state, progress=progress, keep=keep, check=check
        )
        return found

    def member(
        self, project: Project, model: Any, schedule: Schedule | None, member: MemberOf, *, frame_stride: int | None,
        check: Check,
    ) -> RolloutResult:  # fmt: skip
        """See :func:`firegui.uncertainty.ensemble.member_rollout`."""
        module = import_module("firegui.uncertainty.ensemble")
        rollout: RolloutResult = module.member_rollout(
            project, model, schedule, member.settings, member.number, error=member.error, frame_stride=frame_stride,
            check=check,
        )  # fmt: skip
        return rollout

    def weather(self, settings: UncertaintySettings) -> tuple[WeatherDraw, ...]:
        """See :func:`firegui.uncertainty.ensemble.all_weather`."""
        winds: tuple[WeatherDraw, ...] = import_module("firegui.uncertainty.ensemble").all_weather(settings)
        return winds

    def error_field(
        self, error: ErrorModel, shape: tuple[int, int], seed: int, member: int, day: int
    ) -> NDArray[np.float32]:
        """See :func:`firegui.uncertainty.random_field.error_field`."""
        module = import_module("firegui.uncertainty.random_field")
        field: NDArray[np.float32] = module.error_field(error, shape, seed, member, day)
        return field

    def forecast(
        self, project: Project, days: int, *, backend: str, check: Check | None, tell: Tell
    ) -> NDArray[np.float32]:
        """See :func:`firegui.calibration.forecast.forecast`."""
        module = import_module("firegui.calibration.forecast")
        states: NDArray[np.float32] = module.forecast(project, days, backend=backend, check=check, tell=tell)
        return states

    def fit_network(
        self,
        events: Sequence[Scenario],
        settings: NetworkFitSettings,
        *,
        begin: NetworkWeights | None,
        state: FitState | None,
        progress: Callable[[FitProgress], None],
        keep: Callable[[FitState], None],
        check: Check | None,
        tell: Tell,
    ) -> FitState:
        """See :func:`firegui.calibration.network_fit.fit_network`."""
        module = import_module("firegui.calibration.network_fit")
        end: FitState = module.fit_network(
            events, settings, begin=begin, state=state, progress=progress, keep=keep, check=check, tell=tell
        )
        return end

    def fitted_weights(
        self, events: Sequence[Scenario], settings: NetworkFitSettings, state: FitState, begin: NetworkWeights | None
    ) -> NetworkWeights:
        """See :func:`firegui.calibration.network_fit.weights_of_state`."""
        module = import_module("firegui.calibration.network_fit")
        weights: NetworkWeights = module.weights_of_state(events, settings, state, begin)
        return weights
