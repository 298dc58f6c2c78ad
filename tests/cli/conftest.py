from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from firegui.cli.main import main
from firegui.runs import benchmark_workers
from firegui.runs.engine import Engine
from tests.support import tiny_project
from tests.unit.runs.workers import Colleague, Workplace


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


Run = Callable[..., Answer]


@pytest.fixture
def firegui() -> Run:
    """Runs ``firegui`` with the given words in this process."""

    def run(*words: object) -> Answer:
        result = CliRunner().invoke(main, [str(word) for word in words], prog_name="firegui")
        assert "Traceback" not in result.output
        return Answer(result.exit_code, result.stdout, result.stderr)

    return run


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small saved project."""
    return tiny_project(tmp_path)


@pytest.fixture
def workplace(monkeypatch: pytest.MonkeyPatch) -> Workplace:
    """Benchmarks of this test begin no processes and draw no pictures."""
    place = Workplace()
    monkeypatch.setattr(Engine, "draw_benchmark", lambda self, table, project, folder: [])
    monkeypatch.setattr(benchmark_workers, "WorkerProcess", partial(Colleague, place))
    return place
