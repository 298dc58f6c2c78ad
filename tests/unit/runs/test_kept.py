from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from firegui.domain.settings import Effectiveness, RetardantSide
from firegui.domain.stress import StressScenario, StressSet
from firegui.errors import InputError, Problem
from firegui.io.toml import dumps
from firegui.runs.header import SavedHeader
from firegui.runs.lock import is_held
from firegui.runs.result_store import ResultStore, SavedResultFolder
from firegui.runs.snapshot import ProjectSnapshot
from firegui.runs.stages import FinishReason, RunState
from tests.support import make_project


@dataclass(frozen=True, slots=True, kw_only=True)
class ThingHeader(SavedHeader):
    """A header with a number of its own."""

    count: int = 0


PLACE = ResultStore("a thing", "thing.toml", "The thing cannot be made", ThingHeader, "make the thing again")


def header() -> ThingHeader:
    return ThingHeader(
        command="firegui thing", state=RunState.RUNNING, started=datetime(2020, 8, 19, tzinfo=UTC), seconds=40.0,
        project_hash="1", event_hash="2", project=ProjectSnapshot.of(make_project()),
    )  # fmt: skip


def test_what_is_written_of_a_run_reads_back_with_its_time_and_what_is_of_its_kind(tmp_path: Path) -> None:
    folder = SavedResultFolder(PLACE, tmp_path / "out", resume=False)
    assert folder.written is None and folder.checked((), lambda then: ()) is None
    folder.claim(None, header())
    assert is_held(tmp_path / "out") and not (tmp_path / "out" / "thing.toml").exists(), "a claim writes nothing"
    folder.update(state=RunState.FINISHED, reason=FinishReason.COMPLETED, message="done", count=3)
    folder.close()
    found = PLACE.read(tmp_path / "out")
    assert found == folder.header and found.count == 3 and found.reason is FinishReason.COMPLETED
    assert 40.0 <= found.seconds < 100.0 and found.updated is not None
    assert not is_held(tmp_path / "out") and folder.written == tmp_path / "out"


def test_the_stress_set_of_the_project_is_kept_and_an_older_header_without_it_reads(tmp_path: Path) -> None:
    weak = StressScenario("weak", Effectiveness(0.7, 0.6), RetardantSide.EMITTER)
    stress = StressSet((weak, StressScenario("late, by far", delay_minutes=90.0)), seed=4)
    kept = replace(header(), project=ProjectSnapshot.of(replace(make_project(), stress=stress)))
    PLACE.write(tmp_path, kept)
    assert PLACE.read(tmp_path).project == kept.project
    assert PLACE.read(tmp_path).project.project().stress == stress
    table = tomllib.loads((tmp_path / "thing.toml").read_text(encoding="utf-8"))
    del table["project"]["stress"]
    (tmp_path / "thing.toml").write_text(dumps(table), encoding="utf-8")
    assert PLACE.read(tmp_path).project.stress == StressSet()


def test_rest_does_not_count(tmp_path: Path) -> None:
    folder = SavedResultFolder(PLACE, tmp_path / "out", resume=False)
    folder.claim(None, header())
    before = folder.seconds
    folder.rest(30.0)
    assert folder.seconds < before - 20.0
    folder.close()


def test_what_is_lacking_and_what_lies_in_the_folder_is_told_together(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("of somebody else", encoding="utf-8")
    folder = SavedResultFolder(PLACE, tmp_path, resume=False)
    with pytest.raises(InputError) as refused:
        folder.checked([Problem("count", "is 0", "give more")], lambda then: ())
    assert refused.value.title == PLACE.title
    assert [problem.what for problem in refused.value.problems] == ["is 0", "is not empty and holds no thing"]


def test_a_folder_that_somebody_was_faster_with_is_refused_and_let_go(tmp_path: Path) -> None:
    late = SavedResultFolder(PLACE, tmp_path, resume=True)
    first = SavedResultFolder(PLACE, tmp_path, resume=False)
    first.claim(None, header())
    first.update(state=RunState.RUNNING)
    first.close()
    then = late.checked((), lambda header: ())
    again = SavedResultFolder(PLACE, tmp_path, resume=True)
    again.claim(then, header())
    again.update(state=RunState.RUNNING, count=7)
    again.close()
    with pytest.raises(InputError, match="has just written to this folder"):
        late.claim(then, header())
    assert not is_held(tmp_path) and late.written is None
