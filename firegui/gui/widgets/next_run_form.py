"""What the next run does and what it begins with."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QSignalBlocker
from PySide6.QtWidgets import QFileDialog, QLabel, QWidget

from firegui.domain.settings import PlanSettings, Start
from firegui.gui.session.session import Session
from firegui.gui.widgets.plan_choices import PlanChoice, narrow_combo
from firegui.gui.widgets.settings_paths import Path as SettingPath
from firegui.gui.widgets.settings_paths import description_of
from firegui.runs.folder import RUN
from firegui.runs.spec import Stage

STAGES: dict[tuple[Stage, ...], tuple[str, str]] = {
    (Stage.OPTIMIZE, Stage.PRUNE): ("Both stages", "search for a plan, then remove every drop that it does not need"),
    (Stage.OPTIMIZE,): ("First stage only", "search for a plan"),
}
"""What people read for what a run does, and at more length."""
_STAGES_TIP = "\n".join(f"{title}: {help}" for title, help in STAGES.values())
_STARTS = {
    Start.FRONT: "Fire front (default)",
    Start.CENTROID: "Centroid of the fire",
    Start.TACTICAL: "Tactical heuristic",
}
_START: SettingPath = ("optimizer", "start")
_FILE, _BROWSE = "file", "browse"
_KINDS = "Schedules (*.safetensors *.csv);;All files (*)"


class StagesChoice(QObject):
    """Both stages or the first alone."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.box = narrow_combo("Stages", "stages")
        self.box.setToolTip(_STAGES_TIP)
        for title, _help in STAGES.values():
            self.box.addItem(title)
        self.label = QLabel("Stages")
        self.label.setBuddy(self.box)
        self.box.activated.connect(lambda index: session.set_stages(list(STAGES)[index]))
        session.next_run_changed.connect(self._read)
        self._read()

    def _read(self) -> None:
        with QSignalBlocker(self.box):
            self.box.setCurrentIndex(list(STAGES).index(self._session.stages))


class StartChoice(QObject):
    """Where the first stage begins: as the settings say, or with a saved schedule."""

    def __init__(self, session: Session, window: QWidget) -> None:
        super().__init__()
        self._session, self._window = session, window
        about = description_of(PlanSettings(), _START)
        self._help = about.help
        self._setting = PlanChoice(session, _START, "Start from", about.help, _STARTS)
        self.box, self.label = self._setting.box, self._setting.label
        self.box.addItem("Saved run or schedule…", _BROWSE)
        self.box.activated.disconnect()
        self.box.activated.connect(self._choose)
        for signal in (session.next_run_changed, session.project_opened, session.plan_changed):
            signal.connect(self._show)
        self._show()

    def _choose(self, index: int) -> None:
        chosen = self.box.currentData()
        if chosen == _BROWSE:
            self._browse()
        elif chosen != _FILE:
            self._session.set_start_file(None)
            self._setting.write(index)
        self._show()

    def _browse(self) -> None:
        start = self._session.start_file or self._session.folder or Path.home()
        name, _filter = QFileDialog.getOpenFileName(self._window, "Start from a saved schedule", str(start), _KINDS)
        if name:
            self._session.set_start_file(Path(name))

    def _show(self) -> None:
        file, place = self._session.start_file, self.box.findData(_FILE)
        with QSignalBlocker(self.box):
            if place >= 0:
                self.box.removeItem(place)
            self._setting.read()
            if file is not None:
                self.box.insertItem(len(_STARTS), _name(file), _FILE)
                self.box.setCurrentIndex(len(_STARTS))
        self.box.setToolTip(self._help if file is None else f"{file}\nfor the next run only")


def _name(file: Path) -> str:
    """A file in the folder of a run is called by its run."""
    return file.parent.name if (file.parent / RUN).is_file() else file.name
