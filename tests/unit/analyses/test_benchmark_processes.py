"""Benchmarks with processes of their own. Each takes seconds to begin, so there are few of them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from firegui.analyses.benchmark.results import read_benchmark
from firegui.analyses.planner_task import carry_out_task
from firegui.analyses.task_files import TASKS, task_folder
from firegui.domain.benchmark import BenchmarkRow, BenchmarkSettings, PlannerName, PlannerTask, TaskTerms
from firegui.domain.project import Project
from firegui.io.project.store import save_project
from firegui.runs.control import RunControl
from firegui.runs.events import RunEvent, RunFinished
from firegui.runs.run_folder import PLAN
from firegui.runs.runner import execute
from firegui.runs.spec import BenchmarkSpec
from firegui.runs.stages import FinishReason
from tests.support import make_project
from tests.unit.analyses.task_contexts import TaskContexts, measured

NONE, UNIFORM, GRADIENT = PlannerName.NONE, PlannerName.UNIFORM, PlannerName.GRADIENT
QUICK = BenchmarkSettings((NONE, UNIFORM, GRADIENT), seeds=1, allowance=20, budget=9)

LINUX = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="looks for processes in /proc")


def ended(spec: BenchmarkSpec) -> RunFinished:
    """How the benchmark ends, carried out in a thread as the window does it."""
    events: list[RunEvent] = []
    thread = threading.Thread(target=execute, args=(spec, events.append, RunControl()))
    thread.start()
    thread.join()
    finished = events[-1]
    assert isinstance(finished, RunFinished)
    return finished


def saved(project: Project, folder: Path) -> Path:
    save_project(project, folder)
    return folder


def rows_of(out: Path) -> dict[PlannerTask, BenchmarkRow]:
    return {row.task: measured(row) for row in read_benchmark(out)[1].rows}


def plans_of(out: Path) -> dict[PlannerTask, bytes]:
    return {task: (task_folder(out, task) / PLAN).read_bytes() for task in rows_of(out)}


@pytest.mark.slow
def test_processes_carry_the_project_out_as_it_was_when_the_benchmark_began(
    contexts: TaskContexts, tmp_path: Path
) -> None:
    project = make_project()
    edited = replace(project, regions=(), plan=replace(project.plan, weights=replace(project.plan.weights, burn=1.0)))
    folder = saved(edited, tmp_path / "tiny.firegui")
    two = BenchmarkSpec(project, tmp_path / "two", "again", QUICK, folder, processes=2)
    finished = ended(two)
    assert finished.reason is FinishReason.COMPLETED, finished.message
    assert multiprocessing.active_children() == []
    assert not [*(two.out / TASKS).rglob("*checkpoint*")], "nobody goes on with what is done"

    header, table = read_benchmark(two.out)
    assert len(table.rows) == 3 and table.complete and header.processes == 2
    assert header.processor_seconds > table.seconds, "processes that load and score take more than their searches"
    weights, metrics = project.plan.weights, {row.task: row.metrics for row in table.rows}[PlannerTask(NONE, 0)]
    terms = weights.burn * metrics.loss_burn + weights.final * metrics.loss_final + weights.prot * metrics.loss_prot
    assert metrics.loss_prot > 0.0 and metrics.objective == pytest.approx(terms)

    here = contexts("here", project)
    for row in table.rows:
        asked = TaskTerms(row.task, QUICK.allowance, QUICK.budget, QUICK.excess)
        assert measured(carry_out_task(here, asked)) == measured(row)
        assert (task_folder(here.out, row.task) / PLAN).read_bytes() == plans_of(two.out)[row.task]


def test_an_event_that_has_changed_since_is_refused(tmp_path: Path) -> None:
    folder = saved(make_project(seed=1), tmp_path / "tiny.firegui")
    finished = ended(BenchmarkSpec(make_project(), tmp_path / "run", "again", QUICK, folder, processes=1))
    assert finished.reason is FinishReason.FAILED
    assert "is not the event any more" in finished.problems[0].what and finished.problems[0].where == str(folder)
    assert multiprocessing.active_children() == []


def test_a_project_that_is_gone_is_named_with_what_to_do(tmp_path: Path) -> None:
    gone = tmp_path / "tiny.firegui"
    finished = ended(BenchmarkSpec(make_project(), tmp_path / "run", "again", QUICK, gone, processes=1))
    assert finished.reason is FinishReason.FAILED
    (problem,) = finished.problems
    assert problem.where == str(gone) and "is gone" in problem.what and "put it back" in problem.remedy


# -- killed and stopped -----------------------------------------------------------------------------------------------
LONG = ("--planners", "random-uniform,greedy,cma-es,gradient", "--seeds", 2, "--allowance", 2500, "--processes", 2)


def begun(project: Path, out: Path, *more: object) -> subprocess.Popen[str]:
    """``firegui benchmark`` in a process group of its own."""
    words = ["benchmark", project, *LONG, "--out", out, "--progress", "none", *more]
    return subprocess.Popen(
        [sys.executable, "-m", "firegui", *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, start_new_session=True,
    )  # fmt: skip


def ending(process: subprocess.Popen[str]) -> tuple[int, str]:
    said, _ = process.communicate(timeout=600)
    return process.returncode, said


def workers_of(process: subprocess.Popen[str]) -> list[int]:
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return [int(pid) for pid in children if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_for(what: object, seconds: float = 300.0) -> None:
    until = time.monotonic() + seconds
    assert callable(what)
    while not what():
        assert time.monotonic() < until, "in vain"
        time.sleep(0.02)


def checkpoints(out: Path) -> list[Path]:
    return list((out / TASKS).glob("*/checkpoint.safetensors"))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An unbroken benchmark beside its project ``tiny.firegui``."""
    folder = tmp_path_factory.mktemp("whole")
    saved(make_project(epochs=30), folder / "tiny.firegui")
    code, said = ending(begun(folder / "tiny.firegui", folder / "run"))
    assert code == 0, said
    return folder / "run"


def assert_resumed_to(whole: Path, out: Path) -> None:
    code, said = ending(begun(whole.parent / "tiny.firegui", out, "--resume"))
    assert code == 0, said
    assert rows_of(out) == rows_of(whole) and plans_of(out) == plans_of(whole)


@LINUX
@pytest.mark.slow
def test_a_worker_that_is_killed_is_told_of_and_resuming_ends_with_the_same_rows(whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    process = begun(whole.parent / "tiny.firegui", out)
    wait_for(lambda: len(workers_of(process)) == 2)  # the two-stage plan is done, and the others can be begun
    os.kill(workers_of(process)[0], signal.SIGKILL)
    code, said = ending(process)

    assert code == 1 and "was killed (signal 9)" in said and "resume to try again" in said
    assert 0 < len(rows_of(out)) < len(rows_of(whole)), "the others went on"
    assert_resumed_to(whole, out)


@LINUX
@pytest.mark.slow
def test_a_benchmark_that_is_killed_leaves_no_process_and_resumes_to_the_same_rows(whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    process = begun(whole.parent / "tiny.firegui", out)
    wait_for(lambda: checkpoints(out))
    workers = workers_of(process)
    process.kill()
    process.communicate()
    assert workers
    wait_for(lambda: not any(map(is_running, workers)), 30.0)
    assert_resumed_to(whole, out)


@LINUX
@pytest.mark.slow
def test_ctrl_c_for_the_whole_group_saves_and_resumes_to_the_same_rows(whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    process = begun(whole.parent / "tiny.firegui", out)
    wait_for(lambda: len(workers_of(process)) == 2)
    wait_for(lambda: len(rows_of(out)) > 0)
    workers = workers_of(process)
    os.killpg(process.pid, signal.SIGINT)
    code, said = ending(process)

    assert code == 130 and "stopped on request after" in said and "Traceback" not in said
    assert not any(map(is_running, workers))
    assert_resumed_to(whole, out)
