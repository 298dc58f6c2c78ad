"""Panel of bases: add, import, edit, delete and undo, computed turnarounds, and the layer of the map."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from firegui.domain.bases import Base, BaseKind
from firegui.gui.map.layers.bases_layer import BasesLayer
from firegui.gui.map.map_content import MapState
from firegui.gui.scenario.bases_panel import HOURS, RELOAD, SERVES, BaseDialog, BasesPanel, ImportBasesDialog
from firegui.gui.scenario.fleet_panel import FleetPanel
from firegui.gui.scenario.section_summaries import SECTION_SUMMARIES
from firegui.gui.session.session import Session
from firegui.io.georeference import Georeference
from tests.gui.hands import show_widget


@pytest.fixture
def panel(session: Session, qtbot: QtBot) -> BasesPanel:
    found = BasesPanel(session)
    show_widget(qtbot, found, 360, 320)
    return found


def place(session: Session, row: float, column: float) -> str:
    lonlat = Georeference(session.project.scenario.grid).lonlat(row, column)
    assert lonlat is not None
    return f"{lonlat[1]:.7f}, {lonlat[0]:.7f}"


def add(panel: BasesPanel, **texts: str) -> BaseDialog:
    panel.add()
    dialog = panel.dialog
    assert isinstance(dialog, BaseDialog)
    for name, text in texts.items():
        getattr(dialog, name).setText(text)
    dialog.accept()
    return dialog


def serve(session: Session) -> str:
    """Let a base far north serve the first type, and say where the fire burns; return the type's id."""
    project = session.project
    kind = replace(project.fleet.types[0], cruise_ms=100.0)
    base = Base("Redding", BaseKind.AIRTANKER, -2000.0, 10.0, 12.0, serves=(kind.id,))
    fleet = replace(project.fleet, types=(kind, *project.fleet.types[1:]))
    served = replace(project, fleet=fleet, operations=replace(project.operations, bases=(base,)))
    session.edit("serve", served.with_centres(((10.0, 10.0),) * project.plan.days))
    return kind.id


def test_a_base_is_added_edited_and_taken_back(panel: BasesPanel, session: Session) -> None:
    before, kind = session.project, session.project.fleet.types[0].id
    assert "turnarounds are fixed" in panel.footer
    add(panel, name="Redding", place=place(session, -50.0, 12.0), hours="08:00 to 20:30")
    (base,) = session.project.operations.bases
    assert (base.name, base.opens_h, base.closes_h, base.reload_min) == ("Redding", 8.0, 20.5, 15.0)
    assert (base.y, base.x) == pytest.approx((-50.0, 12.0), abs=0.01)
    assert "Serves" in panel.footer
    for column, text in ((RELOAD, "20"), (HOURS, "always"), (SERVES, kind)):
        assert panel.model.setData(panel.model.index(0, column), text)
    (base,) = session.project.operations.bases
    assert (base.reload_min, base.has_hours, base.serves) == (20.0, False, (kind,))
    assert SECTION_SUMMARIES["Bases"](session.project) == "1 base for 1 aircraft type"
    panel.view.selectRow(0)
    panel.remove()
    assert session.project.operations.bases == ()
    while session.undo_stack.canUndo():
        session.undo_stack.undo()
    assert session.project.operations == before.operations


def test_everything_wrong_with_a_typed_base_is_said_and_the_dialog_stays(panel: BasesPanel, session: Session) -> None:
    dialog = add(panel, name="", place="nowhere", reload="soon", hours="late")
    assert dialog.problems is not None
    assert dialog.isVisible()
    assert session.project.operations.bases == ()
    said = dialog.problems.problems.toPlainText()
    assert all(part in said for part in ("nowhere", "'soon' is not a number", "'late' are not hours", "name is empty"))


def test_a_file_is_imported(panel: BasesPanel, session: Session, tmp_path: Path) -> None:
    east, north = session.project.scenario.grid.to_world(-100.0, 4.0)
    file = tmp_path / "bases.csv"
    file.write_text(f"name,x,y,kind\nRedding,{east},{north},reload_base\n", encoding="utf-8")
    panel.import_file()
    assert isinstance(panel.dialog, ImportBasesDialog)
    panel.dialog.file.line.setText(str(file))
    panel.dialog.accept()
    (base,) = session.project.operations.bases
    assert (base.name, base.kind) == ("Redding", BaseKind.RELOAD)
    assert base.y == pytest.approx(-100.0)


def test_turnarounds_of_the_day_are_shown_beside_bases_and_fleet(
    panel: BasesPanel, session: Session, qtbot: QtBot
) -> None:
    fleet = FleetPanel(session)
    show_widget(qtbot, fleet, 360, 500)
    assert not panel.turnarounds.text()
    kind = serve(session)
    heading, line = panel.turnarounds.text().split("\n")
    assert heading == "Turnarounds on day 1"
    assert line.startswith(f"{kind}: ")
    assert "from Redding" in line
    turnaround = [column.title for column in fleet.model.columns].index("Turnaround")
    assert str(fleet.model.index(0, turnaround).data()).startswith("bases → ")
    assert "→" in str(fleet.model.index(1, turnaround).data())
    assert "from bases" in fleet.model.interval_text(0, is_short=True)
    assert "from Redding" in fleet.model.interval_text(0, is_short=False)


def test_the_map_draws_bases_and_the_routes_of_the_day(panel: BasesPanel, session: Session) -> None:
    layer = BasesLayer(session)
    shown = MapState.of(session)
    assert shown is not None
    empty = layer.content(shown)
    serve(session)
    shown = MapState.of(session)
    assert shown is not None
    assert layer.content(shown) != empty
    assert [(base.name, point) for base, point in layer._routes()] == [("Redding", (10.0, 10.0))]
    assert [entry.label for entry in layer.legend.entries] == ["base"]


def test_the_form_takes_limits_and_a_published_wind_limit(session: Session, qtbot: QtBot) -> None:
    fleet = FleetPanel(session)
    show_widget(qtbot, fleet, 360, 700)
    fleet.form.show_row(0)
    for field, text in (("most_flight_h", "7"), ("most_duty_h", "12"), ("cruise_ms", "120")):
        box = fleet.form.fields[field]
        box.setText(text)  # type: ignore[union-attr]
        box.editingFinished.emit()  # type: ignore[union-attr]
        assert getattr(session.project.fleet.types[0], field) == float(text)
    fleet.form.published.setCurrentIndex(1)
    fleet.form.published.activated.emit(1)
    assert session.project.fleet.types[0].most_wind_ms == pytest.approx(15.43)
    box = fleet.form.fields["most_flight_h"]
    box.setText("")  # type: ignore[union-attr]
    box.editingFinished.emit()  # type: ignore[union-attr]
    assert session.project.fleet.types[0].most_flight_h is None
    fleet.form.gusts.setText("1.5")
    fleet.form.gusts.editingFinished.emit()
    assert session.project.operations.gust_factor == 1.5
