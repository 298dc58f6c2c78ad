"""Step 5: the coverage that each fuel model requires, and what that makes for the whole fire."""

from __future__ import annotations

from firegui.gui.importing.landscape.survey import Look
from firegui.gui.importing.landscape.wizard_answers import Draft
from firegui.gui.importing.landscape.wizard_page import Page
from firegui.gui.widgets.coverage_form import CoverageForm


class CoveragePage(Page):
    """See the module."""

    title = "Coverage"
    overlays = frozenset({"coverage"})
    about = (
        "How much retardant or water the fuel of a cell needs, in gal per 100 ft². A plan reckons with one value, the "
        "mean over all cells that can burn, each weighted by its area."
    )

    def __init__(self, draft: Draft) -> None:
        super().__init__(draft)
        self.form = CoverageForm()
        self.column.addWidget(self.form, 1)
        self.column.addWidget(self.note("coverage", "required coverage", field=self.form.view))
        self.form.edited.connect(lambda choice: self.draft.answer(coverage=choice))

    def show_answers(self) -> None:
        """What was chosen, for the fuel that was found last."""
        self.form.show_fuel({} if self.look is None else self.look.survey.fuel_cells, self.draft.answers.coverage)

    def show_look(self, look: Look) -> None:
        """The fuel models that the landscape holds."""
        super().show_look(look)
        self.show_answers()
