"""Executors: the same tasks in this process and on processes of this machine, which die, fail and are stopped."""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from firegui.analyses.execution import folders
from firegui.analyses.execution.executor import ExecutorHooks, TaskExecutor, results_in_order
from firegui.analyses.execution.factory import open_executor
from firegui.analyses.execution.folders import FolderAnswer, FolderTask, folder_task, save_answer, work_in_folder
from firegui.analyses.execution.tasks import TaskOutcome, WorkerSetup
from firegui.errors import CancelledError, FireguiError, InputError
from firegui.runs.control import RunControl
from tests.unit.analyses.toy_worker import TOY


class Scene:
    """What an executor told, and the control of its run."""

    def __init__(self) -> None:
        self.control = RunControl()
        self.warned: list[str] = []
        self.of_tasks: dict[int, str] = {}
        self.hooks = ExecutorHooks(self.control, self.warned.append, self.of_tasks.__setitem__)

    def executor(self, workers: int, data: bytes = b"") -> TaskExecutor:
        """An executor of toy workers."""
        return open_executor(WorkerSetup(TOY, "the toy", data=data), "toy", self.hooks, workers=workers)


@pytest.fixture
def scene() -> Iterator[Scene]:
    made = Scene()
    yield made
    made.control.request_stop()


def outcomes(executor: TaskExecutor, tasks: list[bytes]) -> dict[int, TaskOutcome]:
    for number, task in enumerate(tasks):
        executor.submit(number, task)
    found = {}
    while executor.busy:
        found.update({result.number: result.outcome for result in executor.collect(0.1)})
    return found


@pytest.mark.parametrize("workers", [0, 2])
def test_results_come_in_the_order_of_the_tasks_wherever_they_are_computed(scene: Scene, workers: int) -> None:
    tasks = [f"task {number}".encode() for number in range(7)]
    with closing(scene.executor(workers)) as executor:
        assert list(results_in_order(executor, tasks, scene.control)) == [task.upper() for task in tasks]
        assert sum(worker.done for worker in executor.workers) == 7
        assert len(executor.workers) == max(workers, 1)
    assert scene.of_tasks == dict.fromkeys(range(7), "did task")


def test_a_task_that_fails_ends_alone_and_a_task_whose_worker_dies_is_begun_again(scene: Scene, tmp_path: Path) -> None:
    tasks = [b"one", b"fail", f"die {tmp_path / 'mark'}".encode(), b"always-die", b"two"]
    with closing(scene.executor(2)) as executor:
        found = outcomes(executor, tasks)
    assert [found[number].result for number in (0, 4)] == [b"ONE", b"TWO"]
    assert "is broken" in found[1].error and found[1].problems[0].remedy == "mend it"
    assert found[2].result.startswith(b"DIE"), found[2].error
    assert "was killed (signal 9)" in found[3].error
    assert sum("its task is given to another" in text for text in scene.warned) == 4


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="looks for processes in /proc")
def test_a_worker_keeps_no_reader_once_it_has_read_what_it_works_on(scene: Scene) -> None:
    with closing(scene.executor(1, b"reads")) as executor:
        assert outcomes(executor, [b"children"])[0].result == b""


def test_an_error_in_the_midst_of_ordered_results_is_raised(scene: Scene) -> None:
    with closing(scene.executor(0)) as executor:
        results = results_in_order(executor, [b"one", b"fail", b"two"], scene.control)
        assert next(results) == b"ONE"
        with pytest.raises(InputError, match="is broken"):
            next(results)


def test_workers_without_room_end_the_run_with_the_reason(scene: Scene) -> None:
    with closing(scene.executor(2, b"no room")) as executor:
        executor.submit(0, b"one")
        with pytest.raises(FireguiError, match="no task could be begun: ran out of memory"):
            while executor.busy:
                executor.collect(0.1)


def test_a_worker_that_cannot_be_opened_here_leaves_the_number_of_threads(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIREGUI_THREADS", "3")
    with pytest.raises(MemoryError):
        scene.executor(0, b"no room")
    assert os.environ["FIREGUI_THREADS"] == "3"


@pytest.mark.parametrize("workers", [0, 2])
def test_a_stop_ends_tasks_at_work_within_a_second(scene: Scene, workers: int) -> None:
    stopped_at: list[float] = []

    def stop() -> None:
        while not any(one.report.spent for one in executor.running):
            time.sleep(0.01)
        stopped_at.append(time.monotonic())
        scene.control.request_stop()

    with closing(scene.executor(workers)) as executor:
        threading.Thread(target=stop, daemon=True).start()
        with pytest.raises(CancelledError):
            list(results_in_order(executor, [b"wait", b"wait", b"one"], scene.control))
    assert time.monotonic() - stopped_at[0] < 1.0


def test_a_task_in_a_folder_sends_its_files_there_and_back_even_when_it_is_stopped(tmp_path: Path) -> None:
    out = tmp_path / "run"
    (out / "tasks" / "a").mkdir(parents=True)
    (out / "tasks" / "a" / "checkpoint").write_text("half")
    (out / "tasks" / "a" / ".lock").write_text("")
    task = folder_task(out, "tasks/a", b"data", sends_files=True)

    def stop_halfway(root: Path, data: bytes) -> bytes:
        place = root / "tasks" / "a"
        assert data == b"data" and sorted(path.name for path in place.iterdir()) == ["checkpoint"]
        (place / "checkpoint").write_text("three quarters")
        raise CancelledError("stopped")

    assert save_answer(out, "tasks/a", work_in_folder(task, "", stop_halfway)) == b""
    assert (out / "tasks" / "a" / "checkpoint").read_text() == "three quarters"

    assert msgspec.msgpack.decode(folder_task(out, "tasks/a", b"", sends_files=False), type=FolderTask).files == b""
    with pytest.raises(CancelledError):
        work_in_folder(task, str(out), stop_halfway)


def test_files_of_an_answer_that_find_no_room_leave_the_earlier_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "checkpoint").write_text("half")

    def no_room(archive: bytes, folder: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(folders, "unpack_folder", no_room)
    with pytest.raises(InputError, match="No space left"):
        save_answer(tmp_path, "a", msgspec.msgpack.encode(FolderAnswer(b"", b"archive")))
    assert (tmp_path / "a" / "checkpoint").read_text() == "half"
