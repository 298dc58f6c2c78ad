from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import firegui
from firegui.analyses.execution import processes
from firegui.api.projects import OpenProject
from firegui.cli.main import main
from firegui.runs.engine import Engine
from tests.support import tiny_project, watched_project, write_schedule
from tests.unit.analyses.workers import Colleague, Workplace

Command = Callable[..., dict[str, Any]]


@pytest.fixture
def command() -> Command:
    """Runs ``firegui`` with the given words and ``--json``, and returns the object that it prints."""

    def run(*words: object) -> dict[str, Any]:
        answer = CliRunner().invoke(main, [*map(str, words), "--json"], prog_name="firegui")
        assert answer.exit_code == 0, answer.output
        found = json.loads(answer.stdout)
        assert isinstance(found, dict)
        return found

    return run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Folder of a small saved project."""
    return tiny_project(tmp_path)


@pytest.fixture
def project(folder: Path) -> OpenProject:
    """The small saved project."""
    return firegui.open(folder)


@pytest.fixture
def watched(tmp_path: Path) -> OpenProject:
    """A saved project with a perimeter a day."""
    return firegui.open(tiny_project(tmp_path, watched_project(3)))


@pytest.fixture
def drops(tmp_path: Path) -> Path:
    """A schedule of a few drops."""
    return write_schedule(tmp_path / "drops.csv", [(0, "R-1", 6.0, 8.0, 0.3), (3, "W-1", 8.5, 9.5, 0.7)])


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The system's folder for temporary files, empty."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    return place


@pytest.fixture
def workplace(monkeypatch: pytest.MonkeyPatch) -> Workplace:
    """Benchmarks of this test begin no processes and draw no pictures."""
    place = Workplace()
    monkeypatch.setattr(Engine, "draw_benchmark", lambda self, table, project, folder: [])
    monkeypatch.setattr(processes, "WorkerProcess", partial(Colleague, place))
    return place
