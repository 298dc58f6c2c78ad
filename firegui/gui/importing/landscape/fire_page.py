"""Step 4: the fire, as observed perimeters or a start."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QComboBox

from firegui.errors import Problems
from firegui.gui.base.plain_text import tooltip
from firegui.gui.importing.landscape.survey import ImportDraft, SurveyResult
from firegui.gui.importing.landscape.wizard_page import WizardPage, copyable_label, flush_form, put_text, show_text
from firegui.gui.widgets.fields import NoScrollComboBox, PathField, numbers, read_entry, text_line
from firegui.io.vectors.perimeter_survey import PerimeterSurvey
from firegui.io.vectors.perimeters import PerimeterGrowth, PerimeterSource

_FILES = "Perimeters or a start (*.shp *.gpkg *.geojson *.json *.kml *.kmz *.gpx *.tif *.tiff);;All files (*)"
_FILE, _POINT = "file", "point"
_POINT_REMEDY = "give longitude, latitude in degrees, such as −122.63, 38.61"

GROWTHS: tuple[tuple[PerimeterGrowth, str], ...] = (
    (PerimeterGrowth.CUMULATIVE, "whole perimeters"),
    (PerimeterGrowth.INCREMENTS, "what was new each day"),
)


class FirePage(WizardPage):
    """Step for perimeters or a start of the fire. A click on the preview sets the point."""

    title = "Fire"
    about = (
        "Observed perimeters with dates (shapefile, GeoPackage, GeoJSON, KML, or a GeoTIFF with a band a date), or "
        "where the fire starts: a point, or a raster mask."
    )

    def __init__(self, draft: ImportDraft) -> None:
        super().__init__(draft)
        self.kind = NoScrollComboBox()
        self.file = PathField("perimeters", "perimeters or a start", files=_FILES, place=self._start_folder)
        self.layer, self.column_box, self.growth = NoScrollComboBox(), NoScrollComboBox(), NoScrollComboBox()
        self.point = text_line("ignition", "such as −122.63, 38.61; or click on the preview", _POINT_REMEDY)
        self._found = copyable_label()
        self._lay_out()
        self.show_answers()

    @property
    def is_point(self) -> bool:
        """Whether the fire starts at one point."""
        return bool(self.kind.currentData() == _POINT)

    @property
    def overlays(self) -> frozenset[str]:  # type: ignore[override]
        """Return the fire, and the clicked point while a point can be set."""
        return frozenset({"fire", "click"}) if self.is_point else frozenset({"fire"})

    def set_start_point(self, lonlat: tuple[float, float]) -> None:
        """Start the fire at a clicked position, if this step shows a point."""
        if self.isVisible() and self.is_point:
            self.point.setText(f"{lonlat[0]:.5f}, {lonlat[1]:.5f}")
            self._on_entry()

    # -- putting together --------------------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        self.kind.addItem("From a file", _FILE)
        self.kind.addItem("It starts at a point", _POINT)
        self.kind.setAccessibleName("What burns")
        for box, tip in (
            (self.kind, "Where the fire is taken from"),
            (self.layer, "Layer of the file that has the fire"),
            (self.column_box, "Column that has the date of each perimeter"),
            (self.growth, "What the perimeter of a day encloses"),
        ):
            box.setToolTip(tooltip(tip))
        self._file_part = flush_form(
            ("&File", self.file), ("&Layer", self.layer), ("&Date", self.column_box), ("&Each is", self.growth)
        )
        self._point_part = flush_form(("&Longitude, latitude", self.point))
        note = self.note("perimeters", "ignition", "fire", field=self.point, files=self._perimeter_files)
        self.add(self.kind, self._file_part, self._point_part, note, self._found)
        self.column.addStretch(1)
        self.kind.activated.connect(lambda _index: self._on_kind())
        self.file.settled.connect(self._on_file)
        self.point.editingFinished.connect(self._on_entry)
        for box in (self.layer, self.column_box, self.growth):
            box.activated.connect(lambda _index: self._on_choice())

    # -- the draft ---------------------------------------------------------------------------------------------------
    def show_answers(self) -> None:
        """Fill the fields, unless an entry is invalid."""
        source = self.draft.source
        if source.perimeters is not None or source.ignition is not None:
            self.kind.setCurrentIndex(self.kind.findData(_POINT if isinstance(source.ignition, tuple) else _FILE))
        self._arrange()
        self._offer(
            self.survey_result.fire if self.survey_result is not None and source.perimeters is not None else None
        )
        put_text(self.file.line, "" if source.perimeters is None else str(source.perimeters.file))
        if not self.entry_problems:
            put_text(self.point, _point_text(source.ignition))

    def show_survey(self, survey_result: SurveyResult) -> None:
        """Show what was recognised."""
        super().show_survey(survey_result)
        show_text(self._found, "" if survey_result.fire is None else fire_text(survey_result.fire))
        self.show_answers()

    def _offer(self, survey: PerimeterSurvey | None) -> None:
        """Fill the boxes with the contents of the file; the first entry means automatic recognition."""
        said = self.draft.source.perimeters
        layers, columns = ((), ()) if survey is None else (survey.layers, survey.columns)
        _fill(self.layer, "as recognised", survey.layer if survey else "", layers, said.layer if said else None)
        date = survey.date_column if survey else ""
        _fill(self.column_box, "as recognised", date, columns, said.date_column if said else None)
        growth = dict(GROWTHS).get(survey.growth, "") if survey and survey.growth is not None else ""
        chosen = dict(GROWTHS).get(said.growth) if said and said.growth is not None else None
        _fill(self.growth, "as recognised", growth, [words for _, words in GROWTHS], chosen)
        self.layer.setEnabled(len(layers) > 1)
        for box in (self.column_box, self.growth):
            box.setEnabled(survey is not None and not survey.ignition)

    def _arrange(self) -> None:
        self._file_part.setVisible(not self.is_point)
        self._point_part.setVisible(self.is_point)

    def _on_kind(self) -> None:
        self._arrange()
        self._on_entry()
        self.scene_changed.emit()

    def _on_file(self) -> None:
        self.file.line.setModified(False)
        path, before = self.file.path, self.draft.source.perimeters
        if path is None:
            self.draft.change(perimeters=None)
        elif before is None or before.file != path:
            self.draft.change(perimeters=PerimeterSource(path), ignition=None)

    def _on_choice(self) -> None:
        before = self.draft.source.perimeters
        if before is None:
            return
        growth = self.growth.currentIndex()
        self.draft.change(
            perimeters=PerimeterSource(
                before.file,
                layer=self.layer.currentText() if self.layer.currentIndex() > 0 else None,
                date_column=self.column_box.currentText() if self.column_box.currentIndex() > 0 else None,
                growth=GROWTHS[growth - 1][0] if growth > 0 else None,
            )
        )

    def _on_entry(self) -> None:
        """Apply the fields; an invalid entry is marked and changes nothing."""
        self.point.setModified(False)
        problems = Problems()
        point = None
        if self.is_point:
            point = read_entry(self.point.text().strip(), numbers(2), "ignition", _POINT_REMEDY, problems)
        if not self.check_entries(problems):
            return
        path = self.file.path
        perimeters = self.draft.source.perimeters
        if not self.is_point and path is not None and (perimeters is None or perimeters.file != path):
            perimeters = PerimeterSource(path)
        if self.is_point:
            self.draft.change(ignition=None if point is None else (point[0], point[1]), perimeters=None)
        else:
            self.draft.change(ignition=None, perimeters=perimeters)

    def _perimeter_files(self) -> tuple[Path, ...]:
        perimeters = self.draft.source.perimeters
        return () if perimeters is None else (perimeters.file,)

    def _start_folder(self) -> str:
        return self.start_folder(self._perimeter_files())


def fire_text(survey: PerimeterSurvey) -> str:
    """Return the content of a file, one line per fact."""
    lines = [survey.kind] if survey.kind else []
    if survey.dates:
        first, last = survey.dates[0], survey.dates[-1]
        lines.append(f"{len(survey.dates)} dates, {first} to {last}")
    if survey.growth_reason and survey.growth_reason not in survey.notes:
        lines.append(survey.growth_reason)
    return "\n".join([*lines, *(f"• {note}" for note in survey.notes)])


def _point_text(where: tuple[float, float] | Path | None) -> str:
    return f"{where[0]:.5f}, {where[1]:.5f}" if isinstance(where, tuple) else ""


def _fill(box: QComboBox, first: str, found: str | None, choices: object, chosen: str | None) -> None:
    box.clear()
    box.addItem(f"{first}: {found}" if found else first)
    assert isinstance(choices, (tuple, list))
    box.addItems([str(choice) for choice in choices])
    box.setCurrentIndex(max(box.findText(chosen), 0) if chosen is not None else 0)
