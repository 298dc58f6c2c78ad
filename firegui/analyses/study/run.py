"""A study as a run: cells that are given out, answered, kept, and told of, until none is left."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import msgspec

from firegui.analyses.execution.archives import pack_project
from firegui.analyses.execution.executor import ExecutorHooks, TaskExecutor, TaskResult, cluster_problems
from firegui.analyses.execution.factory import cluster_name, open_executor
from firegui.analyses.execution.tasks import WorkerSetup
from firegui.analyses.planner_task import SEARCHES_WITH, installation
from firegui.analyses.study.cell_worker import CellAnswer, CellSetup
from firegui.analyses.study.report import NO_PARQUET, has_parquet, study_message, write_tables
from firegui.analyses.study.results import (
    CELLS,
    STORE,
    StudyHeader,
    discard_work,
    read_rows,
    remove_empty_work_folder,
    resume_problems,
    version_problems,
    write_answer,
    write_failed,
)
from firegui.domain.benchmark import PlannerName
from firegui.domain.study import SCHEDULE, Cell
from firegui.domain.study_factors import study_cells, study_problems
from firegui.domain.study_table import StudyRow, StudyTable
from firegui.errors import CancelledError, InputError, Problem
from firegui.io.cache_folder import processor
from firegui.io.project.store import project_hash
from firegui.rollout.machine import cores
from firegui.runs.base_run import SavedRun
from firegui.runs.control import RunControl
from firegui.runs.engine import Engine
from firegui.runs.events import CellProgress, Emit, Message, RunFinished, StudyProgress, StudyReady
from firegui.runs.header import PACKAGES, common_fields, installed_versions, path_text, schedule_fields
from firegui.runs.spec import StudySpec
from firegui.runs.stages import FinishReason, RunState
from firegui.runs.state import RunMachine

_COLLECT_SECONDS, _PROGRESS_SECONDS, _TABLE_SECONDS, _SAVE_SECONDS = 0.1, 0.25, 1.0, 5.0
"""Seconds that outcomes are waited for, and between two progress events, tables on screen and tables on disk."""
_ROWS_A_SECOND = 2000
"""Rows that add a second between two tables on screen, because thousands take a moment to draw."""
_MOST_UNSAVED = 256
"""Cells that wait to be saved at most. No more are submitted then."""
_AHEAD = 16
"""Cells that an executor is given for each of its workers: they may take milliseconds."""
CELL_WORKER = "firegui.analyses.study.cell_worker:CellWorker"


def study_lacks(spec: StudySpec, engine: Engine) -> list[Problem]:
    """Return the problems of ``spec``, except those of its folder."""
    found = list(spec.project.problems()) + study_problems(spec.settings, spec.project)
    found += spec.workers.problems() + cluster_problems(spec.workers.scheduler)
    planners = _planners(spec)
    for name in planners - {SCHEDULE}:
        package = engine.missing_extra(PlannerName(name)) if name in set(PlannerName) else ""
        if package:
            remedy = f"install it ({installation(package)}), or choose another planner"
            found.append(Problem(name, f"needs the package {package}, which is not installed", remedy))
    if SCHEDULE in planners and spec.schedule is None:
        found.append(Problem("planner", "is schedule, but there is none", "name its file: schedule = …"))
    return found


def _planners(spec: StudySpec) -> set[str]:
    settings = spec.settings
    chosen = {str(case.set["planner"]) for case in settings.cases if "planner" in case.set}
    chosen |= {str(value) for each in settings.vary if each.name == "planner" for value in each.values}
    return chosen or {str(settings.set.get("planner", settings.planner))}


class StudyRun(SavedRun[StudySpec, StudyHeader]):
    """Run of a :class:`~firegui.runs.spec.StudySpec`. ``opener`` makes the workers of its cells."""

    store = STORE

    def __init__(
        self, spec: StudySpec, emit: Emit, control: RunControl, engine: Engine, machine: RunMachine,
        opener: str = CELL_WORKER,
    ) -> None:  # fmt: skip
        super().__init__(spec, emit, control, engine, machine)
        self._opener = opener
        self._executor: TaskExecutor | None = None
        self._cells: tuple[Cell, ...] = ()
        self._rows: dict[int, StudyRow] = {}
        self._failed: dict[int, str] = {}
        self._waiting: deque[Cell] = deque()
        self._store: CellStore | None = None
        self._new = 0
        self._from = time.monotonic()
        self._most_workers = 0
        self._progress_at = self._table_at = self._save_at = -math.inf

    @property
    def _unsaved(self) -> int:
        return 0 if self._store is None else self._store.pending

    @property
    def _serial(self) -> bool:
        return self._spec.workers.in_process

    @property
    def _table(self) -> StudyTable:
        return StudyTable(self._spec.settings, self._cells, dict(self._rows), dict(self._failed))

    def run(self) -> RunFinished:
        """Carry out every cell that is missing. Writes nothing before the input is known to be good."""
        spec = self._spec
        backend = self._backend()
        then = self._checked(backend)
        self._most_workers = 0 if then is None else then.workers
        self._folder.claim(then, self._new_header(then, backend))
        self._cells = study_cells(spec.settings, spec.project)
        self._rows = {} if then is None else read_rows(spec.out, self._cells)
        self._waiting.extend(cell for cell in self._cells if cell.number not in self._rows)
        (spec.out / CELLS).mkdir(exist_ok=True)
        self._store = CellStore(spec.out, self._warn)
        self._keep()
        if not has_parquet():
            self._emit(Message(NO_PARQUET, "warning"))
        try:
            if self._waiting:
                self._executor = self._new_executor(backend)
            self._machine.move(RunState.RUNNING)
            self._from = time.monotonic()
            self._work()
        except CancelledError:
            pass  # whatever was waited for: the cells that are done are kept
        return self._conclude()

    def close(self) -> None:
        """Let go of the workers and of the folder."""
        if self._executor is not None:
            self._executor.close()
        if self._store is not None:
            self._store.close()
        super().close()

    # -- before the first cell ---------------------------------------------------------------------------------------
    def _backend(self) -> str:
        """Return the backend of the cells; of a cluster's workers only the request is known."""
        spec = self._spec
        if spec.workers.scheduler:
            return "cpu" if spec.backend == "auto" else spec.backend
        return self._engine.choose(spec.backend)[0]

    def _checked(self, backend: str) -> StudyHeader | None:
        spec = self._spec

        def unlike(then: StudyHeader) -> list[Problem]:
            found = resume_problems(then, spec, project_hash(spec.project), backend)
            return found + version_problems(then, _versions(), spec.out)

        return self._folder.checked(study_lacks(spec, self._engine), unlike)

    def _new_header(self, then: StudyHeader | None, backend: str) -> StudyHeader:
        spec = self._spec
        return StudyHeader(
            **common_fields(spec, then, backend, (*PACKAGES, *SEARCHES_WITH)),
            settings=spec.settings,
            machine=f"{processor()}, {cores()} cores",
            scheduler=spec.workers.scheduler,
            **schedule_fields(spec.schedule, spec.schedule_file),
            study_file=path_text(spec.study_file),
        )

    def _new_executor(self, backend: str) -> TaskExecutor:
        """Return the executor of the cells, whose workers receive the project once."""
        spec = self._spec
        keeps = () if spec.workers.scheduler else (str(spec.out), spec.checkpoint_seconds)
        cells = CellSetup(spec.settings, *keeps)
        setup = WorkerSetup(
            self._opener, "the study", pack_project(spec.project, spec.schedule), msgspec.json.encode(cells), backend,
            _versions(),
        )  # fmt: skip
        return open_executor(
            setup, cluster_name("study", spec.out, self._folder.header.project_hash, setup.data.decode()),
            ExecutorHooks(self._control, self._warn, on_progress=self._emit_if_due),
            workers=0 if self._serial else self._count(backend), scheduler=spec.workers.scheduler, ahead=_AHEAD,
            card_each=backend == "cuda",
        )  # fmt: skip

    def _count(self, backend: str) -> int:
        """Return the number of processes: as requested, never more than cells or, on a card, than cards."""
        most = self._spec.workers.workers
        if backend == "cuda":
            most = min(most, len(self._engine.devices()["cuda"]) or 1)
        return max(min(most, len(self._waiting)), 1)

    # -- the cells ---------------------------------------------------------------------------------------------------
    def _work(self) -> None:
        while not self._control.stop_requested and self._executor is not None:
            self._hold_or_go()
            self._hand_out()
            if not self._executor.busy and not self._waiting and not self._unsaved:
                break
            for result in self._executor.collect(_COLLECT_SECONDS):
                self._take(result)
            self._collect()
            self._emit_if_due()
            self._keep_if_due()

    def _hold_or_go(self) -> None:
        """While paused nothing more is given out; what is at work comes to its end."""
        paused = self._machine.state is RunState.PAUSED
        if self._control.pause_requested is not paused:
            self._machine.move(RunState.RUNNING if paused else RunState.PAUSED)

    def _hand_out(self) -> None:
        assert self._executor is not None
        room = 0 if self._control.pause_requested or self._unsaved > _MOST_UNSAVED else self._executor.capacity
        for _ in range(min(room, len(self._waiting))):
            cell = self._waiting.popleft()
            self._executor.submit(cell.number, msgspec.json.encode(cell))

    def _take(self, result: TaskResult) -> None:
        number, outcome = result.number, result.outcome
        if outcome.cancelled:
            if not self._control.stop_requested:
                self._waiting.appendleft(self._cells[number])
        elif outcome.error:
            self._failed[number] = outcome.error
            discard_work(self._spec.out, number)
            self._warn(f"cell {number} ({self._cells[number].title}): {outcome.error}")
        else:
            assert self._store is not None
            self._store.put(msgspec.msgpack.decode(outcome.result, type=CellAnswer))

    def _collect(self, *, all_of_them: bool = False) -> None:
        """Note the cells that are kept by now."""
        assert self._store is not None
        for row in self._store.kept(all_of_them=all_of_them):
            self._rows[row.cell] = row
            self._failed.pop(row.cell, None)
            self._new += 1

    # -- telling -----------------------------------------------------------------------------------------------------
    def _warn(self, text: str) -> None:
        self._emit(Message(text, "warning"))

    def _emit_if_due(self) -> None:
        moment = time.monotonic()
        if moment - self._progress_at >= _PROGRESS_SECONDS:
            self._progress_at = moment
            self._emit(self._progress(moment))
        if moment - self._table_at >= max(_TABLE_SECONDS, len(self._rows) / _ROWS_A_SECOND) and self._new:
            self._table_at = moment
            self._emit(StudyReady(self._table))

    def _progress(self, moment: float) -> StudyProgress:
        left, new = len(self._cells) - len(self._rows) - len(self._failed), self._new
        pace = (moment - self._from) / new if new else math.nan
        executor = self._executor
        workers = () if executor is None else executor.workers
        running = () if executor is None else executor.running
        seen = 0 if self._serial else len(workers)
        self._most_workers = max(self._most_workers, seen)
        return StudyProgress(
            len(self._rows), len(self._failed), len(self._cells),
            tuple(CellProgress(one.number, one.worker, one.report.spent, one.report.allowance, one.report.seconds)
                  for one in running), workers,
            self._folder.seconds, pace * left if left else 0.0,
        )  # fmt: skip

    # -- what is kept ------------------------------------------------------------------------------------------------
    def _keep(self) -> None:
        """Save the tables as they are and show them."""
        began = time.monotonic()
        self._update(state=self._machine.state if self._machine.state is RunState.PAUSED else RunState.RUNNING)
        write_failed(self._spec.out, self._failed)
        write_tables(self._spec.out, self._table)
        self._emit(StudyReady(self._table))
        # Of thousands of cells the tables take a moment, which must stay a small share of the whole.
        self._save_at = time.monotonic() + max(_SAVE_SECONDS, 20.0 * (time.monotonic() - began))

    def _keep_if_due(self) -> None:
        """Save the tables when they are due. A failure does not end the study, whose cells are saved."""
        if time.monotonic() < self._save_at:
            return
        try:
            self._keep()
        except InputError as error:
            self._warn(f"the tables could not be written ({error.problems[0]}); the study goes on")

    def _conclude(self) -> RunFinished:
        if self._control.stop_requested:
            self._machine.move(RunState.STOPPING)
            if self._executor is not None:
                self._executor.stop()
        self._collect(all_of_them=True)
        table, out = self._table, self._spec.out
        remove_empty_work_folder(out)
        self._emit(self._progress(time.monotonic()))
        self._keep()
        reason = FinishReason.COMPLETED
        if not table.complete:
            reason = FinishReason.STOPPED if self._control.stop_requested else FinishReason.FAILED
        message = study_message(table, reason)
        if not self._control.stop_requested and table.rows:  # a stop does not wait for matplotlib
            self._engine.draw_study(table, self._spec.project, out)
        return self._finish(reason, message)

    def _header_fields(self) -> dict[str, Any]:
        return {"workers": self._most_workers}


def _versions() -> dict[str, str]:
    return installed_versions((*PACKAGES, *SEARCHES_WITH))


WRITERS = 8
"""Files that are made certain at the same time cost the disk little more than one."""


class CellStore:
    """Store of cells in the folder of a study. A cell that cannot be written is tried again."""

    def __init__(self, folder: Path, warn: Callable[[str], object]) -> None:
        self._folder, self._warn = folder, warn
        self._writers = ThreadPoolExecutor(WRITERS, thread_name_prefix="study-cells")
        self._writing: dict[Future[StudyRow], CellAnswer] = {}
        self._refused: list[CellAnswer] = []
        self._told = False

    @property
    def pending(self) -> int:
        """Cells that are not kept yet."""
        return len(self._writing) + len(self._refused)

    def put(self, answer: CellAnswer) -> None:
        """Begin to keep a cell."""
        self._writing[self._writers.submit(write_answer, self._folder, answer)] = answer

    def kept(self, *, all_of_them: bool = False) -> list[StudyRow]:
        """Return the rows of the cells saved by now, each once; try the refused ones again.

        With ``all_of_them`` it waits until every cell is kept or was refused once more.
        """
        again, self._refused = self._refused, []
        for answer in again:
            self.put(answer)
        if all_of_them:
            wait(self._writing)
        rows = []
        for writing in [writing for writing in self._writing if writing.done()]:
            answer = self._writing.pop(writing)
            try:
                rows.append(writing.result())
            except InputError as error:
                self._refused.append(answer)
                self._say(error)
        return rows

    def close(self) -> None:
        """Let the writers go; what they are at is finished."""
        self._writers.shutdown(wait=True, cancel_futures=True)

    def _say(self, error: InputError) -> None:
        if not self._told:
            self._told = True
            self._warn(f"a cell could not be saved ({error.problems[0]}); it is tried again")
