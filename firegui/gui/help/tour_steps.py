"""The stations of the guided tour: what is shown, and what is said about it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Station:
    """One step. ``dock`` is the title of the dock it is about, empty for the window itself.

    ``name`` is the object name of the widget in it that is framed, empty for the whole dock.
    """

    title: str
    text: str
    dock: str = ""
    name: str = ""


STATIONS = (
    Station(
        "The map",
        "The fire of the shown step, north up. The wheel zooms, dragging moves, and the status bar names what is "
        "under the mouse. Press 5 and click a cell to see all that the model knows of it.",
        name="map",
    ),
    Station(
        "What is loaded",
        "Grid, dates, fire model and fleet of the open project, and what the event lacks. The demo is made up and "
        "says so.",
        dock="Scenario",
    ),
    Station(
        "Layers",
        "Tick what the map shows and set how strongly. The legend below says what the colours mean.",
        dock="Layers",
    ),
    Station(
        "What must be protected",
        "Press this button, then drag a rectangle on the map. A region has a name and a weight; drag its corners "
        "with tool 4. Ctrl+Z takes anything back.",
        dock="Regions",
        name="rectangleButton",
    ),
    Station(
        "The fleet",
        "Aircraft types, what they carry and how long they take from drop to drop. Double-click a cell to change it.",
        dock="Fleet",
    ),
    Station(
        "Grounded days",
        "Click a day on which a type cannot fly; drag over several.",
        dock="Calendar",
    ),
    Station(
        "What the plan is for",
        "A keeps the whole fire small, B keeps it out of the protected regions. Below stand the assumed "
        "effectiveness, the days, and how long to search.",
        dock="Objective",
    ),
    Station(
        "Start plan",
        "F5 saves the project and begins to plan. Pause, resume, or stop and keep the best so far whenever you like: "
        "the window stays usable.",
        name="startTool",
    ),
    Station(
        "Watch it form",
        "The objective and its terms against the epochs, then the second stage, which removes every drop that is "
        "not needed.",
        dock="Progress",
    ),
    Station(
        "The runs",
        "Every plan of the project. Select one and press Show to see it on the map; duplicate it, go on with it, or "
        "hand it over.",
        dock="Runs",
    ),
    Station(
        "Play it",
        "One slider for everything. Space plays, the arrows step, Shift and an arrow goes a day. Switch between "
        "baseline, plan and difference at the right.",
        dock="Timeline",
    ),
    Station(
        "How sure is it?",
        "An ensemble of fires with and without the plan. Sensitivity and Benchmark, beside it, ask what happens when "
        "the assumptions are wrong, and whether another planner does better.",
        dock="Uncertainty",
    ),
    Station(
        "Help is near",
        "F1 explains the panel you are in. Ctrl+K finds any command, dock, project or page by a few letters. That is "
        "all: Esc ends the tour.",
        dock="Help",
    ),
)
