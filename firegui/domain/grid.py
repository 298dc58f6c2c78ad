"""The raster Ω: square cells, row 0 at the north, column 0 at the west."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firegui.domain.options import plain_number
from firegui.errors import Problem

HECTARE_M2 = 10_000.0

CELL_SIZES_M = (0.1, 100_000.0)
"""Smallest and largest side of a cell."""

Box = tuple[slice, slice]
"""Rows and columns."""


def bounding_box(cells: NDArray[np.bool_]) -> Box | None:
    """Return the rows and columns of the smallest rectangle around ``cells [H, W]``.

    Without a true cell the result is ``None``.
    """
    rows, columns = np.flatnonzero(cells.any(axis=1)), np.flatnonzero(cells.any(axis=0))
    if not len(rows):
        return None
    return slice(int(rows[0]), int(rows[-1]) + 1), slice(int(columns[0]), int(columns[-1]) + 1)


def grown(box: Box, cells: int, shape: tuple[int, int]) -> Box:
    """Return ``box`` with ``cells`` more on every side, within the raster."""
    rows, columns = (
        slice(max(side.start - cells, 0), min(side.stop + cells, size)) for side, size in zip(box, shape, strict=True)
    )
    return rows, columns


def widened(cells: NDArray[np.bool_], steps: int) -> NDArray[np.bool_]:
    """Return ``cells [H, W]`` and every cell within ``steps`` rows and columns of one of them."""
    wide = cells
    for _ in range(steps):
        padded = np.pad(wide, 1)
        rows = padded[:-2] | padded[1:-1] | padded[2:]
        wide = rows[:, :-2] | rows[:, 1:-1] | rows[:, 2:]
    return np.asarray(wide)


@dataclass(frozen=True, slots=True)
class Grid:
    """A north-up raster of square cells.

    ``rows`` × ``columns`` cells of side ``cell_size_m`` (Δx, metres). ``transform`` holds the six affine
    coefficients ``(a, b, c, d, e, f)`` with ``x = a·column + b·row + c`` and ``y = d·column + e·row + f`` of a cell's
    north-west *corner*; ``crs`` is any text that PROJ understands. Both are ``None`` on a raster without a place.
    """

    rows: int
    columns: int
    cell_size_m: float
    transform: tuple[float, float, float, float, float, float] | None = None
    crs: str | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """``(rows, columns)``, the paper's ``(n_y, n_x)``."""
        return self.rows, self.columns

    @property
    def n_cells(self) -> int:
        """``|Ω|``."""
        return self.rows * self.columns

    @property
    def cell_area_ha(self) -> float:
        """Area of a cell in hectares."""
        return self.cell_size_m**2 / HECTARE_M2

    @property
    def is_georeferenced(self) -> bool:
        """Whether the raster has a place on the Earth."""
        return self.transform is not None and self.crs is not None

    def of_blocks(self, block: int) -> Grid:
        """Return the grid of blocks of ``block × block`` cells; the last ones may reach beyond this grid."""
        if block == 1:
            return self
        place = self.transform
        if place is not None:
            a, b, c, d, e, f = place
            place = (a * block, b * block, c, d * block, e * block, f)
        rows, columns = (-(-size // block) for size in self.shape)
        return Grid(rows, columns, self.cell_size_m * block, place, self.crs)

    def to_world(self, y: float, x: float) -> tuple[float, float]:
        """Return easting and northing (CRS units) of the raster position ``(y, x)``, cell centres at integers.

        On a raster without a transform the result is metres east and north of its south-west corner.
        """
        row, column = y + 0.5, x + 0.5
        if self.transform is None:
            return column * self.cell_size_m, (self.rows - row) * self.cell_size_m
        a, b, c, d, e, f = self.transform
        return a * column + b * row + c, d * column + e * row + f

    def from_world(self, easting: float, northing: float) -> tuple[float, float]:
        """Return raster position ``(y, x)`` of a point in CRS units: the inverse of :meth:`to_world`."""
        if self.transform is None:
            return self.rows - northing / self.cell_size_m - 0.5, easting / self.cell_size_m - 0.5
        a, b, c, d, e, f = self.transform
        determinant = a * e - b * d
        east, north = easting - c, northing - f
        column = (e * east - b * north) / determinant
        row = (a * north - d * east) / determinant
        return row - 0.5, column - 0.5

    @property
    def size_text(self) -> str:
        """Cells of the two sides, for people: width first, as for pictures."""
        return cells_text(self.shape)

    def problems(self) -> list[Problem]:
        """Return everything that makes the grid unusable."""
        found: list[Problem] = []
        if self.rows < 3 or self.columns < 3:
            found.append(Problem("grid", f"{self.rows} × {self.columns} cells", "at least 3 × 3 are needed"))
        low, high = CELL_SIZES_M
        if not low <= self.cell_size_m <= high:
            remedy = f"give a size from {plain_number(low)} to {plain_number(high)} m"
            found.append(Problem("grid", f"cell size {self.cell_size_m} m", remedy))
        if self.transform is not None and not np.isfinite(self.transform).all():
            found.append(Problem("grid", f"transform {self.transform} is not finite", "give six finite coefficients"))
        elif self.transform is not None:
            a, b, _, d, e, _ = self.transform
            if b != 0 or d != 0 or a <= 0 or e >= 0:
                found.append(
                    Problem("grid", f"transform {self.transform} is not north-up", "warp it to a north-up grid first")
                )
            elif abs(a + e) > 1e-6 * abs(a):
                found.append(Problem("grid", f"cells of {a} by {-e} are not square", "resample to square cells first"))
            elif self.crs is None:
                found.append(Problem("grid", "a transform without a CRS", "give the CRS the transform is in"))
        elif self.crs is not None:
            found.append(Problem("grid", "a CRS without a transform", "give the six affine coefficients too"))
        return found


def cells_text(shape: tuple[int, int]) -> str:
    """Return the size of a raster of ``(rows, columns)`` for people: ``240 × 200 cells (width × height)``."""
    rows, columns = shape
    return f"{columns:,} × {rows:,} cells (width × height)"
