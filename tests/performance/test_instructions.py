"""The guard of the speed says what counted, and compares with what is stored. How fast anything is, no test asserts."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from tests.performance import instructions
from tests.performance.instructions import CALLGRIND, PERF, TIME, by_perf, by_time, counter, main, measured, report


@pytest.fixture
def one_work(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Two short works, one of which contains the other, and figures of its own."""
    works = {"load": (("-c", "pass"), None), "plan": (("-c", "import json"), "load")}
    monkeypatch.setattr(instructions, "WORK", works)
    monkeypatch.setattr(instructions, "STORED", tmp_path / "instructions.json")
    monkeypatch.setattr(instructions, "counter", lambda: (PERF, lambda command, _: 100.0 + 10.0 * len(command[-1])))
    return tmp_path / "instructions.json"


def test_figures_are_stored_and_compared(one_work: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one_work.write_text(json.dumps({CALLGRIND: {"load": 7.0}}))
    assert main(["--store"]) == 0
    assert "nothing stored" in capsys.readouterr().out
    assert json.loads(one_work.read_text()) == {CALLGRIND: {"load": 7.0}, PERF: {"load": 140.0, "plan": 70.0}}
    one_work.write_text(json.dumps({PERF: {"load": 100.0, "plan": 70.0}}))
    assert main(["--json", str(tmp_path / "out.json")]) == 0
    assert "1.400 of the stored 100" in capsys.readouterr().out
    assert json.loads((tmp_path / "out.json").read_text())["ratios"] == {"load": 1.4, "plan": 1.0}


def test_callgrind_counts_the_engine_only_when_asked(one_work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    works = {"help": (("-c", ""), None), "load": (("-c", "pass"), None)}
    monkeypatch.setattr(instructions, "WORK", works)
    monkeypatch.setattr(instructions, "counter", lambda: (CALLGRIND, lambda command, _: 5.0))
    assert main(["--store"]) == 0
    assert json.loads(one_work.read_text()) == {CALLGRIND: {"help": 5.0}}
    assert main(["--slow", "--store"]) == 0
    assert json.loads(one_work.read_text()) == {CALLGRIND: {"help": 5.0, "load": 5.0}}


def test_without_a_tool_it_says_so_and_measures_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert counter() == (TIME, by_time)
    assert "neither perf nor callgrind is there" in report(TIME, {"help": 0.1}, {})[0]
    assert by_time([sys.executable, "-c", "pass"], os.environ) >= 0.0


def test_a_processor_that_does_not_let_perf_count_leaves_it_to_callgrind(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, said in (("perf", "<not supported>,,instructions:u,0,100.00,,"), ("valgrind", "")):
        (tmp_path / name).write_text(f"#!/bin/sh\necho '{said}' >&2\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert counter()[0] == CALLGRIND
    (tmp_path / "perf").write_text("#!/bin/sh\necho 1234,,instructions:u,0,100.00,, >&2\n")
    assert counter()[0] == PERF
    assert by_perf(["true"], os.environ) == 1234.0


@pytest.mark.slow
def test_every_work_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(instructions, "_ENVIRONMENT", {"PYTHONPATH": str(instructions.REPOSITORY)})
    figures = measured(lambda command, environment: 1.0)
    assert figures == {"help": 1.0, "load": 1.0, "rollout": 0.0, "plan": 0.0}
