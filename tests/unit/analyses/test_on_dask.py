"""A study and a benchmark on Dask workers started by hand, one of which is killed while it works."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from firegui.analyses.benchmark.results import read_benchmark
from firegui.analyses.task_files import task_folder
from firegui.analyses.uncertainty.results import MEMBERS
from firegui.domain.benchmark import BenchmarkSettings, PlannerName
from firegui.domain.sensitivity import SensitivityKind, design_folder
from firegui.domain.study import StudySettings, Vary
from firegui.domain.uncertainty import UncertaintyKind
from firegui.domain.workers import WorkerSettings
from firegui.io.project.store import save_project
from firegui.runs.control import RunControl
from firegui.runs.events import BenchmarkProgress, Message, RunEvent, StudyProgress
from firegui.runs.run_folder import PLAN
from firegui.runs.runner import execute
from firegui.runs.spec import BenchmarkSpec, RunSpec, StudySpec
from firegui.runs.stages import FinishReason
from tests.support import make_project
from tests.unit.analyses.cluster_hands import Cluster
from tests.unit.analyses.task_contexts import measured
from tests.unit.analyses.test_elsewhere import ensemble_spec, table_spec
from tests.unit.runs.fakes import end

pytestmark = pytest.mark.slow


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    made = Cluster(tmp_path)
    yield made
    made.end()


def carried(spec: RunSpec, watch: Callable[[RunEvent], object] = lambda event: None) -> list[RunEvent]:
    events: list[RunEvent] = []

    def hear(event: RunEvent) -> None:
        events.append(event)
        watch(event)

    execute(spec, hear, RunControl())
    assert end(events).reason is FinishReason.COMPLETED, end(events).message
    return events


def with_a_loss(spec: RunSpec, cluster: Cluster, is_time: Callable[[RunEvent], bool]) -> str:
    """Carry ``spec`` out on two workers, of which the second is killed once it ``is_time``; return the warnings."""
    cluster.worker("first")
    second = cluster.worker("second")
    cluster.await_workers(2)
    killed: list[RunEvent] = []

    def watch(event: RunEvent) -> None:
        if not killed and is_time(event):
            killed.append(event)
            second.send_signal(signal.SIGKILL)

    events = carried(spec, watch)
    assert killed
    return "\n".join(event.text for event in events if isinstance(event, Message))


def test_a_study_loses_nothing_and_has_the_table_of_a_serial_one(tmp_path: Path, cluster: Cluster) -> None:
    project = make_project(epochs=60)
    vary = (Vary("nominal", (0.6, 0.9)), Vary("seed", tuple(range(6))))
    settings = StudySettings(name="real", planner="gradient", allowance=400, vary=vary, measure=("objective",))
    serial = StudySpec(project, tmp_path / "serial", "again", settings, backend="cpu")
    carried(serial)
    spec = replace(serial, out=tmp_path / "dask", workers=WorkerSettings(scheduler=cluster.address()))

    def is_time(event: RunEvent) -> bool:
        return isinstance(event, StudyProgress) and "second" in {one.worker for one in event.running}

    assert "worker second was lost" in with_a_loss(spec, cluster, is_time)
    for name in ("table.csv", "table.parquet"):
        assert (spec.out / name).read_bytes() == (serial.out / name).read_bytes()


def test_a_benchmark_loses_nothing_and_has_the_rows_of_a_serial_one(tmp_path: Path, cluster: Cluster) -> None:
    project = make_project(epochs=30)
    folder = tmp_path / "tiny.firegui"
    save_project(project, folder)
    planners = (PlannerName.UNIFORM, PlannerName.CMA_ES, PlannerName.GRADIENT)
    settings = BenchmarkSettings(planners, seeds=2, allowance=3000)
    serial = BenchmarkSpec(project, tmp_path / "serial", "again", settings, folder, backend="cpu", processes=1)
    carried(serial)
    spec = replace(serial, out=tmp_path / "dask", processes=0, scheduler=cluster.address())

    def is_time(event: RunEvent) -> bool:
        return isinstance(event, BenchmarkProgress) and sum(one.spent > 0 for one in event.running) == 2

    assert "worker second was lost" in with_a_loss(spec, cluster, is_time)
    rows, others = (
        {row.task: measured(row) for row in read_benchmark(each.out)[1].rows} for each in (serial, spec)
    )  # fmt: skip
    assert rows == others and len(rows) == 7
    for task in rows:
        assert (task_folder(spec.out, task) / PLAN).read_bytes() == (task_folder(serial.out, task) / PLAN).read_bytes()
    header, _ = read_benchmark(spec.out)
    assert (header.processes, header.scheduler) == (2, spec.scheduler)


def test_an_ensemble_and_a_sweep_are_the_same_on_a_cluster(tmp_path: Path, cluster: Cluster) -> None:
    cluster.worker("only")
    there = WorkerSettings(scheduler=cluster.address())
    here = ensemble_spec(tmp_path / "ensemble", UncertaintyKind.EPISTEMIC)
    for spec in (here, replace(here, out=tmp_path / "there", workers=there)):
        carried(spec)
    assert (tmp_path / "there" / MEMBERS).read_bytes() == (here.out / MEMBERS).read_bytes()
    sweep = table_spec(tmp_path / "sweep", SensitivityKind.DESIGN, WorkerSettings())
    for table in (sweep, replace(sweep, out=tmp_path / "sweep-there", workers=there)):
        carried(table)
    for design in sweep.settings.designs:
        plans = [(tmp_path / name / design_folder(design) / PLAN).read_bytes() for name in ("sweep", "sweep-there")]
        assert plans[0] == plans[1]
