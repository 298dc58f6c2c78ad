"""The objective dock: what the plan is for, how well drops are thought to work, which days, how long to search."""

from __future__ import annotations

from dataclasses import fields, replace

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import (
    QButtonGroup,
    QGridLayout,
    QGroupBox,
    QLabel,
    QRadioButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)  # fmt: skip

from firegui.domain.options import replaced_at, value_at
from firegui.domain.settings import (
    SETTING_TITLES,
    EliminationSettings,
    ObjectiveWeights,
    PlanSettings,
    RetardantSide,
    Setting,
)
from firegui.gui.session.session import Session
from firegui.gui.widgets.device_menu import BACKENDS
from firegui.gui.widgets.form_sections import Folded, labelled_rows
from firegui.gui.widgets.next_run_form import StagesChoice, StartChoice
from firegui.gui.widgets.plan_choices import PlanCheck, PlanChoice, narrow_combo
from firegui.gui.widgets.plan_fields import PlanField
from firegui.gui.widgets.settings_paths import Path

SIDES = {
    RetardantSide.BOTH: "Both cells (default)",
    RetardantSide.EMITTER: "Emitting neighbour only",
    RetardantSide.RECEIVER: "Receiving cell only",
}
_SIDE_HELP = "which use of the fuel factor retardant changes; reports name it"
_PURPOSE = {
    Setting.A: "Keeps the whole fire small, day by day and at the end.",
    Setting.B: "Keeps the fire out of the protected regions; total size comes second.",
    Setting.CUSTOM: "Your own weights. Editing a weight below switches to this.",
}
_WEIGHTS: tuple[Path, ...] = (("weights", "burn"), ("weights", "final"), ("weights", "prot"), ("weights", "budget"))
_SEARCH: tuple[Path, ...] = tuple(("optimizer", name) for name in ("epochs", "patience", "learning_rate", "seed"))
_DETAILS: tuple[Path, ...] = tuple(
    ("optimizer", name)
    for name in ("clip_norm", "logit_clamp", "initial_logit", "exclusion_cells", "jitter_cells", "full_carry")
)
_ELIMINATION: tuple[Path, ...] = tuple(("elimination", item.name) for item in fields(EliminationSettings))


class ObjectivePanel(QScrollArea):
    """See the module. Every edit is one undoable step of the session."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._fields: dict[Path, PlanField] = {}
        self._checks: list[PlanCheck] = []
        self._refusals: dict[Path, str] = {}
        self._problems = QLabel(wordWrap=True)
        self._problems.setProperty("role", "warning")
        self._problems.setAccessibleName("What keeps a run from starting")
        self._problems.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._build()
        for signal in (session.project_opened, session.project_edited):
            signal.connect(self._refresh)
        session.backend_changed.connect(self._refresh)
        self._refresh()

    # -- building ----------------------------------------------------------------------------------------------------
    def _build(self) -> None:
        page = self._page = QWidget()
        column = QVBoxLayout(page)
        column.setSpacing(8)
        for part in (
            self._problems, self._objective(), self._effectiveness(), self._window(), self._search(), self._details(),
            self._second_stage(),
        ):  # fmt: skip
            column.addWidget(part)
        column.addStretch(1)
        self.setWidget(page)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setMinimumWidth(page.minimumSizeHint().width() + 16)

    def _objective(self) -> QWidget:
        group, column = _group("Objective")
        self._settings = QButtonGroup(self)
        for index, setting in enumerate(Setting):
            button = QRadioButton(SETTING_TITLES[setting])
            button.setToolTip(_PURPOSE[setting])
            button.setObjectName(f"setting_{setting.value}")
            self._settings.addButton(button, index)
            column.addWidget(button)
        self._settings.idClicked.connect(lambda index: self._choose(list(Setting)[index]))
        self._purpose = QLabel(wordWrap=True)
        self._purpose.setProperty("role", "muted")
        column.addWidget(self._purpose)
        fields = [self._field(path, change_weight=True) for path in _WEIGHTS]
        column.addLayout(labelled_rows([(field.label, field.box) for field in fields], columns=2))
        return group

    def _effectiveness(self) -> QWidget:
        group, column = _group("Effectiveness η")
        grid = QGridLayout()
        heads = ("Planned with", "the design η: what the optimizer believes"), ("Scored at", "the nominal η of results")
        for index, (title, help) in enumerate(heads):
            head = QLabel(title)
            head.setProperty("role", "muted")
            head.setToolTip(help)
            grid.addWidget(head, 0, index + 1)
        for row, material in enumerate(("retardant", "water"), start=1):
            grid.addWidget(QLabel(material.capitalize()), row, 0)
            for index, side in enumerate(("design", "nominal")):
                field = self._field((side, material))
                field.box.setAccessibleName(f"{side} effectiveness of {material}")
                grid.addWidget(field.box, row, index + 1)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(2, 1)
        column.addLayout(grid)
        return group

    def _window(self) -> QWidget:
        group, column = _group("Planned days")
        start, days = self._field(("start_day",), offset=1), self._field(("days",))
        days.box.setSuffix(" days")
        column.addLayout(labelled_rows([(start.label, start.box), (days.label, days.box)], columns=2))
        self._dates = QLabel(wordWrap=True)
        self._dates.setProperty("role", "muted")
        column.addWidget(self._dates)
        return group

    def _search(self) -> QWidget:
        group, column = _group("Search")
        fields = [self._field(path) for path in _SEARCH]
        column.addLayout(labelled_rows([(field.label, field.box) for field in fields], columns=2))
        self._stages, self._start = StagesChoice(self._session), StartChoice(self._session, self)
        self._backend = narrow_combo("Device", "backend")
        self._backend.setToolTip("what the next run computes on; kept with this computer, not with the project")
        for name, title in BACKENDS.items():
            self._backend.addItem(title, name)
        self._backend.activated.connect(lambda _index: self._session.set_backend(str(self._backend.currentData())))
        rows = [(choice.label, choice.box) for choice in (self._stages, self._start)]
        column.addLayout(labelled_rows([*rows, (QLabel("Device"), self._backend)], columns=1))
        return group

    def _details(self) -> QWidget:
        self._side = PlanChoice(self._session, ("retardant_acts_on",), "Retardant acts on", _SIDE_HELP, SIDES)
        rows = [(self._side.label, self._side.box), *(self._detail(path) for path in _DETAILS)]
        return Folded("More settings", labelled_rows(rows, columns=1))

    def _second_stage(self) -> QWidget:
        return Folded("Second stage", labelled_rows([self._detail(path) for path in _ELIMINATION], columns=1))

    def _detail(self, path: Path) -> tuple[QLabel, QWidget]:
        if isinstance(value_at(PlanSettings(), path), bool):
            check = PlanCheck(self._session, path)
            self._checks.append(check)
            return QLabel(), check.box
        field = self._field(path)
        if field.about.unit:
            field.box.setSuffix(f" {field.about.unit}")
        return field.label, field.box

    def _field(self, path: Path, *, offset: int = 0, change_weight: bool = False) -> PlanField:
        change = None
        if change_weight:
            change = lambda plan, value: replace(replaced_at(plan, path, value), setting=Setting.CUSTOM)  # noqa: E731
        elif path == ("start_day",):
            change = self._with_start
        field = PlanField(self._session, path, offset=offset, change=change)
        field.refused.connect(lambda why: self._note(path, why))
        self._fields[path] = field
        return field

    # -- editing -----------------------------------------------------------------------------------------------------
    def _choose(self, setting: Setting) -> None:
        plan = self._session.project.plan
        weights = plan.weights if setting is Setting.CUSTOM else ObjectiveWeights.of(setting)
        changed = replace(plan, setting=setting, weights=weights)
        if changed != plan:
            self._session.set_plan(f"choose {SETTING_TITLES[setting]}", changed)

    def _with_start(self, plan: PlanSettings, start: float) -> PlanSettings:
        # A later start leaves fewer days with weather; the plan is shortened in the same step rather than made invalid.
        left = self._session.project.scenario.days - int(start)
        return replace(plan, start_day=int(start), days=max(1, min(plan.days, left)))

    def _note(self, path: Path, why: str) -> None:
        self._refusals[path] = why
        self._show_problems()

    # -- showing -----------------------------------------------------------------------------------------------------
    def _refresh(self) -> None:
        self._page.setEnabled(self._session.has_project)
        if not self._session.has_project:
            return
        project, plan = self._session.project, self._session.project.plan
        button = self._settings.button(list(Setting).index(plan.setting))
        button.setChecked(True)
        self._purpose.setText(_PURPOSE[plan.setting])
        with QSignalBlocker(self._backend):
            self._backend.setCurrentIndex(max(self._backend.findData(self._session.backend), 0))
        event = project.scenario
        self._limit(("start_day",), event.days - 1)
        self._limit(("days",), max(event.days - plan.start_day, plan.days))
        calendar = project.calendar
        first, last = calendar.date_of_day(0), calendar.date_of_day(calendar.days - 1)
        span = f"{first.day} {first:%b %Y} to {last.day} {last:%b %Y}"
        self._dates.setText(f"{span}, local dates · the event has weather for {event.days} days")
        self._show_problems()

    def _limit(self, path: Path, high: int) -> None:
        box = self._fields[path].box
        with QSignalBlocker(box):
            box.setMaximum(max(high, int(box.minimum())))

    def _show_problems(self) -> None:
        lines = [why for why in self._refusals.values() if why]
        if self._session.has_project:
            lines += [str(problem) for problem in self._session.project.problems()]
        self._problems.setText("\n".join(f"⚠ {line}" for line in lines))
        self._problems.setVisible(bool(lines))


def _group(title: str) -> tuple[QGroupBox, QVBoxLayout]:
    group = QGroupBox(title)
    column = QVBoxLayout(group)
    column.setSpacing(6)
    return group, column
