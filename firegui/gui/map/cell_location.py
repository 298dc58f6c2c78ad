"""Where a cell is on the Earth, for read-outs; says nothing when the grid has no place."""

from __future__ import annotations

from firegui.domain.grid import Grid
from firegui.io.georeference import Georeference, format_ddm


class Place:
    """Corner coordinates of the map ↔ longitude and latitude. Every answer is ``None`` on a grid without a place."""

    def __init__(self, grid: Grid | None) -> None:
        self.grid = grid
        self._reference = Georeference(grid) if grid is not None and grid.is_georeferenced else None

    @property
    def known(self) -> bool:
        """Whether the grid has a place."""
        return self._reference is not None

    def lonlat(self, row: float, column: float) -> tuple[float, float] | None:
        """Longitude and latitude (degrees, WGS 84) of a point in corner coordinates."""
        return None if self._reference is None else self._reference.lonlat(row - 0.5, column - 0.5)

    def cell(self, longitude: float, latitude: float) -> tuple[float, float] | None:
        """Corner coordinates ``(row, column)`` of a longitude and latitude."""
        if self._reference is None:
            return None
        found = self._reference.from_lonlat(longitude, latitude)
        return None if found is None else (found[0] + 0.5, found[1] + 0.5)

    def texts(self, row: float, column: float) -> tuple[str, ...]:
        """Degrees and decimal minutes, then UTM, of a point in corner coordinates."""
        if self._reference is None:
            return ()
        lonlat = self._reference.lonlat(row - 0.5, column - 0.5)
        utm = self._reference.utm(row - 0.5, column - 0.5)
        found = [] if lonlat is None else [format_ddm(*lonlat)]
        if utm is not None:
            found.append(f"UTM {utm[0]} {_grouped(utm[1])} E {_grouped(utm[2])} N")
        return tuple(found)


def _grouped(metres: float) -> str:
    return f"{metres:,.0f}".replace(",", " ")
