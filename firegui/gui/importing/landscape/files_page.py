"""Step 1 of the wizard: the files of the landscape, and what each was recognised as."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFileDialog,
    QGroupBox,
    QTableView,
    QVBoxLayout,
)

from firegui.domain.scenario import LAYERS
from firegui.domain.units import percent_text
from firegui.errors import InputError, Problem
from firegui.gui.base.layouts import add_layout, vertical
from firegui.gui.importing.landscape.survey import ImportDraft, SurveyResult
from firegui.gui.importing.landscape.wizard_page import (
    WizardPage,
    button,
    button_row,
    copyable_label,
    form,
    group,
    put_text,
    show_text,
)
from firegui.gui.widgets.delegates import ChoiceDelegate
from firegui.gui.widgets.fields import FUEL_MODEL_FILES, NoScrollComboBox, PathField, WholeField
from firegui.gui.widgets.table_model import Column, TableModel
from firegui.gui.widgets.table_view import show_table
from firegui.io.fuel_models_file import read_fuel_models
from firegui.io.importers.landscape_source import LayerBand
from firegui.io.importers.landscape_survey import LayerFacts
from firegui.io.importers.layer_values import UNITS
from firegui.io.importers.lcp import UNUSED

KEYS = tuple(LAYERS)
BAND_ROLES: tuple[tuple[str, str], ...] = (
    *((key, title) for key, (title, _) in LAYERS.items()),
    *((role, words if role == "-" else f"{words.capitalize()} (not used)") for role, words in UNUSED.items()),
)
_ROLE_TEXTS = dict(BAND_ROLES)
_DERIVED = "derived from elevation"


# -- layers -----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class LayerRow:
    """Layer with its chosen file and the facts found in it; ``is_wrong`` if it has a problem."""

    key: str
    chosen: LayerBand | None
    facts: LayerFacts | None
    is_wrong: bool


class LayersModel(TableModel[LayerRow]):
    """Layers of an event; those without a file are muted."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(_LAYER_COLUMNS, parent, row_color=_layer_color)
        self.show({}, (), frozenset())

    def show(self, files: Mapping[str, LayerBand], facts: Sequence[LayerFacts], wrong: frozenset[str]) -> None:
        """Show the chosen files and the facts; ``wrong`` are the layers with a problem."""
        found = {fact.key: fact for fact in facts}
        self.set_rows([LayerRow(key, files.get(key), found.get(key), key in wrong) for key in KEYS])

    def facts_of(self, key: str) -> LayerFacts | None:
        """Return the facts found about a layer."""
        return self.rows[KEYS.index(key)].facts


def _layer_color(row: LayerRow) -> str | None:
    if row.is_wrong:
        return "error"
    return "muted" if row.chosen is None and row.facts is None else None


def _column(title: str, text: Callable[[Any], str], tip: str) -> Column:
    return Column(title, text, tip=tip, is_text=True, cell_tip=text)


def _of_facts(title: str, text: Callable[[LayerFacts], str], tip: str) -> Column:
    return _column(title, lambda row: "" if row.facts is None else text(row.facts), tip)


def _name_text(row: LayerRow) -> str:
    title = LAYERS[row.key][0]
    return f"⚠ {title}" if row.is_wrong else title


def _file_text(row: LayerRow) -> str:
    file = row.chosen or (None if row.facts is None else row.facts.file)
    if file is None:
        return "not given" if row.facts is None else _DERIVED
    return file.path.name if file.band is None else f"{file.path.name} · band {file.band}"


def _unit_text(fact: LayerFacts) -> str:
    is_given = fact.unit_given or not fact.unit or len(fact.units) < 2
    return fact.unit if is_given else f"{fact.unit} (guessed)"


def _size_text(fact: LayerFacts) -> str:
    return "" if fact.shape is None else f"{fact.shape[1]:,} × {fact.shape[0]:,}"


def _cell_text(fact: LayerFacts) -> str:
    return "" if fact.cell is None else f"{fact.cell[0]:g} × {fact.cell[1]:g}"


def range_text(fact: LayerFacts) -> str:
    """Return the range of values in the layer's own unit."""
    unit = LAYERS[fact.key][1].split(",")[0].split(" ")[0]
    if fact.key == "fuel":
        return f"{fact.low:g} to {fact.high:g}"
    return f"{_three(fact.low)} to {_three(fact.high)} {unit}"


def share_text(share: float) -> str:
    """Return a share in percent; a tiny share is not shown as zero."""
    if 0.0 < share < 0.0005:
        return "< 0.1 %"
    return percent_text(share, 1) if share else "none"


def _three(value: float) -> str:
    return (f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}").replace("-", "−")


_LAYER_COLUMNS = (
    _column("Layer", _name_text, "what it is in firegui"),
    _column("File", _file_text, "the file it is read from, and the band where that is not the first"),
    _of_facts("Range", range_text, "lowest and highest value, in the layer's own unit"),
    _of_facts("Read as", _unit_text, "the unit its numbers are read in; (guessed) unless it was said"),
    _of_facts("No data", lambda fact: share_text(fact.holes), "share of the event's cells without a value"),
    _of_facts("CRS", lambda fact: fact.crs, "the coordinate reference system that the file states"),
    _of_facts("Size", _size_text, "width × height of the file, in cells"),
    _of_facts("Cell", _cell_text, "width × height of a cell of the file, in the unit of its CRS"),
    _of_facts("Placed", lambda fact: fact.placing, "how it is brought onto the event's grid"),
)


# -- bands of a landscape file ----------------------------------------------------------------------------------------
class BandsModel(TableModel[tuple[int, str]]):
    """Bands of a landscape file by number, each with its layer."""

    chosen = Signal(object)
    """The roles of all bands, after the user changed one."""

    def __init__(self, parent: QObject | None = None) -> None:
        columns = (
            Column("Band", lambda band: band[0], is_text=True),
            Column("Recognised as", lambda band: _ROLE_TEXTS.get(band[1], band[1]), is_text=True, edit=self._choose,
                   initial=lambda band: band[1], delegate=lambda view: ChoiceDelegate(lambda: BAND_ROLES, view)),
        )  # fmt: skip
        super().__init__(columns, parent)

    def show(self, roles: Sequence[str]) -> None:
        """Show the bands in the order of the file."""
        bands = list(enumerate(roles, 1))
        if bands != self.rows:
            self.set_rows(bands)

    def _choose(self, position: int, band: tuple[int, str], role: Any) -> bool:
        """Give a band another role.

        The band that had this role gets the other's, so that no role occurs twice.
        """
        if role == band[1]:
            return False
        roles = [role for _, role in self.rows]
        if role != "-" and role in roles:
            roles[roles.index(role)] = band[1]
        roles[position] = str(role)
        self.chosen.emit(tuple(roles))
        return True


_RASTERS = "Rasters (*.tif *.tiff *.lcp *.asc *.img);;All files (*)"
_ANY = "Files of a fire (*.tif *.tiff *.lcp *.csv *.nc *.shp *.gpkg *.geojson *.json *.kml *.kmz);;All files (*)"
_MOST_BANDS = 10_000


class FilesPage(WizardPage):
    """Step for the files, what each was recognised as, and the bands of a landscape file."""

    title = "Files"
    about = (
        "Choose a folder or files, or drag them in: GeoTIFF layers or a landscape file (LCP), on any grid. What each "
        "was taken for stands below; choose a row to look at it and to change it."
    )
    paths_chosen = Signal(object)
    """Paths that the user chose and that must be recognised."""

    def __init__(self, draft: ImportDraft) -> None:
        super().__init__(draft)
        self.layers = LayersModel(self)
        self.view = QTableView()
        self.file = PathField("layerFile", "not given: choose a raster", files=_RASTERS, place=self._start_folder)
        self.band, self.unit = WholeField(1, _MOST_BANDS), NoScrollComboBox()
        self.band.setToolTip("Number of the band in the file; a plain number from 1")
        self.unit.setToolTip("Unit of the numbers in the file")
        self.fuels = PathField("fuelModels", "only standard ones", files=FUEL_MODEL_FILES, place=self._start_folder)
        self.bands = BandsModel(self)
        self.band_view = QTableView()
        self._detail = QGroupBox()
        self._facts, self._lcp_said, self._guessed = copyable_label(), copyable_label(), copyable_label()
        self.unreadable = copyable_label("warning")
        self._lay_out()
        self.show_answers()

    @property
    def key(self) -> str:
        """The selected layer."""
        return KEYS[max(self.view.currentIndex().row(), 0)]

    def choose(self, key: str) -> None:
        """Select a layer."""
        self.view.setCurrentIndex(self.layers.index(KEYS.index(key), 0))

    # -- putting together --------------------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        choose = (
            button("Choose &folder…", self._choose_folder, "Read every layer in a folder"),
            button("C&hoose files…", self._choose_files, "Read these files alone"),
        )
        self.add(button_row(*choose), self.note("layers", "landscape", "folder"), self.unreadable)
        self._set_up_table()
        self.add(self.view, self._detail_box(), self._lcp_box(), self._guessed)
        self.column.addStretch(1)

    def _set_up_table(self) -> None:
        view = self.view
        show_table(view, self.layers, "Layers", is_sortable=False)
        view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        view.setTabKeyNavigation(False)
        header = view.horizontalHeader()
        lines = len(KEYS) * view.verticalHeader().defaultSectionSize()
        view.setFixedHeight(header.sizeHint().height() + lines + view.horizontalScrollBar().sizeHint().height() + 4)
        view.setCurrentIndex(self.layers.index(0, 0))
        view.selectionModel().currentRowChanged.connect(lambda *_: self._on_chosen())

    def _detail_box(self) -> QGroupBox:
        rows = ("F&ile", self.file), ("&Band", self.band), ("&Unit", self.unit), ("&Custom models", self.fuels)
        self._fields = form(*rows)
        column = vertical(None, self._fields, self.note(field=self.fuels, files=self._fuel_model_files), self._facts)
        titles = [title.lower() for title, _ in LAYERS.values()]
        column.addWidget(self.note(*titles, field=self.file, files=self._layer_files))
        self._detail.setLayout(column)
        self.file.settled.connect(self._on_file)
        self.fuels.settled.connect(self._on_fuels)
        self.band.valueChanged.connect(lambda _value: self._on_band())
        self.unit.activated.connect(lambda _index: self._on_unit())
        return self._detail

    def _lcp_box(self) -> QGroupBox:
        view = self.band_view
        height = view.fontMetrics().height() + 10
        show_table(view, self.bands, "Bands of the landscape file", row_height=height, is_sortable=False)
        view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        view.setTabKeyNavigation(False)
        view.horizontalHeader().setStretchLastSection(True)
        self.bands.chosen.connect(lambda bands: self.draft.change(lcp_bands=bands))
        guess = button(
            "&Guess again", lambda: self.draft.change(lcp_bands=None), "Recognise the bands by their contents again"
        )
        remove = button(
            "&Remove this file", lambda: self.draft.change(lcp=None, lcp_bands=None, lcp_units={}),
            "Do without the landscape file; the file stays on the disk",
        )  # fmt: skip
        column = QVBoxLayout()
        column.addWidget(self._lcp_said)
        column.addWidget(self.note("landscape file", "lcp", field=view, files=self._lcp_files))
        column.addWidget(view)
        add_layout(column, button_row(guess, remove))
        self._lcp = group("Bands of the landscape file", column)
        return self._lcp

    # -- the draft ---------------------------------------------------------------------------------------------------
    def show_answers(self) -> None:
        """Fill the fields of the selected layer."""
        source = self.draft.source
        own, fact = source.layers.get(self.key), self.layers.facts_of(self.key)
        found = None if fact is None else fact.file
        self._fields.setRowVisible(self.fuels, self.key == "fuel")
        with QSignalBlocker(self.band), QSignalBlocker(self.unit):
            self._detail.setTitle(LAYERS[self.key][0])
            put_text(self.file.line, "" if own is None else str(own.path))
            self.band.setValue((own.band if own is not None else found.band if found is not None else None) or 1)
            self.band.setEnabled(own is not None and (fact is None or fact.bands != 1))
            self.band.setSuffix(f" of {fact.bands}" if fact is not None and fact.bands else "")
            self._offer_units(own)
        self._lcp.setVisible(source.lcp is not None)
        self._show_table(())

    def _offer_units(self, own: LayerBand | None) -> None:
        said = own.unit if own is not None else self.draft.source.lcp_units.get(self.key)
        fact = self.layers.facts_of(self.key)
        self.unit.clear()
        self.unit.addItem(
            "as guessed" if fact is None or fact.unit_given or not fact.unit else f"as guessed: {fact.unit}", None
        )
        for unit in UNITS[self.key]:
            self.unit.addItem(unit, unit)
        self.unit.setCurrentIndex(max(self.unit.findData(said), 0) if said is not None else 0)
        self.unit.setEnabled(own is not None or (fact is not None and fact.file is not None))

    def show_survey(self, survey_result: SurveyResult) -> None:
        """Show the facts found in the files."""
        super().show_survey(survey_result)
        survey = survey_result.survey
        self._show_table(survey_result.problems)
        self.bands.show(survey.lcp_bands)
        self._fit_bands()
        lcp = self.draft.source.lcp
        self._lcp_said.setText("" if lcp is None else f"{lcp.name}: {survey.lcp_reason}")
        self._show_facts()
        self.show_answers()

    def _show_table(self, problems: Sequence[Problem]) -> None:
        if self.survey_result is None:
            self.layers.show(self.draft.source.layers, (), frozenset())
        else:
            found = problems or self.survey_result.problems
            self.layers.show(
                self.draft.source.layers, self.survey_result.survey.layers, _wrong(found, self.draft.source.layers)
            )
        guessed = self.draft.answers.guessed
        lines = ["Recognised from names and contents:", *(f"• {line}" for line in guessed)]
        show_text(self.unreadable, "\n".join(self.draft.answers.unreadable))
        show_text(self._guessed, "\n".join(lines) if guessed else "")

    def _show_facts(self) -> None:
        fact = self.layers.facts_of(self.key)
        if fact is None:
            self._facts.setText("This layer is not given." if self.key not in self.draft.source.layers else "")
            return
        texts = [self.layers.index(KEYS.index(self.key), column) for column in range(2, self.layers.columnCount())]
        heads = [self.layers.headerData(c, Qt.Orientation.Horizontal) for c in range(2, self.layers.columnCount())]
        parts = [f"{head}: {index.data()}" for head, index in zip(heads, texts, strict=True) if index.data()]
        self._facts.setText(" · ".join(parts))

    def _on_chosen(self) -> None:
        self.show_answers()
        self._show_facts()
        self.scene_changed.emit()

    def _on_file(self) -> None:
        self.file.line.setModified(False)
        layers, path = dict(self.draft.source.layers), self.file.path
        own = layers.get(self.key)
        if path is None:
            layers.pop(self.key, None)
        elif own is None or own.path != path:
            layers[self.key] = LayerBand(path)
        self.draft.change(layers=layers)

    def _on_fuels(self) -> None:
        """Read the custom fuel models; a file that cannot be used changes nothing."""
        path = self.fuels.path
        try:
            fuels = () if path is None else read_fuel_models(path)
        except InputError as error:
            self.check_entries(error.problems)
            return
        self.check_entries(())
        self.draft.change(fuels=fuels)

    def _on_band(self) -> None:
        self._change_layer(band=self.band.value())

    def _on_unit(self) -> None:
        unit, source = self.unit.currentData(), self.draft.source
        if self.key in source.layers:
            self._change_layer(unit=unit)
            return
        units = {key: said for key, said in source.lcp_units.items() if key != self.key}
        self.draft.change(lcp_units=units if unit is None else units | {self.key: unit})

    def _change_layer(self, **fields: object) -> None:
        layers = dict(self.draft.source.layers)
        if self.key in layers:
            layers[self.key] = replace(layers[self.key], **fields)  # type: ignore[arg-type]
            self.draft.change(layers=layers)

    # -- files -------------------------------------------------------------------------------------------------------
    def _choose_folder(self) -> None:
        name = QFileDialog.getExistingDirectory(self, "A folder with the layers of a landscape", self._start_folder())
        if name:
            self.paths_chosen.emit((Path(name),))

    def _choose_files(self) -> None:
        names, _filter = QFileDialog.getOpenFileNames(self, "Layers or a landscape file", self._start_folder(), _ANY)
        if names:
            self.paths_chosen.emit(tuple(Path(name) for name in names))

    def _start_folder(self) -> str:
        return self.start_folder(self._lcp_files())

    def _layer_files(self) -> list[Path]:
        return [file.path for file in self.draft.source.layers.values()]

    def _fuel_model_files(self) -> list[Path]:
        return [] if self.fuels.path is None else [self.fuels.path]

    def _lcp_files(self) -> list[Path]:
        return [] if self.draft.source.lcp is None else [self.draft.source.lcp]

    def _fit_bands(self) -> None:
        # The boxes are always there, which shows that the order can be changed.
        for row in range(self.bands.rowCount()):
            self.band_view.openPersistentEditor(self.bands.index(row, 1))
        rows = self.bands.rowCount() * self.band_view.verticalHeader().defaultSectionSize()
        self.band_view.setFixedHeight(self.band_view.horizontalHeader().sizeHint().height() + rows + 4)


def _wrong(problems: Sequence[Problem], files: Mapping[str, LayerBand]) -> frozenset[str]:
    """Return the layers that a problem names by title or by file."""
    found = set()
    for problem in problems:
        where = problem.where.lower()
        for key, (title, _) in LAYERS.items():
            named = key in files and files[key].path.name.lower() in where
            if named or where.startswith(title.lower()):
                found.add(key)
    return frozenset(found)
