"""Edits of drops, and the text of the card that shows their effect."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from itertools import count

from firegui.domain.calendar import to_the_minute
from firegui.domain.drops import Drop, DropList, grid_heading
from firegui.domain.operations import PinnedDrop
from firegui.domain.results import Metrics
from firegui.domain.schedule import DropRecord
from firegui.domain.settings import Margin
from firegui.domain.stress import counted_share, growth_share
from firegui.domain.units import percent_text
from firegui.domain.values import share_lost
from firegui.gui.map.shape_edits import add_pins, pinned_row, remove_pins
from firegui.gui.session.plan_editor import DropChange
from firegui.gui.session.session import Session
from firegui.io.coordinates import format_place
from firegui.io.georeference import Georeference
from firegui.runs.messages import counted
from firegui.runs.plan_preview import CLEAR_CHANGE, PreviewResult

_GONE = "the shown plan has no such drop any more"
MERGE_KEYS = count(3_000_000)
"""Keys under which consecutive keyboard steps of one movement become one undoable step."""


def drop_of(session: Session, record: DropRecord) -> Drop | None:
    """Return the drop of the shown plan that ``record`` describes."""
    return session.plan_editor.drops.at((record.step, record.column))


def moved(session: Session, drop: Drop, to: Drop) -> DropChange:
    """Return the change that moves ``drop`` to ``to``."""
    name, drops = tail_name(session, to), session.plan_editor.drops
    if drop not in drops.drops:
        return DropChange(drops, drops, to, f"Move a drop of {name}", (_GONE,))
    if to == drop:
        return _change(session, drops, to, f"Move a drop of {name}")
    if to.key != drop.key:
        text = f"Retime a drop of {name}" if to.column == drop.column else f"Give a drop to {name}"
    else:
        turned = to.theta != drop.theta and (to.y, to.x) == (drop.y, drop.x)
        text = f"{'Turn' if turned else 'Move'} a drop of {name}"
    return _change(session, drops.exchanged(drop, to), to, text)


def added(session: Session, drop: Drop) -> DropChange:
    """Return the change that adds ``drop``."""
    return _change(session, session.plan_editor.drops.plus(drop), drop, f"Add a drop of {tail_name(session, drop)}")


def removed(session: Session, drop: Drop) -> DropChange:
    """Return the change that removes ``drop``."""
    drops, text = session.plan_editor.drops, f"Remove a drop of {tail_name(session, drop)}"
    if drop not in drops.drops:
        return DropChange(drops, drops, drop, text, (_GONE,))
    return _change(session, drops.minus(drop), drop, text)


def all_removed(session: Session, drops: Sequence[Drop]) -> DropChange:
    """Return the change that removes several drops."""
    before, gone = session.plan_editor.drops, set(drops)
    after = DropList(tuple(drop for drop in before.drops if drop not in gone))
    text = f"Remove {counted(len(before.drops) - len(after.drops), 'drop')}"
    return _change(session, after, drops[0], text)


def remove_marked(session: Session) -> None:
    """Remove the selected drops as one undoable step."""
    if marked := session.plan_editor.marked:
        make(session, removed(session, marked[0]) if len(marked) == 1 else all_removed(session, marked))


def pin_marked(session: Session) -> None:
    """Pin the selected drops as one undoable step, so that every plan keeps them."""
    marked = session.plan_editor.marked
    added = add_pins(session, [pin_for(session, drop) for drop in marked])
    session.message.emit(f"{added} of {counted(len(marked), 'drop')} pinned; the others were already")


def unpin_marked(session: Session) -> None:
    """Unpin the selected drops as one undoable step, so that planning can move them."""
    operations = session.project.operations
    rows = (pinned_row(operations, pin_for(session, drop)) for drop in session.plan_editor.marked)
    remove_pins(session, [row for row in rows if row >= 0])


def _change(session: Session, after: DropList, drop: Drop, text: str) -> DropChange:
    before = session.plan_editor.drops
    return DropChange(before, after, drop, text, session.plan_editor.rules.broken(before, after))


def make(session: Session, change: DropChange, merge: int = -1) -> bool:
    """Apply ``change`` as one undoable step and return whether it was accepted.

    If it is refused, the map shows the reason.
    """
    editor = session.plan_editor
    refusal = editor.obstacle or " · ".join(change.broken)
    if refusal:
        session.refuse_map_edit(f"Not done: {refusal}")
        return False
    if change.after != change.before:
        there = change.drop if change.drop in change.after.drops else None
        if there is not None and editor.change is not change:
            # However a drop is moved, its card shows the effect.
            editor.request_preview(change)
        editor.edit(change.text, change.after, there, merge)
        if (gone := len(change.before.drops) - len(change.after.drops)) > 0:
            session.deleted.emit(f"{counted(gone, 'drop')} {'was' if gone == 1 else 'were'} removed from the plan.")
    return True


def proposed_drop(session: Session, step: int, y: float, x: float) -> Drop | None:
    """Return a drop at ``(y, x)`` across the wind by the first aircraft allowed at ``step``, if any."""
    editor, project = session.plan_editor, session.plan_editor.project
    shape = project.scenario.grid.shape
    row, column = min(max(round(y), 0), shape[0] - 1), min(max(round(x), 0), shape[1] - 1)
    step = min(max(step, 0), project.calendar.n_steps - 1)
    period = step * project.wind_periods // project.calendar.steps_per_day
    towards = project.planned_wind_at(period, row, column)[1]
    theta = (towards + math.pi / 2.0) % math.pi if math.isfinite(towards) else 0.0
    bare = Drop(step, 0, y, x, theta).moved(0.0, 0.0, shape)
    for tail in editor.rules.tails:
        drop = replace(bare, column=tail.index)
        if editor.drops.at(drop.key) is None and not added(session, drop).broken:
            return drop
    return None


def tail_name(session: Session, drop: Drop) -> str:
    """Return the name of the aircraft of ``drop``."""
    return session.plan_editor.rules.tails[drop.column].name


def pin_for(session: Session, drop: Drop) -> PinnedDrop:
    """Return the pin that keeps ``drop`` of the shown plan."""
    when = session.plan_editor.project.calendar.time_of_step(drop.step)
    return PinnedDrop(when, tail_name(session, drop), drop.y, drop.x, drop.theta)


def when_text(session: Session, step: int) -> str:
    """Return the local time of a step as text."""
    calendar = session.plan_editor.project.calendar
    when = to_the_minute(calendar.time_of_step(step)).astimezone(calendar.local_zone)
    if not calendar.is_dated:
        return f"{calendar.day_name(step)} {calendar.clock_text(when)}"
    return f"{when.day} {when:%b %H:%M} {calendar.zone_name}"


def record_text(session: Session, record: DropRecord) -> str:
    """Return aircraft, time and load of a shown drop."""
    load = f"{record.material}, {session.units.load(record.payload_gal)}"
    return f"{record.aircraft} · {when_text(session, record.step)} · {load}"


_WIDTH = 46
Rows = list[tuple[str, str]]


def card_rows(session: Session) -> tuple[str, Rows] | None:
    """Return title and rows of the previewed change, else of the selected drop; ``None`` without either."""
    editor = session.plan_editor
    drop = editor.change.drop if editor.change is not None else editor.selected
    if drop is None or not session.has_project:
        return None
    rows = _drop_rows(session, drop)
    drops = editor.drops if editor.change is None else editor.change.after
    if drops.at(drop.key) is None and editor.change is not None:
        drops = editor.change.before
    if editor.change is not None and editor.change.after != editor.change.before:
        rows += _broken_rows(editor.change) + _effect_rows(session, editor.change, editor.preview)
    elif session.result.pending:
        rows.append(("", "computing the fire of these drops…"))
    name = f"Drop {drops.numbers[drop.key]:,} · {tail_name(session, drop)}"
    return f"{name} · {when_text(session, drop.step)}", rows


def _drop_rows(session: Session, drop: Drop) -> Rows:
    kind = session.plan_editor.rules.tails[drop.column].type
    heading = round(grid_heading(drop.theta)) % 180
    lonlat = Georeference(session.plan_editor.project.scenario.grid).lonlat(drop.y, drop.x)
    pinned = " · pinned" if pinned_row(session.project.operations, pin_for(session, drop)) >= 0 else ""
    place = [] if lonlat is None else [format_place(*lonlat, session.drawing.coordinates)]
    place.append(f"row {drop.y:.1f}, column {drop.x:.1f}")
    return [
        ("", f"{kind.material.value}, {session.units.load(kind.payload_gal)}{pinned}"),
        *zip(("Released at", ""), place, strict=False),
        ("Heading", f"{heading:03d}° / {heading + 180:03d}° grid"),
        ("Footprint", kind.drawn_text(session.units)),
    ]


def _broken_rows(change: DropChange) -> Rows:
    """Return at most three broken rules, so that the card does not cover the map."""
    shown = [f"⚠ {sentence}" for sentence in change.broken[:3]]
    more = len(change.broken) - len(shown)
    lines = [line for text in shown for line in textwrap.wrap(text, _WIDTH)]
    return [("", line) for line in lines + ([f"and {more} more"] if more > 0 else [])]


def _effect_rows(session: Session, change: DropChange, preview: PreviewResult | None) -> Rows:
    if preview is None or preview.before is None:
        return [("", "computing the effect…")]
    cell_ha, units = session.plan_editor.project.scenario.grid.cell_area_ha, session.units
    cells = preview.after.final_extent_cells - preview.before.final_extent_cells
    guarded = preview.after.protected_cells - preview.before.protected_cells
    clearly = "no cell; the colours show smaller changes"
    if preview.changed:
        clearly = f"{units.area(preview.changed * cell_ha, 1)} · {counted(preview.changed, 'cell')}"
    is_without = change.after.at(change.drop.key) is None
    rows = [
        ("", "Difference without this drop:" if is_without else "Difference made by this change:"),
        ("Burned at end", f"{signed(units.area_value(cells * cell_ha), 2)} {units.area_unit} · {signed(cells)} cells"),
        (f"Changed ≥ {100 * CLEAR_CHANGE:.0f} %", clearly),
    ]
    if session.plan_editor.project.regions:
        rows.append(
            (
                "In regions",
                f"{signed(units.area_value(guarded * cell_ha), 2)} {units.area_unit} · {signed(guarded)} cells",
            )
        )
    rows += _limit_rows(session, preview.after)
    if preview.request.after != change.after:
        rows.append(("", "…"))
    return rows


def _limit_rows(session: Session, plan: Metrics) -> Rows:
    """Return which growth a plan leaves in the model, and whether it holds the limit; empty if not known."""
    project, bare = session.plan_editor.project, session.result.baseline_metrics
    start = session.burned_at_start(project.regions)
    if bare is None or start is None or session.result.against:
        return []
    share = growth_share(plan.final_extent_cells, start[0], bare.final_extent_cells)
    in_regions = growth_share(plan.protected_cells, start[1], bare.protected_cells)
    weights, of_values, burning = project.plan.weights, 0.0, project.scenario.fire_on(project.plan.start_day)
    if weights.val > 0.0 and burning is not None:
        of_values = growth_share(plan.loss_val, share_lost(project.values, burning), bare.loss_val)
    left, limit = counted_share(weights, share, in_regions, of_values), project.plan.margin.limit
    what = "Growth left" if left == share else "Values lost" if left == of_values else "Growth in regions"
    if project.plan.margin.kind is Margin.NONE:
        return [(what, percent_text(left))]
    return [
        (what, f"{percent_text(left)}, limit {percent_text(limit)}"),
        ("", "holds in the model; stress test not repeated" if left <= limit else "⚠ does not hold in the model"),
    ]


def signed(value: float, decimals: int = 1) -> str:
    """Return a number with its sign, or without one if it rounds to zero."""
    text = f"{value:+,.{decimals}f}".replace("-", "−")
    return text if text.strip("+−0.,") else f"{0:.{decimals}f}"
