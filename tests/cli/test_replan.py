from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from firegui.runs.replan_base import read_scores
from firegui.runs.run_folder import read_run
from tests.cli.conftest import Run
from tests.support import (
    SHAPE,
    assert_same_files,
    make_project,
    random_maps,
    tiny_project,
    watched_project,
    write_schedule,
)

pytestmark = pytest.mark.usefixtures("short_repairs")

QUIET = ("--progress", "none")
SHORT = ("--epochs", 4, "--lr", 0.05)


@pytest.fixture
def watched(tmp_path: Path) -> Path:
    return tiny_project(tmp_path, watched_project(3))


@pytest.fixture
def schedule(tmp_path: Path) -> Path:
    drops = [(step, "R-1", 5.0, 6.0 + step / 5, 0.4) for step in range(0, 30, 4)]
    return write_schedule(tmp_path / "old.csv", [*drops, (3, "W-1", 8.0, 10.0, 0.0), (14, "BIG-1", 5.0, 9.0, 0.0)])


def test_replan_reports_one_json_object_and_a_run_like_any_other(
    firegui: Run, watched: Path, schedule: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    answer = firegui(
        "replan", watched, "--schedule", schedule, "--day", 1, "--out", out, "--design-water", 0.7, "--seed", 5,
        *SHORT, "--json", *QUIET,
    )  # fmt: skip
    assert (answer.code, answer.err) == (0, "")
    found = answer.json
    assert (found["day"], found["replan"]["observed"]) == (1, "the project")
    assert found["audit"]["violations"] == []
    assert found["nominal"]["objective"] < 1.02 * found["continued"]["objective"] < found["baseline"]["objective"]
    assert found["nominal"]["drops_executed"] > 0
    plan = read_run(out).settings
    assert (plan.optimizer.epochs, plan.optimizer.seed, plan.design.water) == (4, 5, 0.7)
    assert firegui("audit", watched, "--schedule", out / "schedule.csv").code == 0
    assert firegui("evaluate", watched, "--schedule", out, "--json").code == 0
    assert firegui("export", out, "--format", "csv", "--out", tmp_path / "files").code == 0


def test_the_command_of_the_run_repeats_it(firegui: Run, watched: Path, schedule: Path, tmp_path: Path) -> None:
    np.savez(tmp_path / "fire.npz", _square(4))
    words = ("--day", 2, "--observed", tmp_path / "fire.npz", *SHORT, *QUIET)
    assert firegui("replan", watched, "--schedule", schedule, "--out", tmp_path / "one", *words).code == 0
    again = read_run(tmp_path / "one").command.split()[1:]
    again[again.index("--out") + 1] = str(tmp_path / "two")
    assert firegui(*again, *QUIET).code == 0
    plans = [(tmp_path / name / "plan.safetensors").read_bytes() for name in ("one", "two")]
    assert plans[0] == plans[1]


def test_a_closed_loop_prints_a_row_a_day(firegui: Run, watched: Path, schedule: Path, tmp_path: Path) -> None:
    words = ("--closed-loop", "--out", tmp_path / "run", *SHORT, *QUIET)
    answer = firegui("replan", watched, "--schedule", schedule, "--json", *words)
    assert answer.code == 0, answer.err
    rows = answer.json["loop"]
    assert [row["day"] for row in rows] == [0, 1, 2]
    assert rows[0]["expected"] is None
    assert rows[1]["expected"] > 0
    assert (tmp_path / "run" / "closed_loop.csv").is_file()


@pytest.mark.slow
def test_an_exercise_prints_a_row_an_observation_and_its_command_repeats_it(
    firegui: Run, watched: Path, schedule: Path, tmp_path: Path
) -> None:
    words = ("--closed-loop", "--scenario", "Weak", "--every", 12, "--out", tmp_path / "one", *SHORT, *QUIET)
    answer = firegui("replan", watched, "--schedule", schedule, "--json", *words)
    assert answer.code == 0, answer.err
    found = answer.json
    assert [(row["day"], row["until"]) for row in found["loop"]] == [(k // 2, k / 2 + 0.5) for k in range(6)]
    assert found["replan"]["exercise"]["name"] == "weak"
    assert found["replan"]["exercise"]["repair_hours"] == 12.0
    again = read_run(tmp_path / "one").header.command.split()[1:]
    assert "--scenario weak --every 12" in " ".join(again)
    again[again.index("--out") + 1] = str(tmp_path / "two")
    assert firegui(*again, *QUIET).code == 0
    assert_same_files(tmp_path / "one", tmp_path / "two", "plan.safetensors", "fire.npz", "closed_loop.csv")


def test_an_exercise_needs_a_scenario_of_the_project_and_whole_steps(
    firegui: Run, watched: Path, schedule: Path, tmp_path: Path
) -> None:
    words = ("replan", watched, "--schedule", schedule, "--out", tmp_path / "run", *QUIET)
    firegui(*words, "--day", 1, "--every", 12).assert_refused("--scenario: is of use in a closed loop only")
    firegui(*words, "--closed-loop", "--scenario", "wet").assert_refused(
        "no stress scenario wet", "nominal, weak, fast"
    )
    firegui(*words, "--closed-loop", "--every", 5).assert_refused("every 5 h, which is not a whole number of steps")
    assert not (tmp_path / "run").exists()


def test_every_problem_is_listed_and_nothing_is_written(firegui: Run, watched: Path, tmp_path: Path) -> None:
    bad = write_schedule(tmp_path / "bad.csv", [(999, "R-1", 5.0, 6.0, 0.0), (1, "X-1", 5.0, 6.0, 0.0)])
    np.savez(tmp_path / "small.npz", np.ones((2, 2), bool))
    answer = firegui(
        "replan", watched, "--schedule", bad, "--day", 1, "--observed", tmp_path / "small.npz", "--out",
        tmp_path / "run", "--epochs", 0, "--backend", "abacus", *QUIET,
    )  # fmt: skip
    answer.assert_refused("step 999", "X-1", "has shape [2, 2]", "--epochs", "abacus")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(("day", "text"), [(0, "use 1 to 2"), (3, "use 1 to 2")])
def test_a_day_outside_the_plan_is_refused(
    firegui: Run, watched: Path, schedule: Path, tmp_path: Path, day: int, text: str
) -> None:
    answer = firegui("replan", watched, "--schedule", schedule, "--day", day, "--out", tmp_path / "run", *QUIET)
    assert answer.code == 2
    assert text in answer.err
    assert answer.err.count("•") == 1


def test_a_day_is_needed_and_a_drawn_fire_is_not_observed(
    firegui: Run, watched: Path, schedule: Path, tmp_path: Path
) -> None:
    answer = firegui("replan", watched, "--schedule", schedule, "--out", tmp_path / "run", *QUIET)
    assert (answer.code, "--day: is missing" in answer.err) == (2, True)
    np.savez(tmp_path / "fire.npz", _square(4))
    words = ("--closed-loop", "--observed", tmp_path / "fire.npz", "--out", tmp_path / "run", *QUIET)
    answer = firegui("replan", watched, "--schedule", schedule, *words)
    assert (answer.code, "leave one of them out" in answer.err) == (2, True)


@pytest.fixture(params=["observed", "drawn"])
def replanned(request: pytest.FixtureRequest, firegui: Run, watched: Path, schedule: Path, tmp_path: Path) -> Path:
    """A replanned run with an observed fire, or a closed loop with a drawn one."""
    words = ("--day", 1) if request.param == "observed" else ("--closed-loop",)
    answer = firegui(
        "replan", watched, "--schedule", schedule, *words, "--out", tmp_path / "run", *SHORT, *QUIET, "--backend", "cpu"
    )
    assert answer.code == 0, answer.err
    return tmp_path / "run"


def test_evaluate_export_and_audit_of_a_replanned_run_use_its_fire_and_say_so(
    firegui: Run, watched: Path, replanned: Path, tmp_path: Path
) -> None:
    scores = read_scores(replanned)
    assert scores.nominal is not None and scores.baseline is not None
    words = ("--schedule", replanned, "--backend", "cpu")
    found = firegui("evaluate", watched, *words, "--state", tmp_path / "state.npz", "--json").json
    of_values = {"loss_val", "value_lost"}
    for key, value in asdict(scores.nominal).items():
        assert key in of_values or found[key] == value, key
    assert found["baseline"] == {key: value for key, value in asdict(scores.baseline).items() if key not in of_values}
    kind = "drawn" if scores.loop else "observed"
    assert found["fire"]["kind"] == kind and kind.removesuffix("ed") in found["fire"]["note"]
    with np.load(tmp_path / "state.npz") as archive:
        states = archive["p_fire"]
    assert states.shape == (4, *SHAPE)
    assert float(states[-1].sum()) == pytest.approx(scores.nominal.final_extent_cells, rel=1e-5)
    told = firegui("evaluate", watched, *words).out
    assert f"Note: {found['fire']['note']}" in told
    exported = firegui("export", replanned, "--format", "csv,geotiff", "--out", tmp_path / "files", "--json").json
    assert found["fire"]["note"] in exported["notes"]
    assert exported["executed"] == scores.nominal.drops_executed + (0 if scores.loop else scores.drops_flown)
    checked = firegui("audit", watched, "--schedule", replanned, "--json")
    assert (checked.code, checked.json["fire"]) == (0, found["fire"]["note"])


def test_a_file_of_a_replanned_run_is_a_schedule_like_any_other(firegui: Run, watched: Path, replanned: Path) -> None:
    found = firegui("evaluate", watched, "--schedule", replanned / "plan.safetensors", "--json").json
    assert "fire" not in found
    nominal = read_scores(replanned).nominal
    assert nominal is not None and found["final_extent_cells"] != pytest.approx(nominal.final_extent_cells, rel=0.01)


def test_a_kept_fire_that_is_damaged_or_lost_is_told_by_every_command(
    firegui: Run, watched: Path, replanned: Path, tmp_path: Path
) -> None:
    kept = (replanned / "fire.npz").read_bytes()
    (replanned / "fire.npz").write_bytes(kept[:-30])
    for words in (
        ("evaluate", watched, "--schedule", replanned),
        ("audit", watched, "--schedule", replanned),
        ("export", replanned, "--format", "csv", "--out", tmp_path / "files"),
    ):
        answer = firegui(*words)
        answer.assert_refused("fire.npz")
        assert answer.err.count("•") == 1
    (replanned / "fire.npz").unlink()
    answer = firegui("evaluate", watched, "--schedule", replanned)
    assert answer.code == 0 and "fire was kept: it is shown on the fire simulated from the start" in answer.out


def test_a_kept_fire_is_not_evaluated_on_another_event_or_other_days(
    firegui: Run, watched: Path, replanned: Path, tmp_path: Path
) -> None:
    other = tiny_project(tmp_path / "other", make_project(1, maps=random_maps(1, days=3)))
    firegui("evaluate", other, "--schedule", replanned).assert_refused("another event or fire model")
    assert firegui("configure", watched, "--days", 2).code == 0
    answer = firegui("evaluate", watched, "--schedule", replanned)
    answer.assert_refused("other days of the event")


def test_a_drawn_fire_is_not_evaluated_at_another_effectiveness(
    firegui: Run, watched: Path, schedule: Path, tmp_path: Path
) -> None:
    words = ("--closed-loop", "--out", tmp_path / "run", *SHORT, *QUIET)
    assert firegui("replan", watched, "--schedule", schedule, *words).code == 0
    answer = firegui("evaluate", watched, "--schedule", tmp_path / "run", "--eta-water", 0.2)
    answer.assert_refused("drawn at another expected effectiveness")


def test_optimize_does_not_go_on_with_a_replanned_run(
    firegui: Run, watched: Path, schedule: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    assert firegui("replan", watched, "--schedule", schedule, "--day", 1, "--out", out, *SHORT, *QUIET).code == 0
    answer = firegui("plan", watched, "--out", out, "--resume", *QUIET)
    answer.assert_refused("is a replanned run")


def _square(half: int) -> np.ndarray:
    mask = np.zeros(SHAPE, bool)
    row, column = SHAPE[0] // 2, SHAPE[1] // 2
    mask[row - half : row + half, column - half : column + half] = True
    return mask
