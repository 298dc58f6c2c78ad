"""Panel of values at risk: import, edit, count in the goal, delete and undo, and the layer of the map."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from firegui.domain.settings import Setting
from firegui.domain.values import ValueLayer
from firegui.errors import InputError
from firegui.gui.map.layers.ground_layers import ValuesLayer
from firegui.gui.map.map_content import MapState
from firegui.gui.scenario.section_summaries import SECTION_SUMMARIES
from firegui.gui.scenario.values_panel import SUSCEPTIBILITY, WEIGHT, ValuesPanel
from firegui.gui.session.session import Session
from firegui.io.importers.values import ValueSource, read_values
from tests.gui.hands import show_widget


@pytest.fixture
def panel(session: Session, qtbot: QtBot) -> ValuesPanel:
    found = ValuesPanel(session)
    show_widget(qtbot, found, 360, 300)
    return found


@pytest.fixture
def homes(session: Session, tmp_path: Path) -> Path:
    grid, path = session.project.scenario.grid, tmp_path / "homes.csv"
    rows = [(*grid.to_world(5, 6), 3), (*grid.to_world(5, 7), 1)]
    path.write_text("\n".join(["x,y,value", *(",".join(map(str, row)) for row in rows)]), encoding="utf-8")
    return path


def imported(panel: ValuesPanel, path: Path, **texts: str) -> None:
    panel.import_file()
    assert panel.dialog is not None
    panel.dialog.file.line.setText(str(path))
    for name, text in texts.items():
        getattr(panel.dialog, name).setText(text)
    panel.dialog.accept()


def test_a_file_is_imported_edited_counted_and_taken_back(panel: ValuesPanel, session: Session, homes: Path) -> None:
    before = session.project
    imported(panel, homes)
    (layer,) = session.project.values
    assert (layer.name, layer.terms.total, layer.cells[5, 6]) == ("homes", 4.0, 3.0)
    assert "does not count them yet" in panel.footer
    index = panel.model.index(0, WEIGHT)
    assert panel.model.setData(index, "2.5")
    assert panel.model.setData(panel.model.index(0, SUSCEPTIBILITY), "40 %")
    assert session.project.values[0].terms.weight == 2.5
    assert session.project.values[0].terms.susceptibility == pytest.approx(0.4)
    panel.count_button.click()
    assert (session.project.plan.setting, session.project.plan.weights.val) == (Setting.CUSTOM, 100.0)
    assert "with weight 100" in panel.footer and not panel.count_button.isEnabled()
    panel.view.selectRow(0)
    panel.remove()
    assert (session.project.values, session.project.plan.weights.val) == ((), 0.0)
    session.undo()
    assert session.project.values[0].terms.weight == 2.5 and session.project.plan.weights.val == 100.0
    for _ in range(4):
        session.undo()
    assert session.project.values == () and session.project.plan == before.plan


def test_a_second_import_of_a_file_gets_a_number_and_a_name_of_its_own(
    panel: ValuesPanel, session: Session, homes: Path
) -> None:
    imported(panel, homes)
    imported(panel, homes)
    imported(panel, homes, name="people", column="value")
    assert [layer.name for layer in session.project.values] == ["homes", "homes 2", "people"]
    assert SECTION_SUMMARIES["Values"](session.project) == "homes, homes 2, people: not in the goal yet"


def test_a_bad_file_is_refused_with_all_problems_and_the_dialog_stays(
    panel: ValuesPanel, session: Session, tmp_path: Path
) -> None:
    path = tmp_path / "bad.csv"
    path.write_text("here,there\n1,2\n", encoding="utf-8")
    imported(panel, path, column="people")
    dialog = panel.dialog
    assert dialog is not None and dialog.isVisible() and dialog.problems is not None
    said = dialog.problems.problems.toPlainText()
    assert "no columns of longitude and latitude" in said and "no column 'people'" in said
    assert session.project.values == () and not session.is_dirty
    dialog.problems.accept()
    dialog.file.line.setText("")
    dialog.accept()
    assert "none is chosen" in dialog.problems.problems.toPlainText()
    dialog.reject()


def test_bad_numbers_are_refused(panel: ValuesPanel, session: Session, homes: Path) -> None:
    imported(panel, homes)
    for column, text in ((WEIGHT, "-1"), (WEIGHT, "much"), (SUSCEPTIBILITY, "120")):
        with pytest.raises(InputError):
            panel.model.columns[column].edit(0, session.project.values[0], text)  # type: ignore[misc]
    assert session.project.values[0].terms.weight == 1.0


def test_an_exported_layer_comes_back_in_another_project(
    panel: ValuesPanel, session: Session, homes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    imported(panel, homes)
    target = tmp_path / "copy.tif"
    monkeypatch.setattr("firegui.gui.scenario.values_panel.ask_export_file", lambda *_: target)
    panel.view.selectRow(0)
    panel.export()
    copy = read_values(ValueSource(target), session.project.scenario.grid).layer
    np.testing.assert_array_equal(copy.cells, session.project.values[0].cells)


def test_the_map_shows_what_cells_count(session: Session) -> None:
    layer = ValuesLayer(session)
    assert layer.missing() == "there are no values at risk"
    cells = np.zeros(session.project.scenario.grid.shape)
    cells[2, 3], cells[4, 5] = 1.0, 100.0
    session.set_values("add", (ValueLayer.of("homes", "", cells),))
    shown = MapState.of(session)
    assert shown is not None and layer.missing() == ""
    codes = layer.codes(shown)
    assert codes is not None
    assert 0 < codes[2, 3] < codes[4, 5] == 255 and np.count_nonzero(codes) == 2
