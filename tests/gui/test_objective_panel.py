"""Story S4, first half: the objective form edits the plan settings, one undo step per visit."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QComboBox, QFileDialog, QLabel, QRadioButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from firegui.domain.physical import PhysicalSettings
from firegui.domain.project import EFFECTIVENESS, FIRE, FireModel, changed_inputs, same_spread
from firegui.domain.settings import (
    FAST_SEARCH_TEXT,
    LONG_SEARCH_TEXT,
    MARGIN_TITLES,
    BurningAtStart,
    Effectiveness,
    EliminationSettings,
    Margin,
    MarginSettings,
    ObjectiveWeights,
    PlanSettings,
    RetardantSide,
    SearchMethod,
    Setting,
    Start,
)
from firegui.fire.demo import make_demo
from firegui.gui.base.controls import tab_stops
from firegui.gui.scenario.objective_panel import ObjectivePanel, cost_text
from firegui.gui.session.session import Session
from firegui.gui.widgets.fields import DecimalField, WholeField
from firegui.runs.stages import Stage
from tests.gui.hands import LEFT, choose, show_widget, type_into_field

Kind = TypeVar("Kind", bound=QWidget)


@pytest.fixture
def panel(qtbot: QtBot, session: Session) -> ObjectivePanel:
    shown = ObjectivePanel(session)
    show_widget(qtbot, shown, 420, 900)
    return shown


def find(panel: ObjectivePanel, kind: type[Kind], name: str) -> Kind:
    found = panel.findChild(kind, name)
    assert isinstance(found, kind), name
    return found


def pick(box: QComboBox, text: str) -> None:
    """Select an entry by its text."""
    index = box.findText(text)
    assert index >= 0, text
    box.setCurrentIndex(index)
    box.activated.emit(index)


def said(panel: ObjectivePanel) -> str:
    labels = panel.findChildren(QLabel)
    label = next(label for label in labels if label.accessibleName() == "Problems that prevent a run")
    return label.text() if not label.isHidden() else ""


def test_setting_b_brings_its_weights_and_undo_takes_them_back(
    qtbot: QtBot, session: Session, panel: ObjectivePanel
) -> None:
    QTest.mouseClick(find(panel, QRadioButton, "setting_B"), LEFT, pos=QPoint(9, 9))
    assert session.project.plan.setting is Setting.B
    assert session.project.plan.weights == ObjectiveWeights.of(Setting.B)
    assert find(panel, DecimalField, "weights_prot").value() == 100.0
    session.undo_stack.undo()
    assert session.project.plan.setting.value == "A"
    assert find(panel, QRadioButton, "setting_A").isChecked()
    session.undo_stack.redo()
    assert find(panel, QRadioButton, "setting_B").isChecked()


def test_arrow_keys_choose_the_goal_and_tab_leads_to_the_chosen_one(
    qtbot: QtBot, session: Session, panel: ObjectivePanel
) -> None:
    goals = [find(panel, QRadioButton, f"setting_{setting.value}") for setting in Setting]
    assert [goal for goal in goals if goal in tab_stops(panel)] == [goals[0]]
    assert goals[0].isChecked()
    goals[0].setFocus()
    QTest.keyClick(goals[0], Qt.Key.Key_Down)
    assert goals[1].hasFocus() and goals[1].isChecked()
    assert session.project.plan.setting is Setting.B
    assert [goal for goal in goals if goal in tab_stops(panel)] == [goals[1]]
    QTest.keyClick(goals[1], Qt.Key.Key_Up)
    assert goals[0].hasFocus() and session.project.plan.setting.value == "A"
    session.set_plan("own weights", replace(session.project.plan, setting=Setting.CUSTOM))
    assert goals[0].hasFocus() and goals[3].isChecked()
    QTest.keyClick(goals[0], Qt.Key.Key_Down)
    assert goals[1].hasFocus() and goals[1].isChecked() and session.project.plan.setting.value == "B"


def shown_titles(panel: ObjectivePanel) -> list[str]:
    return [button.text() for button in panel.findChildren(QToolButton) if button.toolTip().startswith("Show or hide")]


def test_the_demo_opens_on_a_goal_in_words_with_its_weights_folded(session: Session, panel: ObjectivePanel) -> None:
    session.open_project(make_demo(), None)
    chosen = find(panel, QRadioButton, "setting_AB")
    assert chosen.isChecked() and chosen.text() == "Keep the fire small and out of the regions"
    assert panel._purpose.text().startswith("Keeps the whole fire small, and counts fire in the protected regions more")
    assert not panel._weights.is_open and shown_titles(panel)[0] == "Advanced: weight of each part"
    assert session.project.plan.weights == ObjectiveWeights(50.0, 50.0, 100.0, 1e-6)


def test_editing_a_weight_makes_the_weights_custom(qtbot: QtBot, session: Session, panel: ObjectivePanel) -> None:
    type_into_field(qtbot, find(panel, DecimalField, "weights_burn"), "25")
    assert session.project.plan.weights == replace(ObjectiveWeights(), burn=25.0)
    assert session.project.plan.setting is Setting.CUSTOM
    assert find(panel, QRadioButton, "setting_custom").isChecked()


def test_own_weights_come_back_when_they_are_chosen_again_and_by_undo(
    qtbot: QtBot, session: Session, panel: ObjectivePanel
) -> None:
    own, later = ObjectiveWeights(1.0, 2.0, 3.0, 4.0), ObjectiveWeights(5.0, 6.0, 7.0, 8.0)
    custom = replace(session.project.plan, setting=Setting.CUSTOM, weights=own)

    def choose(setting: str) -> ObjectiveWeights:
        QTest.mouseClick(find(panel, QRadioButton, f"setting_{setting}"), LEFT, pos=QPoint(9, 9))
        return session.project.plan.weights

    session.set_plan("weigh", custom)
    assert choose("B") == ObjectiveWeights.of(Setting.B)
    assert choose("A") == ObjectiveWeights.of(Setting.A)
    assert choose("custom") == own
    choose("A")
    session.set_plan("weigh again", replace(custom, weights=later))
    session.undo()
    assert choose("custom") == own
    # Another project has weights of its own.
    session.open_project(replace(session.project, plan=PlanSettings()), None)
    assert choose("custom") == ObjectiveWeights()


def test_own_weights_say_what_they_count(session: Session, panel: ObjectivePanel) -> None:
    own = replace(session.project.plan, setting=Setting.CUSTOM, weights=ObjectiveWeights(prot=100.0))
    session.set_plan("weigh", own)
    assert panel._purpose.text() == (
        "Own weights: they count the burned area day by day, the final size and fire in the protected regions."
    )


def test_the_panel_says_whose_effectiveness_is_set_and_what_a_drop_costs(
    session: Session, panel: ObjectivePanel
) -> None:
    plan = session.project.plan
    session.set_plan("set", replace(plan, design=Effectiveness(0.8, 0.7), weights=ObjectiveWeights()))
    summary = panel._effectiveness.summary
    assert (summary.text(), summary.isHidden()) == ("cautious: retardant 0.8, water 0.7", False)
    assert panel._cost.text() == ("1,000 drops cost as much as 0.002 % of the map burned at the end: nearly nothing.")
    assert cost_text(ObjectiveWeights(budget=0.0)) == "A drop costs nothing."
    assert cost_text(ObjectiveWeights(budget=0.01)).endswith("as 20 % of the map burned at the end.")


def test_typing_a_number_is_one_step_and_the_next_visit_another(
    qtbot: QtBot, session: Session, panel: ObjectivePanel
) -> None:
    box = find(panel, WholeField, "optimizer_epochs")
    type_into_field(qtbot, box, "1234")
    assert session.undo_stack.count() == 1
    type_into_field(qtbot, box, "56")
    assert session.undo_stack.count() == 2
    session.undo_stack.undo()
    assert (session.project.plan.optimizer.epochs, box.value()) == (1234, 1234)
    session.undo_stack.undo()
    assert (session.project.plan.optimizer.epochs, box.value()) == (3, 3)


def test_scientific_notation_is_understood_and_shown(qtbot: QtBot, session: Session, panel: ObjectivePanel) -> None:
    box = find(panel, DecimalField, "weights_budget")
    assert box.text() == "0.000001"
    type_into_field(qtbot, box, "2.5e-7")
    assert session.project.plan.weights.budget == 2.5e-7
    assert box.text() == "2.5e-7"


@pytest.mark.parametrize(
    ("name", "typed", "limits"),
    [("design_water", "1.5", "0 to 0.999999"), ("optimizer_learning_rate", "99", "0.000001 to 10")],
)
def test_a_value_out_of_bounds_is_refused_with_the_bounds_and_the_old_one_stays(
    qtbot: QtBot, session: Session, panel: ObjectivePanel, name: str, typed: str, limits: str
) -> None:
    box = find(panel, DecimalField, name)
    before, shown = session.project, box.text()
    fields = [each.geometry() for each in panel.findChildren(DecimalField)]
    type_into_field(qtbot, box, typed)
    assert box.note is not None and limits in box.note.text() and f"{typed} was refused" in box.note.text()
    assert session.project is before and box.text().startswith(typed) and box.property("role") == "refused"
    QTest.keyClick(box, Qt.Key.Key_Escape)
    assert box.text() == shown and not box.note.isVisible() and not box.property("role")
    assert session.project is before
    qtbot.wait(50)
    assert [each.geometry() for each in panel.findChildren(DecimalField)] == fields, "nothing moves under the mouse"


def test_a_good_value_clears_the_refusal(qtbot: QtBot, panel: ObjectivePanel) -> None:
    box = find(panel, DecimalField, "design_water")
    shown = box.text()
    for good in ("0.7", shown):
        type_into_field(qtbot, box, "1.5")
        assert box.note is not None and box.note.isVisible()
        type_into_field(qtbot, box, good)
        assert not box.note.isVisible()


def test_the_start_day_is_counted_from_one_and_a_later_one_shortens_the_plan_in_the_same_step(
    qtbot: QtBot, session: Session, panel: ObjectivePanel
) -> None:
    box = find(panel, WholeField, "start_day")
    assert box.text() == "1"
    type_into_field(qtbot, box, "5")
    assert (session.project.plan.start_day, session.project.plan.days) == (4, 2)
    assert session.undo_stack.count() == 1
    session.undo_stack.undo()
    assert (session.project.plan.start_day, session.project.plan.days) == (0, 4)


def test_the_plan_cannot_be_made_longer_than_the_weather(panel: ObjectivePanel) -> None:
    assert find(panel, WholeField, "days").maximum() == 6
    assert find(panel, WholeField, "start_day").maximum() == 5


def test_undo_in_a_field_undoes_the_edit_of_the_project(qtbot: QtBot, session: Session, panel: ObjectivePanel) -> None:
    box = find(panel, WholeField, "optimizer_seed")
    action = session.undo_stack.createUndoAction(panel)
    action.setShortcut("Ctrl+Z")
    panel.addAction(action)
    type_into_field(qtbot, box, "7")
    assert session.project.plan.optimizer.seed == 7
    QTest.keyClick(box, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert session.project.plan.optimizer.seed == 0


def test_what_retardant_acts_on_and_where_the_first_stage_starts_are_settings(
    session: Session, panel: ObjectivePanel
) -> None:
    acts_on, start = find(panel, QComboBox, "retardant_acts_on"), find(panel, QComboBox, "optimizer_start")
    choose(acts_on, RetardantSide.EMITTER)
    pick(start, "Centroid of the fire")
    assert session.project.plan.retardant_acts_on is RetardantSide.EMITTER
    assert session.project.plan.optimizer.start is Start.CENTROID
    session.undo_stack.undo()
    session.undo_stack.undo()
    assert acts_on.currentData() == RetardantSide.BOTH
    assert start.currentText() == "Fire front (default)"


@pytest.mark.parametrize("kind", list(Margin))
def test_the_method_says_how_it_searches(kind: Margin, session: Session, panel: ObjectivePanel) -> None:
    box, limit = find(panel, QComboBox, "optimizer_search"), panel._form.box("margin_limit")
    session.set_plan("margin", replace(session.project.plan, margin=MarginSettings(kind)))
    steps = [panel._form.box(f"margin_{name}_epochs") for name in ("search", "training", "adapt")]
    assert {one.isEnabled() for one in (*steps, limit)} == {kind is not Margin.NONE}
    assert box.isEnabled() and box.currentData() == SearchMethod.AUTO
    own = LONG_SEARCH_TEXT if kind is Margin.NONE else FAST_SEARCH_TEXT
    assert panel.method.text() == own
    choose(box, SearchMethod.PAPER)
    assert panel.method.text() == LONG_SEARCH_TEXT
    choose(box, SearchMethod.FAST)
    assert session.project.plan.optimizer.search is SearchMethod.FAST
    assert panel.method.text() == FAST_SEARCH_TEXT
    session.undo_stack.undo()
    session.undo_stack.undo()
    assert panel.method.text() == own


def test_what_burns_at_the_start_is_a_setting_that_changes_the_fire(session: Session, panel: ObjectivePanel) -> None:
    before = session.project
    choose(find(panel, QComboBox, "burning_at_start"), BurningAtStart.GROWTH)
    assert session.project.plan.burning_at_start is BurningAtStart.GROWTH
    assert not same_spread(before, session.project) and changed_inputs(before, session.project) == (FIRE,)
    session.undo_stack.undo()
    assert same_spread(before, session.project)


def test_the_flame_limit_is_set_with_the_physical_model_and_changes_no_input_of_a_plan(
    qtbot: QtBot, session: Session, panel: ObjectivePanel
) -> None:
    box = find(panel, DecimalField, "flame_limit_m")
    assert not box.isEnabled()
    model = FireModel("physical", "physical", PhysicalSettings().as_mapping())
    session.open_project(replace(session.project, fire_model=model), None)
    assert box.isEnabled() and box.value() == 2.4
    before = session.project
    fold = next(button for button in panel.findChildren(QToolButton) if button.text() == "How well drops work")
    QTest.mouseClick(fold, LEFT)
    type_into_field(qtbot, box, "3.4")
    assert session.project.plan.flame_limit_m == 3.4
    assert changed_inputs(before, session.project) == ()


def test_drops_may_fail_in_long_flames_with_the_physical_model_alone(session: Session, panel: ObjectivePanel) -> None:
    box, limit = find(panel, QCheckBox, "drops_fail_in_flames"), find(panel, DecimalField, "flame_limit_m")
    assert not box.isEnabled()
    other = session.project.fire_model
    model = FireModel("physical", "physical", PhysicalSettings().as_mapping())
    session.open_project(replace(session.project, fire_model=model), None)
    before = session.project
    assert box.isEnabled() and not box.isChecked()
    box.click()
    assert session.project.plan.drops_fail_in_flames
    assert panel._effectiveness.summary.text().endswith(", none in long flames")
    assert changed_inputs(before, session.project) == (EFFECTIVENESS,)
    # Another model keeps the plan from starting until the option is off.
    session.open_project(replace(session.project, fire_model=other), None)
    assert any("only the physical fire model" in str(problem) for problem in session.project.problems())
    assert box.isEnabled() and limit.isEnabled()
    box.click()
    assert not session.project.problems() and not box.isEnabled() and not limit.isEnabled()


def test_the_second_stage_has_its_settings(qtbot: QtBot, session: Session, panel: ObjectivePanel) -> None:
    for title in ("Search", "Advanced: remove drops"):
        fold = next(button for button in panel.findChildren(QToolButton) if button.text() == title)
        QTest.mouseClick(fold, LEFT)
    box = find(panel, DecimalField, "elimination_slack")
    assert box.isVisible()
    type_into_field(qtbot, box, "1.05")
    assert session.project.plan.elimination.slack == 1.05
    session.undo_stack.undo()
    assert box.value() == 1.02


def test_full_carry_is_a_yes_or_no(session: Session, panel: ObjectivePanel) -> None:
    box = find(panel, QCheckBox, "optimizer_full_carry")
    box.click()
    assert not session.project.plan.optimizer.full_carry
    session.undo_stack.undo()
    assert box.isChecked()


def test_both_stages_are_planned_unless_the_first_is_chosen(session: Session, panel: ObjectivePanel) -> None:
    box = find(panel, QComboBox, "stages")
    assert (box.currentText(), session.stages) == (
        "Place drops, then remove unneeded ones",
        (Stage.OPTIMIZE, Stage.PRUNE),
    )
    pick(box, "Place drops only")
    assert session.stages == (Stage.OPTIMIZE,)
    assert not session.is_dirty


def test_a_saved_schedule_can_be_the_start_of_the_next_run(
    session: Session, panel: ObjectivePanel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run = tmp_path / "20260819-120005-A-plan"
    run.mkdir()
    (run / "run.toml").write_text("format = 1\n")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_args: (str(run / "plan.safetensors"), ""))
    box = find(panel, QComboBox, "optimizer_start")
    pick(box, "Saved run or schedule…")
    assert session.start_file == run / "plan.safetensors"
    # The file of a run is shown under the run's title.
    assert box.currentText() == "Whole fire, 19 Aug 12:00"
    assert not session.is_dirty
    pick(box, "Fire front (default)")
    assert session.start_file is None
    assert box.currentText() == "Fire front (default)"
    assert box.findText("Whole fire, 19 Aug 12:00") < 0


def test_giving_the_choice_of_a_file_up_leaves_the_start_as_it_was(
    session: Session, panel: ObjectivePanel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_args: ("", ""))
    box = find(panel, QComboBox, "optimizer_start")
    pick(box, "Quick plan (by rule)")
    pick(box, "Saved run or schedule…")
    assert (box.currentText(), session.start_file) == ("Quick plan (by rule)", None)


def test_the_device_belongs_to_the_computer_and_not_to_the_project(session: Session, panel: ObjectivePanel) -> None:
    choose(find(panel, QComboBox, "backend"), "reference")
    assert session.backend == "reference"
    assert not session.is_dirty


def test_what_keeps_a_run_from_starting_is_said(session: Session, panel: ObjectivePanel) -> None:
    assert said(panel) == ""
    session.set_regions("clear", ())
    session.set_plan("protect", replace(session.project.plan, weights=ObjectiveWeights.of(Setting.B)))
    assert "no region is drawn" in said(panel)
    session.undo_stack.undo()
    assert said(panel) == ""


def test_every_field_has_a_name_a_tooltip_and_bounds_for_everybody(panel: ObjectivePanel) -> None:
    boxes = [*panel.findChildren(DecimalField), *panel.findChildren(WholeField)]
    assert len(boxes) == 21 + len(fields(EliminationSettings)) + len(fields(MarginSettings)[1:])
    for box in boxes:
        assert box.accessibleName(), box.objectName()
        assert len(box.toolTip().splitlines()) >= 2, box.objectName()


def test_a_new_plan_is_shown_to_hold_in_every_stress_scenario(session: Session, panel: ObjectivePanel) -> None:
    box, limit = find(panel, QComboBox, "margin_kind"), find(panel, DecimalField, "margin_limit")
    assert box.currentText() == MARGIN_TITLES[Margin.NONE] and not limit.isEnabled()
    session.set_plan("begin anew", replace(PlanSettings(), days=2))
    assert limit.text() == "5 %", "files have the share, 0.05"
    assert box.currentText() == MARGIN_TITLES[Margin.STRESS] and limit.isEnabled()
    pick(box, MARGIN_TITLES[Margin.NONE])
    assert session.project.plan.margin.kind is Margin.NONE


def test_symbols_are_in_tooltips_alone(panel: ObjectivePanel) -> None:
    box = find(panel, DecimalField, "weights_burn")
    labels = [label.text() for label in panel.findChildren(QLabel)]
    assert {"Burned area day by day", "Final size", "Protected places", "Number of drops"} <= set(labels)
    assert not any(symbol in text for text in labels for symbol in "ληρσ")
    assert box.accessibleName() == "Weight of burned area day by day" and "λ_burn" in box.toolTip()
