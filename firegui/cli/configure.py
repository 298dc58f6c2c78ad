"""``firegui configure``: change a project; everything is checked together, then saved once."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from firegui.api.gather import Gather
from firegui.api.inputs import check_source, gather_scenarios
from firegui.cli.arguments import FILE, project_argument
from firegui.cli.options import nominal_options, parse_weights
from firegui.cli.output import json_option, report
from firegui.cli.project_report import next_step, project_lines, project_summary
from firegui.cli.setting_options import given_settings, setting_options
from firegui.domain.airspace import AirspaceRule, typed_rule
from firegui.domain.coverage import RequiredCoverage
from firegui.domain.crew_notes import typed_frequency
from firegui.domain.fleet import Fleet
from firegui.domain.fuel_models import FuelModel
from firegui.domain.operations import Operations
from firegui.domain.options import bounds_problems, number_from_text, setting_fields
from firegui.domain.physical import PhysicalSettings
from firegui.domain.project import KINDS, Project
from firegui.domain.regions import Region
from firegui.domain.settings import ObjectiveWeights, PlanSettings, Setting
from firegui.domain.stress import StressSet
from firegui.domain.weights import NetworkWeights
from firegui.errors import InputError, Problem
from firegui.fire.first_project import with_model
from firegui.fire.physical import with_physical_model
from firegui.io.daylight import dark_pin_problems
from firegui.io.fuel_models_file import read_fuel_models
from firegui.io.project.regions_file import read_regions
from firegui.io.project.scenario_toml import coverage_of, operations_in, read_fleet, read_table
from firegui.io.project.store import load_project, save_project, saved_state
from firegui.io.project.weights_file import read_weights
from firegui.runs.lock import editing

_TITLE = "The project was not changed"
_PLAN = ("start_day", "days", "burning_at_start", "retardant_acts_on", "flame_limit_m", "drops_fail_in_flames")


@click.command()
@project_argument
@click.option(
    "--fleet", "fleet_file", metavar="F.toml", type=FILE, help="Aircraft; grounded days count from the plan's start."
)
@click.option(
    "--regions",
    "regions_file",
    metavar="F.geojson|F.toml",
    type=FILE,
    help="Protected regions, replacing those there are.",
)
@click.option(
    "--operations",
    "operations_file",
    metavar="F.toml|none",
    type=FILE,
    help="Daylight, groundings, sorties, cap, airspace, no-drop zones, pinned drops, bases, frequencies and hazards, "
    "replacing those there are.",
)
@click.option(
    "--airspace", "airspace", metavar="N,MIN[,METRES[,TYPE…]]|none", multiple=True,
    help="At most N drops in any MIN minutes, within METRES of each other, of these types: 1,60,300 or 6,60,,BAe-146; "
    "give it once for each rule, replacing those there are.",
)  # fmt: skip
@click.option(
    "--frequency", "frequencies", metavar="USE=AM,FM|none", multiple=True,
    help="Radio frequency for the crews, such as Air/Ground=122.925,168.275 or Air/Ground=,168.275; give it once for "
    "each, replacing those there are.",
)  # fmt: skip
@click.option(
    "--hazard", "hazards", metavar="TEXT|none", multiple=True,
    help="Hazard for the crews; give it once for each, replacing those there are.",
)  # fmt: skip
@click.option(
    "--scenarios",
    "scenarios_file",
    metavar="F.toml|default",
    type=FILE,
    help="Stress scenarios: worlds in which plans are tested, replacing those there are.",
)
@click.option(
    "--setting", type=click.Choice(["A", "B", "AB"]),
    help="The paper's objective A (whole fire) or B (regions), or both together, with its weights.",
)  # fmt: skip
@click.option(
    "--weights", metavar="burn=,final=,prot=,budget=,cost=,val=",
    help="Weights of the objective; those not named stay.",
)  # fmt: skip
@setting_options(PlanSettings(), only=_PLAN, show_defaults=False)
@click.option(
    "--model",
    type=click.Choice(KINDS),
    help="The shipped network, the shipped constant parameters, the physical model, or the maps the project was "
    "imported with.",
)
@click.option(
    "--fire-weights", "weights_file", metavar="F.safetensors", type=FILE, help="The network with weights of your own."
)
@setting_options(PhysicalSettings(), show_defaults=False, suffix="; physical model")
@click.option(
    "--fuel-models", "fuel_models", metavar="F.fmd|none", type=FILE,
    help="Custom fuel models, in place of those there are; physical model.",
)  # fmt: skip
@click.option(
    "--coverage",
    metavar="F.toml|NUMBER|fuel",
    help="Required coverage: levels by fuel model, a number in gal/100 ft², or the shipped levels.",
)
@nominal_options
@json_option
def configure(
    project_folder: Path,
    fleet_file: Path | None,
    regions_file: Path | None,
    operations_file: Path | None,
    airspace: tuple[str, ...],
    frequencies: tuple[str, ...],
    hazards: tuple[str, ...],
    scenarios_file: Path | None,
    setting: str | None,
    weights: str | None,
    model: str | None,
    weights_file: Path | None,
    fuel_models: Path | None,
    coverage: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Change PROJECT.

    Fleet, regions, constraints, notes for crews, stress scenarios, objective, days, fire model and effectiveness can be
    changed.
    """
    files = (fleet_file, regions_file, operations_file, scenarios_file, weights_file, coverage, fuel_models)
    listed = airspace or frequencies or hazards
    if not listed and all(value is None for value in (*files, setting, weights, model, *given.values())):
        raise click.UsageError("nothing to change: give at least one option")

    def edited(_folder: Path) -> Project:
        """Return the saved project with the changes; raise with everything that is wrong."""
        gather = Gather()
        before = gather.attempt(lambda: load_project(project_folder))
        fleet = None if fleet_file is None else gather.attempt(lambda: read_fleet(fleet_file))
        operations, rules = _operations(operations_file, gather), _airspace(airspace, gather)
        plan = _objective(PlanSettings() if before is None else before.plan, setting, weights, gather)
        plan = given_settings(plan, given, gather)
        plan = replace(plan, nominal=given_settings(plan.nominal, given, gather, prefix="eta"))
        fire_weights = _fire_model(model, weights_file, gather)
        fuels = _fuel_models(fuel_models, gather)
        physical = _physical(model, before, fuels, given, gather)
        required = None if coverage is None else gather.attempt(lambda: _coverage(coverage, before))
        default = str(scenarios_file) == "default"
        stress = StressSet() if default else gather_scenarios(scenarios_file, before, gather)
        if before is None:
            check_source(regions_file, gather, "--regions")
            noted = _noted(Operations() if operations is None else operations, rules, frequencies, hazards)
            gather.extend(plan.problems() + noted.own_problems())
            gather.raise_if_any(_TITLE)
            raise AssertionError("a project that cannot be read has a problem")
        regions = (
            None if regions_file is None else gather.attempt(lambda: read_regions(regions_file, before.scenario.grid))
        )
        out_of_range = bounds_problems(plan, "plan")
        gather.extend(out_of_range)
        if out_of_range:
            # No calendar has such days. The rest is checked with the days of before.
            plan = replace(plan, start_day=before.plan.start_day, days=before.plan.days)
        after = changed(before, fleet, regions, plan, operations)
        after = replace(after, operations=_noted(after.operations, rules, frequencies, hazards))
        if not len(gather):
            after = gather.attempt(lambda: _remodelled(after, model, fire_weights, physical, fuels)) or after
        after = after if required is None else replace(after, coverage=required)
        after = after if stress is None else replace(after, stress=stress)
        gather.extend(problem for problem in introduced(before, after) if problem not in out_of_range)
        gather.raise_if_any(_TITLE)
        return after

    (after,) = save_edited(edited, project_folder)
    data = {"project": str(project_folder), **project_summary(after, project_folder)}
    report(
        as_json,
        data,
        lambda: [f"Saved {project_folder}", "", *project_lines(data), "", next_step(project_folder, after)],
    )


def save_edited(edited: Callable[[Path], Project], *folders: Path) -> list[Project]:
    """Save the projects that ``edited`` returns, again if another program saved one in between.

    Raises :class:`~firegui.errors.InputError` with the problems of all of them, before one is written.
    """
    title = _TITLE if len(folders) == 1 else "No project was changed"
    while True:
        states = [saved_state(folder) for folder in folders]
        gather = Gather()
        after = [gather.attempt(partial(edited, folder)) for folder in folders]
        gather.raise_if_any(title)
        with ExitStack() as held:
            for folder in folders:
                if len(folders) > 1 and not os.access(folder, os.W_OK):
                    gather.add(str(folder), "may not be written to", "allow that, or leave this project out")
                gather.attempt(partial(held.enter_context, editing(folder)))
            gather.raise_if_any(title)
            if [saved_state(folder) for folder in folders] == states:
                saved = [project for project in after if project is not None]
                for project, folder in zip(saved, folders, strict=True):
                    save_project(project, folder, replacing=True)
                return saved


def save_changed(change: Callable[[Project, Gather], Project], folder: Path) -> Project:
    """Save the project as ``change`` returns it, again if another program saved in between.

    Raises :class:`~firegui.errors.InputError` with all that is wrong with it and with the options, which ``change``
    gathers.
    """

    def edited(_folder: Path) -> Project:
        gather = Gather()
        before = gather.attempt(lambda: load_project(folder))
        if before is None:
            gather.raise_if_any(_TITLE)
            raise AssertionError("a project that cannot be read has a problem")
        after = change(before, gather)
        gather.extend(introduced(before, after))
        gather.raise_if_any(_TITLE)
        return after

    (after,) = save_edited(edited, folder)
    return after


def changed(
    project: Project,
    fleet: Fleet | None,
    regions: tuple[Region, ...] | None,
    plan: PlanSettings,
    operations: Operations | None = None,
) -> Project:
    """Return ``project`` with what is not ``None`` replaced.

    A fleet's grounded days are days of the new plan.
    """
    after = replace(
        project,
        plan=plan,
        regions=project.regions if regions is None else regions,
        operations=project.operations if operations is None else operations,
    )
    return after if fleet is None else after.with_fleet(fleet)


def _operations(file: Path | None, gather: Gather) -> Operations | None:
    """Return the constraints in ``file``, as far as they can be read without the fleet."""
    if file is None:
        return None
    return Operations() if str(file) == "none" else operations_in(file, gather)


def _airspace(texts: Sequence[str], gather: Gather) -> tuple[AirspaceRule, ...] | None:
    """Return the airspace rules that are given, none for the word ``none``; note what is no rule."""
    if not texts:
        return None
    rules = []
    for text in texts if list(texts) != ["none"] else ():
        try:
            rules.append(typed_rule(text))
        except ValueError:
            remedy = "write drops, minutes, metres and types between commas, such as 1,60,300"
            gather.add("--airspace", f"{text!r} is not an airspace rule", remedy)
    return tuple(rules)


def _noted(
    operations: Operations, airspace: tuple[AirspaceRule, ...] | None, frequencies: Sequence[str],
    hazards: Sequence[str],
) -> Operations:  # fmt: skip
    """Return the operations with the airspace rules and the notes for crews that are given.

    The word ``none`` alone is no note.
    """
    operations = operations if airspace is None else replace(operations, airspace=airspace)
    if frequencies:
        channels = () if list(frequencies) == ["none"] else tuple(map(typed_frequency, frequencies))
        operations = replace(operations, frequencies=channels)
    if hazards:
        texts = () if list(hazards) == ["none"] else tuple(text.strip() for text in hazards)
        operations = replace(operations, hazards=texts)
    return operations


def _fire_model(model: str | None, weights_file: Path | None, gather: Gather) -> NetworkWeights | None:
    """Return the weights in ``weights_file``; note weights that cannot be used."""
    if weights_file is not None and model not in (None, "network"):
        gather.add("--fire-weights", f"the model {model} has no weights", "leave one of the two options out")
    return None if weights_file is None else gather.attempt(lambda: read_weights(weights_file))


def _coverage(text: str, project: Project | None) -> RequiredCoverage:
    """Return the required coverage: a number as it is, else levels weighted over the fuel.

    Without a project only the levels are checked.
    """
    try:
        chosen = RequiredCoverage(number_from_text(text), "chosen")
    except ValueError:
        table = None if text == "fuel" else read_table(Path(text))
        return RequiredCoverage() if project is None else coverage_of(project.scenario, table)
    problems = chosen.problems()
    if problems:
        raise InputError(problems)
    return chosen


def _physical(
    model: str | None, project: Project | None, fuels: tuple[FuelModel, ...] | None, given: Mapping[str, Any],
    gather: Gather,
) -> PhysicalSettings | None:  # fmt: skip
    """Return the settings of the physical model where it, one of them or its fuel models are chosen.

    They are those of before with what is given.
    """
    usual = PhysicalSettings()
    named = [item.flag() for item in setting_fields(usual) if given.get(item.name) is not None]
    named += [] if fuels is None else ["--fuel-models"]
    has_it = project is not None and project.fire_model.kind == "physical"
    chosen = model or ("physical" if has_it else None)
    if named and chosen != "physical" and project is not None:
        remedy = "choose --model physical, or leave them out"
        gather.add(", ".join(named), f"{'is' if len(named) == 1 else 'are'} of the physical model", remedy)
    if chosen != "physical" or not (named or model):
        return None
    assert project is not None or model is not None
    before = None
    if project is not None:
        known = project
        before = gather.attempt(lambda: known.physical)
    settings = given_settings(before or usual, given, gather)
    gather.extend(settings.problems())
    return settings


def _fuel_models(file: Path | None, gather: Gather) -> tuple[FuelModel, ...] | None:
    """Return the custom fuel models in ``file``, none for the word ``none``."""
    if file is None:
        return None
    return () if str(file) == "none" else gather.attempt(lambda: read_fuel_models(file))


def _remodelled(
    project: Project, model: str | None, weights: NetworkWeights | None, physical: PhysicalSettings | None,
    fuels: tuple[FuelModel, ...] | None,
) -> Project:  # fmt: skip
    if physical is not None:
        return with_physical_model(project, physical, fuels=fuels)
    if weights is not None:
        return project.with_network(weights)
    return project if model is None else with_model(project, model)


def introduced(before: Project, after: Project) -> list[Problem]:
    """Return the problems of ``after`` that ``before`` does not have.

    A region that is still to be drawn is no problem: objective and regions may come one after the other, and a run
    checks again.
    """
    if after.plan.weights.prot > 0 and not after.regions:
        height, width = after.scenario.grid.shape
        after = replace(after, regions=(Region.rectangle("still to come", (0, height), (0, width)),))
    known = set(_all_problems(before))
    return [problem for problem in _all_problems(after) if problem not in known]


def _all_problems(project: Project) -> list[Problem]:
    # Where the sun is at the fire is not the project's to know.
    return project.problems() + dark_pin_problems(project)


def _objective(plan: PlanSettings, setting: str | None, weights: str | None, gather: Gather) -> PlanSettings:
    if setting is not None:
        plan = replace(plan, setting=Setting(setting), weights=ObjectiveWeights.of(Setting(setting)))
    if weights is not None:
        base = plan.weights
        parsed = gather.attempt(lambda: parse_weights(weights, base))
        if parsed is not None:
            plan = replace(plan, setting=Setting.CUSTOM, weights=parsed)
    return plan
