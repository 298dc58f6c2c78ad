"""Fixtures of the window's tests. They run offscreen unless another platform is set."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
import pytest
from PySide6.QtCore import QSettings
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from firegui.domain.fleet import AircraftType, Fleet, Material
from firegui.domain.grid import Grid
from firegui.domain.project import FireModel, Project
from firegui.domain.regions import Region
from firegui.domain.scenario import Scenario
from firegui.domain.schedule import Schedule
from firegui.domain.settings import Margin, MarginSettings, OptimizerSettings, PlanSettings
from firegui.errors import InputError
from firegui.gui.base.preferences import Preferences
from firegui.gui.base.theme import Theme, apply_theme
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.planning.progress_panel import ProgressPanel
from firegui.gui.session.session import Session
from firegui.gui.window.main_window import MainWindow
from firegui.io.project.schedule_file import write_plan_safetensors
from firegui.io.project.store import save_project
from firegui.runs.control import RunControl
from firegui.runs.events import RunEvent, RunFinished
from firegui.runs.spec import RunSpec
from firegui.runs.stages import FinishReason
from tests.gui.hands import show_widget
from tests.gui.landscape_scene import Hands, write_landscape
from tests.gui.landscape_scene import opened as open_wizard
from tests.gui.map_scene import Hand, open_map

Execute = Callable[[RunSpec, Callable[[RunEvent], None], RunControl], None]

ROWS, COLUMNS, DAYS = 40, 60, 6


def small_scenario() -> Scenario:
    """Return a georeferenced 40 × 60 event of six days with elevation, wind and two observed perimeters."""
    rows, columns = np.mgrid[0:ROWS, 0:COLUMNS]
    elevation = (900 + 4 * rows + 60 * np.sin(columns / 7)).astype(np.float32)
    first = (rows - 20) ** 2 + (columns - 30) ** 2 < 9
    second = (rows - 20) ** 2 + (columns - 32) ** 2 < 36
    return Scenario(
        name="Test Ridge",
        grid=Grid(ROWS, COLUMNS, 30.0, (30.0, 0.0, 0.0, 0.0, -30.0, 4_000_000.0), "EPSG:32610"),
        start=datetime(2020, 8, 19, 7, tzinfo=UTC),
        utc_offset_h=-7.0,
        wind_speed=np.full((DAYS, ROWS, COLUMNS), 3.0, np.float32),
        wind_dir=np.full((DAYS, ROWS, COLUMNS), 0.5, np.float32),
        layers={"elevation": elevation},
        ignition=first,
        observed=np.stack([first, first | second]),
        observed_dates=(date(2020, 8, 19), date(2020, 8, 21)),
        notes=("Wind is the same everywhere.",),
    )


def small_fleet() -> Fleet:
    """Return a fleet of two types, three aircraft."""
    return Fleet(
        (
            AircraftType(
                id="S-2T", type="S-2T Turbo Tracker", count=2, material=Material.RETARDANT, payload_gal=1200.0,
                turnaround_h=0.5, speed_ms=66.4, drop_duration_s=3.5, drop_height_m=56.1, sigma_parallel_m=111.7,
                sigma_perpendicular_m=3.37, provenance="own drop guide",
            ),
            AircraftType(
                id="CL-415", type="CL-415 Super Scooper", count=1, material=Material.WATER, payload_gal=1621.0,
                turnaround_h=0.18, speed_ms=56.6, drop_duration_s=2.0, drop_height_m=30.5, sigma_parallel_m=100.5,
                sigma_perpendicular_m=5.89, provenance="SP-2H water",
            ),
        )
    )  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def _theme(qapp: QApplication) -> None:
    """Begin every module with the theme of the program, whatever the one before has left."""
    apply_theme(qapp, Theme.DARK)


@pytest.fixture(autouse=True)
def _pointer_away(qapp: QApplication) -> None:
    """Begin every test with the mouse pointer off the window: lists keep their order while it is over them."""
    QCursor.setPos(-1000, -1000)


@pytest.fixture
def project() -> Project:
    """Return a small project of four planned days with one region; the S-2T is grounded on the third day."""
    return Project(
        scenario=small_scenario(),
        fleet=small_fleet(),
        grounded={"S-2T": (date(2020, 8, 21),)},
        regions=(Region.rectangle("R1", (2, 10), (5, 25)),),
        plan=PlanSettings(
            days=4, optimizer=OptimizerSettings(epochs=3, patience=3), margin=MarginSettings(kind=Margin.NONE)
        ),
        fire_model=FireModel(
            "scalar",
            "Scalar test model",
            {"p": 0.5, "wind_gain": 0.3, "wind_alignment": 0.3, "slope": 0.1, "gamma": 0.3, "fuel": 1.0},
        ),
    )


@pytest.fixture
def session(qapp: object, project: Project) -> Iterator[Session]:
    """Return a session with :func:`project` open and unsaved."""
    opened = Session()
    opened.open_project(project, None)
    yield opened
    opened.deleteLater()


@pytest.fixture
def preferences_store(tmp_path: Path) -> QSettings:
    """Return settings in a file of the test, never the user's own."""
    return QSettings(str(tmp_path / "preferences.ini"), QSettings.Format.IniFormat)


def quiet_execute(spec: RunSpec, emit: Callable[[RunEvent], None], control: RunControl) -> None:
    """Test double of the runner that ends at once and computes nothing."""
    emit(RunFinished(FinishReason.COMPLETED, "done", None, None, None))


@pytest.fixture
def execute() -> Execute:
    """Return the runner of :func:`queue`; a test module may override it."""
    return quiet_execute


@pytest.fixture
def queue(session: Session, execute: Execute) -> Iterator[RunQueue]:
    """Return a queue whose runs are executed by :func:`execute`."""
    made = RunQueue(session, execute=execute)
    yield made
    made.shutdown()
    made.deleteLater()


@pytest.fixture
def window(qtbot: QtBot, session: Session, queue: RunQueue, preferences_store: QSettings) -> Iterator[MainWindow]:
    """Return the whole workbench on :func:`session`, shown; runs end at once and closing asks nothing."""
    opened = MainWindow(session, queue, Preferences(preferences_store))
    opened.resize(1280, 800)
    with qtbot.waitActive(opened):
        opened.show()
        opened.activateWindow()
    yield opened
    session.undo_stack.setClean()
    opened.close()
    opened.deleteLater()


@pytest.fixture
def blank_preview(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the preview of every export a blank page, because the map takes longer to draw than all else."""
    blank = np.full((850, 1100, 4), 255, np.uint8)
    monkeypatch.setattr("firegui.io.exporters.map_figure.map_picture", lambda *_: blank)


@pytest.fixture
def refusals(session: Session) -> list[InputError]:
    """Return a list of everything that the session refuses during the test."""
    found: list[InputError] = []
    session.refused.connect(found.append)
    return found


@pytest.fixture
def messages(session: Session) -> list[str]:
    """Return a list of the status bar messages during the test."""
    found: list[str] = []
    session.message.connect(found.append)
    return found


@pytest.fixture
def hand(qtbot: QtBot, session: Session) -> Hand:
    """Return a hand on a map of :func:`session`."""
    return Hand(open_map(qtbot, session))


@pytest.fixture
def hands(qtbot: QtBot) -> Iterator[Hands]:
    """Return hands on an open landscape wizard."""
    yield from open_wizard(qtbot)


@pytest.fixture
def landscape(tmp_path: Path) -> Path:
    """Return a folder with the layers of a landscape."""
    return write_landscape(tmp_path / "ridge fire")


@pytest.fixture
def filled(hands: Hands, landscape: Path) -> Hands:
    """Return hands on a wizard that has read :func:`landscape`."""
    hands.wizard.add_paths([landscape])
    hands.settle()
    return hands


@pytest.fixture
def plots(qtbot: QtBot, session: Session, queue: RunQueue) -> ProgressPanel:
    """Return the charts below the map, shown."""
    made = ProgressPanel(session, queue)
    show_widget(qtbot, made, 1200, 240)
    return made


@pytest.fixture
def saved(session: Session, project: Project, tmp_path: Path) -> Path:
    """Return the folder of :func:`project`, which is open and saved there."""
    folder = tmp_path / "p.firegui"
    save_project(project, folder)
    session.open_project(project, folder)
    return folder


@pytest.fixture
def schedule_file(project: Project, tmp_path: Path) -> Path:
    """Return the file of a schedule of :func:`project` without drops."""
    path = tmp_path / "plan.safetensors"
    write_plan_safetensors(path, Schedule.empty(project.calendar.n_steps, project.fleet.n_aircraft))
    return path
