"""Objective panel: weights, effectiveness of drops, days of the plan, and search effort."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QSignalBlocker, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QButtonGroup,
    QFileDialog,
    QGridLayout,
    QLabel,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)  # fmt: skip

from firegui.domain.options import replaced_at, setting_fields
from firegui.domain.settings import (
    FAST_SEARCH_TEXT,
    LONG_FLAMES,
    LONG_SEARCH_TEXT,
    MARGIN_TITLES,
    MORE,
    SETTING_TITLES,
    Margin,
    ObjectiveWeights,
    PlanSettings,
    Setting,
    Start,
)
from firegui.gui.base.layouts import add_layout, muted_label, plain_label, vertical
from firegui.gui.base.plain_text import tooltip
from firegui.gui.session.session import Session
from firegui.gui.widgets.device_menu import BACKENDS
from firegui.gui.widgets.fields import choice_combo
from firegui.gui.widgets.settings_form import FoldedSection, SettingsForm, labelled_rows
from firegui.runs.run_requests import STAGE_TITLES
from firegui.runs.titles import schedule_title

_MERGE_KEYS = count(1_000)
_MARGINS = (4, 6, 4, 6)
"""Margins of a group; the longest choice of the search needs the width."""
_MANY_DROPS, _LITTLE_PERCENT = 1000, 0.1
_BROWSE, _FILE = "browse", "file"
_SCHEDULES = "Schedules (*.safetensors *.csv);;All files (*)"
_PURPOSE = {
    Setting.A: "Keeps the whole fire small, day by day and at the end.",
    Setting.B: "Keeps the fire out of the protected regions; its whole size comes second.",
    Setting.BOTH: "Keeps the whole fire small, and counts fire in the protected regions more than elsewhere.",
    Setting.CUSTOM: "Your own weights. Editing a weight switches to this.",
}

_WEIGHED = {
    "burn": "the burned area day by day", "final": "the final size", "prot": "fire in the protected regions",
    "val": "values at risk that are lost",
}  # fmt: skip

_IN_PAPER = {
    Setting.A: "\nObjective A of the paper.", Setting.B: "\nObjective B of the paper.",
    Setting.BOTH: "\nObjective A of the paper with the regions of objective B.",
}  # fmt: skip


def purpose_text(plan: PlanSettings) -> str:
    """Return what the goal of a plan is, in words; of own weights what they weigh."""
    if plan.setting is not Setting.CUSTOM:
        return _PURPOSE[plan.setting]
    parts = [text for name, text in _WEIGHED.items() if getattr(plan.weights, name) > 0.0]
    what = f"{', '.join(parts[:-1])}{' and ' if parts[1:] else ''}{parts[-1]}" if parts else "nothing but drops"
    return f"Own weights: they count {what}."


def cost_text(weights: ObjectiveWeights) -> str:
    """Return what the weight of a drop means, beside that of the final size."""
    if weights.budget == 0.0:
        return "A drop costs nothing."
    if weights.final == 0.0:
        return "The number beside Number of drops is the cost of one drop."
    percent = 100.0 * _MANY_DROPS * weights.budget / weights.final
    little = ": nearly nothing" if percent < _LITTLE_PERCENT else ""
    return f"{_MANY_DROPS:,} drops cost as much as {percent:.2g} % of the map burned at the end{little}."


class PlanForm(SettingsForm[PlanSettings]):
    """Fields of the plan's settings.

    They follow the session. The edits of one visit to a field are one undoable step.
    """

    def __init__(self, session: Session) -> None:
        plan = session.project.plan if session.has_project else PlanSettings()
        super().__init__(plan, skip=("setting", "optimizer_start"), offsets={"start_day": 1})
        self._session = session
        self._merge = {name: next(_MERGE_KEYS) for name in self.editors}
        for name, editor in self.editors.items():
            editor.left.connect(partial(self._on_left, name))
        self.edited.connect(self._write)
        for signal in (session.project_opened, session.plan_changed):
            signal.connect(self.read)
        self.read()

    def read(self) -> None:
        """Show the plan of the session."""
        if self._session.has_project:
            self.set_value(self._session.project.plan)

    def write(self, path: tuple[str, ...], value: Any, title: str, merge: int = -1) -> None:
        """Set the plan's value at ``path``.

        A weight makes the weights custom. A later start shortens the plan.
        """
        before = self._session.project.plan
        plan = replaced_at(before, path, value)
        if path[0] == "weights" and plan != before:
            plan = replace(plan, setting=Setting.CUSTOM)
        elif path == ("start_day",):
            # The plan is shortened in the same step, so that it stays valid.
            left = self._session.project.scenario.days - int(value)
            plan = replace(plan, days=max(1, min(plan.days, left)))
        if plan != before:
            self._session.set_plan(f"change {title.lower()}", plan, merge)

    def _write(self, name: str) -> None:
        if self._session.has_project:
            editor = self.editors[name]
            merge = self._merge[name] if editor.is_number else -1
            self.write(editor.path, editor.value(), editor.option.title, merge)

    def _on_left(self, name: str) -> None:
        self._merge[name] = next(_MERGE_KEYS)


class StagesChoice(QObject):
    """Combo box of the stages of the next run: both, or the first alone."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.box, self.label = choice_combo("What the run does", "stages"), plain_label("Do")
        self.box.setToolTip(tooltip("\n".join(f"{title}: {help}" for title, help in STAGE_TITLES.values())))
        for title, _help in STAGE_TITLES.values():
            self.box.addItem(title)
        self.box.activated.connect(lambda index: session.set_stages(list(STAGE_TITLES)[index]))
        session.next_run_changed.connect(self._read)
        self._read()

    def _read(self) -> None:
        with QSignalBlocker(self.box):
            self.box.setCurrentIndex(list(STAGE_TITLES).index(self._session.stages))


class StartChoice(QObject):
    """Combo box of the start of the search: as the settings say, or a saved schedule."""

    def __init__(self, session: Session, form: PlanForm, window: QWidget) -> None:
        super().__init__()
        self._session, self._form, self._window = session, form, window
        self._item = next(item for item in setting_fields(PlanSettings()) if item.path == ("optimizer", "start"))
        option = self._item.option
        self.box, self.label = choice_combo(option.field_label, "optimizer_start"), plain_label(option.field_label)
        for start, title in option.choices.items():
            self.box.addItem(title, start.value)
        self.box.addItem("Saved run or schedule…", _BROWSE)
        self.box.activated.connect(self._choose)
        for signal in (session.next_run_changed, session.project_opened, session.plan_changed):
            signal.connect(self._show)
        self._show()

    def _choose(self, _index: int) -> None:
        chosen = self.box.currentData()
        if chosen == _BROWSE:
            self._browse()
        elif chosen != _FILE:
            self._session.set_start_file(None)
            self._form.write(self._item.path, Start(chosen), self._item.option.field_label)
        self._show()

    def _browse(self) -> None:
        start = self._session.start_file or self._session.folder or Path.home()
        name, _filter = QFileDialog.getOpenFileName(self._window, "Start from a saved schedule", str(start), _SCHEDULES)
        if name:
            self._session.set_start_file(Path(name))

    def _show(self) -> None:
        file, place = self._session.start_file, self.box.findData(_FILE)
        with QSignalBlocker(self.box):
            if place >= 0:
                self.box.removeItem(place)
            if file is not None:
                # A file in the folder of a run is shown under the run's title.
                self.box.insertItem(len(Start), schedule_title(file), _FILE)
                self.box.setCurrentIndex(len(Start))
            elif self._session.has_project:
                self.box.setCurrentIndex(self.box.findData(self._session.project.plan.optimizer.start.value))
        self.box.setToolTip(tooltip(self._item.option.help if file is None else f"{file}\nfor the next run only"))


class _GoalButton(QRadioButton):
    """Radio button from which the arrow keys choose another one of its group."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose the button that an arrow key leads to; Qt does so only from the chosen one."""
        super().keyPressEvent(event)
        reached = QApplication.focusWidget()
        if reached is not self and isinstance(reached, _GoalButton) and not reached.isChecked():
            reached.click()


class ObjectivePanel(QWidget):
    """Panel of the objective. Every edit is one undoable step of the session."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._form = PlanForm(session)
        self._problems = plain_label(wordWrap=True)
        self._problems.setProperty("role", "warning")
        self._problems.setAccessibleName("Problems that prevent a run")
        self._problems.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._build()
        for signal in (session.project_opened, session.project_edited):
            signal.connect(self._refresh)
        session.backend_changed.connect(self._refresh)
        self._refresh()

    # -- building ----------------------------------------------------------------------------------------------------
    def _build(self) -> None:
        vertical(
            self,
            self._objective(), self._margin_section(), self._effectiveness_section(), self._window(), self._search(),
            self._problems,
            1, spacing=4, margins=2,
        )  # fmt: skip

    def _objective(self) -> QWidget:
        group = QWidget()
        group.setAccessibleName("Goal")
        column = QVBoxLayout(group)
        column.setSpacing(4)
        column.setContentsMargins(4, 0, 4, 0)
        self._settings = QButtonGroup(self)
        for index, setting in enumerate(Setting):
            button = _GoalButton(SETTING_TITLES[setting])
            button.setToolTip(tooltip(_PURPOSE[setting] + _IN_PAPER.get(setting, "")))
            button.setObjectName(f"setting_{setting.value}")
            self._settings.addButton(button, index)
            column.addWidget(button)
        self._settings.idClicked.connect(lambda index: self._choose(list(Setting)[index]))
        self._purpose = plain_label(wordWrap=True)
        self._purpose.setProperty("role", "muted")
        column.addWidget(self._purpose)
        weights = self._form.grid(self._form.names("weights"))
        self._cost = muted_label()
        self._weights = FoldedSection("Advanced: weight of each part", vertical(None, weights, self._cost, margins=0))
        column.addWidget(self._weights)
        return group

    def _margin_section(self) -> QWidget:
        self._margin, column = _section()
        kind, *others = self._form.names("margin", group="")
        _add_below(column, self._form.editors[kind].label, self._form.editors[kind].box)
        add_layout(column, self._form.grid(others, columns=1, units=True))
        return self._margin

    def _effectiveness_section(self) -> QWidget:
        self._effectiveness, column = _section("How well drops work")
        grid = QGridLayout()
        heads = (
            ("Cautious, to plan", "the design effectiveness η of the paper; sizes during a run are at it"),
            ("Expected, to score", "the nominal effectiveness η of the paper; the size of a finished plan is at it"),
        )
        for index, (title, help) in enumerate(heads):
            head = plain_label(title.replace(", ", ",\n"))
            head.setProperty("role", "muted")
            head.setToolTip(tooltip(help))
            grid.addWidget(head, 0, index + 1)
        for row, material in enumerate(("retardant", "water"), start=1):
            grid.addWidget(plain_label(material.capitalize()), row, 0)
            for index, side in enumerate(("design", "nominal")):
                box = self._form.box(f"{side}_{material}")
                box.setAccessibleName(f"How well {material} works, {heads[index][0].lower()}")
                grid.addWidget(box, row, index + 1)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(2, 1)
        add_layout(column, grid)
        add_layout(column, self._form.grid(self._form.names(group=LONG_FLAMES), units=True))
        return self._effectiveness

    def _window(self) -> QWidget:
        self._days, column = _section()
        self._form.editors["days"].show_unit()
        add_layout(column, self._form.grid(self._form.names(group="")))
        self._dates = plain_label(wordWrap=True)
        self._dates.setProperty("role", "muted")
        column.addWidget(self._dates)
        return self._days

    def _search(self) -> QWidget:
        section, column = _section("Search")
        self.method = muted_label()
        self._stages, self._start = StagesChoice(self._session), StartChoice(self._session, self._form, self)
        self._backend = choice_combo("Device", "backend")
        self._backend.setToolTip(tooltip("device of the next run; saved on this computer, not in the project"))
        for name, title in BACKENDS.items():
            self._backend.addItem(title, name)
        self._backend.activated.connect(lambda _index: self._session.set_backend(str(self._backend.currentData())))
        _add_below(column, self._stages.label, self._stages.box)
        editor = self._form.editors["optimizer_search"]
        method = (editor.label, self._form.box("optimizer_search"))
        rows = [method, (self._start.label, self._start.box), (plain_label("Device"), self._backend)]
        add_layout(column, labelled_rows(rows, columns=1))
        column.addWidget(self.method)
        # Folded twice: the headings of all sections have to fit on the page.
        column.addWidget(self._details())
        column.addWidget(self._second_stage())
        return section

    def _details(self) -> QWidget:
        names = [*self._form.names(group=MORE), *self._form.names("optimizer", MORE), *self._form.names("margin", MORE)]
        return FoldedSection("Advanced: search", self._form.grid(names, units=True))

    def _second_stage(self) -> QWidget:
        return FoldedSection("Advanced: remove drops", self._form.grid(self._form.names("elimination"), units=True))

    # -- editing -----------------------------------------------------------------------------------------------------
    def _choose(self, setting: Setting) -> None:
        plan = self._session.project.plan
        own = self._session.own_weights or plan.weights
        weights = own if setting is Setting.CUSTOM else ObjectiveWeights.of(setting)
        changed = replace(plan, setting=setting, weights=weights)
        if changed != plan:
            self._session.set_plan(f"choose {SETTING_TITLES[setting]}", changed)

    # -- showing -----------------------------------------------------------------------------------------------------
    def _refresh(self) -> None:
        self.setEnabled(self._session.has_project)
        if not self._session.has_project:
            return
        project, plan = self._session.project, self._session.project.plan
        button = self._settings.button(list(Setting).index(plan.setting))
        button.setChecked(True)
        self._purpose.setText(purpose_text(plan))
        if plan.setting is Setting.CUSTOM:
            self._weights.set_open(True)
        with QSignalBlocker(self._backend):
            self._backend.setCurrentIndex(max(self._backend.findData(self._session.backend), 0))
        event = project.scenario
        for name in self._form.names("margin")[1:]:
            # The model alone needs no margin: its kind is read alone.
            for part in (self._form.editors[name].label, self._form.box(name)):
                part.setEnabled(plan.margin.kind is not Margin.NONE)
        self.method.setText(FAST_SEARCH_TEXT if plan.is_fast else LONG_SEARCH_TEXT)
        for name in ("flame_limit_m", "drops_fail_in_flames"):
            for part in (self._form.editors[name].label, self._form.box(name)):
                # Other models know no flame length. What keeps a plan from starting can be taken back.
                part.setEnabled(project.fire_model.kind == "physical" or plan.drops_fail_in_flames)
        self._limit("start_day", event.days - 1)
        self._limit("days", max(event.days - plan.start_day, plan.days))
        calendar = project.calendar
        span = f"{calendar.span_text}, local dates" if calendar.is_dated else calendar.span_text.capitalize()
        self._dates.setText(f"{span} · the event has weather for {event.days} days")
        # The titles say what is set, because the sections are folded at first.
        self._margin.set_title(f"Margin: {MARGIN_TITLES[plan.margin.kind].lower()}")
        works = plan.design
        flames = ", none in long flames" if plan.drops_fail_in_flames else ""
        self._effectiveness.set_summary(f"cautious: retardant {works.retardant:g}, water {works.water:g}{flames}")
        self._cost.setText(cost_text(plan.weights))
        first = f" from {calendar.short_date_text(0, year=True)}" if calendar.is_dated else ""
        self._days.set_title(f"Planned days: {calendar.days}{first}")
        self._show_problems()

    def _limit(self, name: str, high: int) -> None:
        box = self._form.box(name)
        with QSignalBlocker(box):
            box.setMaximum(max(high, int(box.minimum())))

    def _show_problems(self) -> None:
        lines = [str(problem) for problem in self._session.project.problems()] if self._session.has_project else []
        self._problems.setText("\n".join(f"⚠ {line}" for line in lines))
        self._problems.setVisible(bool(lines))


def _section(title: str = "") -> tuple[FoldedSection, QVBoxLayout]:
    column = QVBoxLayout()
    column.setSpacing(6)
    column.setContentsMargins(*_MARGINS)
    return FoldedSection(title, column), column


def _add_below(column: QVBoxLayout, label: QLabel, box: QWidget) -> None:
    """Add a field below its label, because its texts are too long to stand beside it."""
    label.setBuddy(box)
    column.addWidget(label)
    column.addWidget(box)
