"""What is said when a run ends, early or late, and what to type next."""

from __future__ import annotations

import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from firegui.runs.events import StateChanged
from firegui.runs.run_folder import read_run
from firegui.runs.stages import EpochDone, FinishReason
from tests.cli.conftest import Run, Stop
from tests.support import make_project

QUIET = ("--progress", "none")
SLOW_IMPORT = """
import os, signal, sys
from importlib.abc import MetaPathFinder

class Interrupting(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == "firegui.cli.main":
            os.kill(os.getpid(), signal.SIGINT)
        return None

sys.meta_path.insert(0, Interrupting())
from firegui.__main__ import main
main()
"""


def test_a_run_stopped_before_its_first_epoch_says_so_without_a_table(
    firegui: Run, project: Path, stopping: Stop
) -> None:
    out = project / "runs" / "one"
    stopping(StateChanged, 0)
    answer = firegui("optimize", project, "--out", out)
    assert answer.code == 130
    assert "there is no plan yet" in answer.out
    for absent in ("objective", "final extent", "not scored"):
        assert absent not in answer.out
    assert f"To go on: firegui optimize {project} --out {out} --resume" in answer.out.splitlines()
    assert "one: stopped, 0 epochs, no plan yet" in firegui("info", project).out


def test_a_run_stopped_without_its_score_says_how_to_score_it(firegui: Run, project: Path, stopping: Stop) -> None:
    out = project / "runs" / "one"
    stopping(EpochDone, 3, now=True)
    answer = firegui("optimize", project, "--out", out)
    assert answer.code == 130
    assert "final extent" not in answer.out
    (line,) = (line for line in answer.out.splitlines() if line.startswith("not scored: "))
    words = shlex.split(line.removeprefix("not scored: firegui "))
    assert words == ["evaluate", str(project), "--schedule", str(out / "plan.safetensors")]
    assert "one: stopped, 4 epochs, not scored" in firegui("info", project).out
    assert "drops executed" in firegui(*words).out


def test_a_run_that_ended_by_itself_is_handed_over_and_not_resumed(firegui: Run, project: Path) -> None:
    out = project / "runs" / "my run"
    answer = firegui("optimize", project, "--out", out, "--epochs", 3, *QUIET)
    assert answer.out.splitlines()[-1] == f"Next: firegui export '{out}' --format csv,geojson --out FOLDER"
    assert "resume" not in answer.out


def test_the_hint_to_go_on_can_be_typed_as_it_stands(firegui: Run, project: Path, stopping: Stop) -> None:
    out = project / "runs" / "my run"
    stopping(EpochDone, 3)
    answer = firegui("optimize", project, "--out", out, "--epochs", 12, *QUIET)
    stopping(EpochDone, 12)  # never, that is
    assert "resume the run to go on" in answer.out and "Next: " not in answer.out
    (line,) = (line for line in answer.out.splitlines() if line.startswith("To go on: "))
    assert firegui(*shlex.split(line.removeprefix("To go on: firegui ")), *QUIET).code == 0
    assert read_run(out).header.epochs_done == 12


def test_a_run_without_a_drop_is_given_more_epochs_by_a_command_as_it_stands(firegui: Run, project: Path) -> None:
    out = project / "runs" / "my run"
    answer = firegui("optimize", project, "--out", out, "--epochs", 1, "--lr", 1e-5, *QUIET)
    (line,) = (line for line in answer.out.splitlines() if line.startswith("With more search steps: "))
    assert firegui(*shlex.split(line.removeprefix("With more search steps: firegui ")), *QUIET).code == 0
    assert read_run(out).header.epochs_done == 100


def test_a_run_that_has_done_what_is_asked_is_not_computed_again(
    firegui: Run, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "run"
    first = firegui("optimize", project, "--out", out, "--epochs", 4, "--json", *QUIET).json
    monkeypatch.setattr("firegui.api.plans.run_spec", lambda *_: pytest.fail("it was computed again"))
    answer = firegui("optimize", project, "--out", out, "--resume", "--json", *QUIET)
    assert answer.code == 0
    assert answer.json == {**first, "message": "nothing left to do: give --epochs above 4"}


def test_a_run_out_of_patience_asks_for_more_of_it(firegui: Run, project: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    firegui("optimize", project, "--out", out, "--epochs", 50, "--patience", 2, "--lr", 1e-6, *QUIET)
    assert read_run(out).reason is FinishReason.PATIENCE
    answer = firegui("optimize", project, "--out", out, "--resume", "--epochs", 60, *QUIET)
    lines = answer.out.splitlines()
    assert answer.code == 0
    # Below the result, and right above the table of metrics.
    message = lines.index("nothing left to do: give --patience above 2")
    assert any(line.startswith("Final size") for line in lines[:message])
    assert lines[message + 1].split() == ["no", "drops", "plan"]


def test_a_finished_run_is_still_refused_with_other_settings(firegui: Run, project: Path, tmp_path: Path) -> None:
    firegui("optimize", project, "--out", tmp_path / "run", "--epochs", 2, *QUIET)
    answer = firegui("optimize", project, "--out", tmp_path / "run", "--resume", "--lr", 0.5, *QUIET)
    answer.assert_refused("was run with Step size = 0.05, now 0.5")


def test_both_objectives_say_at_which_effectiveness_they_are(firegui: Run, project: Path, tmp_path: Path) -> None:
    answer = firegui("optimize", project, "--out", tmp_path / "run", "--epochs", 4)
    record = read_run(tmp_path / "run")
    assert record.scores.design is not None
    assert record.metrics is not None
    assert f"(objective {record.scores.design.objective:.4g} at cautious effectiveness)" in answer.out
    assert f"At expected effectiveness: objective {record.metrics.objective:.4g}" in answer.out
    assert f"best {record.scores.design.objective:.4g} at cautious effectiveness" in answer.err
    assert "cautious effectiveness" in firegui("optimize", "--help").out


def test_a_plan_whose_first_drop_has_not_formed_is_not_blamed_on_the_weights(
    firegui: Run, project: Path, tmp_path: Path
) -> None:
    answer = firegui("optimize", project, "--out", tmp_path / "run", "--epochs", 1, "--lr", 1e-5, *QUIET)
    assert "no drop has formed yet; the first usually do after some 15 to 20 search steps" in answer.out
    assert "does not help" not in answer.out
    assert "did 1 search step;" in answer.out
    assert "Next: firegui export" not in answer.out


def test_a_stopped_demo_says_how_to_go_on(
    firegui: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stopping: Stop
) -> None:
    monkeypatch.setattr("firegui.fire.demo.make_demo", lambda: make_project())
    stopping(EpochDone, 1, now=True)
    answer = firegui("demo", "--out", tmp_path / "d")
    assert answer.code == 130
    assert answer.err.splitlines()[-1] == f"To go on: firegui demo --out {tmp_path / 'd'}"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for one child process")
@pytest.mark.parametrize("handler", [signal.SIG_DFL, signal.SIG_IGN])
def test_an_interrupt_while_the_program_is_loaded_ends_it_quietly(handler: signal.Handlers) -> None:
    # A background job of a shell is started with the signal ignored.
    started = f"import os, signal, sys\nsignal.signal(signal.SIGINT, signal.Handlers({handler.value}))\n"
    begin = f"{started}os.execv(sys.executable, [sys.executable, '-c', {SLOW_IMPORT!r}])"
    done = subprocess.run([sys.executable, "-c", begin], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
