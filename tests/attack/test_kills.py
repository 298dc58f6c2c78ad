"""Commands that work for long, killed at random moments: ``FIREGUI_KILLS`` of each kind, twice as many plans.

``FIREGUI_KILLS=10 pytest -m slow -s tests/attack/test_kills.py`` kills 60 times and prints what came of each. The
commands take longer than what may be lost, so that a run without checkpoints fails.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from firegui.fire.demo import make_demo
from firegui.io.exporters import FORMATS
from firegui.io.project.store import save_project
from tests.attack.conftest import Property, report
from tests.attack.kills import LongCommand, attack_command, run_whole, watched

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no kill -9"),
]

KILLS = int(os.environ.get("FIREGUI_KILLS", "2"))
PROGRESS = ("--progress", "json")
STUDY = """
project = "demo.firegui"
name = "Seeds"
planner = "gradient"
allowance = 60
measure = ["objective", "drops_executed"]

[[vary]]
name = "seed"
values = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the demo in a third of its epochs, a plan whose drops are not removed, and a study."""
    folder = tmp_path_factory.mktemp("kills")
    demo = make_demo()
    margin = replace(demo.plan.margin, search_epochs=100, training_epochs=120, adapt_epochs=60)
    save_project(replace(demo, plan=replace(demo.plan, margin=margin)), folder / "demo.firegui")
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    for name, words in {"placed": ("optimize",), "planned": ("plan", "--margin", "none", "--epochs", "60")}.items():
        command = LongCommand(name, (*words, str(folder / "demo.firegui"), "--progress", "none"))
        assert watched(command, folder / name).end() == 0
    return folder


def long_command(name: str, place: Path) -> LongCommand:
    """Return one of the commands that are killed."""
    project, placed = str(place / "demo.firegui"), str(place / "placed")
    match name:
        case "plan":
            return LongCommand(name, ("plan", project, *PROGRESS), "run.toml")
        case "prune":
            return LongCommand(name, ("prune", project, "--schedule", placed, *PROGRESS), "run.toml")
        case "uq":
            words = ("uq", project, "--schedule", placed, "--kind", "aleatoric", "--members", "3000", *PROGRESS)
            return LongCommand(name, words, "ensemble.toml")
        case "study":
            return LongCommand(name, ("study", str(place / "study.toml"), *PROGRESS), "study.toml")
        case _:
            formats = ",".join(FORMATS)
            return LongCommand(name, ("export", str(place / "planned"), "--format", formats, "--name", "plan"))


@pytest.mark.parametrize(
    ("name", "kills"), [("plan", 2 * KILLS), ("prune", KILLS), ("uq", KILLS), ("study", KILLS), ("export", KILLS)]
)
def test_what_is_killed_goes_on_to_the_same_result(
    name: str, kills: int, place: Path, tmp_path: Path, seed: int, record_property: Property
) -> None:
    command = long_command(name, place)
    whole = run_whole(command, tmp_path / "whole")
    print(f"\n{name}: {whole.seconds:.1f} s, the same twice: {', '.join(whole.files)}")
    verdicts = []
    for number in range(kills):
        verdict = attack_command(command, whole, seed, number, tmp_path / str(number))
        print(f"{verdict.row}: {verdict.what}: {verdict.outcome} {' '.join(verdict.failures)}", flush=True)
        verdicts.append(verdict)
    report(verdicts, seed, record_property)
