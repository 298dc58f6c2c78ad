"""From the answers of the wizard to a project."""

from __future__ import annotations

from dataclasses import replace

from firegui.domain.coverage import fuel_cells
from firegui.domain.project import Project
from firegui.fire.first_project import first_project
from firegui.gui.base.tasks import Check
from firegui.gui.importing.landscape.wizard_answers import Answers
from firegui.gui.widgets.coverage_table import chosen_coverage
from firegui.io.coverage_toml import shipped_table
from firegui.io.importers.landscape import import_landscape


def make_landscape(answers: Answers, check: Check) -> Project:
    """The project that ``answers`` describe; nothing is written. ``check`` may raise to cancel.

    Raises :class:`~firegui.errors.InputError` with everything that is wrong.
    """
    event = import_landscape(answers.source, check)
    project = first_project(event, grounded=False)
    if answers.coverage.is_published:
        return project
    fuel = event.layers.get("fuel")
    cells = {} if fuel is None else fuel_cells(fuel)
    return replace(project, coverage=chosen_coverage(answers.coverage, cells, shipped_table()))
