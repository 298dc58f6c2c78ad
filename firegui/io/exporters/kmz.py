"""A plan as KMZ: the document of a KML with the pictures that it uses, in one archive.

Drops are marks in a shade of their material for each aircraft type, turned to the axis of the run, with the time of the
drop. KML (OGC 07-147r2) lets an archive hold pictures beside its document, so that nothing is fetched.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from types import MappingProxyType
from xml.etree import ElementTree as XML

from PIL import Image, ImageDraw

from firegui.domain.fleet import Material
from firegui.domain.plan_colors import RETARDANT, RETARDANT_TYPES, WATER, WATER_TYPES
from firegui.io.atomic import writing
from firegui.io.exporters.content import ExportContent
from firegui.io.exporters.kml_gpx_geojson import DropLook, add, kml_colour, kml_text
from firegui.io.exporters.table import DropRow, utc_text

DOCUMENT = "doc.kml"
PICTURES: Mapping[str, str] = MappingProxyType(
    {Material.RETARDANT.value: "files/retardant.png", Material.WATER.value: "files/water.png"}
)
_PIXELS = 64
# Archives hold no time of their own, so that the same plan makes the same bytes.
_STAMP = (1980, 1, 1, 0, 0, 0)


def write_kmz(path: Path, content: ExportContent) -> None:
    """Write the archive, atomically. The same content makes the same bytes."""
    types = {tail.name: tail.type.id for tail in content.project.fleet.tails}
    text = kml_text(content, TypeLook(type_colours(content), types))
    with writing(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        # A reader takes the first document of the archive.
        _put(archive, DOCUMENT, text.encode("utf-8"))
        for material, name in PICTURES.items():
            _put(archive, name, _picture(hollow=material == Material.WATER.value))


def type_colours(content: ExportContent) -> dict[str, str]:
    """Return the colour of every aircraft type by its id, in the order of the fleet."""
    used = {Material.RETARDANT.value: 0, Material.WATER.value: 0}
    found: dict[str, str] = {}
    for kind in content.project.fleet.types:
        palette = WATER_TYPES if kind.material is Material.WATER else RETARDANT_TYPES
        found[kind.id] = palette[used[kind.material.value] % len(palette)]
        used[kind.material.value] += 1
    return found


@dataclass(frozen=True, slots=True)
class TypeLook(DropLook):
    """A mark of each aircraft type, turned to the heading of the drop, at the time of the drop."""

    colours: Mapping[str, str]
    types: Mapping[str, str]
    """Type id of every aircraft."""

    def add_styles(self, document: XML.Element, content: ExportContent) -> None:
        """Add a style for every type and heading that occurs.

        A heading of its own in a placemark would need an inline style, which not every program joins with a shared one.
        """
        there: set[str] = set()
        for row in content.flown:
            name = self._style(row)
            if name not in there:
                there.add(name)
                self._add_style(document, name, row)

    def add_to(self, placemark: XML.Element, row: DropRow, content: ExportContent) -> None:
        """Add the time of the drop, where the date is known, and its style."""
        if content.project.calendar.is_dated:
            when = content.project.calendar.time_of_step(row.drop.step).astimezone(UTC)
            add(add(placemark, "TimeStamp"), "when", utc_text(when))
        add(placemark, "styleUrl", f"#{self._style(row)}")

    def _style(self, row: DropRow) -> str:
        kind = self.types.get(row.drop.aircraft)
        number = list(self.colours).index(kind) if kind is not None else len(self.colours)
        return f"drop-{number}-{row.drop.material}-{_heading(row):03d}"

    def _add_style(self, document: XML.Element, name: str, row: DropRow) -> None:
        style = add(document, "Style")
        style.set("id", name)
        fallback = WATER if row.drop.material == Material.WATER.value else RETARDANT
        icon = add(style, "IconStyle")
        add(icon, "color", kml_colour(self.colours.get(self.types.get(row.drop.aircraft, ""), fallback)))
        add(icon, "scale", "0.9")
        add(icon, "heading", f"{_heading(row)}")
        add(add(icon, "Icon"), "href", PICTURES[str(row.drop.material)])
        spot = add(icon, "hotSpot")
        for key, value in (("x", "0.5"), ("y", "0.5"), ("xunits", "fraction"), ("yunits", "fraction")):
            spot.set(key, value)
        add(add(style, "LabelStyle"), "scale", "0.6")


def _heading(row: DropRow) -> int:
    """Return the axis of the run in whole degrees from true north, 0 to 179; 0 where it is not known."""
    return 0 if row.heading_true is None else round(row.heading_true) % 180


def _picture(*, hollow: bool) -> bytes:
    """Return a bar that points north, white so that a style can colour it; water's is open in the middle."""
    image = Image.new("RGBA", (4 * _PIXELS, 4 * _PIXELS), (0, 0, 0, 0))
    draw, middle = ImageDraw.Draw(image), 2 * _PIXELS
    black, white = (0, 0, 0, 255), (255, 255, 255, 255)
    for half_width, half_length, fill in ((34, 118, black), (22, 106, white)):
        box = (middle - half_width, middle - half_length, middle + half_width, middle + half_length)
        draw.rounded_rectangle(box, radius=half_width, fill=fill)
    if hollow:
        draw.rounded_rectangle((middle - 9, middle - 60, middle + 9, middle + 60), radius=9, fill=black)
    found = io.BytesIO()
    image.resize((_PIXELS, _PIXELS), Image.Resampling.LANCZOS).save(found, "PNG")
    return found.getvalue()


def _put(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    entry = zipfile.ZipInfo(name, _STAMP)
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, data)
