from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from firegui.errors import InputError
from firegui.io.paths import LOCK
from firegui.runs.lock import FolderLock, is_held
from firegui.runs.run_folder import read_run
from firegui.runs.run_repair import check_out
from firegui.runs.spec import PlanSpec
from firegui.runs.stages import FinishReason
from tests.support import make_project
from tests.unit.runs.fakes import FakeEngine, carried_out, end, problems_of

HOLDER = """
import sys, time
from pathlib import Path
from firegui.runs.lock import FolderLock
lock = FolderLock(Path(sys.argv[1]))
print("held", flush=True)
time.sleep(60)
"""


@pytest.fixture
def spec(tmp_path: Path) -> PlanSpec:
    return PlanSpec(make_project(epochs=4), tmp_path / "run", "firegui optimize …", checkpoint_seconds=0.0)


def test_a_second_run_into_the_folder_of_a_live_one_is_refused_and_changes_nothing(spec: PlanSpec) -> None:
    refusals: list[str] = []
    states: list[tuple[bool, dict[Path, bytes]]] = []

    def during(epoch: int) -> None:
        if epoch == 2:
            before = {path: path.read_bytes() for path in spec.out.iterdir()}
            refusals.extend(problems_of(carried_out(replace(spec, resume=resume))) for resume in (True, False))
            states.append((before == {path: path.read_bytes() for path in spec.out.iterdir()}, before))

    events = carried_out(spec, FakeEngine(during_epoch=during))
    assert len(refusals) == 2
    said = "another run is writing this folder — wait for it or choose another folder"
    assert all(said in refusal for refusal in refusals)
    assert states[0][0]
    assert end(events).reason is FinishReason.COMPLETED
    assert [row.epoch for row in read_run(spec.out).history] == [0, 1, 2, 3]


def test_a_run_that_lost_the_race_for_the_folder_is_refused(spec: PlanSpec) -> None:
    # Between the check of the folder and the first write to it another run comes and goes.
    late = FakeEngine(during_build=lambda tell: carried_out(spec))
    assert "holds a finished run" in problems_of(carried_out(spec, late))
    longer = _longer(replace(spec, resume=True))
    late = FakeEngine(during_build=lambda tell: carried_out(longer))
    assert "has just written to this folder" in problems_of(carried_out(longer, late))


def _longer(spec: PlanSpec) -> PlanSpec:
    plan = spec.project.plan
    longer = replace(plan, optimizer=replace(plan.optimizer, epochs=6))
    return replace(spec, project=replace(spec.project, plan=longer))


def test_a_run_is_live_while_it_works_and_not_after(spec: PlanSpec) -> None:
    seen: list[bool] = []
    carried_out(spec, FakeEngine(during_epoch=lambda epoch: seen.append(read_run(spec.out).is_live)))
    assert seen == [True] * 4
    assert not read_run(spec.out).is_live


@pytest.mark.parametrize("error", [MemoryError, InputError], ids=lambda kind: kind.__name__)
def test_a_run_that_fails_lets_the_folder_go(spec: PlanSpec, error: type[Exception]) -> None:
    def during(epoch: int) -> None:
        raise error(())

    carried_out(spec, FakeEngine(during_epoch=during))
    assert not is_held(spec.out)


@pytest.mark.parametrize("kill", [True, False])
def test_the_system_lets_go_of_the_lock_when_the_other_process_ends(tmp_path: Path, kill: bool) -> None:
    if kill and sys.platform == "win32":
        pytest.skip("Windows has no SIGKILL")
    child = subprocess.Popen([sys.executable, "-c", HOLDER, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    with child:
        assert child.stdout is not None
        assert child.stdout.readline() == "held\n"
        assert is_held(tmp_path)
        with pytest.raises(InputError, match="another run is writing this folder"):
            check_out(tmp_path, resume=False)
        with pytest.raises(InputError, match="another run is writing this folder"):
            FolderLock(tmp_path)
        child.send_signal(signal.SIGKILL if kill else signal.SIGTERM)
    assert (tmp_path / LOCK).exists()
    assert not is_held(tmp_path)
    FolderLock(tmp_path).release()


def test_a_folder_that_nobody_ever_wrote_is_not_held(tmp_path: Path) -> None:
    assert not is_held(tmp_path / "nowhere")
    assert not is_held(tmp_path)


def test_a_lock_can_be_released_twice(tmp_path: Path) -> None:
    lock = FolderLock(tmp_path / "new")
    lock.release()
    lock.release()
    assert not is_held(tmp_path / "new")


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP])
def test_on_a_file_system_that_cannot_lock_work_goes_on_without(
    tmp_path: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(handle: int, *, blocking: bool) -> bool:
        raise OSError(number, "cannot lock")

    monkeypatch.setattr("firegui.runs.lock.lock_descriptor", refuse)
    FolderLock(tmp_path).release()
    assert not is_held(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [LOCK]


@pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="this system opens links")
def test_a_link_in_the_place_of_the_lock_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("x")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / LOCK).symlink_to(tmp_path / "precious")

    with pytest.raises(InputError, match="cannot be saved"):
        FolderLock(tmp_path / "run").say("somebody")

    assert (tmp_path / "precious").read_text() == "x" and not is_held(tmp_path / "run")
