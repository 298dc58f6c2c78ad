"""Ensembles of fires: ``uncertainty``."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from firegui.analyses.uncertainty.results import STORE, TITLE, EnsembleHeader, read_header
from firegui.analyses.uncertainty.run import uq_problems
from firegui.analyses.uncertainty.summary import Summary, summarised
from firegui.api.gather import Gather
from firegui.api.inputs import Change, ScheduleSource, gather_schedule, kept_schedule_file, unchanged, with_given
from firegui.api.projects import ProjectSource, read_project
from firegui.api.python_words import python_interface
from firegui.api.running import ReadyRun, SavedRunResult, refusal, run_place, run_spec
from firegui.domain.ensemble import Ensemble
from firegui.domain.results import Metrics
from firegui.domain.schedule import Schedule
from firegui.domain.uncertainty import UncertaintyKind, UncertaintySettings
from firegui.domain.workers import WorkerSettings
from firegui.errors import Problems
from firegui.runs.control import RunControl
from firegui.runs.engine import Engine
from firegui.runs.events import Emit, EnsembleReady, RunFinished
from firegui.runs.spec import UncertaintySpec
from firegui.runs.stages import FinishReason


@dataclass(frozen=True, slots=True, eq=False)
class EnsembleRequest:
    """Request for an ensemble into the folder ``out``.

    ``settings`` changes the default settings, or those of the ensemble that is resumed, and returns ``None`` where the
    kind cannot be read. ``workers`` changes who computes the members. Without a ``schedule`` there are only fires
    without drops.
    """

    project: ProjectSource
    schedule: ScheduleSource | None
    out: Path
    settings: Change[UncertaintySettings | None]
    resume: bool = False
    backend: str = "auto"
    workers: Change[WorkerSettings] = unchanged

    def read(self) -> ReadyRun:
        """Read every input and write nothing.

        Raises :class:`~firegui.errors.InputError` listing every problem.
        """
        gather, out = Gather(), self.out
        read = read_project(self.project, gather)
        earlier = gather.attempt(lambda: STORE.check(out, self.resume))
        settings = self.settings(UncertaintySettings() if earlier is None else earlier.settings, gather)
        schedule = gather_schedule(self.schedule, None if read is None else read.project, gather)
        gather.attempt(lambda: Engine().check_backend(self.backend))
        ready = None
        if settings is not None and read is None:
            gather.extend(settings.problems())
        elif settings is not None and read is not None:
            file = kept_schedule_file(self.schedule)
            spec = UncertaintySpec(
                read.project, out, "", settings, schedule, self.resume, self.backend, snapshot_seconds=math.inf,
                project_folder=read.folder, schedule_file=file, workers=self.workers(WorkerSettings(), gather),
            )  # fmt: skip
            is_repeatable = read.is_as_saved and (schedule is None or file is not None)
            ready = ReadyRun(spec, is_repeatable=is_repeatable).with_command()
            # A schedule that cannot be read was told of already.
            unread = self.schedule is not None and schedule is None
            gather.extend(item for item in uq_problems(spec) if not (unread and item.where == "schedule"))
        gather.raise_if_any(TITLE)
        assert ready is not None
        return ready


@dataclass(frozen=True, slots=True, eq=False)
class FinishedEnsemble:
    """Ensemble that ended, with its header as it is saved."""

    ensemble: Ensemble
    header: EnsembleHeader
    finished: RunFinished


def carry_out_ensemble(
    ready: ReadyRun, progress: Emit | None = None, cancel: RunControl | None = None
) -> FinishedEnsemble:
    """Run it. Raises the error of a run that left no member."""
    event, finished = run_spec(ready.spec, EnsembleReady, progress, cancel)
    if finished.reason is FinishReason.FAILED or event is None:
        raise refusal(finished, TITLE)
    return FinishedEnsemble(event.ensemble, read_header(ready.spec.out), finished)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class UncertaintyReport(SavedRunResult):
    """Ensemble of fires, without drops and with ``schedule``, which is ``None`` where there is none.

    ``metrics`` and ``baseline`` are those of the model itself, without chance. ``ensemble`` has every member and
    ``summary`` the means and spreads over them: extents in cells and ha, exposure in cell-days.
    """

    store: ClassVar = STORE

    schedule: Schedule | None = field(repr=False)
    metrics: Metrics | None
    baseline: Metrics | None
    ensemble: Ensemble = field(repr=False)

    @property
    def summary(self) -> Summary:
        """Means, spreads and shares over the members."""
        return summarised(self.ensemble, regions=bool(self.project.regions))


@python_interface
def uncertainty(
    project: ProjectSource,
    schedule: ScheduleSource | None = None,
    *,
    kind: UncertaintyKind | str | None = None,
    members: int | None = None,
    seed: int | None = None,
    settings: UncertaintySettings | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    backend: str = "auto",
    progress: Emit | None = None,
    cancel: RunControl | None = None,
) -> UncertaintyReport:
    """Draw an ensemble of fires, without drops and with a schedule, at nominal effectiveness.

    Both fires of a member meet the same random numbers; the schedule stays as it is.

    Args:
        project: Project, or the folder of one.
        schedule: Schedule, result that has one, CSV, ``plan.safetensors`` of a run, or the run's folder. Without one
            there are only the fires without drops.
        kind: What is drawn: ``"aleatoric"`` (states of cells), ``"epistemic"`` (error of the fire model) or
            ``"weather"`` (wind). That of ``settings`` or of the ensemble that is resumed unless given, else aleatoric.
        members: Number of members; 300 unless given.
        seed: Seed of every random number.
        settings: Settings in place of the default ones. ``kind``, ``members`` and ``seed`` replace theirs where given.
        workers: Processes of this machine that compute, 0 for this one. In a script with workers the call must stand
            below ``if __name__ == "__main__":``.
        scheduler: Address of a Dask scheduler whose workers compute, such as ``"tcp://10.0.0.5:8786"``.
        out: Folder for the ensemble, new or empty. Without it nothing is left on disk; the result can be saved.
        resume: Go on with the ensemble in ``out``; ``members`` may be raised.
        backend: What computes: ``"auto"``, ``"cpu"``, ``"cuda"`` or ``"reference"``.
        progress: Receives every event of the run, in this thread.
        cancel: Token that stops the run; the members that are done are then returned.

    Raises:
        InputError: Something is wrong with the input. Every problem is listed and nothing was written.
        CancelledError: The run was stopped before a member was done.
        RunFailedError: The run ended with an error that is not about its input.
    """
    given = {"kind": kind, "members": members, "seed": seed}

    def wanted(base: UncertaintySettings | None, problems: Problems) -> UncertaintySettings:
        start = settings or base or UncertaintySettings()
        return with_given(start, given, problems)

    def computed_by(base: WorkerSettings, problems: Problems) -> WorkerSettings:
        return with_given(base, {"workers": workers, "scheduler": scheduler}, problems)

    with run_place(out) as place:
        ready = EnsembleRequest(project, schedule, place.folder, wanted, resume, backend, computed_by).read()
        ended = carry_out_ensemble(ready, progress, cancel)
        header, finished = ended.header, ended.finished
        return UncertaintyReport(
            project=ready.spec.project,
            reason=finished.reason,
            message=finished.message,
            seconds=header.seconds,
            backend=header.backend,
            device=header.device,
            folder=place.kept,
            run=ready,
            content=place.content(),
            schedule=ready.spec.schedule,
            metrics=finished.nominal,
            baseline=finished.baseline,
            ensemble=ended.ensemble,
        )
