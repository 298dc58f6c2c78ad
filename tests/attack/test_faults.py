"""Commands that write, on disks without room or rights, and killed: nothing is torn, and the next time they work."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from firegui.io.project.store import save_project
from tests.attack.attack import ask, attack_until, make_places
from tests.attack.conftest import Over, Property, report
from tests.attack.faults import attack_plan, attack_writing, plan_words
from tests.attack.samples import Sample
from tests.support import make_project
from tests.unit.io.faults.test_every_fault import Worker

WRITING_SHARE, PLAN_SHARE = 0.2, 0.15
"""Of the session's time."""


@pytest.fixture(scope="module")
def engine() -> Iterator[Worker]:
    """Runs commands that plan, in forks of a program that has loaded the engine."""
    worker = Worker("firegui.cli.plan", "firegui.runs.plan")
    yield worker
    worker.close()


def test_no_fault_while_writing_tears_a_file(
    tmp_path: Path, seed: int, over: Over, samples: list[Sample], commands: Worker, record_property: Property
) -> None:
    verdicts = attack_until(
        over(WRITING_SHARE), lambda number, place: attack_writing(samples, seed, number, place, commands), tmp_path
    )
    report(verdicts, seed, record_property)


def test_a_killed_plan_resumes_to_the_same_result(
    tmp_path: Path, seed: int, over: Over, engine: Worker, record_property: Property
) -> None:
    project, whole = tmp_path / "p.firegui", tmp_path / "whole"
    save_project(make_project(), project)
    make_places(whole)
    answer, _ = ask(engine, plan_words(project, whole / "run"), whole)
    assert answer.code == 0, answer.err
    verdicts = attack_until(
        over(PLAN_SHARE),
        lambda number, place: attack_plan(project, whole / "run", seed, number, place, engine),
        tmp_path / "runs",
    )
    report(verdicts, seed, record_property)
