"""The drawing tools of the protected regions, drawing no-drop zones instead."""

from __future__ import annotations

from firegui.domain.regions import Region
from firegui.gui.map.tools.polygon_tool import PolygonTool
from firegui.gui.map.tools.rectangle_tool import RectangleTool
from firegui.gui.map.zone_edits import add_zone, new_zone_name


class ZoneRectangleTool(RectangleTool):
    """Drags a rectangular no-drop zone of whole cells."""

    hint = "Drag a no-drop zone · Esc cancels"

    def _name(self) -> str:
        return new_zone_name(self.place.session.project.operations.no_drop_zones)

    def _add(self, region: Region) -> bool:
        return add_zone(self.place.session, region)


class ZonePolygonTool(PolygonTool):
    """Sets the corners of a no-drop zone."""

    hint = "Click corners of a no-drop zone · Enter closes · Esc cancels"

    def _name(self) -> str:
        return new_zone_name(self.place.session.project.operations.no_drop_zones)

    def _add(self, region: Region) -> bool:
        return add_zone(self.place.session, region)
