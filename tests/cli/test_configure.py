from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from firegui.cli.configure import introduced
from firegui.cli.options import parse_start, parse_transform, parse_weights
from firegui.domain.settings import ObjectiveWeights, RetardantSide, Setting
from firegui.domain.stress import StressSet
from firegui.errors import InputError
from firegui.io.project.scenario_toml import write_fleet
from firegui.io.project.store import load_project
from firegui.runs.lock import editing
from tests.cli.conftest import Run
from tests.support import make_project, small_fleet


@pytest.fixture
def fleet_file(tmp_path: Path) -> Path:
    fleet = small_fleet().replace_type(0, replace(small_fleet().types[0], count=5, grounded_days=(0,)))
    write_fleet(fleet, tmp_path / "fleet.toml")
    return tmp_path / "fleet.toml"


@pytest.fixture
def regions_file(tmp_path: Path) -> Path:
    path = tmp_path / "regions.toml"
    path.write_text('[[region]]\nname = "North"\nrows = [0, 4]\ncolumns = [0, 20]\n', encoding="utf-8")
    return path


def test_everything_at_once_is_saved(firegui: Run, project: Path, fleet_file: Path, regions_file: Path) -> None:
    answer = firegui(
        "configure",
        project,
        "--fleet",
        fleet_file,
        "--regions",
        regions_file,
        "--setting",
        "B",
        "--start-day",
        1,
        "--days",
        1,
        "--eta-retardant",
        0.8,
        "--eta-water",
        0.7,
        "--json",
    )
    # Day 1 has no observed perimeter in this event, so nothing burns on it.
    assert answer.code == 2
    assert "nothing burns on day 1" in str(answer.json["problems"])
    answer = firegui(
        "configure", project, "--fleet", fleet_file, "--regions", regions_file, "--setting", "B", "--days", 1, "--json"
    )
    assert answer.code == 0
    saved = load_project(project)
    assert saved.fleet.n_aircraft == 7
    assert saved.planned_fleet.types[0].grounded_days == (0,)
    assert [region.name for region in saved.regions] == ["North"]
    assert saved.plan.setting is Setting.B
    assert saved.plan.weights == ObjectiveWeights(0.0, 1.0, 100.0, 0.0)
    assert saved.plan.days == 1
    assert answer.json["plan"]["setting"] == "B"


def test_effectiveness_is_changed_one_by_one(firegui: Run, project: Path) -> None:
    assert firegui("configure", project, "--eta-water", 0.6).code == 0
    nominal = load_project(project).plan.nominal
    assert (nominal.retardant, nominal.water) == (0.9, 0.6)


def test_some_weights_are_changed_and_the_rest_stay(firegui: Run, project: Path) -> None:
    assert firegui("configure", project, "--weights", "final=7, budget=0").code == 0
    plan = load_project(project).plan
    assert plan.weights == ObjectiveWeights(50.0, 7.0, 10.0, 0.0)
    assert plan.setting is Setting.CUSTOM


def test_weights_on_top_of_a_setting_make_it_custom(firegui: Run, project: Path) -> None:
    assert firegui("configure", project, "--setting", "A", "--weights", "budget=0.5").code == 0
    plan = load_project(project).plan
    assert plan.weights == ObjectiveWeights(50.0, 50.0, 0.0, 0.5)
    assert plan.setting is Setting.CUSTOM


def test_a_setting_brings_back_its_weights(firegui: Run, project: Path) -> None:
    assert firegui("configure", project, "--setting", "A").code == 0
    plan = load_project(project).plan
    assert (plan.setting, plan.weights) == (Setting.A, ObjectiveWeights())


def test_every_problem_of_every_option_is_listed_and_nothing_is_saved(
    firegui: Run, project: Path, tmp_path: Path
) -> None:
    fleet, regions = tmp_path / "fleet.toml", tmp_path / "regions.toml"
    write_fleet(small_fleet().replace_type(0, replace(small_fleet().types[0], payload_gal=-5.0)), fleet)
    regions.write_text('[[region]]\nname = "Far"\nrows = [500, 600]\ncolumns = [0, 10]\n', encoding="utf-8")
    before = (project / "project.toml").read_bytes()
    answer = firegui(
        "configure",
        project,
        "--fleet",
        fleet,
        "--regions",
        regions,
        "--weights",
        "burn=x,wrong=1",
        "--days",
        400,
        "--eta-water",
        3,
    )
    answer.assert_refused("Payload is -5", "Far", "burn is 'x'", "'wrong=1' is not a weight", "399", "--eta-water is 3")
    assert (project / "project.toml").read_bytes() == before


def test_without_an_option_there_is_nothing_to_change(firegui: Run, project: Path) -> None:
    answer = firegui("configure", project)
    answer.assert_refused("nothing to change")


def test_an_objective_for_regions_may_come_before_the_regions() -> None:
    before = replace(make_project(), regions=())
    before = replace(before, plan=replace(before.plan, setting=Setting.A, weights=ObjectiveWeights()))
    after = replace(before, plan=replace(before.plan, setting=Setting.B, weights=ObjectiveWeights.of(Setting.B)))
    assert introduced(before, after) == []
    assert len(after.problems()) == 1


def test_a_problem_the_project_had_before_does_not_block_other_changes() -> None:
    broken = make_project()
    broken = replace(broken, plan=replace(broken.plan, days=99))
    assert introduced(broken, replace(broken, regions=())) == []


def test_weights_text_lists_every_bad_part() -> None:
    with pytest.raises(InputError) as caught:
        parse_weights("burn=1,burn=2,final,prot=abc", ObjectiveWeights())
    assert len(caught.value.problems) == 3
    with pytest.raises(InputError, match="is empty"):
        parse_weights(" , ", ObjectiveWeights())


def test_transform_and_start_say_what_they_want() -> None:
    assert parse_transform("30,0,-104430,0,-30,210000") == (30.0, 0.0, -104430.0, 0.0, -30.0, 210000.0)
    assert parse_start("2020-08-19T07:00Z").utcoffset() is not None
    for text in ("1,2,3", "a,b,c,d,e,f"):
        with pytest.raises(InputError, match="write a,b,c,d,e,f"):
            parse_transform(text)
    with pytest.raises(InputError, match="write an ISO time"):
        parse_start("yesterday")


def test_an_operations_file_has_all_its_mistakes_listed_at_once(firegui: Run, project: Path, tmp_path: Path) -> None:
    file = tmp_path / "operations.toml"
    file.write_text(
        "hard_cap = -3\nspeed = 5\n[sorties_per_day]\nZeppelin = 2\n"
        '[[grounding]]\naircraft = "Balloon-1"\nstart = 2020-08-20T14:00:00-07:00\nend = 2020-08-20T12:00:00-07:00\n'
    )
    before = (project / "project.toml").read_bytes()
    answer = firegui("configure", project, "--operations", file)
    answer.assert_refused("Limit on drops is -3", "speed is not known", "Zeppelin", "Balloon-1", "not after it begins")
    assert (project / "project.toml").read_bytes() == before


def test_the_operations_of_a_project_file_are_read_as_they_stand(firegui: Run, project: Path, tmp_path: Path) -> None:
    file = tmp_path / "operations.toml"
    file.write_text("[operations]\nhard_cap = 7\n")
    assert firegui("configure", project, "--operations", file).code == 0
    assert "hard_cap = 7" in (project / "project.toml").read_text()


def test_stress_scenarios_are_saved_said_and_brought_back(firegui: Run, project: Path, tmp_path: Path) -> None:
    path = tmp_path / "scenarios.toml"
    path.write_text('seed = 4\n[[scenario]]\nname = "slow crew"\ndelay_steps = 2\n', encoding="utf-8")
    answer = firegui("configure", project, "--scenarios", path)
    assert (answer.code, "stress     1 scenario: slow crew" in answer.out) == (0, True)
    (scenario,) = load_project(project).stress.scenarios
    assert scenario.delay_steps(load_project(project).scenario.steps_per_day) == 2
    assert firegui("info", project, "--json").json["stress"] == {
        "seed": 4, "scenario": [{"name": "slow crew", "delay_minutes": 288.0}],
    }  # fmt: skip
    assert firegui("configure", project, "--scenarios", "default").code == 0
    assert load_project(project).stress == StressSet()
    assert "10 scenarios: weak; fast; " in firegui("info", project).out


def test_wrong_scenarios_are_told_of_with_the_other_problems(firegui: Run, project: Path, tmp_path: Path) -> None:
    path = tmp_path / "scenarios.toml"
    text = '[[scenario]]\nname = "a"\nfailure_rate = 2\n[[scenario]]\nname = "a"\nlate = 1\n'
    path.write_text(text, encoding="utf-8")
    for place in (project, tmp_path / "nowhere.firegui"):
        answer = firegui("configure", place, "--scenarios", path, "--weights", "burn=x")
        answer.assert_refused("Failures is 2", "late is not known", "burn")
    assert load_project(project).stress == StressSet()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--start-day", "9" * 20), "0 to 3650"),
        (("--days", "-1"), "1 to 3650"),
        (("--start-day", "1_0"), "Write a whole number in digits, such as 10. It can be 0 to 3650."),
        (("--eta-water", "0.1_0"), "It can be 0 to 0.999999."),
        (("--eta-water", "inf"), "0 to 0.999999"),
        (("--weights", "burn=1_0"), "'1_0', not a number"),
        (("--coverage", "1e300"), "0.1 to 20"),
    ],
)  # fmt: skip
def test_numbers_without_a_meaning_are_refused_with_what_is_allowed(
    firegui: Run, project: Path, words: tuple[str, str], said: str
) -> None:
    before = (project / "project.toml").read_bytes()
    answer = firegui("configure", project, *words)
    assert answer.code == 2
    assert said in answer.err
    assert (project / "project.toml").read_bytes() == before


def test_four_at_once_keep_all_four_changes(project: Path) -> None:
    changes = (("--eta-water", "0.6"), ("--eta-retardant", "0.7"), ("--days", "1"), ("--retardant-acts-on", "emitter"))
    commands = [[sys.executable, "-m", "firegui", "configure", str(project), *words] for words in changes]
    started = [subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for words in commands]
    assert [(each.communicate()[1], each.returncode) for each in started] == [(b"", 0)] * 4
    plan = load_project(project).plan
    assert (plan.nominal.water, plan.nominal.retardant, plan.days) == (0.6, 0.7, 1)
    assert plan.retardant_acts_on is RetardantSide.EMITTER


def test_a_project_that_another_program_changes_is_waited_for_and_its_holder_named(
    firegui: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firegui.runs.lock._EDIT_WAIT_S", 0.1)
    before = (project / "project.toml").read_bytes()
    with editing(project):
        firegui("configure", project, "--eta-water", 0.6).assert_refused(f"is being changed by process {os.getpid()}")
    assert (project / "project.toml").read_bytes() == before
    assert firegui("configure", project, "--eta-water", 0.6).code == 0
    assert not [entry for entry in project.iterdir() if entry.name.startswith(".")]


def test_frequencies_and_hazards_are_saved_said_replaced_and_cleared(firegui: Run, project: Path) -> None:
    words = ("--frequency", "Air/Ground=122.925,168.275 T110.9", "--frequency", "Command=,169.2", "--hazard", "Wires")
    answer = firegui("configure", project, *words)
    assert answer.code == 0 and "frequency Air/Ground: AM 122.925, FM 168.275 T110.9" in answer.out
    assert "hazard: Wires" in answer.out
    saved = load_project(project).operations
    assert [item.text for item in saved.frequencies] == [
        "Air/Ground: AM 122.925, FM 168.275 T110.9", "Command: FM 169.2",
    ]  # fmt: skip
    assert saved.hazards == ("Wires",)
    told = firegui("info", project, "--json").json["operations"]
    assert told["frequency"][1] == {"use": "Command", "am": "", "fm": "169.2"} and told["hazards"] == ["Wires"]
    firegui("configure", project, "--frequency", "none", "--hazard", "Drones")
    saved = load_project(project).operations
    assert (saved.frequencies, saved.hazards) == ((), ("Drones",))
    firegui("configure", project, "--hazard", "none")
    assert load_project(project).operations.off and not load_project(project).operations.has_notes


def test_everything_wrong_with_frequencies_and_hazards_is_listed_and_nothing_saved(firegui: Run, project: Path) -> None:
    before = (project / "project.toml").read_bytes()
    words = ("--frequency", "=soon", "--frequency", "Air", "--hazard", "", "--hazard", "x" * 301, "--days", "0")
    answer = firegui("configure", project, *words)
    assert answer.code == 2 and (project / "project.toml").read_bytes() == before
    for part in (
        "the use is empty", "AM 'soon' is not a frequency", "frequency Air: has neither an AM nor an FM frequency",
        "hazard 1: the text is empty", "hazard 2: the text has 301 letters",
    ):  # fmt: skip
        assert part in answer.err, part
