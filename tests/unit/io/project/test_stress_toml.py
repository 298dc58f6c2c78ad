"""Stress sets in files and in projects."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from firegui.domain.grid import Grid
from firegui.domain.settings import Effectiveness, RetardantSide
from firegui.domain.stress import StressScenario, StressSet
from firegui.errors import InputError
from firegui.io.project import stress_toml
from firegui.io.project.migrations import CURRENT_FORMAT
from firegui.io.project.store import load_project, project_hash, read_edits, save_project, write_edits
from firegui.io.project.stress_toml import read_scenarios, stress_to_table
from firegui.io.toml import dumps
from firegui.runs.header import event_hash
from tests.support import make_project
from tests.unit.io.builders import assert_each_said, change_text

GRID = Grid(10, 12, 20.0)
STEPS = 50
ALL = StressSet(
    (
        StressScenario(
            "all, together", Effectiveness(0.7, 0.1 + 0.2), RetardantSide.EMITTER, 1.15, 1.2, -15.0, 30.0, 45.0, 5.0,
            28.8, 0.05, 12.0, 8, 7,
        ),
        StressScenario("nothing"),
    ),
    3,
)  # fmt: skip


def read(tmp_path: Path, text: str, steps_per_day: int = STEPS) -> StressSet:
    (tmp_path / "s.toml").write_text(text, encoding="utf-8")
    return read_scenarios(tmp_path / "s.toml", GRID, steps_per_day)


def refusal(tmp_path: Path, text: str) -> InputError:
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    return caught.value


@pytest.mark.parametrize("stress", [ALL, StressSet()])
def test_what_is_written_is_read_back_equal(tmp_path: Path, stress: StressSet) -> None:
    assert read(tmp_path, dumps(stress_to_table(stress))) == stress
    assert read(tmp_path, dumps({"stress": stress_to_table(stress)})) == stress


def test_what_is_as_in_the_model_is_not_written() -> None:
    assert stress_to_table(ALL)["scenario"][1] == {"name": "nothing"}


def test_the_documented_example_can_be_read(tmp_path: Path) -> None:
    text = stress_toml.__doc__ or ""
    weak, windy, careless = read(tmp_path, text[text.index("::") + 2 : text.index("A project's own")]).scenarios
    assert weak == StressScenario("weak", Effectiveness(0.7, 0.6), RetardantSide.BOTH)
    assert windy == StressScenario(
        "fast and windy", spread_factor=1.15, wind_speed_factor=1.2, wind_turn_deg=15.0, ignition_growth_m=30.0
    )
    assert (careless.pose_noise_m, careless.delay_minutes, careless.repair_hours) == (30.0, 30.0, 12.0)


@pytest.mark.parametrize(
    ("line", "field", "value"),
    [
        ("ignition_growth_cells = 2", "ignition_growth_m", 40.0),
        ("pose_noise = 1.5", "pose_noise_m", 30.0),
        ("delay_steps = 1", "delay_minutes", 28.8),
        ("wind = { speed = 1.2 }", "wind_speed_factor", 1.2),
        ("wind = { turn = -15 }", "wind_turn_deg", -15.0),
        ('effectiveness = "0.70/0.60"', "effectiveness", Effectiveness(0.7, 0.6)),
        ("effectiveness = [0.7, 0.6]", "effectiveness", Effectiveness(0.7, 0.6)),
        ("effectiveness = { water = 0.6, retardant = 0.7 }", "effectiveness", Effectiveness(0.7, 0.6)),
        ('retardant_acts_on = "emitter"', "retardant_acts_on", RetardantSide.EMITTER),
        ("spread_factor = 2", "spread_factor", 2.0),
    ],
)
def test_numbers_are_read_in_cells_and_steps_too(tmp_path: Path, line: str, field: str, value: object) -> None:
    (scenario,) = read(tmp_path, f'[[scenario]]\nname = "x"\n{line}\n').scenarios
    assert scenario == replace(StressScenario("x"), **{field: value})  # type: ignore[arg-type]


def test_everything_wrong_with_a_file_is_said_at_once(tmp_path: Path) -> None:
    error = refusal(
        tmp_path,
        'typo = 1\nseed = -1\n'
        '[[scenario]]\nspread_factor = "fast"\n'
        '[[scenario]]\nname = "a"\neffectiveness = 0.7\nwind = 15\nrepair = 12\n'
        '[[scenario]]\nname = "b"\ndelay_steps = 1\ndelay_minutes = 30\npose_noise = "wide"\n'
        '[[scenario]]\nname = "c"\nwind = { speed = 1.2, gusts = 3 }\nretardant_acts_on = "air"\n'
        '[[scenario]]\nname = "d"\nfailure_rate = 2.0\nspread_factor = nan\nrepair_hours = 5\n'
        'effectiveness = "1.5/0.6"\n'
        '[[scenario]]\nname = "d"\n',
    )  # fmt: skip
    assert_each_said(
        error,
        [
            "typo is not known", "Random seed is -1", "scenario 1: name is missing", "spread_factor",
            "effectiveness is 0.7", "wind is 15", "repair is not known", "gives both delay_steps and delay_minutes",
            "pose_noise is 'wide'",
            "'gusts': 3", "retardant_acts_on", "Failures is 2.0", "Spread is nan", "every 5 h",
            "How well retardant works is 1.5",
            "d is used 2 times",
        ],
    )  # fmt: skip
    assert any("scenario 2 (a)" in str(problem) for problem in error.problems)
    (side,) = (problem for problem in error.problems if "retardant_acts_on" in problem.what)
    assert side.remedy == f"write one of {', '.join(RetardantSide)}"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("seed = 1", ["there is none"]),
        ("scenario = 3", ["is a number, not a list of tables"]),
        ("scenario = [3]", ["scenario 1: is a number, not a table"]),
        ("stress = 3", ["is a number, not a table"]),
        ("[[scenario]]\nspread_factor = 1.1", ["name is missing"]),
        ("scenario = [", ["is not valid TOML"]),
    ],
)
def test_a_set_without_a_scenario_is_said_once(tmp_path: Path, text: str, told: list[str]) -> None:
    error = refusal(tmp_path, text)
    assert_each_said(error, told)
    assert len(error.problems) == len(told)


def test_a_project_keeps_its_set_and_an_older_one_gets_the_default(tmp_path: Path) -> None:
    folder, project = tmp_path / "p.firegui", make_project()
    save_project(project, folder)
    assert load_project(folder).stress == StressSet()
    save_project(replace(project, stress=ALL), folder, replacing=True)
    assert load_project(folder).stress == ALL
    text = (folder / "project.toml").read_text(encoding="utf-8")
    older = text[: text.index("[stress]")] + text[text.index("\n[layers") :]
    (folder / "project.toml").write_text(older.replace(f"format = {CURRENT_FORMAT}", "format = 4"), encoding="utf-8")
    assert load_project(folder).stress == StressSet()


def test_a_wrong_number_in_a_project_keeps_runs_from_starting_but_not_the_project_from_opening(tmp_path: Path) -> None:
    folder = tmp_path / "p.firegui"
    save_project(make_project(), folder)
    change_text(folder / "project.toml", ("failure_rate = 0.05", "failure_rate = 5.0"))
    (problem,) = load_project(folder).problems()
    assert "Failures is 5.0" in str(problem)
    change_text(folder / "project.toml", ("failure_rate = 5.0", "failures = 0.05"))
    with pytest.raises(InputError, match="failures is not known"):
        load_project(folder)


def test_edits_that_were_not_saved_keep_the_set(tmp_path: Path) -> None:
    folder, project = tmp_path / "p.firegui", make_project()
    save_project(project, folder)
    (tmp_path / "edits").mkdir()
    write_edits(replace(project, stress=ALL), folder, tmp_path / "edits")
    assert read_edits(project, folder, tmp_path / "edits").stress == ALL


def test_no_hash_depends_on_the_set() -> None:
    project = make_project()
    other = replace(project, stress=ALL)
    assert project_hash(project) == project_hash(other)
    assert event_hash(project) == event_hash(other)
