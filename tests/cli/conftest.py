from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from firegui.analyses.execution import processes
from firegui.cli.main import main
from firegui.runs.control import RunControl
from firegui.runs.engine import Engine
from firegui.runs.events import FitEpoch
from tests.support import tiny_project, write_schedule
from tests.unit.analyses.workers import Colleague, Workplace


@dataclass(frozen=True)
class Answer:
    """What a command line printed and exited with."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """Standard output as the one JSON object that it must be."""
        assert len(self.out.strip().splitlines()) == 1, self.out
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found

    def assert_refused(self, *texts: str) -> None:
        """Check for exit code 2 and a list of problems that has every text, as JSON or on standard error."""
        assert self.code == 2, self.out + self.err
        as_json = self.out.startswith("{")
        said = "\n".join(f"{one['where']} {one['what']}" for one in self.json["problems"]) if as_json else self.err
        assert [text for text in texts if text not in said] == [], said


Run = Callable[..., Answer]
Stop = Callable[..., None]


@pytest.fixture
def firegui() -> Run:
    """Runs ``firegui`` with the given words in this process."""

    def run(*words: object) -> Answer:
        result = CliRunner().invoke(main, [str(word) for word in words], prog_name="firegui")
        print(result.output)  # pytest shows it with a test that fails
        assert "Traceback" not in result.output
        return Answer(result.exit_code, result.stdout, result.stderr)

    return run


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small saved project."""
    return tiny_project(tmp_path)


@pytest.fixture
def stopping(monkeypatch: pytest.MonkeyPatch) -> Stop:
    """Makes the next run stop at the first event of a kind, after so many epochs, as Ctrl-C does; ``now`` unscored."""

    def arrange(kind: type, epoch: int, now: bool = False) -> None:
        control = RunControl()

        def show(event: object) -> None:
            done = event.progress.epoch + 1 if isinstance(event, FitEpoch) else getattr(event, "epoch", 0)
            if isinstance(event, kind) and done >= epoch:
                control.request_stop(now=now)

        monkeypatch.setattr("firegui.cli.carry_out.RunControl", lambda: control)
        for command in ("plan_runs", "demo", "calibrate"):
            monkeypatch.setattr(f"firegui.cli.{command}.emitter", lambda mode: show)

    return arrange


@pytest.fixture
def schedule(tmp_path: Path) -> Path:
    """A schedule of four drops that help."""
    drops = [
        (0, "R-1", 6.0, 8.0, 0.3),
        (2, "R-2", 5.0, 12.0, 1.1),
        (3, "W-1", 8.5, 9.5, 0.7),
        (9, "R-1", 11.0, 9.0, 2.0),
    ]
    return write_schedule(tmp_path / "drops.csv", drops)


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the pictures of analyses, which take longer than the analyses."""
    for name in ("ensemble", "sensitivity", "skill"):
        monkeypatch.setattr(Engine, f"draw_{name}", lambda *_: [])


@pytest.fixture
def workplace(monkeypatch: pytest.MonkeyPatch) -> Workplace:
    """Benchmarks of this test begin no processes and draw no pictures."""
    place = Workplace()
    monkeypatch.setattr(Engine, "draw_benchmark", lambda self, table, project, folder: [])
    monkeypatch.setattr(processes, "WorkerProcess", partial(Colleague, place))
    return place
