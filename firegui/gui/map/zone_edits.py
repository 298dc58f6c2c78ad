"""Edits of the no-drop zones and the pinned drops, each one undoable step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta

from firegui.domain.calendar import Calendar
from firegui.domain.operations import Operations, PinnedDrop
from firegui.domain.regions import Region, region_problems
from firegui.domain.schedule import DropRecord
from firegui.errors import InputError, Problem
from firegui.gui.map.tools.shape_geometry import is_simple
from firegui.gui.session.edit_checks import refuse_new
from firegui.gui.session.session import Session
from firegui.io.rasterize import region_masks

_SAME_TIME = timedelta(seconds=1)
_NOT_RENAMED = "The zone keeps its name"


def new_zone_name(zones: Iterable[Region]) -> str:
    """The first of Z1, Z2, … that is free."""
    taken = {zone.name for zone in zones}
    return next(name for number in range(1, len(taken) + 2) if (name := f"Z{number}") not in taken)


def add_zone(session: Session, zone: Region) -> bool:
    """Add a no-drop zone. Returns whether it was accepted; why not is said in the status bar."""
    zones = session.project.operations.no_drop_zones
    refusal = _refusal(session, zones, zone)
    if refusal:
        session.message.emit(refusal)
        return False
    _set_zones(session, f"draw no-drop zone {zone.name}", (*zones, zone))
    return True


def rename_zone(session: Session, row: int, name: str) -> bool:
    """Give the zone in ``row`` another name, which must be new and not empty. Returns whether it was accepted."""
    zones, shape = session.project.operations.no_drop_zones, session.project.scenario.grid.shape
    before, name = zones[row], name.strip()
    if name == before.name:
        return False
    changed = (*zones[:row], replace(before, name=name), *zones[row + 1 :])
    try:
        refuse_new(_problems(zones, shape), _problems(changed, shape), _NOT_RENAMED)
    except InputError as error:
        session.refuse(error)
        return False
    _set_zones(session, f"rename no-drop zone {before.name}", changed)
    return True


def delete_zone(session: Session, row: int) -> None:
    """Remove the zone in ``row``; nothing happens when there is none."""
    zones = session.project.operations.no_drop_zones
    if 0 <= row < len(zones):
        _set_zones(session, f"delete no-drop zone {zones[row].name}", (*zones[:row], *zones[row + 1 :]))


def pin_of(drop: DropRecord, calendar: Calendar) -> PinnedDrop:
    """The pin that keeps ``drop``, whose step is one of ``calendar``."""
    return PinnedDrop(calendar.time_of_step(drop.step), drop.aircraft, drop.y, drop.x, drop.theta)


def add_pins(session: Session, pins: Sequence[PinnedDrop]) -> int:
    """Pin these drops as one step, leaving out those that are pinned; returns how many are new."""
    operations = session.project.operations
    new = [pin for pin in pins if not any(_same_drop(pin, other) for other in operations.pinned)]
    if new:
        text = "pin a drop" if len(new) == 1 else f"pin {len(new)} drops"
        pinned = sorted((*operations.pinned, *new), key=lambda pin: (pin.time, pin.aircraft))
        session.set_operations(text, replace(operations, pinned=tuple(pinned)))
    return len(new)


def remove_pins(session: Session, rows: Iterable[int]) -> None:
    """Let planning move the drops in these rows again, as one step."""
    operations, gone = session.project.operations, set(rows)
    kept = tuple(pin for row, pin in enumerate(operations.pinned) if row not in gone)
    count = len(operations.pinned) - len(kept)
    if count:
        text = "unpin a drop" if count == 1 else f"unpin {count} drops"
        session.set_operations(text, replace(operations, pinned=kept))


def pinned_row(operations: Operations, pin: PinnedDrop) -> int:
    """The row of the pin that keeps the same drop, or −1."""
    return next((row for row, other in enumerate(operations.pinned) if _same_drop(pin, other)), -1)


def _same_drop(one: PinnedDrop, other: PinnedDrop) -> bool:
    if one.aircraft != other.aircraft or (one.time.tzinfo is None) != (other.time.tzinfo is None):
        return False
    return abs(one.time - other.time) < _SAME_TIME


def _set_zones(session: Session, text: str, zones: Sequence[Region]) -> None:
    session.set_operations(text, replace(session.project.operations, no_drop_zones=tuple(zones)))


def _problems(zones: Sequence[Region], shape: tuple[int, int]) -> list[Problem]:
    # A zone's weight counts for nothing.
    found = region_problems([replace(zone, weight=1.0) for zone in zones], shape)
    return [replace(problem, where=problem.where.replace("region", "no-drop zone", 1)) for problem in found]


def _refusal(session: Session, zones: Sequence[Region], zone: Region) -> str:
    shape = session.project.scenario.grid.shape
    before = {str(problem) for problem in _problems(zones, shape)}
    added = [text for problem in _problems((*zones, zone), shape) if (text := str(problem)) not in before]
    if added:
        return "; ".join(added)
    if not is_simple(zone):
        return f"Zone {zone.name}: the outline crosses itself; move a corner so that no two edges meet."
    return "" if region_masks((zone,), shape).any() else f"Zone {zone.name} would cover no cell; make it larger."
