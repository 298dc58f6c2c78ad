"""Dialog for the settings in which a new run differs from an existing one."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import (
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QWidget,
)  # fmt: skip

from firegui.domain.project import Project
from firegui.domain.settings import SETTING_TITLES, ObjectiveWeights, Setting
from firegui.gui.base.dialogs import Dialog
from firegui.gui.base.layouts import plain_label, vertical
from firegui.gui.base.plain_text import tooltip
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.planning.run_comparison import differing_inputs
from firegui.gui.widgets.fields import NoScrollComboBox
from firegui.gui.widgets.settings_form import SettingsForm
from firegui.runs.run_requests import STAGE_TITLES
from firegui.runs.stages import Stage

_OFFERED = ("epochs", "patience", "seed", "learning_rate")
_SAME = "The project still has the inputs of this run."
_APART = "The project takes these inputs of the run back; Ctrl+Z undoes it:"
_MOST_LINES = 6


class DuplicateRunDialog(Dialog):
    """Dialog with the settings that are changed most; the side panel has the others.

    The result is :attr:`project`. ``project`` is the open one, and ``entry`` the existing run, whose project must be
    known.
    """

    def __init__(self, entry: RunEntry, project: Project, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        assert entry.project is not None
        self.setWindowTitle("Duplicate a run")
        self._then = entry.project
        self.search = SettingsForm(entry.project.plan.optimizer, only=_OFFERED)
        self.setting, self.stages = NoScrollComboBox(), NoScrollComboBox()
        self.starts = True
        """Whether to start the run at once."""
        self._fill(entry)
        self._lay_out(entry, project)

    @property
    def project(self) -> Project:
        """The project of the run, with the changes."""
        plan = self._then.plan
        # Qt converts the members of an enumeration to plain text.
        setting = Setting(self.setting.currentData())
        same = setting is plan.setting or setting is Setting.CUSTOM
        weights = plan.weights if same else ObjectiveWeights.of(setting)
        return replace(self._then, plan=replace(plan, optimizer=self.search.value(), setting=setting, weights=weights))

    @property
    def chosen_stages(self) -> tuple[Stage, ...]:
        """The stages of the run."""
        return list(STAGE_TITLES)[self.stages.currentIndex()]

    # -- putting together --------------------------------------------------------------------------------------------
    def _fill(self, entry: RunEntry) -> None:
        for setting in Setting:
            self.setting.addItem(SETTING_TITLES[setting], setting)
        self.setting.setCurrentIndex(list(Setting).index(self._then.plan.setting))
        self.setting.setAccessibleName("Goal")
        self.setting.setToolTip("What the plan is for")
        for title, _help in STAGE_TITLES.values():
            self.stages.addItem(title)
        known = list(STAGE_TITLES)
        self.stages.setCurrentIndex(known.index(entry.stages) if entry.stages in known else 0)
        self.stages.setAccessibleName("What the run does")
        self.stages.setToolTip("What the run does")

    def _lay_out(self, entry: RunEntry, project: Project) -> None:
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow("Like", plain_label(entry.title))
        form.addRow("&Goal", self.setting)
        form.addRow("&Do", self.stages)
        self.search.add_rows(form, _OFFERED)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        go = buttons.addButton("&Start", QDialogButtonBox.ButtonRole.AcceptRole)
        go.setToolTip(tooltip("Take these inputs into the project, save it, and start the run or queue it"))
        self.load = buttons.addButton("Only &load", QDialogButtonBox.ButtonRole.ActionRole)
        self.load.setToolTip(
            tooltip("Take these inputs into the project, to change more of them in the workspace Plan")
        )
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        self.load.clicked.connect(lambda _checked=False: self._only_load())
        vertical(self, form, _restored_inputs(project, self._then), buttons, least_width=460)
        # A button can be the default only once it is in the dialog; otherwise Enter would cancel.
        go.setDefault(True)

    def _only_load(self) -> None:
        self.starts = False
        self.accept()


def _restored_inputs(now: Project, then: Project) -> QLabel:
    """Return a text on what the project takes from the run's inputs."""
    lines = [f"{each.what}: {' → '.join(text or '–' for text in each.values)}" for each in differing_inputs(now, then)]
    more = len(lines) - _MOST_LINES
    shown = lines[:_MOST_LINES] + ([f"and {more} more"] if more > 0 else [])
    label = plain_label("\n".join([_APART, *shown]) if lines else _SAME, wordWrap=True)
    label.setProperty("role", "muted")
    return label
