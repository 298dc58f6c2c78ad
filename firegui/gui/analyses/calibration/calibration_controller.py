"""Calibrates the fire model of the open project in a thread of its own, alone or jointly with other projects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from firegui.domain.fit import FitProgress, NetworkFitSettings
from firegui.domain.project import Project
from firegui.domain.weights import NetworkWeights
from firegui.gui.analyses.calibration.saved_calibrations import discard, interrupted_in, new_weights_file
from firegui.gui.jobs.long_work import Work
from firegui.gui.jobs.result_presenter import report_failure
from firegui.gui.jobs.run_job import Execute, RunJob, wind_up_all
from firegui.gui.session.session import Session
from firegui.io.project_weights import kept_weights
from firegui.runs.command import with_command
from firegui.runs.events import FinishReason, FitEpoch, Message, RunFinished, WeightsReady
from firegui.runs.fit_checkpoint import FitCheckpoint
from firegui.runs.runner import execute as run_execute
from firegui.runs.spec import CalibrateSpec

_WHERE = "The calibration"


@dataclass(frozen=True, slots=True, eq=False)
class Companion:
    """Another project that is trained on jointly, and where it is kept."""

    folder: Path
    project: Project


class CalibrationController(QObject):
    """One calibration at a time. :meth:`shutdown` must be called before the program ends."""

    changed = Signal()
    """Work began, went on or ended."""
    epochs_added = Signal()
    """The :attr:`history` is longer, or another."""
    result_changed = Signal()
    """There are other weights, or none any more."""

    def __init__(
        self,
        session: Session,
        *,
        execute: Execute = run_execute,
        clock: Callable[[], datetime] = datetime.now,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session, self._execute, self._clock = session, execute, clock
        self._job: RunJob | None = None
        self._leaving: list[RunJob] = []
        self._dropped: set[Path] = set()
        self._stopping = False
        self._history: list[FitProgress] = []
        self._result: WeightsReady | None = None
        session.project_opened.connect(self._on_project_opened)
        session.folder_changed.connect(self.changed)

    # -- what is known -----------------------------------------------------------------------------------------------
    @property
    def history(self) -> Sequence[FitProgress]:
        """Every epoch of the latest calibration."""
        return self._history

    @property
    def best(self) -> FitProgress | None:
        """The epoch with the lowest misfit so far."""
        last = self._history[-1] if self._history else None
        return None if last is None or last.best_epoch < 0 else self._history[last.best_epoch]

    @property
    def result(self) -> WeightsReady | None:
        """The weights of the latest calibration that ended or was stopped."""
        return self._result

    @property
    def is_busy(self) -> bool:
        """Whether a calibration is at work."""
        return self._job is not None

    @property
    def is_stopping(self) -> bool:
        """Whether it was asked to stop."""
        return self._job is not None and self._stopping

    @property
    def interrupted(self) -> Path | None:
        """The weights file of the calibration of this project that can be taken up again."""
        return None if self._job is not None else interrupted_in(self._session.folder)

    def work(self) -> Work | None:
        """What would be lost if the project were left now."""
        lost = "the weights and all that was tried for them"
        return Work(_WHERE, "best weights so far", self.stop, self.discard, lost) if self._job is not None else None

    # -- what can be asked -------------------------------------------------------------------------------------------
    def start(
        self, settings: NetworkFitSettings, companions: Sequence[Companion] = (), begin: NetworkWeights | None = None
    ) -> None:
        """Calibrate on the open project and its ``companions``, from ``begin`` or from random weights.

        Nothing happens while one is at work. Raises ``RuntimeError`` when the project was never saved: the state of the
        calibration is kept in its folder.
        """
        folder = self._session.folder
        if folder is None:
            raise RuntimeError("the project has no folder yet")
        if self._job is not None:
            return
        out = new_weights_file(folder, self._clock())
        self._history = []
        self._begin(settings, out, companions, begin=begin)

    def resume(self, out: Path, kept: FitCheckpoint, companions: Sequence[Companion]) -> None:
        """Take up the interrupted calibration into ``out``; ``companions`` are its other projects, in their order."""
        if self._job is None:
            self._history = list(kept.history)
            self._begin(kept.settings, out, companions, resume=True)

    def stop(self) -> None:
        """Stop and keep the best so far."""
        if self._job is not None:
            self._stopping = True
            self._job.control.request_stop()
            self.changed.emit()

    def discard(self) -> None:
        """Stop and keep nothing."""
        if self._job is not None:
            self._dropped.add(_out(self._job))
            self.stop()

    def shutdown(self) -> None:
        """Stop, and wait until every thread has ended."""
        wind_up_all([*self._leaving, *([] if self._job is None else [self._job])])

    # -- at work -----------------------------------------------------------------------------------------------------
    def _begin(
        self,
        settings: NetworkFitSettings,
        out: Path,
        companions: Sequence[Companion],
        *,
        begin: NetworkWeights | None = None,
        resume: bool = False,
    ) -> None:
        session = self._session
        assert session.folder is not None
        folders = (session.folder, *(each.folder for each in companions))
        projects = (session.project, *(each.project for each in companions))
        source = None if begin is None else kept_weights(session.folder, begin)
        spec = CalibrateSpec(projects, settings, out, "", begin, resume, project_folders=folders)
        spec = with_command(spec, source)
        job = self._job = RunJob(spec, self._execute, self)
        self._stopping, self._result = False, None
        # Methods, not lambdas: a ring of references may be collected in the job's thread, and Qt's objects with it.
        job.bridge.subscribe(FitEpoch, self._on_epoch)
        job.bridge.subscribe(WeightsReady, self._on_weights)
        job.bridge.subscribe(Message, self._on_message)
        job.bridge.subscribe(RunFinished, self._on_finished)
        job.ended.connect(self._on_ended)
        job.begin()
        self.epochs_added.emit()
        self.result_changed.emit()
        self.changed.emit()

    def _on_epoch(self, event: FitEpoch) -> None:
        self._history.append(event.progress)
        self.epochs_added.emit()

    def _on_weights(self, event: WeightsReady) -> None:
        self._result = event
        self.result_changed.emit()

    def _on_message(self, event: Message) -> None:
        self._session.message.emit(event.text.splitlines()[0] if event.text else "")

    def _on_finished(self, event: RunFinished) -> None:
        if event.reason is FinishReason.FAILED:
            report_failure(self._session, _WHERE, event)
        else:
            self._session.message.emit(f"{_WHERE}: {event.message}")

    def _on_ended(self, job: RunJob) -> None:
        if job is self._job:
            self._job = None
        else:
            self._leaving.remove(job)
        out = _out(job)
        if out in self._dropped:
            self._dropped.remove(out)
            discard(out)
        job.deleteLater()
        self.changed.emit()

    def _on_project_opened(self) -> None:
        if self._job is not None:
            self._job.detach()
            self._leaving.append(self._job)
            self._job = None
        self._history, self._result = [], None
        self.epochs_added.emit()
        self.result_changed.emit()
        self.changed.emit()


def _out(job: RunJob) -> Path:
    assert isinstance(job.spec, CalibrateSpec)
    return job.spec.out
