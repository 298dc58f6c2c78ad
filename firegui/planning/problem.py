"""From a project to the model that planners move through."""

from __future__ import annotations

from firegui.domain.project import Project
from firegui.domain.settings import Effectiveness
from firegui.errors import InputError
from firegui.fire.maps import project_maps
from firegui.io.rasterize import region_masks
from firegui.rollout.model import Model
from firegui.rollout.simulate import prepare


def build(project: Project, *, effectiveness: Effectiveness, backend: str = "auto") -> Model:
    """The frozen fire, the fleet with its calendar and the objective of ``project`` at ``effectiveness``.

    Raises :class:`~firegui.errors.InputError` with everything that keeps the project from being planned.
    """
    problems = project.problems()
    if problems:
        raise InputError(problems, "The project cannot be planned")
    return prepare(
        project_maps(project),
        project.planned_fleet,
        region_masks(project.regions, project.scenario.grid.shape),
        [region.weight for region in project.regions],
        weights=project.plan.weights,
        effectiveness=effectiveness,
        retardant_acts_on=project.plan.retardant_acts_on,
        backend=backend,
    )
