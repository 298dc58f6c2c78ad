"""From a project to the model that planners move through."""

from __future__ import annotations

from dataclasses import replace

from firegui.domain.maps import FireMaps
from firegui.domain.project import Project
from firegui.domain.settings import Effectiveness
from firegui.errors import Check, Problems
from firegui.fire.maps import project_maps
from firegui.io.rasters.masks import region_masks
from firegui.planning.flight_rules import flight_rules, rule_problems
from firegui.rollout.engine_message import EngineMessage, MessageCallback, ignore_message
from firegui.rollout.model import Model
from firegui.rollout.simulate import prepare


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
    )
    return replace(model, rules=flight_rules(project, maps))
