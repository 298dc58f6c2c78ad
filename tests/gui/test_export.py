"""The export dialog: what is shown is what is written, or nothing is."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from firegui.domain.grid import Grid
from firegui.domain.project import Project
from firegui.domain.schedule import DropRecord
from firegui.errors import InputError
from firegui.gui.dialogs import export as export_module
from firegui.gui.dialogs.export import ExportDialog, export_all
from firegui.gui.session import Session, ShownResult
from tests.gui.fake_runs import drop, frames, metrics

DROPS = (drop(3), drop(60, "water"), drop(61, executed=False))


@pytest.fixture
def dialog(qtbot: QtBot, session: Session, project: Project, tmp_path: Path) -> ExportDialog:
    """The dialog over a plan with two executed drops and a blocked one, set to a new folder."""
    session.show_result(ShownResult("A · 12:00", plan=frames(project), plan_metrics=metrics(), drops=DROPS, epoch=30))
    made = ExportDialog(session)
    qtbot.addWidget(made)
    made.folder.setText(str(tmp_path / "out"))
    made.stem.setText("plan")
    return made


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[InputError]:
    """What the dialog of problems was given."""
    errors: list[InputError] = []

    def take(_parent: QWidget | None, error: InputError) -> None:
        errors.append(error)

    monkeypatch.setattr(export_module, "show_problems", take)
    return errors


def test_the_files_hold_the_shown_drops(dialog: ExportDialog, tmp_path: Path) -> None:
    dialog.accept()
    with (tmp_path / "out" / "plan.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(int(row["step"]), row["aircraft"], row["executed"]) for row in rows] == [
        (3, "S-2T-1", "true"),
        (60, "CL-415-1", "true"),
        (61, "S-2T-1", "false"),
    ]
    collection = json.loads((tmp_path / "out" / "plan.geojson").read_text())
    assert len(collection["features"]) >= 3
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["plan.csv", "plan.geojson"]


def test_a_stale_plan_is_exported_with_the_dates_it_was_made_for(
    qtbot: QtBot, session: Session, project: Project, tmp_path: Path
) -> None:
    session.show_result(ShownResult("A", plan=frames(project), drops=DROPS, project=project))
    session.set_plan("Start later", replace(project.plan, start_day=2))
    made = ExportDialog(session)
    qtbot.addWidget(made)
    made.folder.setText(str(tmp_path))
    made.stem.setText("plan")
    made.accept()
    with (tmp_path / "plan.csv").open(newline="") as file:
        assert next(csv.DictReader(file))["time_utc"].startswith("2020-08-19T08:26")


def test_only_the_chosen_formats_are_written(dialog: ExportDialog, tmp_path: Path) -> None:
    dialog.boxes["geojson"].setChecked(False)
    dialog.accept()
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["plan.csv"]


def test_everything_wrong_is_listed_at_once(dialog: ExportDialog, shown: list[InputError]) -> None:
    dialog.folder.setText(" ")
    dialog.stem.setText("a/b")
    for box in dialog.boxes.values():
        box.setChecked(False)
    dialog.accept()
    assert [problem.where for problem in shown[0].problems] == ["Folder", "Name", "Formats"]
    assert dialog.written == []


def test_without_a_place_geojson_is_refused_and_nothing_is_written(
    qtbot: QtBot, session: Session, project: Project, tmp_path: Path, shown: list[InputError]
) -> None:
    placeless = replace(project, scenario=replace(project.scenario, grid=Grid(40, 60, 30.0)))
    session.open_project(placeless, None)
    session.show_result(ShownResult("A", plan=frames(placeless), drops=DROPS))
    made = ExportDialog(session)
    qtbot.addWidget(made)
    assert made.formats == ("csv",)
    made.boxes["geojson"].setChecked(True)
    made.folder.setText(str(tmp_path / "new"))
    made.accept()
    assert len(shown) == 1
    assert list(tmp_path.iterdir()) == []


def test_when_the_second_file_fails_the_first_does_not_appear(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def half(
        drops: Sequence[DropRecord], project: Project, formats: Sequence[str], folder: Path, stem: str
    ) -> list[Path]:
        (folder / f"{stem}.csv").write_text("whole")
        raise OSError(28, "No space left on device", str(folder / f"{stem}.geojson"))

    monkeypatch.setattr(export_module, "export", half)
    with pytest.raises(InputError, match="No space left"):
        export_all(DROPS, project, ("csv", "geojson"), tmp_path, "plan")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("answer", "text"), [("Yes", "step"), ("No", "old")])
def test_files_are_replaced_only_when_the_person_says_so(
    dialog: ExportDialog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, text: str
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "plan.csv").write_text("old")
    choice = QMessageBox.StandardButton[answer]
    monkeypatch.setattr(QMessageBox, "question", lambda *_args: choice)
    dialog.accept()
    assert (tmp_path / "out" / "plan.csv").read_text().startswith(text)


def test_the_dialog_says_what_it_will_write(dialog: ExportDialog) -> None:
    assert dialog.summary == "A · 12:00, epoch 31: 2 executed drops and 1 proposed ones that the gates hold back."


def test_without_drops_there_is_nothing_to_export(qtbot: QtBot, session: Session) -> None:
    made = ExportDialog(session)
    qtbot.addWidget(made)
    assert made.summary.startswith("No drops are shown.")
    assert not made.save_button.isEnabled()
