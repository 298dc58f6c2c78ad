"""The card of a drop that is moved or questioned: which one it is, what the change does, which rules it breaks."""

from __future__ import annotations

import math
import textwrap

from firegui.domain.drops import Drop
from firegui.gui.map.drop_edits import tail_name, when_text
from firegui.gui.session.plan_editor import DropChange
from firegui.gui.session.session import Session
from firegui.runs.live import CLEARLY, PreviewResult
from firegui.runs.messages import counted

_WIDTH = 46
Rows = list[tuple[str, str]]


def card_rows(session: Session) -> tuple[str, Rows] | None:
    """Title and rows of what is wondered about, else of the chosen drop; ``None`` for neither."""
    editor = session.plan_editor
    drop = editor.change.drop if editor.change is not None else editor.selected
    if drop is None or not session.has_project:
        return None
    rows = _drop_rows(session, drop)
    if editor.change is not None and editor.change.after != editor.change.before:
        rows += _broken_rows(editor.change) + _effect_rows(session, editor.change, editor.preview)
    elif session.result.pending:
        rows.append(("", "working out the fire of these drops…"))
    return f"{tail_name(session, drop)} · {when_text(session, drop.step)}", rows


def _drop_rows(session: Session, drop: Drop) -> Rows:
    kind = session.plan_editor.rules.tails[drop.column].type
    heading = round(90.0 - math.degrees(drop.theta)) % 180
    return [
        ("", f"{kind.material.value}, {kind.payload_gal:,.0f} gal · step {drop.step}"),
        ("Released at", f"row {drop.y:.1f}, column {drop.x:.1f}"),
        ("Heading", f"{heading:03d}° / {heading + 180:03d}° grid"),
    ]


def _broken_rows(change: DropChange) -> Rows:
    """At most three rules: a card must not cover the map."""
    shown = [f"⚠ {sentence}" for sentence in change.broken[:3]]
    more = len(change.broken) - len(shown)
    lines = [line for text in shown for line in textwrap.wrap(text, _WIDTH)]
    return [("", line) for line in lines + ([f"and {more} more"] if more > 0 else [])]


def _effect_rows(session: Session, change: DropChange, look: PreviewResult | None) -> Rows:
    if look is None or look.before is None:
        return [("", "working out what it changes…")]
    cell_ha = session.plan_editor.project.scenario.grid.cell_area_ha
    cells = look.after.final_extent_cells - look.before.final_extent_cells
    guarded = look.after.protected_cells - look.before.protected_cells
    clearly = f"{counted(look.changed, 'cell')} · {look.changed * cell_ha:,.1f} ha"
    rows = [("", "Without this drop:")] if change.after.at(change.drop.key) is None else []
    rows += [
        ("Burned at end", f"{signed(cells)} cells · {signed(cells * cell_ha, 2)} ha"),
        (f"Changed ≥ {100 * CLEARLY:.0f} %", clearly),
    ]
    if session.plan_editor.project.regions:
        rows.append(("In regions", f"{signed(guarded)} cells · {signed(guarded * cell_ha, 2)} ha"))
    if look.request.after != change.after:
        rows.append(("", "…"))
    return rows


def signed(value: float, decimals: int = 1) -> str:
    """With its sign, and without one where it rounds to nothing."""
    text = f"{value:+,.{decimals}f}".replace("-", "−")
    return text if text.strip("+−0.,") else f"{0:.{decimals}f}"
