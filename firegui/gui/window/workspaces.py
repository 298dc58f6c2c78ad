"""Workspaces of the window, and the place of every panel."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum, auto


class WorkspaceName(StrEnum):
    """Workspaces, in the order of the rail. The values are those of their actions."""

    FIRE = "fire"
    PLAN = "plan"
    RUNS = "runs"
    ANALYSE = "analyse"
    HAND_OVER = "hand-over"


class WindowArea(Enum):
    """Areas of the window that panels are shown in."""

    SIDE = auto()
    """Section of the side panel in a workspace."""
    DRAWER = auto()
    """Tab of the drawer below the map."""
    OVERLAY = auto()
    """Card over the map."""
    HELP = auto()
    """Column beside the map."""
    BAND = auto()
    """Bar across the window, below map and drawer."""


@dataclass(frozen=True, slots=True)
class PanelPlace:
    """Place of a panel.

    ``title`` is its heading on screen, and ``question`` what it answers. ``is_open`` tells
    whether it is unfolded or shown at first, ``grows`` whether it takes spare height, ``has_result`` whether it also
    shows something in the centre.
    """

    title: str
    area: WindowArea
    workspace: WorkspaceName | None = None
    is_open: bool = False
    grows: bool = False
    has_result: bool = False
    question: str = ""


_FIRE, _PLAN, _ANALYSE = WorkspaceName.FIRE, WorkspaceName.PLAN, WorkspaceName.ANALYSE
PLACES: dict[str, PanelPlace] = {
    "Scenario": PanelPlace("Scenario", WindowArea.SIDE, _FIRE, is_open=True),
    "Skill": PanelPlace(
        "Model check",
        WindowArea.SIDE,
        _FIRE,
        has_result=True,
        question="How well does the fire model match what was observed?",
    ),
    "Calibrate": PanelPlace(
        "Calibrate fire model",
        WindowArea.SIDE,
        _FIRE,
        has_result=True,
        question="Can observed perimeters make the model better?",
    ),
    "Start": PanelPlace("Before you start", WindowArea.SIDE, _PLAN, is_open=True),
    "Objective": PanelPlace("Goal and search", WindowArea.SIDE, _PLAN, is_open=True),
    "Regions": PanelPlace("Protected regions", WindowArea.SIDE, _PLAN),
    "Values": PanelPlace("Values at risk", WindowArea.SIDE, _PLAN),
    "Barriers": PanelPlace("Barriers and line", WindowArea.SIDE, _PLAN),
    "Fleet": PanelPlace("Fleet", WindowArea.SIDE, _PLAN),
    "Bases": PanelPlace("Bases", WindowArea.SIDE, _PLAN),
    "Calendar": PanelPlace("Grounded days", WindowArea.SIDE, _PLAN),
    "Constraints": PanelPlace("Rules of the operation", WindowArea.SIDE, _PLAN),
    "Runs": PanelPlace("Runs", WindowArea.SIDE, WorkspaceName.RUNS, is_open=True, grows=True),
    "Result": PanelPlace("Result", WindowArea.SIDE, WorkspaceName.RUNS, is_open=True),
    "Uncertainty": PanelPlace(
        "Uncertainty",
        WindowArea.SIDE,
        _ANALYSE,
        is_open=True,
        has_result=True,
        question="How large may the fire become?",
    ),
    "Stress": PanelPlace(
        "Stress test",
        WindowArea.SIDE,
        _ANALYSE,
        has_result=True,
        question="Does the plan hold where something goes wrong?",
    ),
    "Margin": PanelPlace(
        "Cost of margin",
        WindowArea.SIDE,
        _ANALYSE,
        has_result=True,
        question="How many more drops does a safer plan need?",
    ),
    "Exercise": PanelPlace(
        "Exercise",
        WindowArea.SIDE,
        _ANALYSE,
        has_result=True,
        question="How does the plan do, day by day, in a fire that differs?",
    ),
    "Sensitivity": PanelPlace(
        "Sensitivity", WindowArea.SIDE, _ANALYSE, has_result=True, question="Which assumption matters most?"
    ),
    "Benchmark": PanelPlace(
        "Benchmark",
        WindowArea.SIDE,
        _ANALYSE,
        has_result=True,
        question="Which way of planning does best here?",
    ),
    "Study": PanelPlace(
        "Study",
        WindowArea.SIDE,
        _ANALYSE,
        has_result=True,
        question="What changes with another fleet, other days or settings?",
    ),
    "Export": PanelPlace("Export", WindowArea.SIDE, WorkspaceName.HAND_OVER, is_open=True, has_result=True),
    "Progress": PanelPlace("Charts", WindowArea.DRAWER),
    "Drops": PanelPlace("Drops table", WindowArea.DRAWER),
    "Compare": PanelPlace("Runs compared", WindowArea.DRAWER),
    "Log": PanelPlace("Log", WindowArea.DRAWER),
    "Layers": PanelPlace("Layers", WindowArea.OVERLAY),
    "Legend": PanelPlace("Legend", WindowArea.OVERLAY, is_open=True),
    "Help": PanelPlace("Help", WindowArea.HELP),
    "Timeline": PanelPlace("Timeline", WindowArea.BAND, is_open=True),
}
"""Every panel by the name that actions and help pages use. In a workspace the sections have this order."""
EXCLUSIVE = (WorkspaceName.ANALYSE,)
"""Workspaces in which one section is open at a time."""


def panels_of(workspace: WorkspaceName) -> tuple[str, ...]:
    """Return the names of the panels in a workspace, from top to bottom."""
    return tuple(name for name, place in PLACES.items() if place.workspace is workspace)
