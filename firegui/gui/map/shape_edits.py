"""Undoable edits of protected regions, barriers, bases, no-drop zones and pinned drops.

Invalid edits are refused with a message.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from firegui.domain.barriers import Barrier, barrier_at, barrier_problems
from firegui.domain.bases import USUAL_RELOAD_MIN, Base, BaseKind
from firegui.domain.calendar import Calendar
from firegui.domain.grid import Grid
from firegui.domain.operations import Operations, PinnedDrop
from firegui.domain.project import Project
from firegui.domain.region_geometry import clamped, region_at, rounded
from firegui.domain.regions import Region, region_problems
from firegui.domain.schedule import DropRecord
from firegui.domain.units import Units, percent_text
from firegui.errors import InputError, Problem, raise_new_problems
from firegui.gui.session.reporting import free_name, refusing
from firegui.gui.session.session import SelectedShape, Session, ShapeKind
from firegui.io.coordinates import place_text
from firegui.io.project.regions_file import is_simple, read_regions
from firegui.io.rasters.masks import region_cells, region_masks

REFUSED_NAME = "The name cannot be used"
BASES_REFUSED, BARRIERS_REFUSED = "The bases were not changed", "The barriers were not changed"
_SAME_TIME = timedelta(seconds=1)
_MOST_OF_FIRE, _LIKELY = 0.5, 128
"""Part of the fire from which a no-drop zone is warned of; byte of a picture that is as likely burned as not."""


def free_shape_name(letter: str, shapes: Iterable[Region]) -> str:
    """Return the first of R1, R2, … (with ``letter`` R) that no shape is called."""
    taken = {shape.name for shape in shapes}
    return next(name for number in range(1, len(taken) + 2) if (name := f"{letter}{number}") not in taken)


def numbered_name(stem: str, shapes: Iterable[Barrier | Base]) -> str:
    """Return the first of Line 1, Line 2, … (with ``stem`` Line) that no shape is called."""
    taken = {shape.name.casefold() for shape in shapes}
    return next(
        name for number in range(1, len(taken) + 2) if (name := f"{stem} {number}").casefold() not in taken
    )  # fmt: skip


def shape_at(session: Session, row: float, column: float, reach: float) -> tuple[ShapeKind, str] | None:
    """Return kind and name of the base, barrier or region at a place.

    Symbols and lines count up to ``reach`` cells off. What is small or thin comes first, because an area would hide it.
    """
    project, shape = session.project, _grid_shape(session)
    base = min(
        project.operations.bases, key=lambda each: math.dist((each.y + 0.5, each.x + 0.5), (row, column)), default=None
    )
    if base is not None and math.dist((base.y + 0.5, base.x + 0.5), (row, column)) <= reach:
        return ShapeKind.BASE, base.name
    # Barriers are drawn on the grid only.
    seen = project.barriers if 0.0 <= row <= shape[0] and 0.0 <= column <= shape[1] else ()
    if (barrier := barrier_at(seen, row, column, reach, fills=False)) is not None:
        return ShapeKind.BARRIER, barrier.name
    if (region := region_at(project.regions, row, column, session.selected_region)) is not None:
        return ShapeKind.REGION, region.name
    barrier = barrier_at(seen, row, column, 0.0)
    return None if barrier is None else (ShapeKind.BARRIER, barrier.name)


def shape_bounds(session: Session, shape: SelectedShape) -> tuple[float, float, float, float] | None:
    """Return ``(top, left, bottom, right)`` of a region, or of a barrier on the grid; ``None`` for a base."""
    if shape.kind is ShapeKind.REGION:
        region = find_region(session, shape.name)
        return None if region is None else region.bounds
    barrier = find_barrier(session, shape.name) if shape.kind is ShapeKind.BARRIER else None
    if barrier is None:
        return None
    top, left, bottom, right = barrier.bounds
    return *clamped(top, left, _grid_shape(session)), *clamped(bottom, right, _grid_shape(session))


def refuse_taken_name(kind: str, name: str, others: Iterable[Region]) -> None:
    """Raise :class:`InputError` if another shape has the name, whatever its letter case."""
    taken = next((other.name for other in others if other.name.casefold() == name.casefold()), None)
    if taken is not None:
        what = f"there is already a {kind} {taken}"
        raise InputError([Problem(f"{kind} {name}", what, "choose another name")], REFUSED_NAME)


def size_text(region: Region, grid: Grid, units: Units) -> str:
    """Return the number of cells whose centre lies inside, and their area."""
    cells = region_cells(region, grid.shape)
    box = region.as_rectangle
    sides = "" if box is None else f"{box[1][1] - box[1][0]:,.0f} × {box[0][1] - box[0][0]:,.0f} (width × height) = "
    return f"{sides}{cells:,} cells · {units.area(cells * grid.cell_area_ha, 1)}"


def _grid_shape(session: Session) -> tuple[int, int]:
    return session.project.scenario.grid.shape


def _refusal(session: Session, before: list[Problem], after: list[Problem], kind: str, changed: Region) -> str:
    """Return why ``changed`` is refused; empty if accepted. Problems ``before`` do not count."""
    known = {str(problem) for problem in before}
    added = [text for problem in after if (text := str(problem)) not in known]
    if added:
        return "; ".join(added)
    if not is_simple(changed):
        return f"{kind} {changed.name}: the outline crosses itself; move a corner so that no two edges meet."
    covers_cells = region_masks((changed,), _grid_shape(session)).any()
    return "" if covers_cells else f"{kind} {changed.name} would cover no cell; make it larger."


# -- protected regions -------------------------------------------------------------------------------------------------
def add_region(session: Session, region: Region) -> bool:
    """Add and select a region. Return whether it was accepted."""
    return _set_regions(session, f"Draw region {region.name}", (*session.project.regions, region), region)


def import_regions(session: Session, path: Path) -> None:
    """Add the regions of a file as one undoable step; an existing name gets a number.

    A file with problems is refused.
    """
    with refusing(session, str(path)):
        grid = session.project.scenario.grid
        regions = list(session.project.regions)
        for region in read_regions(path, grid):
            regions.append(replace(region, name=free_name(region.name, (other.name for other in regions))))
        before = region_problems(session.project.regions, grid.shape)
        raise_new_problems(before, region_problems(regions, grid.shape), f"{path.name} cannot be used")
        added = len(regions) - len(session.project.regions)
        session.set_regions(f"import {path.name}", regions)
        session.message.emit(f"{added} regions imported from {path.name}")


def find_region(session: Session, name: str) -> Region | None:
    """Return the region called ``name``, if there is one."""
    return next((region for region in session.project.regions if region.name == name), None)


def refusal_of(session: Session, name: str, region: Region) -> str:
    """Return why region ``name`` cannot become ``region``; empty if it can."""
    return _region_refusal(session, _replaced(session, name, region), region)


def change_region(session: Session, text: str, name: str, region: Region) -> bool:
    """Replace region ``name``. Return whether it was accepted; an unchanged region makes no undo step."""
    changed = _replaced(session, name, region)
    return changed == session.project.regions or _set_regions(session, text, changed, region)


def rename_region(session: Session, name: str, to: str) -> None:
    """Rename and select region ``name``. Raises :class:`InputError` for an empty or known name."""
    found, to, shape = find_region(session, name), to.strip(), _grid_shape(session)
    if found is None or to == name:
        return
    before, after = session.project.regions, _replaced(session, name, replace(found, name=to))
    refuse_taken_name("region", to, (region for region in before if region is not found))
    raise_new_problems(region_problems(before, shape), region_problems(after, shape), REFUSED_NAME)
    session.set_regions(f"Rename {name} to {to}", after)
    session.select_region(to)


def _replaced(session: Session, name: str, region: Region) -> tuple[Region, ...]:
    return tuple(region if old.name == name else old for old in session.project.regions)


def _set_regions(session: Session, text: str, regions: Sequence[Region], changed: Region) -> bool:
    refusal = _region_refusal(session, regions, changed)
    if refusal:
        session.refuse_map_edit(refusal)
        return False
    session.set_regions(text, regions)
    session.select_region(changed.name)
    return True


def _region_refusal(session: Session, regions: Sequence[Region], changed: Region) -> str:
    before, after = (region_problems(each, _grid_shape(session)) for each in (session.project.regions, regions))
    return _refusal(session, before, after, "Region", changed)


# -- barriers ----------------------------------------------------------------------------------------------------------
def set_barriers(session: Session, text: str, barriers: Sequence[Barrier]) -> None:
    """Change the barriers as one undoable step.

    Raises :class:`InputError` with the problems that this would add.
    """
    before, shape = session.project.barriers, _grid_shape(session)
    raise_new_problems(barrier_problems(before, shape), barrier_problems(barriers, shape), BARRIERS_REFUSED)
    session.set_barriers(text, barriers)


def add_barrier(session: Session, barrier: Barrier) -> bool:
    """Add and select a barrier. Return whether it was accepted; the map shows the reason if not."""
    if not _told(session, lambda: set_barriers(session, f"draw {barrier.name}", (*session.project.barriers, barrier))):
        return False
    session.select_shape(ShapeKind.BARRIER, barrier.name)
    session.message.emit(
        f"{barrier.name} was added: kind, width, strength and time are in the panel Barriers and line."
    )
    return True


def find_barrier(session: Session, name: str) -> Barrier | None:
    """Return the barrier called ``name``, if there is one."""
    return next((barrier for barrier in session.project.barriers if barrier.name == name), None)


def change_barrier(session: Session, text: str, name: str, barrier: Barrier) -> bool:
    """Replace barrier ``name``. Return whether it was accepted; an unchanged barrier makes no undo step."""
    before = session.project.barriers
    after = tuple(barrier if old.name == name else old for old in before)
    return after == before or _told(session, lambda: set_barriers(session, text, after))


def rename_barrier(session: Session, name: str, to: str) -> None:
    """Rename and select barrier ``name``. Raises :class:`InputError` for an empty or known name."""
    to, before = to.strip(), session.project.barriers
    after = tuple(replace(old, name=to) if old.name == name else old for old in before)
    if after != before:
        set_barriers(session, f"rename {name} to {to}", after)
        session.select_shape(ShapeKind.BARRIER, to)


def _told(session: Session, change: Callable[[], None]) -> bool:
    """Return whether a change was accepted; the map shows the reason if not."""
    try:
        change()
    except InputError as error:
        session.refuse_map_edit("; ".join(map(str, error.problems)))
        return False
    return True


# -- bases -------------------------------------------------------------------------------------------------------------
def set_bases(session: Session, text: str, bases: Sequence[Base]) -> None:
    """Change the bases as one undoable step.

    A type that is served without a cruise speed is no reason to refuse: the panel Before you start says it. Raises
    :class:`InputError` with the other problems that this would add.
    """
    project = session.project
    after = [problem for problem in _base_problems(project, bases) if not problem.where.startswith("aircraft ")]
    raise_new_problems(_base_problems(project, project.operations.bases), after, BASES_REFUSED)
    session.set_operations(text, replace(project.operations, bases=tuple(bases)))


def _base_problems(project: Project, bases: Sequence[Base]) -> list[Problem]:
    own = [problem for base in bases for problem in base.problems()]
    return own + project.base_problems(bases)


def add_base(session: Session, row: float, column: float) -> bool:
    """Add and select an airtanker base at a place. Return whether it was accepted.

    The map shows the reason if not.
    """
    bases, kind = session.project.operations.bases, BaseKind.AIRTANKER
    base = Base(numbered_name("Base", bases), kind, *rounded(row - 0.5, column - 0.5), USUAL_RELOAD_MIN[kind])
    if not _told(session, lambda: set_bases(session, f"draw {base.name}", (*bases, base))):
        return False
    session.select_shape(ShapeKind.BASE, base.name)
    session.message.emit(f"{base.name} was added: name, kind, hours and types are in the panel Bases.")
    return True


def change_base(session: Session, text: str, name: str, base: Base) -> bool:
    """Replace base ``name``. Return whether it was accepted; an unchanged base makes no undo step."""
    before = session.project.operations.bases
    after = tuple(base if old.name == name else old for old in before)
    return after == before or _told(session, lambda: set_bases(session, text, after))


def rename_base(session: Session, name: str, to: str) -> None:
    """Rename and select base ``name``. Raises :class:`InputError` for an empty or known name."""
    to, before = to.strip(), session.project.operations.bases
    after = tuple(replace(old, name=to) if old.name == name else old for old in before)
    if after != before:
        set_bases(session, f"rename {name} to {to}", after)
        session.select_shape(ShapeKind.BASE, to)


def place_of(session: Session, base: Base) -> str:
    """Return the coordinates of a base in the chosen format."""
    return place_text(session.project.scenario.grid, base.y, base.x, session.drawing.coordinates)


# -- no-drop zones -----------------------------------------------------------------------------------------------------
def add_zone(session: Session, zone: Region) -> bool:
    """Add a no-drop zone. Return whether it was accepted; the map shows the reason if not."""
    before = session.project.operations.no_drop_zones
    after = (*before, zone)
    refusal = _refusal(session, _zone_problems(session, before), _zone_problems(session, after), "Zone", zone)
    if refusal:
        session.refuse_map_edit(refusal)
        return False
    _set_zones(session, f"draw no-drop zone {zone.name}", after)
    share = share_of_fire(session, zone)
    if share >= _MOST_OF_FIRE:
        session.message.emit(
            f"{zone.name} covers {percent_text(share, 0)} of the fire: hardly any drop can be planned there."
        )
    return True


def share_of_fire(session: Session, zone: Region) -> float:
    """Return what part of the fire without drops lies in ``zone``.

    Where that fire is not known, its start counts.
    """
    frames, project = session.no_drops_fire, session.project
    burned = project.scenario.fire_on(project.plan.start_day)
    if frames is not None and len(frames.fire) and frames.fire.shape == _grid_shape(session):
        burned = frames.fire.picture(len(frames.fire) - 1) >= _LIKELY
    if burned is None or not burned.any():
        return 0.0
    inside = region_masks((zone,), _grid_shape(session))[0] & burned
    return float(inside.sum() / burned.sum())


def rename_zone(session: Session, name: str, to: str) -> bool:
    """Rename zone ``name`` and return whether that changes it. Raises as :func:`rename_region`."""
    zones, to = session.project.operations.no_drop_zones, to.strip()
    changed = tuple(replace(zone, name=to) if zone.name == name else zone for zone in zones)
    if changed == zones:
        return False
    refuse_taken_name("no-drop zone", to, (zone for zone in zones if zone.name != name))
    raise_new_problems(_zone_problems(session, zones), _zone_problems(session, changed), REFUSED_NAME)
    _set_zones(session, f"rename no-drop zone {name}", changed)
    return True


def delete_zone(session: Session, row: int) -> None:
    """Remove the zone in ``row``; do nothing if there is none."""
    zones = session.project.operations.no_drop_zones
    if 0 <= row < len(zones):
        _set_zones(session, f"delete no-drop zone {zones[row].name}", (*zones[:row], *zones[row + 1 :]))
        session.deleted.emit(f"No-drop zone {zones[row].name} was deleted.")


def _set_zones(session: Session, text: str, zones: Sequence[Region]) -> None:
    session.set_operations(text, replace(session.project.operations, no_drop_zones=tuple(zones)))


def _zone_problems(session: Session, zones: Sequence[Region]) -> list[Problem]:
    # The weight of a zone has no effect.
    found = region_problems([replace(zone, weight=1.0) for zone in zones], _grid_shape(session))
    return [replace(problem, where=problem.where.replace("region", "no-drop zone", 1)) for problem in found]


# -- pinned drops ------------------------------------------------------------------------------------------------------
def pin_of(drop: DropRecord, calendar: Calendar) -> PinnedDrop:
    """Return the pin that keeps ``drop``, whose step belongs to ``calendar``."""
    return PinnedDrop(calendar.time_of_step(drop.step), drop.aircraft, drop.y, drop.x, drop.theta)


def add_pins(session: Session, pins: Sequence[PinnedDrop]) -> int:
    """Pin drops as one undoable step and return how many were not pinned before."""
    operations = session.project.operations
    new = [pin for pin in pins if not any(_same_drop(pin, other) for other in operations.pinned)]
    if new:
        text = "pin a drop" if len(new) == 1 else f"pin {len(new)} drops"
        pinned = sorted((*operations.pinned, *new), key=lambda pin: (pin.time, pin.aircraft))
        session.set_operations(text, replace(operations, pinned=tuple(pinned)))
    return len(new)


def remove_pins(session: Session, rows: Iterable[int]) -> None:
    """Unpin the drops in these rows as one undoable step."""
    operations, gone = session.project.operations, set(rows)
    kept = tuple(pin for row, pin in enumerate(operations.pinned) if row not in gone)
    count = len(operations.pinned) - len(kept)
    if count:
        text = "unpin a drop" if count == 1 else f"unpin {count} drops"
        session.set_operations(text, replace(operations, pinned=kept))


def pinned_row(operations: Operations, pin: PinnedDrop) -> int:
    """Return the row of the pin for the same drop, or −1."""
    return next((row for row, other in enumerate(operations.pinned) if _same_drop(pin, other)), -1)


def _same_drop(one: PinnedDrop, other: PinnedDrop) -> bool:
    if one.aircraft != other.aircraft or (one.time.tzinfo is None) != (other.time.tzinfo is None):
        return False
    return abs(one.time - other.time) < _SAME_TIME
