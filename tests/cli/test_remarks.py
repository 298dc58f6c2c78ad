"""What the engine has to say while a command waits goes to standard error, and the answer names what computed it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from firegui.rollout.engine_message import EngineMessage
from firegui.runs.engine import Engine
from tests.cli.conftest import Run
from tests.support import write_schedule

COMPILES = EngineMessage("Compiling first.")
MOVES = EngineMessage("Memory does not suffice.", "warning", "cpu")


@pytest.fixture
def talkative(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that compiles while it prepares a model and then calls its device another, which it leaves."""
    build = Engine.build

    def talk(self: Engine, *arguments: Any, tell: Any, **options: Any) -> Any:
        tell(COMPILES)
        tell(MOVES)
        return build(*arguments, tell=tell, **options)

    monkeypatch.setattr(Engine, "build", talk)
    monkeypatch.setattr(Engine, "method", lambda _self, _model: "what was left")


@pytest.mark.usefixtures("talkative")
def test_evaluate_passes_remarks_on_and_says_where_it_ended_up(firegui: Run, project: Path) -> None:
    answer = firegui("evaluate", project)
    assert answer.code == 0
    assert answer.err.splitlines() == ["Compiling first.", "warning: Memory does not suffice."]
    assert "Computed on the CPU, in " in answer.out
    assert "what was left" not in answer.out
    assert firegui("evaluate", project, "--json").json["device"] == "cpu"


@pytest.mark.usefixtures("talkative")
def test_gradient_passes_remarks_on(firegui: Run, project: Path, tmp_path: Path) -> None:
    drops = write_schedule(tmp_path / "drops.csv", [(0, "R-1", 7.0, 9.0, 0.5)])
    answer = firegui("gradient", project, "--schedule", drops, "--out", tmp_path / "g.npz", "--json")
    assert answer.err.splitlines() == ["Compiling first.", "warning: Memory does not suffice."]
    assert answer.json["device"] == "cpu"


@pytest.mark.usefixtures("talkative")
@pytest.mark.parametrize(
    ("mode", "line"),
    [
        ("bar", "warning: Memory does not suffice."),
        ("json", '{"event": "message", "level": "warning", "text": "Memory does not suffice."}'),
    ],
)
def test_optimize_shows_remarks_as_progress(firegui: Run, project: Path, tmp_path: Path, mode: str, line: str) -> None:
    answer = firegui("optimize", project, "--out", tmp_path / "run", "--epochs", 1, "--progress", mode)
    assert answer.code == 0
    assert line in answer.err.splitlines()


def test_a_command_that_the_engine_has_nothing_to_say_of_is_quiet(firegui: Run, project: Path) -> None:
    firegui("evaluate", project)  # compiles where nothing is kept yet
    assert firegui("evaluate", project).err == ""
