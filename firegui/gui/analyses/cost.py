"""Cost of an analysis before it starts: its fire simulations, and about how long they take here."""

from __future__ import annotations

from firegui.domain.uncertainty import UncertaintySettings
from firegui.gui.base.number_text import about_text
from firegui.runs.messages import counted

_BY_PLAN = "at the pace of the plan on the map"


def simulations_text(count: int, pace: float | None) -> str:
    """Return the number of fire simulations as text.

    With ``pace``, the seconds of one, it says how long they take.
    """
    text = counted(count, "fire simulation")
    return text if pace is None else f"{text}: {about_text(count * pace)} {_BY_PLAN}"


def ensemble_cost(settings: UncertaintySettings, *, has_plan: bool, pace: float | None) -> str:
    """Return the cost of an ensemble: a fire of each member, and one with the plan if there is one."""
    return f"{simulations_text(settings.members * (2 if has_plan else 1), pace)}."
