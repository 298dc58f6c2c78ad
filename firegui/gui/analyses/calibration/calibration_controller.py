"""Calibrations of the fire model of the open project, alone or jointly with other projects."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from PySide6.QtCore import Signal

from firegui.analyses.calibration.checkpoint import SUFFIX, FitCheckpoint, part_of
from firegui.domain.fit import FactorFitSettings, FitProgress, NetworkFitSettings
from firegui.domain.project import Project
from firegui.domain.weights import NetworkWeights
from firegui.gui.analyses.controller import AnalysisController, AnalysisResult
from firegui.gui.base.number_text import duration
from firegui.gui.jobs.event_bridge import EventBridge
from firegui.gui.jobs.run_job import RunJob, UnfinishedWork
from firegui.gui.session.session import Session
from firegui.io.project.layers import kept_weights
from firegui.runs.command import with_command
from firegui.runs.events import FactorsReady, FitEpoch, WeightsReady
from firegui.runs.spec import CalibrateFactorsSpec, CalibrateSpec

CALIBRATIONS = "calibrations"
"""Folder in a project for weights that are calibrated in the window."""
_WEIGHTS_SUFFIX = ".safetensors"
_ROUNDS_FOR_ESTIMATE = 3

Calibrated = WeightsReady | FactorsReady
"""New weights of the network, or factors of the physical model."""
CalibrationResult = AnalysisResult[Calibrated, None]


@dataclass(frozen=True, slots=True, eq=False)
class Companion:
    """Another project for a joint calibration, and its folder."""

    folder: Path
    project: Project


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationRequest:
    """Request to calibrate the fire model on the open project and its ``companions``.

    The training of a network starts from ``start``, or from random weights. With
    :class:`~firegui.domain.fit.FactorFitSettings`, factors of the physical model are fitted.
    """

    settings: NetworkFitSettings | FactorFitSettings
    companions: Sequence[Companion] = ()
    start: NetworkWeights | None = None

    def projects(self, project: Project) -> tuple[Project, ...]:
        """Return ``project`` and the companions."""
        return (project, *(each.project for each in self.companions))


@dataclass(frozen=True, slots=True, eq=False)
class SavedCalibration:
    """Interrupted calibration: the file ``out`` for its weights, and its saved state."""

    out: Path
    checkpoint: FitCheckpoint


class CalibrationController(AnalysisController[CalibrationRequest, CalibrationResult, SavedCalibration]):
    """Controller of calibrations of the fire model of the open project."""

    title, kept = "The calibration", "best weights so far"

    epochs_added = Signal()
    """Emitted when :attr:`history` has new epochs or was replaced."""

    def __init__(self, session: Session, **options: Any) -> None:
        super().__init__(session, **options)
        self._history: list[FitProgress] = []
        self._discarded: set[Path] = set()
        self.calibrated_at = self._clock()
        """Time at which the shown weights or factors were ready."""

    # -- state -------------------------------------------------------------------------------------------------------
    @property
    def history(self) -> Sequence[FitProgress]:
        """Every epoch of the latest calibration."""
        return self._history

    @property
    def share(self) -> float:
        """Share of the epochs, then of the fires that are left out, that is done, 0 … 1."""
        if self._step is not None:
            return super().share
        last = self._history[-1] if self._history and self._job is not None else None
        return (last.epoch + 1) / last.epochs if last is not None and last.epochs else 0.0

    @property
    def best(self) -> FitProgress | None:
        """The epoch with the lowest misfit so far."""
        last = self._history[-1] if self._history else None
        return None if last is None or last.best_epoch < 0 else self._history[last.best_epoch]

    @property
    def result(self) -> Calibrated | None:
        """The weights or factors of the latest calibration that has ended or was stopped."""
        return None if self._shown is None else self._shown.table

    @property
    def interrupted(self) -> Path | None:
        """The weights file of the calibration of this project that can be resumed."""
        return None if self._job is not None else interrupted_in(self._session.folder)

    def work(self) -> UnfinishedWork | None:
        """Return the work that is lost if the project is closed now; ``None`` if nothing is lost."""
        if self._out is None:  # a fit of factors writes no file
            return None
        lost = "the weights and all that was tried for them"
        return UnfinishedWork(self.title, self.kept, self.stop, self.discard, lost)

    def discard(self) -> None:
        """Stop the run, and delete its weights and state when it has ended."""
        if self._out is not None:
            self._discarded.add(self._out)
            self.stop()

    # -- the run -----------------------------------------------------------------------------------------------------
    def _new_spec(self, request: CalibrationRequest, project: Project) -> CalibrateSpec | CalibrateFactorsSpec:
        if isinstance(request.settings, FactorFitSettings):
            self._set_history([])
            return CalibrateFactorsSpec(request.projects(project), request.settings)
        spec = self._spec(request, project, new_weights_file(self._project_folder, self._clock()), resume=False)
        self._set_history([])
        return spec

    def _resumed_spec(self, saved: SavedCalibration, request: CalibrationRequest | None) -> CalibrateSpec:
        """Return the spec that resumes ``saved``.

        ``request`` must have the projects of the saved calibration, in the same order.
        """
        companions = () if request is None else request.companions
        request = CalibrationRequest(saved.checkpoint.settings, companions)
        spec = self._spec(request, self._session.project, saved.out, resume=True)
        self._set_history(saved.checkpoint.history)
        return spec

    def _spec(self, request: CalibrationRequest, project: Project, out: Path, *, resume: bool) -> CalibrateSpec:
        folder, settings, start = self._project_folder, request.settings, request.start
        assert isinstance(settings, NetworkFitSettings)
        folders = (folder, *(each.folder for each in request.companions))
        source = None if start is None else kept_weights(folder, start)
        spec = CalibrateSpec(request.projects(project), settings, out, "", start, resume, project_folders=folders)
        return with_command(spec, source)

    def _first_result(self, spec: CalibrateSpec | CalibrateFactorsSpec) -> None:
        return None

    def _progress_text(self) -> str:
        if self._step is not None:
            return super()._progress_text()
        return activity_text(self._history[-1] if self._history else None)

    def _set_history(self, history: Sequence[FitProgress]) -> None:
        self._history = list(history)
        self.epochs_added.emit()

    def _connect_events(self, bridge: EventBridge) -> None:
        bridge.subscribe(FitEpoch, self._on_epoch)
        bridge.subscribe(WeightsReady, self._on_ready)
        bridge.subscribe(FactorsReady, self._on_ready)

    def _on_epoch(self, event: FitEpoch) -> None:
        self._history.append(event.progress)
        self.epochs_added.emit()

    def _on_ready(self, event: Calibrated) -> None:
        self.calibrated_at = self._clock()
        self._show(AnalysisResult(Path(), self._session.project, event))

    def _on_ended(self, job: RunJob) -> None:
        out = job.spec.out if isinstance(job.spec, CalibrateSpec) else None
        if out is not None and out in self._discarded:
            self._discarded.remove(out)
            _delete_weights(out)
        super()._on_ended(job)

    def _on_project_opened(self) -> None:
        super()._on_project_opened()
        self._set_history([])


def new_weights_file(project_folder: Path, now: datetime) -> Path:
    """Return ``calibrations/YYYYMMDD-HHMMSS.safetensors`` in the project, numbered if that file exists."""
    base = project_folder / CALIBRATIONS / f"{now:%Y%m%d-%H%M%S}{_WEIGHTS_SUFFIX}"
    out, number = base, 1
    while out.exists() or part_of(out).exists():
        number += 1
        out = base.with_stem(f"{base.stem}-{number}")
    return out


def interrupted_in(project_folder: Path | None) -> Path | None:
    """Return the weights file of the latest interrupted calibration. That file need not exist yet."""
    if project_folder is None:
        return None
    parts = sorted((project_folder / CALIBRATIONS).glob(f"*{_WEIGHTS_SUFFIX}{SUFFIX}"))
    return parts[-1].with_name(parts[-1].name.removesuffix(SUFFIX)) if parts else None


def _delete_weights(out: Path) -> None:
    """Delete the weights and the saved state of a calibration. Files that cannot be deleted stay."""
    for path in (part_of(out), out):
        with suppress(OSError):
            path.unlink()


def activity_text(last: FitProgress | None) -> str:
    """Return the progress of a calibration and its remaining time."""
    if last is None:
        return "Preparing…"
    done = last.epoch + 1
    text = f"Round {done:,} of {last.epochs:,} · {duration(last.seconds)}"
    if done < _ROUNDS_FOR_ESTIMATE:
        return text
    return f"{text}, at most {duration(last.seconds / done * (last.epochs - done))} left"
