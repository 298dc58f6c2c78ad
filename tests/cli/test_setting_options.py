"""Command-line options and repeat commands are generated from the settings, and read each other."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import click
import pytest

from firegui.cli.main import main
from firegui.cli.setting_options import given_settings, setting_options
from firegui.domain.benchmark import BenchmarkSettings, PlannerName
from firegui.domain.fit import NetworkFitSettings
from firegui.domain.margin_curve import MarginCurveSettings
from firegui.domain.options import SettingField, bounds_problems, replaced_at, setting_fields, value_at
from firegui.domain.project import Project
from firegui.domain.scaling import ScalingSettings
from firegui.domain.schedule import Schedule
from firegui.domain.sensitivity import SensitivityKind, SensitivitySettings
from firegui.domain.settings import Effectiveness, EliminationSettings, MarginSettings, OptimizerSettings, PlanSettings
from firegui.domain.stress import StressTestSettings
from firegui.domain.study import StudySettings
from firegui.domain.uncertainty import ErrorSource, UncertaintyKind, UncertaintySettings
from firegui.domain.workers import WorkerSettings
from firegui.errors import Problems
from firegui.runs.command import CURVE_OWN, RepeatableSpec, repeat_command, setting_words
from firegui.runs.spec import (
    BenchmarkSpec,
    CalibrateSpec,
    MarginSpec,
    PlanSpec,
    ReplanSpec,
    ScalingSpec,
    SensitivitySpec,
    StressSpec,
    StudySpec,
    UncertaintySpec,
)
from firegui.runs.stages import Stage
from tests.example_settings import ExampleSettings

PLACE, OUT, SCHEDULE = Path("my fire.firegui"), Path("out"), Path("s.csv")
BOTH = (Stage.OPTIMIZE, Stage.PRUNE)


def changed(settings: Any, only: tuple[str, ...] = (), skip: tuple[str, ...] = ()) -> Any:
    """Return the settings with every declared value replaced by another one within its bounds."""
    for item in setting_fields(settings):
        if item.name not in skip and (not only or item.name in only):
            settings = replaced_at(settings, item.path, other(item))
    return settings


def other(item: SettingField) -> Any:
    about, value = item.option, item.value
    if item.kind is bool:
        return not value
    if item.is_choice:
        return next(choice for choice in item.kind if choice is not value)
    if item.is_list:
        return tuple(reversed(value)) if len(value) > 1 else tuple(PlannerName)[:2]
    if item.kind is int:
        return value + 1
    low, high = about.low or 0.0, value + 1.0 if about.high is None else about.high
    return low + (high - low) * 0.123456789012345


def parsed(command: str) -> Mapping[str, Any]:
    """Return the parameters that ``firegui`` receives from a command."""
    _firegui, name, *words = shlex.split(command)
    found = main.get_command(click.Context(main), name)
    assert found is not None
    return found.make_context(name, words).params


def read(settings: Any, given: Mapping[str, Any], **more: Any) -> Any:
    problems = Problems()
    found = given_settings(settings, given, problems, **more)
    assert list(problems) == []
    return found


def of_project(plan: PlanSettings) -> Project:
    return cast(Project, SimpleNamespace(plan=plan))


@pytest.mark.parametrize("settings", [ExampleSettings(), changed(ExampleSettings())])
def test_declared_settings_are_read_back_from_their_command(settings: ExampleSettings) -> None:
    @click.command()
    @setting_options(ExampleSettings())
    def command(**given: Any) -> None: ...

    for usual in (None, ExampleSettings()):
        given = command.make_context("command", setting_words(settings, usual)).params
        assert read(ExampleSettings(), given) == settings
    assert setting_words(ExampleSettings(), ExampleSettings()) == []
    told = command.get_help(click.Context(command, terminal_width=200))
    for words in ("--count INTEGER", "How many there are.  [default: 3]", "--part FLOAT", "--swift / --no-swift",
                  "--colour red|blue", "--sizes NUMBER,…", "direction of the wind, degrees"):  # fmt: skip
        assert words.lower() in told.lower()


def test_declared_settings_are_checked() -> None:
    (problem,) = bounds_problems(ExampleSettings(count=10), "thing")
    assert (problem.where, problem.what, problem.remedy) == ("thing", "Count is 10", "use a value from 1 to 9")


def test_values_that_cannot_be_read_are_all_reported() -> None:
    problems = Problems()
    found = given_settings(ExampleSettings(), {"colour": "green", "sizes": "1,x"}, problems)
    assert found == ExampleSettings(sizes=(1.0,))
    assert [str(problem) for problem in problems] == [
        "--colour: 'green' is not known — give one of red, blue", "--sizes: 'x' cannot be read — write NUMBER,…",
    ]  # fmt: skip


@pytest.mark.parametrize("stages", [BOTH, *((stage,) for stage in Stage)], ids="+".join)
def test_the_command_of_a_plan_repeats_its_settings(stages: tuple[Stage, ...]) -> None:
    optimizer, elimination = changed(OptimizerSettings()), changed(EliminationSettings())
    plan = PlanSettings(design=Effectiveness(0.123456789, 0.5), optimizer=optimizer, elimination=elimination)
    schedule = None if Stage.TACTICAL in stages else Path("s.csv")
    spec = PlanSpec(of_project(plan), OUT, "", stages, backend="cpu", project_folder=PLACE, warm_start_file=schedule)
    given = parsed(repeat_command(spec))
    assert (given["project_folder"], given["out"], given["backend"]) == (PLACE, OUT, "cpu")
    assert given.get("schedule_file") == schedule
    assert read(PlanSettings().design, given, prefix="design") == plan.design
    if Stage.OPTIMIZE in stages:
        assert read(OptimizerSettings(), given) == plan.optimizer
    if Stage.PRUNE in stages:
        assert read(EliminationSettings(), given) == plan.elimination
    if Stage.TACTICAL in stages:
        assert given["seed"] == plan.optimizer.seed


def test_the_command_of_a_replanning_repeats_its_settings() -> None:
    plan = PlanSettings(
        optimizer=changed(OptimizerSettings(), skip=("start",)), elimination=changed(EliminationSettings())
    )
    schedule = cast(Schedule, None)
    spec = ReplanSpec(of_project(plan), OUT, "", schedule, 2, project_folder=PLACE, schedule_file=Path("s.csv"))
    given = parsed(repeat_command(spec, Path("seen.npz")))
    assert (given["day"], given["observed_file"], given["schedule_file"]) == (2, Path("seen.npz"), Path("s.csv"))
    assert read(OptimizerSettings(), given) == plan.optimizer
    assert read(EliminationSettings(), given) == plan.elimination


@pytest.mark.parametrize("settings", [NetworkFitSettings(), changed(NetworkFitSettings())])
def test_the_command_of_a_calibration_repeats_its_settings(settings: NetworkFitSettings) -> None:
    spec = CalibrateSpec((), settings, OUT, "", project_folders=(PLACE, Path("other")))
    given = parsed(repeat_command(spec, Path("w")))
    assert (given["project_folders"], given["start_file"]) == ((PLACE, Path("other")), Path("w"))
    assert read(NetworkFitSettings(fit_days=99), given) == settings


@pytest.mark.parametrize("kind", UncertaintyKind)
def test_the_command_of_an_ensemble_repeats_its_settings(kind: UncertaintyKind) -> None:
    usual = UncertaintySettings(kind=kind)
    read_by_kind = tuple(
        item.name for item in setting_fields(usual) if not item.option.kinds or kind in item.option.kinds
    )
    every = changed(usual, read_by_kind, skip=("kind",))
    for settings in (usual, every, replace(every, error=ErrorSource.FITTED)):
        if settings.error is ErrorSource.PAPER and kind is UncertaintyKind.EPISTEMIC:
            # The published error model is fitted already.
            settings = replace(settings, softening=usual.softening)
        given = parsed(
            repeat_command(
                UncertaintySpec(
                    of_project(PlanSettings()), OUT, "", settings, project_folder=PLACE, schedule_file=SCHEDULE
                )
            )
        )
        assert (given["kind_name"], given["schedule_file"]) == (kind, SCHEDULE)
        assert read(usual, given, kind=kind) == settings


@pytest.mark.parametrize("kind", SensitivityKind)
def test_the_command_of_a_table_repeats_its_settings(kind: SensitivityKind) -> None:
    usual = SensitivitySettings()
    names = tuple(item.name for item in setting_fields(usual) if kind in item.option.kinds)
    plan = PlanSettings(optimizer=OptimizerSettings(epochs=77))
    for settings in (usual, changed(usual, names)):
        spec = SensitivitySpec(of_project(plan), OUT, "", kind, settings, project_folder=PLACE, schedule_file=SCHEDULE)
        given = parsed(repeat_command(spec))
        assert (given["kind_name"], given["schedule_file"]) == (kind, SCHEDULE)
        assert read(usual, given, kind=kind) == settings
        assert given["epochs"] == (77 if kind is SensitivityKind.DESIGN else None)


@pytest.mark.parametrize("settings", [StressTestSettings(), changed(StressTestSettings())])
def test_the_command_of_a_stress_test_repeats_its_settings(settings: StressTestSettings) -> None:
    spec = StressSpec(
        of_project(PlanSettings()), OUT, "", settings, Schedule.empty(1, 1), project_folder=PLACE,
        schedule_file=SCHEDULE, scenarios_file=Path("s.toml"),
    )  # fmt: skip
    given = parsed(repeat_command(spec))
    assert (given["schedule_file"], given["scenarios_file"]) == (SCHEDULE, Path("s.toml"))
    assert read(StressTestSettings(), given) == settings


@pytest.mark.parametrize("settings", [MarginCurveSettings(), changed(MarginCurveSettings())])
def test_the_command_of_a_margin_curve_repeats_its_settings_and_how_its_plans_are_made(
    settings: MarginCurveSettings,
) -> None:
    names = tuple(item.name for item in setting_fields(MarginSettings()) if item.name not in CURVE_OWN)
    margin = changed(MarginSettings(), names)
    plan = PlanSettings(optimizer=OptimizerSettings(epochs=77), margin=margin)
    given = parsed(repeat_command(MarginSpec(of_project(plan), OUT, "", settings, project_folder=PLACE)))
    assert read(MarginCurveSettings(), given) == settings
    own = {name: value for name, value in given.items() if name not in CURVE_OWN}
    assert read(MarginSettings(), own) == margin and given["epochs"] == 77


@pytest.mark.parametrize("settings", [BenchmarkSettings(), changed(BenchmarkSettings())])
def test_the_command_of_a_benchmark_repeats_its_settings(settings: BenchmarkSettings) -> None:
    given = parsed(repeat_command(BenchmarkSpec(of_project(PlanSettings()), OUT, "", settings, PLACE, processes=3)))
    assert read(BenchmarkSettings(), given) == settings and given["processes"] == 3


@pytest.mark.parametrize("settings", [ScalingSettings(), changed(ScalingSettings())])
def test_the_command_of_a_scaling_study_repeats_its_settings(settings: ScalingSettings) -> None:
    plan = PlanSettings(optimizer=OptimizerSettings(full_carry=False))
    given = parsed(repeat_command(ScalingSpec(of_project(plan), OUT, "", settings, project_folder=PLACE)))
    assert read(ScalingSettings(), given) == settings and given["full_carry"] is False


def test_the_command_of_a_study_names_who_computes_it() -> None:
    two = WorkerSettings(2)
    spec = StudySpec(of_project(PlanSettings()), OUT, "", StudySettings(), workers=two, study_file=Path("s.toml"))
    assert repeat_command(spec) == "firegui study s.toml --out out --workers 2"
    there = replace(spec, workers=WorkerSettings(scheduler="tcp://a:1"))
    assert repeat_command(there).endswith("--out out --scheduler tcp://a:1")
    assert repeat_command(replace(spec, workers=WorkerSettings())) == "firegui study s.toml --out out"


def test_a_command_needs_the_folder_of_the_project() -> None:
    spec: RepeatableSpec = PlanSpec(of_project(PlanSettings()), OUT, "")
    assert repeat_command(spec) == ""
    assert value_at(PlanSettings(), ("optimizer", "epochs")) == 10_000
