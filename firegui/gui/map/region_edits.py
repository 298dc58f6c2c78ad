"""Edits of the protected regions, each one undoable step, refused with a message when the result would be wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from firegui.domain.grid import Grid
from firegui.domain.regions import Region, region_problems
from firegui.errors import InputError
from firegui.gui.map.tools.shape_geometry import area, is_simple
from firegui.gui.session.edit_checks import free_name, refuse_new
from firegui.gui.session.reporting import refusing
from firegui.gui.session.session import Session
from firegui.io.rasterize import region_masks
from firegui.io.regions_file import read_regions

_NOT_RENAMED = "The region keeps its name"


def new_name(regions: Iterable[Region]) -> str:
    """The first of R1, R2, … that is free."""
    taken = {region.name for region in regions}
    return next(name for number in range(1, len(taken) + 2) if (name := f"R{number}") not in taken)


def size_text(region: Region, grid: Grid) -> str:
    """Size in cells and hectares; for a polygon the area of its outline."""
    cells = area(region)
    box = region.as_rectangle
    sides = "" if box is None else f"{box[0][1] - box[0][0]:,.0f} × {box[1][1] - box[1][0]:,.0f} = "
    return f"{sides}{cells:,.0f} cells · {cells * grid.cell_area_ha:,.1f} ha"


def add_region(session: Session, region: Region) -> bool:
    """Add and select a region. Returns whether it was accepted."""
    return _commit(session, f"Draw region {region.name}", (*session.project.regions, region), region)


def import_regions(session: Session, path: Path) -> None:
    """Add the regions of a file as one undoable step; a name already taken gets a number. A bad file is refused."""
    with refusing(session, str(path)):
        grid = session.project.scenario.grid
        regions = list(session.project.regions)
        for region in read_regions(path, grid):
            regions.append(replace(region, name=free_name(region.name, (other.name for other in regions))))
        before = region_problems(session.project.regions, grid.shape)
        refuse_new(before, region_problems(regions, grid.shape), f"{path.name} cannot be used")
        added = len(regions) - len(session.project.regions)
        session.set_regions(f"import {path.name}", regions)
        session.message.emit(f"{added} regions imported from {path.name}")


def refusal_of(session: Session, name: str, region: Region) -> str:
    """Why region ``name`` cannot become ``region``; empty when it can."""
    changed = tuple(region if old.name == name else old for old in session.project.regions)
    return _refusal(session, changed, region)


def change_region(session: Session, text: str, name: str, region: Region) -> bool:
    """Replace region ``name``. Returns whether it was accepted; no change is accepted without an undo step."""
    regions = session.project.regions
    changed = tuple(region if old.name == name else old for old in regions)
    return changed == regions or _commit(session, text, changed, region)


def rename_region(session: Session, name: str, to: str) -> bool:
    """Give region ``name`` another name, which must be new and not empty. Returns whether it was accepted."""
    found = [region for region in session.project.regions if region.name == name]
    to = to.strip()
    if not found:
        return False
    renamed = replace(found[0], name=to)
    changed = tuple(renamed if old.name == name else old for old in session.project.regions)
    shape = session.project.scenario.grid.shape
    try:
        refuse_new(region_problems(session.project.regions, shape), region_problems(changed, shape), _NOT_RENAMED)
    except InputError as error:
        # Typed in a dialog that is gone by now: a line in the status bar would be missed.
        session.refuse(error)
        return False
    return change_region(session, f"Rename {name} to {to}", name, renamed)


def _commit(session: Session, text: str, regions: Sequence[Region], region: Region) -> bool:
    refusal = _refusal(session, regions, region)
    if refusal:
        session.message.emit(refusal)
        return False
    session.set_regions(text, regions)
    session.select_region(region.name)
    return True


def _refusal(session: Session, regions: Sequence[Region], region: Region) -> str:
    """Why the regions cannot become ``regions``, judged by what the changed one brings in; empty when they can."""
    shape = session.project.scenario.grid.shape
    before = {str(problem) for problem in region_problems(session.project.regions, shape)}
    added = [str(problem) for problem in region_problems(regions, shape) if str(problem) not in before]
    if added:
        return "; ".join(added)
    if not is_simple(region):
        return f"Region {region.name}: the outline crosses itself; move a corner so that no two edges meet."
    if not region_masks((region,), shape).any():
        return f"Region {region.name} would cover no cell; make it larger."
    return ""
