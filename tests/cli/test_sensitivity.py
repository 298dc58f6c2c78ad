from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.support import write_schedule


def test_the_effectiveness_table_agrees_with_evaluate(
    firegui: Run, project: Path, schedule: Path, tmp_path: Path
) -> None:
    words = ("--schedule", schedule, "--kind", "effectiveness", "--out", tmp_path / "run")
    found = firegui("sensitivity", project, *words, "--pairs", "0.9/0.9,0.5/0.4", "--json").json

    assert [(row["eta_retardant"], row["eta_water"]) for row in found["rows"]] == [(0.9, 0.9), (0.5, 0.4)]
    weaker = firegui(
        "evaluate", project, "--schedule", schedule, "--eta-retardant", 0.5, "--eta-water", 0.4, "--json"
    ).json
    row = found["rows"][1]
    assert row["final_extent_cells"] == weaker["final_extent_cells"]
    assert row["fire_objective"] == pytest.approx(weaker["objective"] - 1e-6 * weaker["drops_executed"])
    assert found["baseline"]["final_extent_cells"] == weaker["baseline"]["final_extent_cells"]
    assert row["relative_extent"] > 1.0 == found["rows"][0]["relative_extent"]
    assert "firegui sensitivity" in (tmp_path / "run" / "sensitivity.toml").read_text()
    assert {path.name for path in (tmp_path / "run").iterdir()} == {
        ".lock", "sensitivity.toml", "sensitivity.json", "sensitivity.csv", "sensitivity.png", "sensitivity.svg",
    }  # fmt: skip


@pytest.mark.usefixtures("undrawn")
def test_the_json_has_these_keys(firegui: Run, project: Path, schedule: Path, tmp_path: Path) -> None:
    shared = {
        "run", "kind", "reason", "message", "complete", "event", "fire_model", "setting", "retardant_acts_on",
        "nominal", "schedule", "baseline", "scored", "seed", "rows",
    }  # fmt: skip
    reading = {"fire_objective", "final_extent_cells", "final_extent_ha", "protected_cells", "drops"}
    rows = {
        "effectiveness": {"eta_retardant", "eta_water", *reading, "reduction", "relative_extent"},
        "retardant-side": {"retardant_acts_on", *reading, "reduction", "relative_extent"},
        "pose": {
            "scale", "draws", "fire_objective_mean", "fire_objective_min", "fire_objective_max",
            "final_extent_cells_mean",
        },
    }  # fmt: skip
    for kind, keys in rows.items():
        words = ("--schedule", schedule, "--kind", kind, "--out", tmp_path / kind, "--json")
        found = firegui("sensitivity", project, *words).json
        assert set(found) == shared and set(found["baseline"]) == reading
        assert set(found["rows"][0]) == keys


@pytest.mark.slow
def test_the_same_seed_gives_the_same_pose_table(firegui: Run, project: Path, schedule: Path, tmp_path: Path) -> None:
    def rows(name: str, seed: int) -> object:
        words = ("--schedule", schedule, "--kind", "pose", "--scales", "0.1,0", "--draws", 3, "--seed", seed)
        return firegui("sensitivity", project, *words, "--out", tmp_path / name, "--json").json["rows"]

    assert rows("a", 4) == rows("b", 4) != rows("c", 5)


def test_people_get_the_papers_columns_and_the_baseline(
    firegui: Run, project: Path, schedule: Path, tmp_path: Path
) -> None:
    words = ("--schedule", schedule, "--kind", "pose", "--out", tmp_path / "run", "--progress", "none")
    out = firegui("sensitivity", project, *words).out
    for text in ("perturbation", "J_fire, mean", "none", "0.001", "No drops: ", "seed 0", "drops.csv, 4"):
        assert text in out
    side = firegui(
        "sensitivity", project, "--schedule", schedule, "--kind", "retardant-side", "--out", tmp_path / "side"
    )
    assert "the receiving cell" in side.out and "[3/3]" in side.err


def test_a_sweep_makes_whole_plans_that_can_be_kept(firegui: Run, project: Path, tmp_path: Path) -> None:
    words = ("sensitivity", project, "--kind", "design", "--out", tmp_path / "run")
    found = firegui(*words, "--designs", "0.9/0.9,0.8/0.6", "--epochs", 3, "--seed", 9, "--json").json

    assert found["complete"] and found["scored"] is None and found["seed"] == 9
    assert [row["folder"] for row in found["rows"]] == ["design-0.9-0.9", "design-0.8-0.6"]
    for row in found["rows"]:
        run = tmp_path / "run" / row["folder"]
        scores = json.loads((run / "metrics.json").read_text())
        assert row["final_extent_cells"] == scores["nominal"]["final_extent_cells"]
        assert row["reduction"] == pytest.approx(
            1 - row["final_extent_cells"] / found["baseline"]["final_extent_cells"]
        )
        assert row["epochs"] == 3 and row["pruning_rollouts"] == scores["pruned"]["rollouts"] > 0
        assert row["reduction_state_sampling"] is None and "not asked for" in row["state_sampling_reason"]
        assert row["reduction_model_error"] is None and row["model_error_reason"]
    refused = firegui(*words)
    assert refused.code == 2 and "--resume" in refused.err
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "run").glob("design-*/*")}
    again = firegui(*words, "--resume")
    assert again.code == 0 and "State sampling: not asked for" in again.out
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "run").glob("design-*/*")} == before


@pytest.mark.slow
def test_the_monte_carlo_columns_of_a_sweep_are_those_of_uq(firegui: Run, project: Path, tmp_path: Path) -> None:
    words = ("--kind", "design", "--designs", "0.9/0.9", "--epochs", 3, "--seed", 9, "--members", 4, "--preset", "bear")
    answer = firegui("sensitivity", project, *words, "--out", tmp_path / "run", "--progress", "none")
    assert answer.code == 0 and "the paper's for Bear 2020" in answer.out
    (row,) = firegui("sensitivity", project, *words, "--out", tmp_path / "two", "--json").json["rows"]

    plan = tmp_path / "run" / "design-0.9-0.9"
    for kind, column in (("aleatoric", "state_sampling"), ("epistemic", "model_error")):
        extra = ("--preset", "bear") if kind == "epistemic" else ()
        asked = ("--schedule", plan, "--kind", kind, "--members", 4, "--seed", 9, *extra, "--out", tmp_path / kind)
        found = firegui("uq", project, *asked, "--json").json["rows"][0]["benefit"]
        assert row[f"reduction_{column}"] == found["reduction"] and row[f"{column}_error"] == found["reduction_error"]
        assert row[f"{column}_members"] == 4
    refused = firegui("sensitivity", project, "--kind", "pose", "--preset", "camp", "--out", tmp_path / "no", "--json")
    texts = " ".join(problem["what"] for problem in refused.json["problems"])
    assert "does not belong to the table pose" in texts and "'camp' is not known" in texts


def test_everything_wrong_is_listed_at_once(firegui: Run, project: Path, schedule: Path, tmp_path: Path) -> None:
    out = tmp_path / "file"
    out.write_text("mine")
    wrong = firegui(
        "sensitivity", project, "--kind", "colour", "--designs", "0.9/x", "--out", out, "--backend", "abacus"
    )
    wrong.assert_refused("'colour' is not a table", "'0.9/x' cannot be read", "is a file", "abacus")
    words = ("--kind", "design", "--designs", "1.5/0.5,0.8/0.7,0.8/0.7", "--draws", 3, "--members", -1)
    other = firegui("sensitivity", project, *words, "--out", tmp_path / "new", "--json")
    other.assert_refused(
        "How well retardant works is 1.5", "0.8/0.7 is given twice", "--draws does not belong", "--members is -1"
    )
    assert out.read_text() == "mine" and not (tmp_path / "new").exists()


def test_a_table_of_a_schedule_needs_one_that_fits(firegui: Run, project: Path, tmp_path: Path) -> None:
    foreign = write_schedule(tmp_path / "foreign.csv", [(0, "747-1", 6.0, 8.0, 0.3)])
    for words, text in (((), "--schedule"), (("--schedule", foreign), "747-1")):
        answer = firegui("sensitivity", project, "--kind", "pose", *words, "--out", tmp_path / "run", "--json")
        assert answer.code == 2
        (problem,) = answer.json["problems"]
        assert text in problem["what"] + problem["remedy"] + problem["where"]
    assert not (tmp_path / "run").exists()
