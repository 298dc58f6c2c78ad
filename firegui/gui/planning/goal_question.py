"""Question for which goal a run begins with the plan of another one, where the two goals differ."""

from __future__ import annotations

from enum import Enum

from PySide6.QtWidgets import QMessageBox, QWidget

from firegui.domain.project import GOAL, Project, changed_inputs
from firegui.domain.settings import goal_text
from firegui.gui.base.dialogs import clicked_button, message_box
from firegui.gui.jobs.run_entry import RunEntry

_UNDO = "With the goal of the run, the project takes that goal too; Ctrl+Z undoes it."


class GoalAnswer(Enum):
    """What the user answers."""

    OF_RUN = "run"
    PRESENT = "present"
    CANCEL = "cancel"


def ask_goal(parent: QWidget | None, entry: RunEntry, project: Project) -> GoalAnswer:
    """Ask whether a new run has the goal of ``entry`` or that of ``project``.

    The project of ``entry`` must be known. Closing the question cancels. Equal goals need no question.
    """
    ran = entry.project
    assert ran is not None
    if ran.plan.weights == project.plan.weights:
        return GoalAnswer.PRESENT
    goals = f"Goal of the run: {goal_text(ran.plan)}\nGoal of the project now: {goal_text(project.plan)}"
    others = [name for name in changed_inputs(ran, project) if name != GOAL]
    more = f"\n\nOther inputs are those of the project now. Changed since: {', '.join(others)}." if others else ""
    text = f"The goal of the project has changed since {entry.title} was made."
    box = message_box(parent, QMessageBox.Icon.Question, "Goal of the new run", text, f"{goals}{more}\n\n{_UNDO}")
    roles = QMessageBox.ButtonRole
    of_run = box.addButton("Use this &run's goal", roles.AcceptRole)
    present = box.addButton("Use the &present goal", roles.AcceptRole)
    clicked = clicked_button(box, "&Cancel", default=of_run)
    answers = {of_run: GoalAnswer.OF_RUN, present: GoalAnswer.PRESENT}
    return next((answer for button, answer in answers.items() if button is clicked), GoalAnswer.CANCEL)
