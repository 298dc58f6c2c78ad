"""Panel of barriers: draw, edit, import, compare, delete and undo, and the layer of the map."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from firegui.domain.barriers import Barrier, BarrierKind
from firegui.errors import InputError
from firegui.gui.jobs.result_presenter import CompareMode
from firegui.gui.map.layers.barriers_layer import BarriersLayer
from firegui.gui.map.map_content import MapState
from firegui.gui.map.map_view import MapView
from firegui.gui.scenario.barriers_panel import (
    FROM,
    KIND,
    STRENGTH,
    WIDTH,
    BarriersPanel,
    ImportBarriersDialog,
    counts_from_text,
    typed_time,
)
from firegui.gui.scenario.section_summaries import SECTION_SUMMARIES
from firegui.gui.session.session import Session, Tool
from firegui.io.georeference import Georeference
from tests.gui.hands import show_widget
from tests.gui.map_scene import Hand

LINE = Barrier("Dozer 1", BarrierKind.DOZER, (((1.0, 2.0), (6.0, 7.0)),), width_m=4.0)
AREA = Barrier("Lake", BarrierKind.RIVER, areas=((((1.0, 1.0), (1.0, 5.0), (6.0, 5.0)),),))


class Queue:
    """Keeps what is to be shown."""

    shown_or_before = None

    def __init__(self) -> None:
        self.requests: list[object] = []

    def show_evaluation(self, request: object) -> None:
        self.requests.append(request)


@pytest.fixture
def queue() -> Queue:
    return Queue()


@pytest.fixture
def panel(session: Session, queue: Queue, qtbot: QtBot) -> BarriersPanel:
    found = BarriersPanel(session, queue)  # type: ignore[arg-type]
    show_widget(qtbot, found, 360, 320)
    return found


def test_cells_are_edited_and_taken_back(panel: BarriersPanel, session: Session) -> None:
    before = session.project
    assert "No barriers yet" in panel.footer and not panel.compare_button.isEnabled()
    session.set_barriers("add", (LINE, AREA))
    assert SECTION_SUMMARIES["Barriers"](session.project) == "1 line, 1 area"
    assert "spotting is not modelled" in panel.footer
    calendar = session.project.calendar
    second = calendar.start.astimezone(calendar.local_zone) + timedelta(days=1)
    for column, text in (
        (KIND, "hand_line"), (WIDTH, "2.5 m"), (STRENGTH, "80 %"), (FROM, f"{second:%Y-%m-%d} 14:00"),
    ):  # fmt: skip
        assert panel.model.setData(panel.model.index(0, column), text)
    changed = session.project.barriers[0]
    assert (changed.kind, changed.width_m, changed.strength) == (BarrierKind.HAND, 2.5, 0.8)
    assert changed.exists_from is not None
    assert changed.exists_from.astimezone(calendar.local_zone).hour == 14
    assert "one map for each day" in counts_from_text(changed, session.project)
    assert "Dozer 1 counts from" in panel.footer
    assert panel.model.setData(panel.model.index(0, FROM), "start")
    assert session.project.barriers[0].exists_from is None
    while session.undo_stack.canUndo():
        session.undo_stack.undo()
    assert session.project.barriers == before.barriers == ()


def test_bad_entries_are_refused(panel: BarriersPanel, session: Session) -> None:
    session.set_barriers("add", (LINE, AREA))
    wrong = (WIDTH, "0"), (WIDTH, "wide"), (STRENGTH, "120"), (FROM, "soon"), (0, "Lake"), (0, " ")
    for row, column, text in (*((0, *each) for each in wrong), (1, WIDTH, "3")):
        with pytest.raises(InputError):
            panel.model.columns[column].edit(row, session.project.barriers[row], text)  # type: ignore[misc]
    assert session.project.barriers == (LINE, AREA)


def test_a_time_that_is_shown_can_be_typed_again(session: Session) -> None:
    calendar = replace(session.project.calendar, start=datetime(2020, 8, 19, 7, tzinfo=UTC), utc_offset_h=-7.0)
    assert typed_time("20 Aug 14:00", calendar, "") == datetime(2020, 8, 20, 21, tzinfo=UTC)
    assert typed_time("2020-08-20T14:00-06:00", calendar, "") == datetime(2020, 8, 20, 20, tzinfo=UTC)
    assert typed_time("start", calendar, "") is None


def test_the_fires_with_and_without_a_barrier_are_compared(
    panel: BarriersPanel, session: Session, queue: Queue
) -> None:
    session.set_barriers("add", (LINE, AREA))
    panel.view.clearSelection()
    panel.view.selectRow(0)
    panel.compare_button.click()
    (request,) = queue.requests
    spec = request.spec  # type: ignore[attr-defined]
    assert spec.project.barriers == (AREA,)
    assert spec.against_project is session.project
    assert spec.schedule is spec.against
    assert request.compare is CompareMode.SIDE_BY_SIDE  # type: ignore[attr-defined]
    assert (request.title, request.against) == ("Fails: Dozer 1", "Holds: Dozer 1")  # type: ignore[attr-defined]
    panel.view.clearSelection()
    panel.compare()
    assert queue.requests[1].spec.project.barriers == ()  # type: ignore[attr-defined]


def test_a_file_is_imported_and_written_again(
    panel: BarriersPanel, session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Georeference(session.project.scenario.grid)
    points = [list(place.lonlat(row, column) or ()) for row, column in ((1.0, 2.0), (6.0, 7.0))]
    feature = {"type": "Feature", "properties": {"FeatureCategory": "Completed Hand Line", "Label": "H-1"},
               "geometry": {"type": "LineString", "coordinates": points}}  # fmt: skip
    file = tmp_path / "lines.geojson"
    file.write_text(json.dumps({"type": "FeatureCollection", "features": [feature]}), encoding="utf-8")
    for _ in range(2):
        panel.import_file()
        assert isinstance(panel.dialog, ImportBarriersDialog)
        panel.dialog.file.line.setText(str(file))
        panel.dialog.strength.setText("90")
        panel.dialog.accept()
    assert [barrier.name for barrier in session.project.barriers] == ["H-1", "H-1 2"]
    assert session.project.barriers[0].strength == pytest.approx(0.9)
    target = tmp_path / "out.geojson"
    monkeypatch.setattr("firegui.gui.scenario.barriers_panel.ask_export_file", lambda *_: target)
    panel.export_file()
    assert json.loads(target.read_text(encoding="utf-8"))["features"][1]["properties"]["name"] == "H-1 2"
    panel.view.selectRow(0)
    panel.remove()
    assert [barrier.name for barrier in session.project.barriers] == ["H-1 2"]


def test_everything_wrong_with_an_import_is_said_and_the_dialog_stays(panel: BarriersPanel, session: Session) -> None:
    panel.import_file()
    dialog = panel.dialog
    assert isinstance(dialog, ImportBarriersDialog)
    dialog.wide.setText("broad")
    dialog.begins.setText("soon")
    dialog.accept()
    assert dialog.isVisible() and dialog.problems is not None
    said = dialog.problems.problems.toPlainText()
    assert all(part in said for part in ("none is chosen", "'broad' is not a number", "'soon' is not a time"))
    assert session.project.barriers == ()


def test_lines_and_areas_are_drawn_on_the_map(session: Session, qtbot: QtBot) -> None:
    view = MapView(session)
    show_widget(qtbot, view, 500, 400)
    hand = Hand(view)
    session.set_tool(Tool.BARRIER)
    hand.clicks((2.0, 2.0), (6.0, 8.0))
    hand.double_click((9.0, 4.0))
    (line,) = session.project.barriers
    assert (line.name, line.kind, len(line.lines[0])) == ("Line 1", BarrierKind.DOZER, 3)
    assert session.tool is Tool.PAN
    session.set_tool(Tool.BARRIER_AREA)
    hand.clicks((2.0, 2.0), (2.0, 8.0), (8.0, 8.0))
    QTest.keyClick(hand.viewport, Qt.Key.Key_Return)
    assert session.project.barriers[1].name == "Area 1" and session.project.barriers[1].is_area
    session.set_tool(Tool.BARRIER)
    hand.clicks((2.0, 2.0), (8.0, 8.0), (8.0, 2.0))
    hand.double_click((2.0, 8.0))
    assert len(session.project.barriers) == 2, "a line that crosses itself is refused"
    session.set_tool(Tool.PAN)
    layer = view.layers["barriers"]
    assert isinstance(layer, BarriersLayer) and layer.missing() == ""


def test_the_layer_knows_what_exists_at_the_shown_step(session: Session) -> None:
    layer = BarriersLayer(session)
    assert "no barriers" in layer.missing()
    late = replace(LINE, exists_from=session.project.calendar.start + timedelta(hours=30))
    session.set_barriers("add", (late, AREA))
    shown = MapState.of(session)
    assert shown is not None and layer.content(shown)[1] == (False, True)
    session.set_step(session.project.calendar.n_steps)
    assert layer.content(shown)[1] == (True, True)
    assert [entry.label for entry in layer.legend.entries] == ["river", "dozer line"]
