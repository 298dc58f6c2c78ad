"""The calibration dock: fit the fire model to the observed perimeters of this event, alone or with others."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QScrollArea,
    QSplitter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from firegui.domain.fit import NetworkFitSettings
from firegui.domain.project import Project
from firegui.domain.weights import NetworkWeights
from firegui.errors import InputError, Problem
from firegui.gui.analyses.calibration.calibration_charts import FitPlots
from firegui.gui.analyses.calibration.calibration_controller import (
    CalibrationController,
    CalibrationRequest,
    Companion,
    SavedCalibration,
)
from firegui.gui.analyses.calibration.calibration_text import activity_text, result_html
from firegui.gui.base.elided_label import ElidedLabel
from firegui.gui.base.tasks import wait_for
from firegui.gui.session.reporting import refusing
from firegui.gui.session.session import Session
from firegui.gui.widgets.form_sections import Folded, labelled_rows
from firegui.gui.widgets.number_fields import WholeField
from firegui.gui.widgets.settings_form import SettingsForm
from firegui.gui.widgets.table_buttons import ButtonRow
from firegui.io.project_store import load_project
from firegui.io.weights_file import write_weights
from firegui.runs.calibrate import default_settings, input_problems
from firegui.runs.fit_checkpoint import FitCheckpoint, part_of, read_checkpoint

_ASK = (
    "Fits the network fire model to the observed perimeters of the first days. Later perimeters are not read, so the "
    "forecast of those days can be scored."
)
_CONTROLS = 330
_MAIN = ("fit_days", "epochs", "patience", "seed")
_MORE = ("learning_rate", "correction_rate", "node_spacing_m", "margin_cells")
_LIST_LINES = 3
_SUFFIX = ".safetensors"
_USE = "use the calibrated fire model"


class CalibratePanel(QWidget):
    """See the module. The settings are the panel's own; they are kept with the weights that come of them."""

    start_requested = Signal()
    """A person wants to calibrate; the project must have a folder first."""
    enlarge_requested = Signal()
    """A person wants more room for it."""

    def __init__(self, session: Session, desk: CalibrationController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._desk = session, desk
        self._companions: list[Companion] = []
        self.form = SettingsForm(NetworkFitSettings())
        self.origin, self.others = QComboBox(), QListWidget()
        self.plots = FitPlots(desk)
        self.summary, self.notes = QLabel(wordWrap=True), QLabel(wordWrap=True)
        self._activity = ElidedLabel(role="muted")
        self._buttons: dict[str, QToolButton] = {}
        self._lay_out()
        self._connect()
        self._on_project()

    # -- for others --------------------------------------------------------------------------------------------------
    def button(self, name: str) -> QToolButton:
        """``start``, ``stop``, ``resume``, ``apply``, ``save``, ``add``, ``delete`` or ``fit``; else ``KeyError``."""
        return self._buttons[name]

    @property
    def activity(self) -> str:
        """What is being done, empty for nothing."""
        return self._activity.text()

    def start(self) -> None:
        """Calibrate with the settings of the form; the project must be kept somewhere."""
        if self.button("start").isEnabled() and self._session.folder is not None:
            self._desk.start(CalibrationRequest(self.form.value(), self._companions, self._origin()))

    def resume(self) -> None:
        """Take the interrupted calibration of this project up again, with its own settings and projects."""
        out = self._desk.interrupted
        if out is None:
            return
        with refusing(self._session, str(out)):
            kept = read_checkpoint(part_of(out))
            folders = _others_of(kept)
            found = wait_for(self.window(), "Opening its projects…", lambda: [_companion(folder) for folder in folders])
            self._show_companions(found)
            self.form.set_value(kept.settings)
            self._desk.resume(SavedCalibration(out, kept), CalibrationRequest(kept.settings, found))

    def add_project(self, folder: Path) -> None:
        """Also train on the project in ``folder``; what is wrong with it is refused."""
        with refusing(self._session, str(folder)):
            _refuse_again(folder, [self._session.folder, *(each.folder for each in self._companions)])
            found = wait_for(self.window(), f"Opening {folder.name}…", lambda: _companion(folder))
            self._show_companions([*self._companions, found])

    def remove_project(self) -> None:
        """Leave the selected project out again."""
        row = self.others.currentRow()
        if 0 <= row < len(self._companions):
            self._show_companions([each for k, each in enumerate(self._companions) if k != row])

    def use(self) -> None:
        """Give the open project the calibrated weights, as one undoable step."""
        if self._desk.result is not None and self.button("apply").isEnabled():
            self._session.edit(_USE, self._session.project.with_network(self._desk.result.weights))

    def save(self, path: Path) -> None:
        """Write the calibrated weights to ``path``."""
        if self._desk.result is None:
            return
        path = path if path.suffix else path.with_suffix(_SUFFIX)
        with refusing(self._session, str(path)):
            write_weights(path, self._desk.result.weights)
            self._session.message.emit(f"Wrote {path}")

    # -- putting together --------------------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        parts = QSplitter(Qt.Orientation.Horizontal)
        parts.addWidget(self._controls())
        parts.addWidget(self.plots)
        parts.setStretchFactor(1, 1)
        parts.setSizes([_CONTROLS, 2 * _CONTROLS])
        parts.setCollapsible(1, False)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 2, 6, 4)
        column.addWidget(parts)

    def _controls(self) -> QWidget:
        self.summary.setTextFormat(Qt.TextFormat.RichText)
        for label in (self.summary, self.notes):
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.summary.setAccessibleName("Result of the calibration")
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 4, 0)
        column.setSpacing(4)
        column.addWidget(self._work_buttons())
        column.addWidget(self._activity)
        # Above the summary, which grows: what can be done with the result has to be in view.
        column.addWidget(self._result_buttons())
        column.addWidget(self.notes)
        column.addWidget(self.summary)
        column.addLayout(labelled_rows(self.form.pairs(_MAIN), 2))
        column.addWidget(self.form.box("correction"))
        column.addLayout(self._origin_row())
        column.addWidget(Folded("Step sizes and grid", labelled_rows(self.form.pairs(_MORE), 1)))
        column.addLayout(self._others_rows())
        column.addStretch(1)
        area = QScrollArea(widgetResizable=True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setWidget(page)
        area.setMinimumWidth(_CONTROLS)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        return area

    def _work_buttons(self) -> ButtonRow:
        row = ButtonRow()
        large = "Show this dock in a window of its own, or put it back"
        resume = "Take up the unfinished calibration of this project; it ends as if it had never stopped"
        self._buttons |= {
            "start": row.add("start", "Calibrate", _ASK, self.start_requested.emit, show_text=True),
            "stop": row.add("stop", "Stop", "Stop and keep the best weights so far", self._desk.stop),
            "resume": row.add("resume", "Resume", resume, self.resume),
            "fit": row.add("fit", "Enlarge", large, self.enlarge_requested.emit),
        }
        return row

    def _result_buttons(self) -> ButtonRow:
        row = self._result_row = ButtonRow()
        use = "Plan and forecast with these weights from now on; can be undone"
        keep = "Write the weights to a file, for other projects"
        self._buttons |= {
            "apply": row.add("apply", "Use in this project", use, self.use, show_text=True),
            "save": row.add("save", "Save weights as…", keep, self._ask_file, show_text=True),
        }
        return row

    def _origin_row(self) -> QFormLayout:
        self.origin.setAccessibleName("What the calibration starts from")
        self.origin.setToolTip("Random weights, chosen by the seed, or those that this project plans with")
        form = QFormLayout()
        form.addRow("Start from", self.origin)
        return form

    def _others_rows(self) -> QVBoxLayout:
        row = ButtonRow()
        also = "Add a project whose fire is fitted by the same network"
        self._buttons |= {
            "add": row.add("add", "Add project…", also, self._ask_project),
            "delete": row.add("delete", "Remove", "Leave the selected project out", self.remove_project),
        }
        self.others.setAccessibleName("Further projects")
        self.others.setToolTip("Projects whose fires are fitted by the same network")
        self.others.setFixedHeight(_LIST_LINES * self.others.fontMetrics().height() + 10)
        title = QLabel("Train jointly with")
        title.setBuddy(self.others)
        head = QHBoxLayout()
        head.addWidget(title, 1)
        head.addWidget(row)
        column = QVBoxLayout()
        column.setSpacing(1)
        column.addLayout(head)
        column.addWidget(self.others)
        return column

    def _connect(self) -> None:
        session, desk = self._session, self._desk
        session.project_opened.connect(self._on_project)
        session.project_edited.connect(self._refresh)
        session.folder_changed.connect(self._refresh)
        desk.changed.connect(self._refresh)
        desk.result_changed.connect(self._refresh)
        desk.epochs_added.connect(self._show_activity)
        self.form.changed.connect(self._refresh)
        self.form.refused.connect(session.message)
        self.others.currentRowChanged.connect(lambda _row: self._refresh())

    # -- what happens ------------------------------------------------------------------------------------------------
    def _on_project(self) -> None:
        if self._session.has_project:
            project = self._session.project
            days = self.form.box("fit_days")
            assert isinstance(days, WholeField)
            days.setMaximum(max(project.scenario.days, 1))
            self.form.set_value(default_settings(project))
        self._show_companions([])

    def _show_companions(self, companions: list[Companion]) -> None:
        self._companions = companions
        self.others.clear()
        for each in companions:
            self.others.addItem(f"{each.project.scenario.name} · {each.folder.name}")
            self.others.item(self.others.count() - 1).setToolTip(str(each.folder))
        self._refresh()

    def _ask_project(self) -> None:
        start = self._session.folder.parent if self._session.folder is not None else Path.home()
        name = QFileDialog.getExistingDirectory(self.window(), "Train jointly with (a folder NAME.firegui)", str(start))
        if name:
            self.add_project(Path(name))

    def _ask_file(self) -> None:
        start = (self._session.folder.parent if self._session.folder is not None else Path.home()) / f"fire{_SUFFIX}"
        kinds = f"Weights (*{_SUFFIX})"
        name, _filter = QFileDialog.getSaveFileName(self.window(), "Save the weights as", str(start), kinds)
        if name:
            self.save(Path(name))

    def _origin(self) -> NetworkWeights | None:
        return self._session.project.weights if self.origin.currentData() == "project" else None

    def _refresh(self) -> None:
        desk, session, there = self._desk, self._session, self._session.has_project
        result, trouble = desk.result, self._trouble() if there else ""
        self._offer_origins(session.project if there else None)
        used = result is not None and there and session.project.weights is result.weights
        usable = {
            "start": there and not desk.is_busy and not trouble,
            "stop": desk.is_busy and not desk.is_stopping,
            "resume": there and desk.interrupted is not None,
            "apply": result is not None and there and not used,
            "save": result is not None,
            "add": there and not desk.is_busy,
            "delete": self.others.currentRow() >= 0 and not desk.is_busy,
        }
        for name, enabled in usable.items():
            self.button(name).setEnabled(enabled)
        self.form.set_enabled(there and not desk.is_busy)
        self.summary.setText("" if result is None else result_html(result))
        for part in (self.summary, self._result_row):
            part.setVisible(result is not None)
        self._say(trouble, used=used)
        self._show_activity()

    def _offer_origins(self, project: Project | None) -> None:
        wanted = [("new weights", "new")]
        if project is not None and project.weights is not None:
            wanted.append(("this project's weights", "project"))
        if [self.origin.itemData(k) for k in range(self.origin.count())] != [key for _text, key in wanted]:
            self.origin.clear()
            for text, key in wanted:
                self.origin.addItem(text, key)
        self.origin.setEnabled(len(wanted) > 1 and not self._desk.is_busy)

    def _show_activity(self) -> None:
        desk = self._desk
        last = desk.history[-1] if desk.history else None
        text = "Stopping…" if desk.is_stopping else activity_text(last) if desk.is_busy else ""
        self._activity.set_text(text)
        self._activity.setVisible(bool(text))

    def _say(self, trouble: str, *, used: bool) -> None:
        said = [trouble] if trouble else []
        if used:
            said.append("This project uses these weights.")
        elif self._desk.interrupted is not None:
            said.append("A calibration of this project is unfinished: Resume takes it up.")
        elif self._desk.result is None and not self._desk.is_busy and not trouble:
            said.append(_ASK)
        self.notes.setText("\n".join(said))
        self.notes.setVisible(bool(said))
        self.notes.setProperty("role", "warning" if trouble else "muted")
        # A style sheet looks at properties only when the widget is polished.
        self.notes.style().unpolish(self.notes)
        self.notes.style().polish(self.notes)

    def _trouble(self) -> str:
        projects = (self._session.project, *(each.project for each in self._companions))
        return "\n".join(
            f"{problem.where}: {problem.what}; {problem.remedy}"
            for problem in input_problems(projects, self.form.value())
        )


def _companion(folder: Path) -> Companion:
    return Companion(folder, load_project(folder))


def _others_of(kept: FitCheckpoint) -> list[Path]:
    """Where the projects lie that the interrupted calibration was begun with beside the first."""
    return [Path(event.folder) for event in kept.events[1:]]


def _refuse_again(folder: Path, taken: list[Path | None]) -> None:
    if any(other is not None and other.resolve() == folder.resolve() for other in taken):
        raise InputError([Problem(str(folder), "is trained on already", "choose another project")])
