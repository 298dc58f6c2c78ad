"""Export of an ensemble from its dock: the selected parts are written completely, or nothing is."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from firegui.domain.project import Project
from firegui.domain.uncertainty import UncertaintyKind
from firegui.errors import InputError
from firegui.gui.analyses.uncertainty import export_ensemble_dialog as export_ensemble
from firegui.gui.analyses.uncertainty.export_ensemble_dialog import EnsembleExportDialog
from firegui.gui.analyses.uncertainty.uncertainty_controller import UncertaintyController
from firegui.gui.analyses.uncertainty.uncertainty_panel import UncertaintyPanel
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.session import Session
from firegui.runs.control import RunControl
from firegui.runs.events import Progress, RunEvent
from firegui.runs.runner import execute as run_execute
from firegui.runs.spec import EnsemblePart, RunSpec
from tests.gui.controls import report
from tests.gui.saved_ensembles import fit_of, save_ensemble

LEFT = Qt.MouseButton.LeftButton
PART = EnsemblePart
TABLES = {"ensemble.csv", "summary.csv", "ensemble.toml"}
MAPS = {"mean_baseline.tif", "mean_plan.tif", "difference.tif"}
FITTED = {"semivariogram.csv", "residuals.tif"}


@pytest.fixture
def ensemble(project: Project, saved: Path) -> Path:
    return save_ensemble(project, saved, kind=UncertaintyKind.EPISTEMIC, fit=fit_of(project))


class Waits:
    """Starts to write, and continues when released or requested to stop."""

    def __init__(self) -> None:
        self.go = threading.Event()

    def __call__(self, spec: RunSpec, emit: Callable[[RunEvent], None], control: RunControl) -> None:
        emit(Progress(0, 1, "Writing the tables"))
        while not (self.go.is_set() or control.stop_requested):
            self.go.wait(0.001)
        run_execute(spec, emit, control)


@pytest.fixture
def waits() -> Waits:
    return Waits()


@pytest.fixture
def controller(session: Session, waits: Waits, ensemble: Path) -> Iterator[UncertaintyController]:
    made = UncertaintyController(session, execute=waits)
    made.open(ensemble)
    yield made
    made.shutdown()
    made.deleteLater()


@pytest.fixture
def dialog(qtbot: QtBot, session: Session, controller: UncertaintyController, tmp_path: Path) -> EnsembleExportDialog:
    """Return the dialog of an ensemble with a plan and a fitted error model; figures are not selected."""
    assert controller.shown is not None and controller.shown.header is not None
    made = EnsembleExportDialog(session, controller.exports, controller.shown.folder, controller.shown.header)
    qtbot.addWidget(made)
    made.show()
    made.boxes[PART.FIGURES].setChecked(False)
    made.folder.line.setText(str(tmp_path / "out"))
    return made


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[InputError]:
    """Return what the dialog of problems received."""
    found: list[InputError] = []
    monkeypatch.setattr(export_ensemble, "show_problems", lambda _parent, error: found.append(error))
    return found


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_every_control_has_a_name_and_a_tooltip(dialog: EnsembleExportDialog) -> None:
    assert report(dialog) == []


def test_what_is_ticked_is_written_and_listed(
    qtbot: QtBot,
    dialog: EnsembleExportDialog,
    controller: UncertaintyController,
    waits: Waits,
    tmp_path: Path,
    messages: list[str],
) -> None:
    QTest.mouseClick(dialog.save_button, LEFT)
    qtbot.waitUntil(lambda: dialog.activity.text() == "Writing the tables…")
    assert not dialog.save_button.isEnabled() and not dialog.folder.isEnabled()
    waits.go.set()
    qtbot.waitUntil(lambda: not controller.exports.is_busy, timeout=20_000)
    assert names(tmp_path / "out") == TABLES | MAPS | FITTED
    assert dialog.written == tmp_path / "out"
    assert dialog.activity.text().startswith("Wrote 8 files to") and "mean_plan.tif" in dialog.activity.text()
    assert messages[-1] == f"Exported the ensemble to {tmp_path / 'out'}"
    assert dialog.close_button.text() == "Close" and dialog.open_button.isVisible()


def test_the_folder_that_was_written_can_be_opened(
    qtbot: QtBot, dialog: EnsembleExportDialog, waits: Waits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
    assert not dialog.open_button.isVisible()
    waits.go.set()
    QTest.keyClick(dialog.save_button, Qt.Key.Key_Space)
    qtbot.waitUntil(dialog.open_button.isVisible, timeout=20_000)
    QTest.mouseClick(dialog.open_button, LEFT)
    assert [Path(url.toLocalFile()) for url in opened] == [tmp_path / "out"]


def test_giving_up_leaves_nothing(
    qtbot: QtBot, dialog: EnsembleExportDialog, controller: UncertaintyController, tmp_path: Path
) -> None:
    QTest.mouseClick(dialog.save_button, LEFT)
    qtbot.waitUntil(lambda: bool(dialog.activity.text()))
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
    controller.shutdown()
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("answer", "text"), [(True, "member,"), (False, "old")])
def test_files_are_replaced_only_when_the_person_says_so(
    qtbot: QtBot, dialog: EnsembleExportDialog, controller: UncertaintyController, waits: Waits, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, answer: bool, text: str,
) -> None:  # fmt: skip
    asked: list[str] = []

    def ask(_parent: QWidget, _title: str, question: str, _button: str) -> bool:
        asked.append(question)
        return answer

    monkeypatch.setattr("firegui.gui.base.dialogs.confirm", ask)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "ensemble.csv").write_text("old")
    waits.go.set()
    QTest.mouseClick(dialog.save_button, LEFT)
    qtbot.waitUntil(lambda: not controller.exports.is_busy, timeout=20_000)
    assert (tmp_path / "out" / "ensemble.csv").read_text().startswith(text)
    assert len(asked) == 1 and "ensemble.csv already exists" in asked[0]


def test_what_keeps_it_from_being_written_is_told_and_the_dialog_stays(
    qtbot: QtBot, dialog: EnsembleExportDialog, controller: UncertaintyController, waits: Waits, ensemble: Path,
    told: list[InputError],
) -> None:  # fmt: skip
    waits.go.set()
    dialog.folder.line.setText("  ")
    QTest.mouseClick(dialog.save_button, LEFT)
    assert "no folder is chosen" in str(told[0])
    dialog.folder.line.setText(str(ensemble / "ensemble.toml" / "out"))
    QTest.mouseClick(dialog.save_button, LEFT)
    qtbot.waitUntil(lambda: len(told) == 2 and not controller.exports.is_busy)
    assert "is a file" in str(told[1])
    assert dialog.isVisible() and dialog.save_button.isEnabled() and dialog.written is None


def test_nothing_ticked_is_nothing_to_write_and_that_is_said(dialog: EnsembleExportDialog) -> None:
    assert dialog.save_button.isEnabled() and not dialog.why_not.isVisible()
    for box in dialog.boxes.values():
        box.setChecked(False)
    assert not dialog.save_button.isEnabled() and dialog.why_not.isVisible()


def test_the_dock_offers_the_export_with_a_folder_of_its_own(
    qtbot: QtBot, session: Session, queue: RunQueue, controller: UncertaintyController, tmp_path: Path
) -> None:
    panel = UncertaintyPanel(session, queue, controller)
    qtbot.addWidget(panel)
    panel.show()
    seen: list[tuple[Path, tuple[EnsemblePart, ...]]] = []

    def look() -> None:
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, EnsembleExportDialog)
        seen.append((Path(dialog.folder.text), dialog.parts))
        QTest.keyClick(dialog, Qt.Key.Key_Escape)

    QTimer.singleShot(0, look)
    QTest.mouseClick(panel.button("export"), LEFT)
    assert seen == [(tmp_path / "test-ridge-20260101-000000-ensemble", tuple(PART))]


def test_an_ensemble_with_the_papers_error_has_no_fit_to_hand_over(
    qtbot: QtBot, session: Session, project: Project, controller: UncertaintyController, tmp_path: Path
) -> None:
    folder = save_ensemble(project, tmp_path / "p.firegui", name="paper", kind=UncertaintyKind.EPISTEMIC)
    controller.open(folder)
    assert controller.shown is not None and controller.shown.header is not None
    made = EnsembleExportDialog(session, controller.exports, folder, controller.shown.header)
    qtbot.addWidget(made)
    made.show()
    assert not made.boxes[PART.ERROR_MODEL].isVisible()
    assert PART.ERROR_MODEL not in made.parts
