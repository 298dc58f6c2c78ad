from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

FAST = ("--repeats", 1, "--warm-ups", 1, "--evaluations", 12, "--seeds", 1, "--backend", "cpu")


@pytest.fixture
def study(firegui: Run, project: Path, tmp_path: Path) -> Path:
    out = tmp_path / "run"
    assert firegui("scaling", project, "--out", out, *FAST, "--progress", "none").code == 0
    return out


def test_the_json_has_these_keys_and_the_folder_these_files(firegui: Run, project: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    found = firegui("scaling", project, "--out", out, *FAST, "--json").json
    assert set(found) == {
        "run", "reason", "message", "complete", "event", "fire_model", "backend", "device", "machine", "seconds",
        "full_carry", "notes", "settings", "rows", "slope", "flying_slope", "searches", "quality",
    }  # fmt: skip
    assert found["complete"] and len(found["rows"]) == 11 and len(found["searches"]) == 8
    assert [point["aircraft"] for point in found["quality"]] == [1, 2, 3, 4]
    for row in found["rows"]:
        assert row["dimension"] == 4 * row["steps"] * row["aircraft"] and row["drops"] == 0 < row["flying_drops"]
    assert {path.name for path in out.iterdir()} == {
        ".lock", "scaling.toml", "scaling.json", "scaling.csv", "scaling.tex", "quality.csv",
        "scaling_ratio.png", "scaling_ratio.svg", "planner_dimension.png", "planner_dimension.svg",
    }  # fmt: skip


@pytest.mark.slow
def test_people_get_the_papers_columns_the_states_and_the_machine(firegui: Run, project: Path, tmp_path: Path) -> None:
    answer = firegui("scaling", project, "--out", tmp_path / "run", *FAST)
    for text in ("fleet: 4 aircraft", "grid: 9x12", "horizon: 2d", "Grad./rollout", "no drop is executed", "cores"):
        assert text in answer.out
    assert "Removed by gradient" in answer.out and "[8/8] Searching: 4 aircraft, CMA-ES, seed 0" in answer.err


@pytest.mark.slow
def test_resuming_keeps_the_rows_and_takes_up_the_settings(firegui: Run, project: Path, study: Path) -> None:
    before = json.loads((study / "scaling.json").read_text())
    again = firegui("scaling", project, "--out", study, "--resume", "--repeats", 2, "--backend", "cpu", "--json").json
    after = json.loads((study / "scaling.json").read_text())
    assert again["settings"]["evaluations"] == 12 and again["complete"]
    assert after["quality"] == before["quality"]
    for row, old in zip(after["rows"], before["rows"], strict=True):
        assert len(row["start"]["rollout_ms"]) == 2
        assert row["start"]["rollout_ms"][0] == old["start"]["rollout_ms"][0]
        assert row["flying"]["gradient_ms"][0] == old["flying"]["gradient_ms"][0]


@pytest.mark.slow
def test_only_the_timings_can_be_asked_for(firegui: Run, project: Path, tmp_path: Path) -> None:
    words = ("scaling", project, "--out", tmp_path / "run", "--no-quality", "--repeats", 1, "--cut-carry", "--json")
    found = firegui(*words).json
    assert found["complete"] and not found["searches"] and found["full_carry"] is False
    assert not (tmp_path / "run" / "quality.csv").exists()
