"""Getting started, in a terminal: every command of the page, in its order, from nothing to a schedule handed over."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tests.guide.page_steps import CHECKOUT, Copy, steps_of

PAGE = "getting-started"


def commands() -> list[str]:
    """The lines of the page that are typed, but for the first of all, which installs."""
    return [line for step in steps_of(PAGE) if step.how == "run" for line in step.text.splitlines()]


def test_what_one_command_leaves_the_next_one_finds() -> None:
    demo, info, plan, audit, export = (line.split() for line in commands())
    project = f"{demo[demo.index('--out') + 1]}/demo.firegui"
    run = plan[plan.index("--out") + 1]
    assert info[2] == plan[2] == audit[2] == project
    assert Path(run).parent == Path(project) / "runs", "a run elsewhere is not listed in the window"
    assert audit[audit.index("--schedule") + 1] == export[2] == run


@pytest.mark.slow
def test_the_terminal_leads_from_nothing_to_a_schedule(tmp_path: Path) -> None:
    work = Copy(CHECKOUT, tmp_path)
    for line in commands():
        said = work.run(line)
        assert said.strip(), line
    (table,) = (tmp_path / "handover").glob("*_drops.csv")
    with table.open(encoding="utf-8") as file:
        assert sum(row["executed"] == "true" for row in csv.DictReader(file)) > 0
    assert {path.suffix for path in (tmp_path / "handover").iterdir()} == {".csv", ".kml", ".pdf"}
