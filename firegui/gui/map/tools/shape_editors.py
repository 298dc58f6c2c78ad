"""How regions, barriers and bases are found, changed and shown by the tool that edits shapes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Generic, TypeVar

from firegui.domain.barriers import Barrier, with_corner
from firegui.domain.bases import Base
from firegui.domain.region_geometry import (
    Handle,
    corner_handles,
    handles_of,
    rounded,
    shift_on_grid,
    with_handle_at,
    with_vertex_on_edge,
    without_vertex,
)
from firegui.domain.regions import Region
from firegui.gui.map.layers.shape_layers import ShapesLayer
from firegui.gui.map.shape_edits import change_barrier, change_base, change_region, place_of, size_text
from firegui.gui.map.sketch import Outline
from firegui.gui.session.session import Session, ShapeKind
from firegui.io.project.regions_file import is_simple

Shape = TypeVar("Shape", Region, Barrier, Base)


class ShapeEditor(Generic[Shape]):
    """Base class of edits of the shapes of one kind. Every change is one undoable step."""

    kind: ShapeKind
    needs = ""
    """Why a corner cannot be removed."""

    def __init__(self, session: Session, layer: ShapesLayer[Shape]) -> None:
        self.session = session
        self.layer: ShapesLayer[Shape] = layer

    @property
    def shapes(self) -> Sequence[Shape]:
        """All shapes of the kind."""
        raise NotImplementedError

    def selected(self) -> Shape | None:
        """Return the selected shape, if it is of this kind."""
        name = self.session.selected_name(self.kind)
        return next((shape for shape in self.shapes if name and shape.name == name), None)

    def handles(self, shape: Shape) -> tuple[Handle, ...]:
        """Return what of a shape can be dragged."""
        return ()

    def has_corners(self, shape: Shape) -> bool:
        """Return whether corners can be added and removed."""
        return False

    def moved(self, shape: Shape, rows: float, columns: float) -> Shape:
        """Return a shape after a drag by that many cells."""
        raise NotImplementedError

    def reshaped(self, shape: Shape, handle: Handle, row: float, column: float) -> Shape:
        """Return a shape with a handle dragged to a place."""
        raise NotImplementedError

    def with_corner(self, shape: Shape, row: float, column: float, within: float) -> Shape | None:
        """Return a shape with a corner added on its edge, ``None`` without an edge near the place."""
        return None

    def without_corner(self, shape: Shape, handle: Handle) -> Shape | None:
        """Return a shape with a corner removed, ``None`` where it needs all of them."""
        return None

    def outline(self, shape: Shape, handle: Handle | None) -> Outline:
        """Return what is drawn while a shape is dragged by a handle or, without one, as a whole."""
        raise NotImplementedError

    def change(self, text: str, name: str, shape: Shape) -> bool:
        """Replace the shape called ``name``. Return whether it was accepted; the map shows the reason if not."""
        raise NotImplementedError

    @property
    def _grid_shape(self) -> tuple[int, int]:
        return self.session.project.scenario.grid.shape


class RegionEditor(ShapeEditor[Region]):
    """Edits of protected regions. Rectangles keep whole cells."""

    kind = ShapeKind.REGION
    needs = "A polygon needs at least three corners."

    @property
    def shapes(self) -> Sequence[Region]:
        """All protected regions."""
        return self.session.project.regions

    def handles(self, shape: Region) -> tuple[Handle, ...]:
        """Return corners, and sides of a rectangle."""
        return handles_of(shape)

    def has_corners(self, shape: Region) -> bool:
        """Return whether it is a polygon."""
        return shape.as_rectangle is None

    def moved(self, shape: Region, rows: float, columns: float) -> Region:
        """Return a region moved by whole cells, no further off the grid."""
        return shape.moved(*shift_on_grid(shape, rows, columns, self._grid_shape))

    def reshaped(self, shape: Region, handle: Handle, row: float, column: float) -> Region:
        """Return a region with a handle dragged to a place on the grid."""
        return with_handle_at(shape, handle, row, column, self._grid_shape)

    def with_corner(self, shape: Region, row: float, column: float, within: float) -> Region | None:
        """Return a polygon with a corner added on its edge."""
        return with_vertex_on_edge(shape, row, column, within)

    def without_corner(self, shape: Region, handle: Handle) -> Region | None:
        """Return a polygon with a corner removed; a rectangle as it is."""
        return without_vertex(shape, handle) if self.has_corners(shape) else shape

    def outline(self, shape: Region, handle: Handle | None) -> Outline:
        """Return the outline with its size."""
        text = size_text(shape, self.session.project.scenario.grid, self.session.units)
        return Outline(shape.parts[0][0], text, allowed=is_simple(shape))

    def change(self, text: str, name: str, shape: Region) -> bool:
        """Replace a region."""
        return change_region(self.session, text, name, shape)


class BarrierEditor(ShapeEditor[Barrier]):
    """Edits of barriers: all of their corners can be dragged, and they may run beyond the grid."""

    kind = ShapeKind.BARRIER
    needs = "A line needs at least two corners, an area three."

    @property
    def shapes(self) -> Sequence[Barrier]:
        """All barriers."""
        return self.session.project.barriers

    def handles(self, shape: Barrier) -> tuple[Handle, ...]:
        """Return the corners on the grid: the others are not drawn."""
        rows, columns = self._grid_shape
        corners = corner_handles(shape.outlines)
        return tuple(each for each in corners if 0.0 <= each.row <= rows and 0.0 <= each.column <= columns)

    def has_corners(self, shape: Barrier) -> bool:
        """Return true."""
        return True

    def moved(self, shape: Barrier, rows: float, columns: float) -> Barrier:
        """Return a barrier moved by a hundredth of a cell or more."""
        return shape.with_outlines(shape.outlines.moved(*rounded(rows, columns)))

    def reshaped(self, shape: Barrier, handle: Handle, row: float, column: float) -> Barrier:
        """Return a barrier with a corner dragged to a place on the grid."""
        outlines = with_handle_at(shape.outlines, handle, row, column, self._grid_shape, keeps_cells=False)
        return shape.with_outlines(outlines)

    def with_corner(self, shape: Barrier, row: float, column: float, within: float) -> Barrier | None:
        """Return a barrier with a corner added on its line or outline."""
        return with_corner(shape, row, column, within)

    def without_corner(self, shape: Barrier, handle: Handle) -> Barrier | None:
        """Return a barrier with a corner removed."""
        outlines = without_vertex(shape.outlines, handle, 3 if shape.is_area else 2)
        return None if outlines is None else shape.with_outlines(outlines)

    def outline(self, shape: Barrier, handle: Handle | None) -> Outline:
        """Return the line or outline that is dragged, with its size."""
        place = (0, 0) if handle is None else (handle.part, handle.ring)
        grid, units = self.session.project.scenario.grid, self.session.units
        size = size_text(shape.region, grid, units) if shape.is_area else units.length(shape.length * grid.cell_size_m)
        corners = shape.outlines.parts[place[0]][place[1]]
        return Outline(corners, size, closed=shape.is_area, allowed=not shape.problems())

    def change(self, text: str, name: str, shape: Barrier) -> bool:
        """Replace a barrier."""
        return change_barrier(self.session, text, name, shape)


class BaseEditor(ShapeEditor[Base]):
    """Edits of the places of bases."""

    kind = ShapeKind.BASE

    @property
    def shapes(self) -> Sequence[Base]:
        """All bases."""
        return self.session.project.operations.bases

    def moved(self, shape: Base, rows: float, columns: float) -> Base:
        """Return a base at another place, which may lie beside the grid."""
        y, x = rounded(shape.y + rows, shape.x + columns)
        return replace(shape, y=y, x=x)

    def outline(self, shape: Base, handle: Handle | None) -> Outline:
        """Return the place with its coordinates."""
        return Outline(((shape.y + 0.5, shape.x + 0.5),), place_of(self.session, shape), closed=False)

    def change(self, text: str, name: str, shape: Base) -> bool:
        """Replace a base."""
        return change_base(self.session, text, name, shape)


def near(handles: Sequence[Handle], row: float, column: float, reach: float) -> Handle | None:
    """Return the handle nearest to a place, at most ``reach`` cells off in rows and in columns."""
    found = [each for each in handles if max(abs(each.row - row), abs(each.column - column)) <= reach]
    return min(found, key=lambda each: math.hypot(each.row - row, each.column - column), default=None)
