"""Folder of a plan's run: its files, the order in which they are written, and how they are read back.

Every file is replaced whole (:mod:`firegui.io.atomic`), and ``run.toml`` last, so a run killed at any moment leaves a
folder that can be read and resumed. Order within a checkpoint matters: the history first, then the planner's state; the
history may then be ahead of the state, which resuming trims, but never behind.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from firegui.domain.project import Project
from firegui.domain.removal_curve import RemovalCurve
from firegui.domain.results import Metrics
from firegui.domain.schedule import DropRecord, Schedule
from firegui.domain.settings import PlanSettings
from firegui.domain.stress import LimitCheck, StressTable
from firegui.errors import InputError, Problem, Problems
from firegui.fire.drop_flames import flame_lengths
from firegui.io import atomic
from firegui.io.array_files import read_arrays
from firegui.io.paths import real_path
from firegui.io.project.schedule_file import read_project_schedule, write_plan_safetensors
from firegui.io.project.store import RUNS
from firegui.io.toml import plain_words
from firegui.planning.audit import AuditReport
from firegui.runs.checksums import checksums
from firegui.runs.engine import LazyPackage
from firegui.runs.header import RunHeader, file_of
from firegui.runs.history import history_text, read_elimination, read_history
from firegui.runs.lock import held_problem, is_held
from firegui.runs.result_store import ResultFolder, ResultStore, check_entries, read_header
from firegui.runs.snapshot import add_missing_settings
from firegui.runs.stages import EliminationStep, EpochDone, FinishReason, RunState, Stage

# Reading a run must not wait for what only writing needs.
if TYPE_CHECKING:
    import firegui.io.exporters.csv
    import firegui.io.exporters.geotiff
else:
    firegui = LazyPackage("firegui")

RUN, HISTORY, METRICS = "run.toml", "history.csv", "metrics.json"
SUMMARY = "summary.json"
PLAN, SCHEDULE, DROPS = "plan.safetensors", "schedule.csv", "drops.json"
OCCUPANCY, BASELINE, CHECKPOINT = "occupancy.tif", "baseline.tif", "checkpoint.safetensors"
ELIMINATION, ELIMINATION_CHECKPOINT = "elimination.csv", "elimination.safetensors"
SMOOTHING_CHECKPOINT, TACTICAL_CHECKPOINT = "smoothing.safetensors", "tactical.safetensors"
REFERENCE = "reference.safetensors"
"""What the second stage began with: the best plan of the first, or the schedule that was given."""
PRELIMINARY = "setting-a.safetensors"
"""The best plan of setting A's first stage, with which setting B begins."""
PRELIMINARY_CHECKPOINT, PRELIMINARY_HISTORY = "checkpoint-a.safetensors", "history-a.csv"
LOOP_STATE, LOOP_TABLE = "loop.safetensors", "closed_loop.csv"
LEAK = "leak.tif"
"""Where fire gets through the plan in the stress test; runs of earlier versions have none."""
CHECKPOINTS = (
    CHECKPOINT, PRELIMINARY_CHECKPOINT, ELIMINATION_CHECKPOINT, TACTICAL_CHECKPOINT, REFERENCE, LOOP_STATE,
)  # fmt: skip
FILES = (
    HISTORY, METRICS, SUMMARY, PLAN, SCHEDULE, DROPS, OCCUPANCY, BASELINE, *CHECKPOINTS, ELIMINATION,
    SMOOTHING_CHECKPOINT, PRELIMINARY, PRELIMINARY_HISTORY, LOOP_TABLE, LEAK,
)  # fmt: skip
"""All that a run writes beside its header, but for its fire, which has a checksum of its own.

Notes and the name are the user's to change.
"""
_TITLE = "The run folder cannot be used"


@dataclass(frozen=True, slots=True)
class EliminationSummary:
    """Result of the second stage; ``finished`` is that of ``planning.elimination.Elimination``.

    ``smoothed`` is the number of epochs in which the poses were smoothed after it. ``missed`` is the limit that the
    plan exceeds most in the tests of the removal. ``removed_to`` is the number of drops that the removal ended with,
    where the stress test did not hold with them and an earlier plan of the removal was taken; else 0.
    """

    finished: str
    drops_before: int
    drops: int
    passes: int
    rollouts: int
    seconds: float
    smoothed: int = 0
    missed: LimitCheck | None = None
    removed_to: int = 0


@dataclass(frozen=True, slots=True)
class TacticalProgress:
    """Progress of the tactical heuristic: ``done`` of its ``passes``."""

    done: int
    passes: int
    rollouts: int


@dataclass(frozen=True, slots=True)
class RunScores:
    """``metrics.json``: the plan at nominal and design effectiveness, the fire without drops, the audit.

    With a second stage also how that ended, and ``reference``: the plan it began with, at nominal effectiveness.
    ``swept`` is there for the tactical heuristic. ``stress`` is there unless the run was stopped or its project has no
    scenario without repair; a later stress test of the plan in all scenarios adds it.
    """

    baseline: Metrics | None = None
    nominal: Metrics | None = None
    design: Metrics | None = None
    audit: AuditReport | None = None
    reference: Metrics | None = None
    pruned: EliminationSummary | None = None
    swept: TacticalProgress | None = None
    stress: StressTable | None = None


@dataclass(frozen=True, slots=True, eq=False)
class RunRecord:
    """A run as it stands on disk. ``is_live``: a run was writing the folder when it was read.

    ``without`` are files of the folder that were left out because they are damaged.
    """

    folder: Path
    header: RunHeader
    scores: RunScores
    history: tuple[EpochDone, ...]
    is_live: bool = False
    elimination: tuple[EliminationStep, ...] = ()
    without: frozenset[str] = frozenset()

    @property
    def command(self) -> str:
        """What repeats the run."""
        return self.header.command

    @property
    def state(self) -> RunState:
        """State last written; unless finished or :attr:`is_live`, the run was interrupted."""
        return self.header.state

    @property
    def reason(self) -> FinishReason | None:
        """Why it ended, once it has."""
        return self.header.reason

    @property
    def settings(self) -> PlanSettings:
        """Every setting of the run."""
        return self.header.project.plan

    @property
    def project_hash(self) -> str:
        """Hash of everything that affected the run."""
        return self.header.project_hash

    @property
    def project(self) -> Project:
        """The project as it was, without its rasters: enough for exporters."""
        return self.header.project.project()

    @property
    def metrics(self) -> Metrics | None:
        """The saved plan at nominal effectiveness."""
        return self.scores.nominal

    @property
    def baseline(self) -> Metrics | None:
        """The fire without drops."""
        return self.scores.baseline

    @property
    def can_resume(self) -> bool:
        """Whether there is a checkpoint to go on from."""
        return any(name not in self.without and (self.folder / name).is_file() for name in CHECKPOINTS)

    @property
    def warm_start_file(self) -> Path | None:
        """The schedule that the run started from, if it was one; the file may be gone by now."""
        return self.file_of(self.header.warm_start_file)

    def file_of(self, text: str) -> Path | None:
        """Return the file that the header keeps as ``text``; ``None`` for an empty one.

        A file of the project is looked for where the project is now.
        """
        return file_of(self.header, text, self.folder.parent.parent if self.folder.parent.name == RUNS else None)

    @property
    def edited_from(self) -> Path | None:
        """The folder of the run whose plan was edited by hand to make this one; it may be gone by now."""
        return self.folder.parent / self.header.edited_from if self.header.edited_from else None

    @property
    def stages(self) -> tuple[Stage, ...]:
        """What the run does."""
        return self.header.stages

    def text(self) -> str:
        """Return the content of ``run.toml``."""
        return self.header.text()

    @property
    def has_plan(self) -> bool:
        """Whether a plan was saved."""
        return (self.folder / PLAN).is_file()


class RunStore(ResultStore[RunHeader]):
    """Store of plans' runs."""

    def read(self, folder: Path) -> RunHeader:
        """Read ``run.toml``. Raises :class:`~firegui.errors.InputError` if it is missing, damaged or too new."""
        check_entries(folder)
        path = folder / self.header
        try:
            path.stat()
        except (FileNotFoundError, NotADirectoryError) as error:
            raise InputError([_no_run(folder)]) from error
        return read_header(path, self.kind, self.again, self.upgrade)

    @property
    def _begin(self) -> str:
        return "start"

    @property
    def _absent(self) -> str:
        return "is not a run"

    def _loss(self, path: Path, names: list[str]) -> str:
        record = read_run(path)
        if not (record.has_plan or record.can_resume):
            return ""
        return "holds a finished run" if record.state is RunState.FINISHED else "holds a run that was interrupted"

    def _instead(self, path: Path) -> str:
        if read_run(path).state is RunState.FINISHED:
            return "give another folder; its result can be read again (--resume)"
        return super()._instead(path)


def _as_it_was(raw: dict[str, Any]) -> None:
    """Add the settings that older runs lack.

    They cut the gradient's carry.
    """
    inner: Any = raw
    for name in ("project", "plan", "optimizer"):
        inner = inner.get(name, {}) if isinstance(inner, dict) else {}
    if isinstance(inner, dict):
        inner.setdefault("full_carry", False)
    add_missing_settings(raw)


def _no_run(folder: Path) -> Problem:
    if not folder.exists():
        return Problem(str(folder), "does not exist", "give the folder of a run")
    if not folder.is_dir():
        return Problem(str(folder), "is a file, not the folder of a run", "give the folder of a run")
    return Problem(str(folder), "is not a run: it has no run.toml", "give the folder of a run")


_AGAIN = "restore the file or run again elsewhere"
_MOST_IN_DROP = 1e7
"""Beyond every step, payload and number of cells that a plan can have. What is far beyond cannot be computed with."""
STORE = RunStore("a run", RUN, _TITLE, RunHeader, _AGAIN, upgrade=_as_it_was)


class RunFolder(ResultFolder[RunHeader]):
    """The one writer of a run folder."""

    def __init__(self, path: Path, resume: bool = False) -> None:
        super().__init__(STORE, path, resume)

    def update(self, **changes: Any) -> None:
        """Change fields of the header and write it. A finished run gets the checksums of its files."""
        is_finished = changes.get("state") is RunState.FINISHED
        super().update(**changes, files=checksums(self.path, FILES) if is_finished else None)

    def write_history(self, rows: Sequence[EpochDone], name: str = HISTORY) -> None:
        """Replace ``history.csv``."""
        self.write_text(name, history_text(rows))

    def write_text(self, name: str, text: str) -> None:
        """Replace a file of text."""
        atomic.write_text(self.path / name, text)

    def write_plan(self, schedule: Schedule, name: str = PLAN) -> None:
        """Replace ``plan.safetensors``, the optimizer's own variables."""
        write_plan_safetensors(self.path / name, schedule)

    def write_drops(self, drops: Sequence[DropRecord], project: Project) -> dict[tuple[int, int], float] | None:
        """Replace ``schedule.csv`` (for people) and ``drops.json`` (exact, for exporters).

        A summary of earlier drops goes: :func:`firegui.runs.summary.write_summary` writes the new one. Returns the
        flame lengths where the drops land, as :func:`~firegui.fire.drop_flames.flame_lengths` does.
        """
        (self.path / SUMMARY).unlink(missing_ok=True)
        flames = flame_lengths(project, drops)
        firegui.io.exporters.csv.write_schedule_csv(self.path / SCHEDULE, drops, project, flames)
        atomic.write_json(self.path / DROPS, drops)
        return flames

    def write_scores(self, scores: RunScores) -> None:
        """Replace ``metrics.json``."""
        atomic.write_json(self.path / METRICS, scores)

    def add_scores(self, record: RunRecord, scores: RunScores) -> None:
        """Replace ``metrics.json`` of a finished run, whose lock the caller has."""
        self.write_scores(scores)
        if record.header.files is not None:
            STORE.write(self.path, replace(record.header, files=checksums(self.path, FILES)))

    def write_occupancy(self, p_fire: NDArray[np.float32], project: Project, begin: int = 0) -> None:
        """Replace ``occupancy.tif``: one band per day, the state at its end.

        ``p_fire [D − begin + 1, H, W]`` are the states from the start of day ``begin`` on.
        """
        firegui.io.exporters.geotiff.write_occupancy_tif(self.path / OCCUPANCY, p_fire[1:], project, first=begin + 1)

    def write_baseline(self, p_fire: NDArray[np.float32], project: Project, begin: int = 0) -> None:
        """Replace ``baseline.tif``, like :meth:`write_occupancy`: no drops, from day ``begin`` on."""
        geotiff = firegui.io.exporters.geotiff
        title = "P(fire) without further drops" if begin else geotiff.BASELINE_TITLE
        geotiff.write_occupancy_tif(self.path / BASELINE, p_fire[1:], project, first=begin + 1, title=title)


def read_run(folder: Path, without: frozenset[str] = frozenset()) -> RunRecord:
    """Read a run folder, finished or not, as if the files ``without`` were not there.

    Raises :class:`~firegui.errors.InputError`.
    """
    is_live = is_held(folder)
    header = STORE.read(folder)
    history = () if HISTORY in without else read_history(folder / HISTORY, header.project.plan.optimizer.epochs)
    scores = RunScores() if METRICS in without else read_json(folder / METRICS, RunScores, RunScores())
    elimination = () if ELIMINATION in without else read_elimination(folder / ELIMINATION)
    return RunRecord(folder, header, scores, history, is_live, elimination, without)


def read_removal_curve(folder: Path) -> RemovalCurve | None:
    """Read the removal curve of a run; ``None`` where it has none.

    Raises :class:`InputError` for a damaged one. It lies in the checkpoint of the second stage, so that both are always
    of the same moment.
    """
    path = folder / ELIMINATION_CHECKPOINT
    if not path.is_file():
        return None
    try:
        return RemovalCurve.of_arrays(read_arrays(path, remedy=_AGAIN))
    except ValueError as error:
        raise InputError([Problem(str(path), f"holds no removal curve that can be read ({error})", _AGAIN)]) from error


def kept_plan(folder: Path) -> Path | None:
    """Return the file with the plan of a run, with the optimizer's variables if there; or ``None``."""
    return next((path for path in (folder / PLAN, folder / SCHEDULE) if path.is_file()), None)


def kept_schedule(folder: Path, project: Project) -> Schedule:
    """Return the plan of a run. Raises :class:`InputError` where there is none that fits."""
    path = kept_plan(folder)
    if path is None:
        remedy = "let the run go on, or start it again"
        raise InputError([Problem(str(folder), "has no plan yet", remedy)], "The run cannot be shown")
    return read_project_schedule(path, project)


def same_folder(one: Path, other: Path) -> bool:
    """Return whether both name one folder, existing or not, however it was reached."""
    # Resolving reads the disk, and a list compares each of its folders with each.
    return one == other or (one.name == other.name and real_path(one) == real_path(other))


def delete_run(folder: Path) -> None:
    """Delete a run folder. A folder that does not lie among a project's runs is never deleted.

    Raises :class:`InputError` where the system refuses; part of the folder may then be gone.
    """
    if folder.parent.name != RUNS or not folder.exists():
        return
    if is_held(folder):
        raise InputError([held_problem(folder)], "The run was not discarded")
    try:
        shutil.rmtree(folder)
    except OSError as error:
        what, remedy = f"could not be deleted ({error})", "close what uses it and discard the run again"
        raise InputError([Problem(str(folder), what, remedy)], "The run was not discarded") from error


def read_drops(folder: Path) -> tuple[DropRecord, ...]:
    """Read the exact table of drops that a run saved.

    Raises :class:`~firegui.errors.InputError` where it is missing or damaged, or a number is beyond all sense.
    """
    path = folder / DROPS
    if not path.is_file():
        raise _refusal(folder, "has no finished plan", "resume the run and let it finish or stop it, then export")
    drops: tuple[DropRecord, ...] = read_json(path, tuple[DropRecord, ...], ())
    problems = Problems()
    for drop in drops:
        for item in fields(drop):
            value = getattr(drop, item.name)
            if isinstance(value, (int, float)) and not abs(value) <= _MOST_IN_DROP:
                what = f"{item.name} of a drop is not within ±{_MOST_IN_DROP:,.0f}"
                problems.add(str(path), what, _AGAIN)
    problems.raise_if_any(_TITLE)
    return drops


def read_json(path: Path, kind: Any, absent: Any) -> Any:
    """Read a JSON file of a run as ``kind``; ``absent`` without one. Raises :class:`InputError`."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except FileNotFoundError:
        return absent
    except (OSError, RecursionError, msgspec.DecodeError) as error:
        raise InputError([Problem(str(path), f"cannot be read ({plain_words(error)})", _AGAIN)]) from error


def _refusal(path: Path, what: str, remedy: str) -> InputError:
    return InputError([Problem(str(path), what, remedy)], _TITLE)
