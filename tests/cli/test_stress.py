"""``firegui stress`` as a person or a script meets it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from firegui.analyses.stress.results import HEADER, SHEET, STORE, TABLE, read_table
from firegui.domain.units import percent_text
from firegui.io.project.store import load_project, save_project
from firegui.runs.run_folder import LEAK
from tests.cli.conftest import Run
from tests.support import csv_rows

pytestmark = pytest.mark.usefixtures("short_repairs")

TEXT = """
seed = 3
[[scenario]]
name = "weak"
effectiveness = "0.30/0.20"
[[scenario]]
name = "windy"
wind = { speed = 1.3 }
[[scenario]]
name = "failures"
failure_rate = 0.5
draws = 4
[[scenario]]
name = "mended"
repair_hours = 12
"""


@pytest.fixture
def scenarios(tmp_path: Path) -> Path:
    path = tmp_path / "scenarios.toml"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_the_json_is_as_documented_and_agrees_with_evaluate(
    firegui: Run, project: Path, schedule: Path, scenarios: Path, tmp_path: Path
) -> None:
    words = ("--schedule", schedule, "--scenarios", scenarios, "--out", tmp_path / "run")
    found = firegui("stress", project, *words, "--json").json
    assert list(found)[:3] == ["drops", "nominal", "scenarios"]
    weak, failures, mended = found["scenarios"]
    assert list(weak)[:7] == [
        "name", "draws", "share_worst", "share_mean", "cells_worst", "cells_no_drops", "drops_flown_mean",
    ]  # fmt: skip
    assert (weak["name"], weak["draws"], failures["name"], failures["draws"]) == ("weak", 1, "failures", 4)
    assert (mended["name"], mended["draws"], mended["repair_hours"], weak["repair_hours"]) == ("mended", 1, 12.0, 0.0)
    assert found["left_out"] == [{"name": "windy", "reason": "imported maps cannot be computed for another wind"}]
    eta = ("--eta-retardant", 0.3, "--eta-water", 0.2)
    weaker = firegui("evaluate", project, "--schedule", schedule, *eta, "--json").json
    assert (weak["cells_worst"], found["drops"]) == (weaker["final_extent_cells"], weaker["drops_executed"])
    assert weak["cells_no_drops"] == weaker["baseline"]["final_extent_cells"]
    start = weak["start_cells"]
    assert weak["share_worst"] == pytest.approx(
        (weak["cells_worst"] - start) / (weak["cells_no_drops"] - start), rel=1e-12
    )
    nominal = firegui("evaluate", project, "--schedule", schedule, "--json").json
    assert found["nominal"]["final_extent_cells"] == nominal["final_extent_cells"]
    names = {path.name for path in (tmp_path / "run").iterdir()}
    assert names == {".lock", HEADER, SHEET, TABLE, LEAK}


def test_people_get_the_worst_first_and_what_was_left_out(
    firegui: Run, project: Path, schedule: Path, scenarios: Path, tmp_path: Path
) -> None:
    words = ("--schedule", schedule, "--scenarios", scenarios, "--out", tmp_path / "run", "--progress", "none")
    lines = firegui("stress", project, *words).out.splitlines()
    rows = csv_rows(tmp_path / "run" / SHEET)
    worst = {name: max(float(row["share"]) for row in rows if row["scenario"] == name) for name in ("weak", "failures")}
    ranked = sorted(worst, key=lambda name: -worst[name])
    places = [next(i for i, line in enumerate(lines) if line.startswith(f"  {name}: ")) for name in ranked]
    assert places == sorted(places)
    assert lines[0].startswith("4 drops; in the model's world")
    assert any("“windy” cannot be tested: imported maps" in line for line in lines)
    blocks = [lines.index(title) for title in ("without repair:", "replanned every 12 h:")]
    (mended,) = (i for i, line in enumerate(lines) if line.startswith("  mended: replanned every 12 h "))
    assert blocks[0] < places[0] < blocks[1] < mended


def test_the_protected_regions_have_a_column(
    firegui: Run, project: Path, schedule: Path, scenarios: Path, tmp_path: Path
) -> None:
    words = ("stress", project, "--schedule", schedule, "--scenarios", scenarios, "--out")
    lines = firegui(*words, tmp_path / "some", "--progress", "none").out.splitlines()
    heads = [line for line in lines if line.startswith("  scenario ")]
    assert len(heads) == 2 and all("in regions, worst" in head for head in heads)
    found = firegui(*words, tmp_path / "again", "--json").json["scenarios"]
    table = read_table(tmp_path / "again")
    for row, result in zip(found, table.results, strict=True):
        lost = max(draw.protected_cells for draw in result.draws) - result.start_protected
        assert result.protected_no_drops is not None
        assert row["region_share_worst"] == pytest.approx(lost / (result.protected_no_drops - result.start_protected))
        text = percent_text(row["region_share_worst"])
        assert any(line.startswith(f"  {row['name']}: ") and f" {text} " in line for line in lines)
    loaded = load_project(project)
    save_project(replace(loaded, regions=()), tmp_path / "none.firegui")
    plain = firegui("stress", tmp_path / "none.firegui", *words[2:], tmp_path / "none", "--progress", "none").out
    assert "in regions" not in plain


def test_the_projects_own_set_is_the_default_and_options_replace_its_numbers(
    firegui: Run, project: Path, schedule: Path, scenarios: Path, tmp_path: Path
) -> None:
    assert firegui("configure", project, "--scenarios", scenarios).code == 0
    words = ("stress", project, "--schedule", schedule, "--out", tmp_path / "run", "--draws", 2, "--seed", 8)
    assert [row["draws"] for row in firegui(*words, "--json").json["scenarios"]] == [1, 2, 2]
    header = STORE.read(tmp_path / "run")
    assert header.settings.stress.scenarios == load_project(project).stress.scenarios
    assert (header.seed, header.settings.draws) == (8, 2)
    assert "--draws 2 --seed 8" in header.command
    again = firegui("stress", project, "--schedule", schedule, "--out", tmp_path / "run", "--resume", "--json")
    assert again.json["message"].startswith("nothing left to do")
    other = firegui("stress", project, "--schedule", schedule, "--out", tmp_path / "b", "--draws", 2, "--json").json
    assert other["scenarios"][1] != again.json["scenarios"][1]


@pytest.mark.slow
def test_the_command_in_the_folder_repeats_the_test(
    firegui: Run, project: Path, schedule: Path, scenarios: Path, tmp_path: Path
) -> None:
    words = ("--schedule", schedule, "--scenarios", scenarios, "--out", tmp_path / "run", "--draws", 3)
    firegui("stress", project, *words)
    command = STORE.read(tmp_path / "run").command.split()
    assert command[:2] == ["firegui", "stress"]
    first = (tmp_path / "run" / SHEET).read_bytes()
    command[command.index("--out") + 1] = str(tmp_path / "again")
    assert firegui(*command[1:]).code == 0
    assert (tmp_path / "again" / SHEET).read_bytes() == first


def test_every_problem_is_listed_at_once_and_nothing_is_written(
    firegui: Run, project: Path, scenarios: Path, tmp_path: Path
) -> None:
    scenarios.write_text(TEXT + '[[scenario]]\nname = "weak"\nfailure_rate = 2\n', encoding="utf-8")
    options = ("--scenarios", scenarios, "--draws", -1, "--repair", 5, "--backend", "abacus")
    for place in (project, tmp_path / "nowhere.firegui"):
        answer = firegui("stress", place, "--schedule", tmp_path / "none.csv", *options, "--out", tmp_path / "run")
        answer.assert_refused(
            "weak is used 2 times", "Failures is 2", "--draws is -1", "every 5 h", "none.csv", "abacus"
        )
    assert not (tmp_path / "run").exists()
