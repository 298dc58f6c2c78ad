"""From a project to the model that planners move through."""

from __future__ import annotations

from firegui.domain.project import Project
from firegui.domain.settings import Effectiveness
from firegui.errors import InputError, Problem
from firegui.fire.maps import project_maps
from firegui.io.rasterize import region_masks
from firegui.rollout.model import Model
from firegui.rollout.simulate import prepare


def build(
    project: Project, *, effectiveness: Effectiveness, backend: str = "auto", precision: str = "float32"
) -> Model:
    """The frozen fire, the fleet with its calendar and the objective of ``project`` at ``effectiveness``.

    Raises :class:`~firegui.errors.InputError` with everything that keeps the project from being planned.
    """
    problems = project.problems()
    # A region off the grid is reported already; what is left is too thin for any cell centre.
    masks = region_masks(() if problems else project.regions, project.scenario.grid.shape)
    for region, mask in zip(project.regions, masks, strict=False):
        if not mask.any():
            problems.append(Problem(f"region {region.name}", "covers no cell centre", "make it wider or remove it"))
    if problems:
        raise InputError(problems, "The project cannot be planned")
    return prepare(
        project_maps(project),
        project.planned_fleet,
        masks,
        [region.weight for region in project.regions],
        weights=project.plan.weights,
        effectiveness=effectiveness,
        retardant_acts_on=project.plan.retardant_acts_on,
        backend=backend,
        precision=precision,
    )
