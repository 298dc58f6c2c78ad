"""The words over the map: which fire, which day, and what a reader must not overlook."""

from __future__ import annotations

from firegui.gui.map.decorations import Caption
from firegui.gui.map.layers.layer_stack import LayerStack
from firegui.gui.map.map_content import Shown
from firegui.gui.session.session import View

TITLES = {View.BASELINE: "Baseline, no drops", View.PLAN: "Plan", View.DIFFERENCE: "Baseline − plan"}


def caption_of(shown: Shown | None, layers: LayerStack, hint: str) -> Caption:
    """What the decorations say of the shown moment."""
    if shown is None:
        return Caption()
    when, zone = shown.time, shown.project.calendar.zone_name
    day = shown.project.calendar.day_name(shown.drawn_step)
    what = f"{TITLES[shown.view]}, mean" if shown.result.mean_of else _fire_name(shown)
    title = f"{what} · {day} · {when.day} {when:%b %Y %H:%M} {zone}"
    fire = layers["difference" if shown.view is View.DIFFERENCE else "occupancy"]
    notes = [f"{shown.result.title} of an ensemble"] if shown.result.of_ensemble else []
    if shown.result.against and shown.view is View.BASELINE:
        notes.append("its drops are not drawn")
    waits = bool(fire.missing()) and shown.view is not View.DIFFERENCE and not shown.result.mean_of
    awaited = shown.awaited if waits else ""
    if fire.missing():
        # What is being worked out is said in the middle of the map.
        notes += [] if awaited else ["no result yet" if waits else fire.missing()]
    elif shown.result.pending:
        notes.append("the fire is that of before the change: working out the new one")
    elif shown.result.stale:
        notes.append("inputs edited since this result")
    if layers["observed"].visible and shown.perimeter_is_carried:
        notes.append("observed perimeter filled forward")
    scale = fire.legend.scale if fire.visible and not fire.missing() else None
    return Caption(title, " · ".join(notes), hint, scale, shown.scenario.grid.cell_size_m, awaited)


def _fire_name(shown: Shown) -> str:
    first, plan = shown.result.names
    match shown.view:
        case View.BASELINE:
            return shown.result.against or TITLES[View.BASELINE]
        case View.PLAN:
            return shown.result.plan_name or TITLES[View.PLAN]
        case View.DIFFERENCE:
            return f"{first[0].upper()}{first[1:]} − {plan}"
