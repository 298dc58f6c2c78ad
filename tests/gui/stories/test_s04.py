"""S4: a user chooses the objective, starts a plan, watches it, pauses, stops and resumes it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QRadioButton

from firegui.domain.settings import Setting
from firegui.gui.planning.progress_panel import ProgressPanel
from firegui.gui.scenario.objective_panel import ObjectivePanel
from firegui.gui.session.session import FireView
from firegui.gui.widgets.fields import WholeField
from firegui.runs.run_folder import read_run
from firegui.runs.stages import FinishReason, RunState
from tests.gui.hands import type_into_field
from tests.gui.stories.person import Person

ENDLESS = 1_000_000


def ask_for(person: Person, epochs: int, patience: int) -> None:
    """Type the number of epochs."""
    panel = person.front("Objective", ObjectivePanel)
    for name, value in (("optimizer_epochs", epochs), ("optimizer_patience", patience)):
        field = panel.findChild(WholeField, name)
        assert isinstance(field, WholeField)
        person.see(field)
        type_into_field(person.qtbot, field, str(value))
    settings = person.session.project.plan.optimizer
    assert (settings.epochs, settings.patience) == (epochs, patience)


def test_an_objective_is_chosen_and_says_what_keeps_a_run_from_starting(person: Person) -> None:
    panel = person.front("Objective", ObjectivePanel)
    chosen = panel.findChild(QRadioButton, f"setting_{Setting.B.value}")
    assert isinstance(chosen, QRadioButton)
    person.press(chosen)
    assert person.session.project.plan.setting is Setting.B
    person.window.workbench.map.setFocus()
    person.session.select_region("R1")
    person.hand.key(Qt.Key.Key_Delete)
    warnings = [label.text() for label in panel.findChildren(QLabel) if label.isVisible() and "⚠" in label.text()]
    assert warnings, "a plan that protects regions has none, and nothing says so"


def test_a_plan_is_started_watched_paused_stopped_and_resumed(person: Person) -> None:
    ask_for(person, ENDLESS, ENDLESS)
    actions = person.window.workbench.actions
    person.press(person.tool(actions["start"]))
    entry = person.queue.active
    assert entry is not None
    person.until(lambda: entry.epoch >= 3)
    live = person.front("Progress", ProgressPanel)
    assert isinstance(live, ProgressPanel)
    person.until(lambda: person.session.result.plan is not None and person.session.view is FireView.PLAN)
    assert person.row(entry)["State"].startswith("placing drops")
    # The bar leaves the name of the run out where the time that is left is a long text.
    assert entry.title in person.window.workbench.status.work.accessibleName()

    person.press(person.tool(actions["pause"]))
    person.until(lambda: entry.state is RunState.PAUSED)
    held = entry.epoch
    assert person.row(entry)["State"] == "paused"
    person.qtbot.wait(150)
    assert entry.epoch == held
    person.press(person.tool(actions["resume"]))
    person.until(lambda: entry.epoch > held)

    person.press(person.tool(actions["stop"]))
    person.rests()
    assert entry.reason is FinishReason.STOPPED
    kept = read_run(entry.folder)
    assert kept.header.epochs_done == entry.epoch
    assert sum(drop.executed for drop in person.session.result.drops) == entry.drops
    assert live.objective.isVisible()

    done = entry.epoch
    person.press(person.tool(actions["resume"]))
    person.until(lambda: entry.epoch > done)
    person.key(Qt.Key.Key_F6, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    person.rests()
    assert entry.reason is FinishReason.STOPPED
    assert entry.history.column("epoch").tolist() == list(range(entry.epoch))


def test_a_short_plan_goes_through_both_stages_to_its_end(person: Person) -> None:
    ask_for(person, 4, 4)
    person.key(Qt.Key.Key_F5)
    person.rests()
    (entry,) = person.queue.entries
    assert entry.reason is not None and entry.reason in (FinishReason.COMPLETED, FinishReason.PATIENCE)
    assert entry.prunes
    assert person.row(entry)["Drops"] == str(entry.drops)
    texts = [line.text for line in person.window.workbench.event_log.entries]
    (told,) = [text for text in texts if f"{entry.title} · {entry.reason.label}: " in text]
    # What the plan does comes first: the status bar shows one line.
    assert entry.summary is not None
    assert told.startswith(f"{entry.title}: finished, {entry.drops} drops, {entry.summary.short_size_text()}\n")
