"""The hand: drag the map, click a region to select it."""

from __future__ import annotations

from firegui.gui.map.tools.shape_geometry import region_at
from firegui.gui.map.tools.tool import PanningTool, Pointer


class PanTool(PanningTool):
    """See the module."""

    def click(self, at: Pointer) -> None:
        """Select the region under the mouse, or none."""
        region = region_at(self.place.session.project.regions, at.row, at.column)
        self.place.session.select_region(region.name if region is not None else "")
