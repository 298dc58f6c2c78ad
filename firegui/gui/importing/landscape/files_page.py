"""Step 1: which files the landscape is in, and what each was taken for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFileDialog,
    QGroupBox,
    QTableView,
    QVBoxLayout,
)

from firegui.domain.scenario import LAYERS
from firegui.errors import Problem
from firegui.gui.base.layouts import vertical
from firegui.gui.importing.landscape.layer_tables import KEYS, BandsModel, LayersModel
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
from firegui.gui.widgets.fields import NoScrollComboBox, PathField, WholeField
from firegui.gui.widgets.table_view import show_table
from firegui.io.importers.landscape_source import LayerBand
from firegui.io.importers.units import UNITS

_RASTERS = "Rasters (*.tif *.tiff *.lcp *.asc *.img);;All files (*)"
_ANY = "Files of a fire (*.tif *.tiff *.lcp *.csv *.nc *.shp *.gpkg *.geojson *.json *.kml *.kmz);;All files (*)"
_MOST_BANDS = 10_000


class FilesPage(WizardPage):
    """Step for the files, what each was taken for, and the bands of a landscape file."""

    title = "Files"
    about = (
        "Choose a folder or files, or drag them in: GeoTIFF layers or a landscape file (LCP), on any grid. What each "
        "was taken for stands below; choose a row to look at it and to change it."
    )
    brought = Signal(object)
    """Paths that were chosen and are to be recognised."""

    def __init__(self, draft: ImportDraft) -> None:
        super().__init__(draft)
        self.layers = LayersModel(self)
        self.view = QTableView()
        self.file = PathField("layerFile", "not given: choose a raster", files=_RASTERS, place=self._start_folder)
        self.band, self.unit = WholeField(1, _MOST_BANDS), NoScrollComboBox()
        self.bands = BandsModel(self)
        self.band_view = QTableView()
        self._detail = QGroupBox()
        self._facts, self._lcp_said, self._guessed = copyable_label(), copyable_label(), copyable_label()
        self._lay_out()
        self.show_answers()

    @property
    def key(self) -> str:
        """The chosen layer."""
        return KEYS[max(self.view.currentIndex().row(), 0)]

    def choose(self, key: str) -> None:
        """Choose a layer."""
        self.view.setCurrentIndex(self.layers.index(KEYS.index(key), 0))

    # -- putting together --------------------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        choose = button("Choose &folder…", self._choose_folder), button("C&hoose files…", self._choose_files)
        self.add(button_row(*choose), self.note("layers", "landscape", "folder"))
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
        column = vertical(None, form(("F&ile", self.file), ("&Band", self.band), ("&Unit", self.unit)), self._facts)
        titles = [title.lower() for title, _ in LAYERS.values()]
        column.addWidget(self.note(*titles, field=self.file, files=self._layer_files))
        self._detail.setLayout(column)
        self.file.settled.connect(self._on_file)
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
        guess = button("&Guess again", lambda: self.draft.change(lcp_bands=None))
        remove = button("&Remove this file", lambda: self.draft.change(lcp=None, lcp_bands=None, lcp_units={}))
        column = QVBoxLayout()
        column.addWidget(self._lcp_said)
        column.addWidget(self.note("landscape file", "lcp", field=view, files=self._lcp_files))
        column.addWidget(view)
        column.addLayout(button_row(guess, remove))
        self._lcp = group("Bands of the landscape file", column)
        return self._lcp

    # -- the draft ---------------------------------------------------------------------------------------------------
    def show_answers(self) -> None:
        """Fill the fields of the chosen layer."""
        source = self.draft.source
        own, fact = source.layers.get(self.key), self.layers.facts_of(self.key)
        found = None if fact is None else fact.file
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

    def show_look(self, look: SurveyResult) -> None:
        """Show what was found in the files."""
        super().show_look(look)
        survey = look.survey
        self._show_table(look.problems)
        self.bands.show(survey.lcp_bands)
        self._fit_bands()
        lcp = self.draft.source.lcp
        self._lcp_said.setText("" if lcp is None else f"{lcp.name}: {survey.lcp_reason}")
        self._say_facts()
        self.show_answers()

    def _show_table(self, problems: Sequence[Problem]) -> None:
        if self.look is None:
            self.layers.show(self.draft.source.layers, (), frozenset())
        else:
            found = problems or self.look.problems
            self.layers.show(self.draft.source.layers, self.look.survey.layers, _wrong(found, self.draft.source.layers))
        guessed = self.draft.answers.guessed
        lines = ["Told from names and contents:", *(f"• {line}" for line in guessed)]
        show_text(self._guessed, "\n".join(lines) if guessed else "")

    def _say_facts(self) -> None:
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
        self._say_facts()
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
            self.brought.emit((Path(name),))

    def _choose_files(self) -> None:
        names, _filter = QFileDialog.getOpenFileNames(self, "Layers or a landscape file", self._start_folder(), _ANY)
        if names:
            self.brought.emit(tuple(Path(name) for name in names))

    def _start_folder(self) -> str:
        return self.start_folder(self._lcp_files())

    def _layer_files(self) -> list[Path]:
        return [file.path for file in self.draft.source.layers.values()]

    def _lcp_files(self) -> list[Path]:
        return [] if self.draft.source.lcp is None else [self.draft.source.lcp]

    def _fit_bands(self) -> None:
        # Boxes that are always there say that the order can be changed.
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
