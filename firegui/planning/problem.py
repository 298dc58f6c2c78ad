"""From a project to the model that planners move through."""

from __future__ import annotations

from dataclasses import replace

from firegui.domain.bases import centres_of_burning
from firegui.domain.maps import FireMaps
from firegui.domain.operations import Operations
from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.domain.settings import Effectiveness
from firegui.errors import Check, Problems
from firegui.fire.maps import project_maps
from firegui.io.rasters.masks import region_masks
from firegui.planning.flight_rules import flight_rules, rule_problems
from firegui.rollout.engine_message import EngineMessage, MessageCallback, ignore_message
from firegui.rollout.model import Model
from firegui.rollout.simulate import prepare, simulate


def build(
    project: Project,
    effectiveness: Effectiveness,
    backend: str = "auto",
    precision: str = "float32",
    *,
    tell: MessageCallback = ignore_message,
    check: Check | None = None,
    maps: FireMaps | None = None,
    waits: bool = True,
) -> Model:
    """Return the planning problem of ``project`` at ``effectiveness``.

    It has the frozen fire, the fleet with its calendar, the rules and the objective. ``tell`` receives messages of the
    engine, ``check`` may raise to cancel. ``maps`` are the project's own, where they exist already
    (:func:`firegui.fire.maps.project_maps`). Without ``waits`` a small fire does not wait for kernels. Raises
    :class:`~firegui.errors.InputError` with everything that keeps the project from being planned.
    """
    problems, title = Problems(), "The project cannot be planned"
    problems.extend(project.problems())
    problems.raise_if_any(title)
    # Only the mask itself can tell that a slanting region slips between the cell centres.
    masks = region_masks(project.regions, project.scenario.grid.shape)
    for region, mask in zip(project.regions, masks, strict=True):
        if not mask.any():
            problems.add(f"region {region.name}", "covers no cell centre", "make it wider or remove it")
    problems.extend(rule_problems(project))
    problems.raise_if_any(title)
    for note in project.operations.notes(project.calendar):
        tell(EngineMessage(note, "warning"))
    maps = project_maps(project, check) if maps is None else maps
    project = with_burning_centres(project, backend, check=check, maps=maps)
    model = prepare(
        maps,
        project.planned_fleet,
        masks,
        [region.weight for region in project.regions],
        weights=project.plan.weights,
        effectiveness=effectiveness,
        retardant_acts_on=project.plan.retardant_acts_on,
        backend=backend,
        precision=precision,
        tell=tell,
        check=check,
        waits=waits,
        values=project.values,
    )
    return replace(model, rules=flight_rules(project, maps))


def with_burning_centres(
    project: Project, backend: str = "auto", *, check: Check | None = None, maps: FireMaps | None = None
) -> Project:
    """Return ``project`` with the centres of its burning area without drops, where it needs them.

    The project itself is returned where no base serves a type, where the centres are known, and where the project has
    problems, which a run reports. ``maps`` as in :func:`build`.
    """
    if not project.needs_centres or project.problems():
        return project
    bare = replace(project, operations=Operations())
    model = build(bare, project.plan.nominal, backend, check=check, maps=maps, waits=False)
    none = Schedule.empty(model.n_steps, model.fleet.n_aircraft)
    days = simulate(model, none, check=check, keep_days=True).p_fire_days
    assert days is not None
    return project.with_centres(centres_of_burning(days))
