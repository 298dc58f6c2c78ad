"""Step 2: the grid of square cells to which all layers are resampled."""

from __future__ import annotations

from PySide6.QtWidgets import QLineEdit

from firegui.domain.grid import Grid
from firegui.domain.options import plain_number
from firegui.domain.units import Units
from firegui.errors import Problems
from firegui.gui.importing.landscape.survey import ImportDraft, SurveyResult
from firegui.gui.importing.landscape.wizard_page import (
    WizardPage,
    button,
    copyable_label,
    form,
    group,
    put_text,
    show_text,
)
from firegui.gui.widgets.fields import number, read_entry, text_line
from firegui.io.crs import metres_per_unit, short_name
from firegui.io.importers.landscape_source import TargetGrid

LARGE_CELLS, SMALL_CELLS = 2_000_000, 2_500
"""Plans on larger grids take hours and gigabytes. On smaller grids the fire soon reaches the edge."""

_SIDES = ("west", "south", "east", "north")
_AS_PROPOSED = "as proposed"


class GridPage(WizardPage):
    """Step for CRS, cell size and extent. Empty fields show the proposed values as placeholders."""

    title = "Grid"
    overlays = frozenset({"files"})
    about = (
        "All layers are brought onto one north-up grid of square cells: fuel by the nearest cell, everything else "
        "bilinearly. The dashed outlines in the preview are the files, the frame is the grid."
    )

    def __init__(self, draft: ImportDraft) -> None:
        super().__init__(draft)
        self.crs = text_line("crs", _AS_PROPOSED, "such as EPSG:32610 or a PROJ text; in metres")
        self.cell = text_line("cell", _AS_PROPOSED, "side of a cell in metres")
        self.bounds: dict[str, QLineEdit] = {
            side: text_line(side, _AS_PROPOSED, f"{side} edge, in the unit of the CRS") for side in _SIDES
        }
        self._reason, self._size, self._warning = copyable_label(), copyable_label(""), copyable_label("warning")
        self._lay_out()
        self.show_answers()

    def _lay_out(self) -> None:
        crs_note, cell_note = self.note("crs", "grid, crs", field=self.crs), self.note("cell size", field=self.cell)
        extent = form(*((side.capitalize(), line) for side, line in self.bounds.items()))
        extent.addRow("", self.note("bounds", field=self.bounds["west"]))
        self.add(
            form(("C&RS", self.crs), ("", crs_note), ("Cell si&ze (m)", self.cell), ("", cell_note)),
            group("Extent", extent),
            self.note("grid", "target", "extent"),
            button("As &proposed", self._propose, "Empty all fields"),
            self._reason,
            self._size,
            self._warning,
        )
        self.column.addStretch(1)
        for line in (self.crs, self.cell, *self.bounds.values()):
            line.editingFinished.connect(self._on_entry)

    def show_answers(self) -> None:
        """Fill the fields, unless an entry is invalid."""
        target = self.draft.source.target
        if self.entry_problems:
            return
        bounds = target.bounds or (None,) * 4
        numbers = zip((self.cell, *self.bounds.values()), (target.cell_size_m, *bounds), strict=True)
        put_text(self.crs, target.crs or "")
        for line, value in numbers:
            put_text(line, "" if value is None else plain_number(value))

    def show_survey(self, survey_result: SurveyResult) -> None:
        """Show the resulting grid, and the proposed values in empty fields."""
        super().show_survey(survey_result)
        grid = survey_result.survey.grid
        reason = survey_result.survey.grid_reason
        self._reason.setText(f"Proposed: {reason}." if reason and self._is_empty else reason)
        self._size.setText("" if grid is None else size_text(grid, self.draft.units))
        show_text(self._warning, "" if grid is None else size_warning(grid))
        if grid is None:
            return
        self.crs.setPlaceholderText(short_name(grid.crs) if grid.crs else _AS_PROPOSED)
        self.cell.setPlaceholderText(plain_number(grid.cell_size_m))
        for side, edge in zip(_SIDES, edges_of(grid), strict=True):
            self.bounds[side].setPlaceholderText(f"{edge:,.10g}".replace(",", " "))

    def _on_entry(self) -> None:
        """Apply the fields; an invalid entry is marked and changes nothing."""
        for line in (self.crs, self.cell, *self.bounds.values()):
            line.setModified(False)
        problems = Problems()
        cell = read_entry(self.cell.text().strip(), number, "cell size", "give metres, such as 30", problems)
        if cell is not None and not cell > 0:
            problems.add("cell size", f"{cell:g} m", "give more than 0")
        edges = [self._edge(side, problems) for side in _SIDES]
        given = [edge for edge in edges if edge is not None]
        bounds = None
        if len(given) == len(_SIDES):
            bounds = (given[0], given[1], given[2], given[3])
            if not (bounds[0] < bounds[2] and bounds[1] < bounds[3]):
                problems.add("bounds", "west is not below east, or south not below north", "exchange them")
        elif given and self.survey_result is not None and self.survey_result.survey.grid is not None:
            # One edge was moved; the others keep their proposed values.
            proposed = edges_of(self.survey_result.survey.grid)
            west, south, east, north = (p if e is None else e for e, p in zip(edges, proposed, strict=True))
            bounds = (west, south, east, north)
        if self.check_entries(problems):
            self.draft.change(target=TargetGrid(self.crs.text().strip() or None, cell, bounds))

    @property
    def _is_empty(self) -> bool:
        return self.draft.source.target == TargetGrid()

    def _propose(self) -> None:
        self.check_entries(())
        self.draft.change(target=TargetGrid())
        self.show_answers()

    def _edge(self, side: str, problems: Problems) -> float | None:
        text = self.bounds[side].text().replace(" ", "").strip()
        return read_entry(text, number, "bounds", f"give the {side} edge as a number", problems)


def edges_of(grid: Grid) -> tuple[float, float, float, float]:
    """Return west, south, east and north in the unit of the CRS."""
    west, north = grid.to_world(-0.5, -0.5)
    east, south = grid.to_world(grid.rows - 0.5, grid.columns - 0.5)
    return west, south, east, north


def size_text(grid: Grid, units: Units = Units.METRIC) -> str:
    """Return columns, rows, cells, the lengths of the sides and the area."""
    high, wide = (units.length(count * grid.cell_size_m) for count in (grid.rows, grid.columns))
    area = grid.n_cells * grid.cell_area_ha
    return (
        f"{grid.size_text} of {grid.cell_size_m:g} m, {grid.n_cells:,} in all\n"
        f"{wide} west–east × {high} north–south, {units.area(area)}"
    )


def size_warning(grid: Grid) -> str:
    """Return a warning for a very large or small grid or another unit; empty for an ordinary grid."""
    if grid.n_cells > LARGE_CELLS:
        return f"⚠ More than {LARGE_CELLS:,} cells: a plan takes hours and gigabytes. Make the cells larger or cut."
    if grid.n_cells < SMALL_CELLS:
        return f"⚠ Fewer than {SMALL_CELLS:,} cells: a fire soon reaches the edge, which it cannot cross."
    if grid.crs is not None and abs(metres_per_unit(grid.crs) - 1.0) > 1e-9:
        return "⚠ The unit of this CRS is not the metre."
    return ""
