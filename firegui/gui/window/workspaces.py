"""Workspaces of the window, and the place of every panel."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum, auto


class Workspace(StrEnum):
    """Workspaces, in the order of the rail. The values are those of their actions."""

    FIRE = "fire"
    PLAN = "plan"
    RUNS = "runs"
    ANALYSE = "analyse"
    HAND_OVER = "hand-over"


class Area(Enum):
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

    ``title`` is its heading on screen. ``is_open`` tells whether it is unfolded or shown at first,
    ``grows`` whether it takes spare height.
    """

    title: str
    area: Area
    workspace: Workspace | None = None
    is_open: bool = False
    grows: bool = False


_FIRE, _PLAN, _ANALYSE = Workspace.FIRE, Workspace.PLAN, Workspace.ANALYSE
PLACES: dict[str, PanelPlace] = {
    "Scenario": PanelPlace("Scenario", Area.SIDE, _FIRE, is_open=True),
    "Skill": PanelPlace("Check of the fire model", Area.SIDE, _FIRE),
    "Calibrate": PanelPlace("Calibrate the fire model", Area.SIDE, _FIRE),
    "Objective": PanelPlace("Goal and search", Area.SIDE, _PLAN, is_open=True),
    "Regions": PanelPlace("Protected regions", Area.SIDE, _PLAN, is_open=True),
    "Fleet": PanelPlace("Fleet", Area.SIDE, _PLAN, is_open=True),
    "Calendar": PanelPlace("Grounded days", Area.SIDE, _PLAN),
    "Constraints": PanelPlace("Rules of the operation", Area.SIDE, _PLAN),
    "Runs": PanelPlace("Runs", Area.SIDE, Workspace.RUNS, is_open=True, grows=True),
    "Result": PanelPlace("Result", Area.SIDE, Workspace.RUNS, is_open=True, grows=True),
    "Uncertainty": PanelPlace("Uncertainty", Area.SIDE, _ANALYSE, is_open=True),
    "Stress": PanelPlace("Stress test", Area.SIDE, _ANALYSE),
    "Margin": PanelPlace("Cost of margin", Area.SIDE, _ANALYSE),
    "Exercise": PanelPlace("Exercise", Area.SIDE, _ANALYSE),
    "Sensitivity": PanelPlace("Sensitivity", Area.SIDE, _ANALYSE),
    "Benchmark": PanelPlace("Benchmark of planners", Area.SIDE, _ANALYSE),
    "Study": PanelPlace("Study", Area.SIDE, _ANALYSE),
    "Export": PanelPlace("Export", Area.SIDE, Workspace.HAND_OVER, is_open=True),
    "Progress": PanelPlace("Charts", Area.DRAWER),
    "Log": PanelPlace("Log", Area.DRAWER),
    "Layers": PanelPlace("Layers", Area.OVERLAY),
    "Legend": PanelPlace("Legend", Area.OVERLAY, is_open=True),
    "Help": PanelPlace("Help", Area.HELP),
    "Timeline": PanelPlace("Timeline", Area.BAND, is_open=True),
}
"""Every panel by the name that actions and help pages use. In a workspace the sections have this order."""
EXCLUSIVE = (Workspace.ANALYSE,)
"""Workspaces in which one section is open at a time."""


def panels_of(workspace: Workspace) -> tuple[str, ...]:
    """Return the names of the panels in a workspace, from top to bottom."""
    return tuple(name for name, place in PLACES.items() if place.workspace is workspace)
