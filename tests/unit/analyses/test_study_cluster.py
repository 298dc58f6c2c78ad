"""A study on processes of this machine and on a scheduler's workers: given out, lost, stopped."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from firegui.domain.project import Project
from firegui.domain.workers import WorkerSettings
from firegui.runs.control import RunControl
from firegui.runs.events import Message, RunEvent, RunFinished, StudyProgress
from firegui.runs.spec import StudySpec
from firegui.runs.stages import FinishReason
from tests.support import make_project
from tests.unit.analyses.cluster_hands import Cluster
from tests.unit.analyses.study_stub import execute, settings


@pytest.fixture
def project() -> Project:
    return make_project()


def carried(spec: StudySpec, events: list[RunEvent], control: RunControl | None = None) -> RunFinished:
    execute(spec, events.append, control or RunControl())
    last = events[-1]
    assert isinstance(last, RunFinished)
    return last


def spec_of(out: Path, project: Project, *, name: str = "stub", seeds: int = 4, scheduler: str = "") -> StudySpec:
    study = settings(project, seeds=seeds, name=name)
    workers = WorkerSettings(0 if scheduler else 2, scheduler)
    return StudySpec(project, out, "again", study, backend="cpu", workers=workers)


@pytest.mark.slow
def test_two_processes_give_the_tables_of_one_and_say_who_worked(tmp_path: Path, project: Project) -> None:
    alone: list[RunEvent] = []
    one = StudySpec(project, tmp_path / "one", "again", settings(project), backend="cpu")
    execute(one, alone.append, RunControl())
    events: list[RunEvent] = []
    assert carried(spec_of(tmp_path / "two", project), events).reason is FinishReason.COMPLETED
    for name in ("table.csv", "table.parquet"):
        assert (tmp_path / "two" / name).read_bytes() == (tmp_path / "one" / name).read_bytes()
    told = [event for event in events if isinstance(event, StudyProgress)]
    assert len(told[-1].workers) == 2
    assert all(worker.threads == 1 for worker in told[-1].workers)


def test_a_stop_waits_for_no_worker(tmp_path: Path, project: Project) -> None:
    events: list[RunEvent] = []
    control = RunControl()

    def watch(event: RunEvent) -> None:
        events.append(event)
        if isinstance(event, StudyProgress) and event.running:
            control.request_stop()

    execute(spec_of(tmp_path / "s", project, name="slow for ever"), watch, control)
    last = events[-1]
    assert isinstance(last, RunFinished) and last.reason is FinishReason.STOPPED
    assert not list((tmp_path / "s" / "cells").iterdir())


@pytest.mark.slow
def test_a_scheduler_that_is_not_there_is_said(tmp_path: Path, project: Project) -> None:
    events: list[RunEvent] = []
    end = carried(spec_of(tmp_path / "s", project, scheduler="tcp://127.0.0.1:9"), events)
    assert end.reason is FinishReason.FAILED
    assert "no scheduler answers at tcp://127.0.0.1:9" in str(end.problems[0])


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    made = Cluster(tmp_path)
    yield made
    made.end()


def test_a_lost_worker_gives_its_cells_to_the_others(tmp_path: Path, project: Project, cluster: Cluster) -> None:
    address = cluster.address()
    cluster.worker("first")
    second = cluster.worker("second")
    events: list[RunEvent] = []
    killed = threading.Event()

    def watch(event: RunEvent) -> None:
        events.append(event)
        at_work = {one.worker for one in event.running} if isinstance(event, StudyProgress) else set()
        if "second" in at_work and not killed.is_set():
            second.send_signal(signal.SIGKILL)
            killed.set()

    spec = spec_of(tmp_path / "s", project, name="slow", seeds=8, scheduler=address)
    execute(spec, watch, RunControl())
    last = events[-1]
    assert isinstance(last, RunFinished)
    assert killed.is_set()
    assert last.reason is FinishReason.COMPLETED, last.message
    said = [event.text for event in events if isinstance(event, Message)]
    assert any("worker second was lost" in text for text in said)
    assert len(list((tmp_path / "s" / "cells").glob("*.json"))) == 24
