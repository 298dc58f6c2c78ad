"""The pieces of a KML document: elements, geometries, times and styles."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any
from xml.etree import ElementTree as XML

import shapely

from firegui.domain.fleet import Material
from firegui.io.exporters.areas import Kind
from firegui.io.exporters.palette import BASELINE, OBSERVED, PLANNED, REGION, RETARDANT, WATER, ZONE
from firegui.io.exporters.table import utc_text
from firegui.io.exporters.wgs84 import DIGITS

NAMESPACE = "http://www.opengis.net/kml/2.2"

# What XML 1.0 cannot hold, escaped or not.
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

MATERIALS: Mapping[str, str] = MappingProxyType({Material.RETARDANT: RETARDANT, Material.WATER: WATER})
LINES: Mapping[Kind, str] = MappingProxyType(
    {Kind.REGION: REGION, Kind.ZONE: ZONE, Kind.OBSERVED: OBSERVED, Kind.PLANNED: PLANNED, Kind.BASELINE: BASELINE}
)


def add(parent: XML.Element, tag: str, text: str | None = None) -> XML.Element:
    """A new KML element below ``parent``."""
    element = XML.SubElement(parent, tag)
    if text is not None:
        element.text = printable(text)
    return element


def printable(text: str) -> str:
    """``text`` without the control characters that no XML may hold."""
    return _NO_XML.sub("", text)


def time_span(parent: XML.Element, begin: datetime, end: datetime) -> None:
    """When a feature holds."""
    span = add(parent, "TimeSpan")
    add(span, "begin", utc_text(begin.astimezone(UTC)))
    add(span, "end", utc_text(end.astimezone(UTC)))


def point(parent: XML.Element, lonlat: tuple[float, float]) -> None:
    """A point on the ground."""
    add(add(parent, "Point"), "coordinates", f"{lonlat[0]:.{DIGITS}f},{lonlat[1]:.{DIGITS}f}")


def shape_of(parent: XML.Element, shape: Any) -> None:
    """A polygon or multipolygon on the ground."""
    if isinstance(shape, shapely.MultiPolygon):
        holder = add(parent, "MultiGeometry")
        for part in shape.geoms:
            _polygon(holder, part)
    else:
        _polygon(parent, shape)


def styles(document: XML.Element) -> None:
    """A style for each material's points and footprints and for each kind of area, by colour and line."""
    for material, colour in MATERIALS.items():
        style = _style(document, str(material))
        icon = add(style, "IconStyle")
        add(icon, "color", kml_colour(colour))
        add(icon, "scale", "0.7")
        add(add(style, "LabelStyle"), "scale", "0.7")
        _outline(_style(document, f"{Kind.FOOTPRINT}-{material}"), colour, 1.5, 0.4)
    for kind, colour in LINES.items():
        fill = 0.25 if kind in (Kind.REGION, Kind.ZONE) else 0.0
        _outline(_style(document, kind.replace(" ", "-")), colour, 2.0, fill)


def kml_colour(colour: str, opacity: float = 1.0) -> str:
    """``#rrggbb`` as KML has it: ``aabbggrr``."""
    red, green, blue = colour[1:3], colour[3:5], colour[5:7]
    return f"{round(opacity * 255):02x}{blue}{green}{red}"


def _style(document: XML.Element, name: str) -> XML.Element:
    style = add(document, "Style")
    style.set("id", name)
    return style


def _outline(style: XML.Element, colour: str, width: float, fill: float) -> None:
    line = add(style, "LineStyle")
    add(line, "color", kml_colour(colour))
    add(line, "width", f"{width:g}")
    poly = add(style, "PolyStyle")
    add(poly, "color", kml_colour(colour, fill))
    add(poly, "fill", "1" if fill else "0")


def _polygon(parent: XML.Element, shape: Any) -> None:
    polygon = add(parent, "Polygon")
    add(polygon, "tessellate", "1")
    for tag, rings in (("outerBoundaryIs", [shape.exterior]), ("innerBoundaryIs", shape.interiors)):
        for ring in rings:
            text = " ".join(f"{x:.{DIGITS}f},{y:.{DIGITS}f}" for x, y in ring.coords)
            add(add(add(polygon, tag), "LinearRing"), "coordinates", text)
