"""How QGIS shows the layers of an exported GeoPackage: one QML document each, symbology only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from xml.etree import ElementTree as XML

from firegui.io.exporters.areas import Kind
from firegui.io.exporters.palette import BASELINE, OBSERVED, PLANNED, REGION, RETARDANT, WATER, ZONE

_NOT_FLOWN, _GREY = "not flown", "#9a9a9a"

Category = tuple[str, str, str, Mapping[str, str]]
"""``(value, label, kind of symbol layer, its properties)``."""


def _drops() -> str:
    markers = ((RETARDANT, "retardant", "2.2"), (WATER, "water", "2.2"), (_GREY, _NOT_FLOWN, "1.2"))
    return _categorised("if(\"executed\", \"material\", 'not flown')", "marker", [
        (value, value.capitalize(), "SimpleMarker", {
            "name": "circle", "color": _rgba(colour), "outline_color": _rgba("#ffffff"), "outline_width": "0.2",
            "size": size, "size_unit": "MM", "outline_width_unit": "MM",
        })
        for colour, value, size in markers
    ])  # fmt: skip


def _footprints() -> str:
    fills = ((RETARDANT, "retardant"), (WATER, "water"))
    return _categorised("material", "fill", [
        (value, value.capitalize(), "SimpleFill", _fill(colour, 0.45, "solid")) for colour, value in fills
    ])  # fmt: skip


def _regions() -> str:
    return _categorised("kind", "fill", [(Kind.REGION, "Protected region", "SimpleFill", _fill(REGION, 0.2, "solid"))])


def _zones() -> str:
    return _categorised("kind", "fill", [(Kind.ZONE, "No-drop zone", "SimpleFill", _fill(ZONE, 0.8, "b_diagonal"))])


def _perimeters() -> str:
    lines = ((OBSERVED, Kind.OBSERVED), (PLANNED, Kind.PLANNED), (BASELINE, Kind.BASELINE))
    return _categorised("kind", "fill", [
        (kind, kind.capitalize(), "SimpleFill", _fill(colour, 0.0, "no")) for colour, kind in lines
    ])  # fmt: skip


def _fill(colour: str, opacity: float, style: str) -> dict[str, str]:
    return {
        "color": _rgba(colour, opacity), "style": style, "outline_color": _rgba(colour), "outline_style": "solid",
        "outline_width": "0.4", "outline_width_unit": "MM",
    }  # fmt: skip


def _categorised(attribute: str, kind: str, categories: Sequence[Category]) -> str:
    """A document whose symbol goes by the value of ``attribute``, a field or an expression."""
    root = XML.Element("qgis", version="3.22.0", styleCategories="Symbology")
    renderer = XML.SubElement(root, "renderer-v2", type="categorizedSymbol", attr=attribute, symbollevels="0",
                              enableorderby="0", forceraster="0")  # fmt: skip
    listed, symbols = XML.SubElement(renderer, "categories"), XML.SubElement(renderer, "symbols")
    for number, (value, label, layer_class, properties) in enumerate(categories):
        name = str(number)
        XML.SubElement(listed, "category", symbol=name, value=value, label=label, render="true")
        symbol = XML.SubElement(symbols, "symbol", type=kind, name=name, alpha="1", clip_to_extent="1", force_rhr="0")
        layer = XML.SubElement(symbol, "layer", {"class": layer_class, "pass": "0", "locked": "0", "enabled": "1"})
        options = XML.SubElement(layer, "Option", type="Map")
        for key, text in properties.items():
            XML.SubElement(options, "Option", type="QString", name=key, value=text)
        # QGIS before 3.22 reads these instead.
        for key, text in properties.items():
            XML.SubElement(layer, "prop", k=key, v=text)
    head = "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>\n"
    return head + XML.tostring(root, encoding="unicode")


def _rgba(colour: str, opacity: float = 1.0) -> str:
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"{red},{green},{blue},{round(opacity * 255)}"


LAYERS: Mapping[str, str] = MappingProxyType({
    "drops": _drops(), "footprints": _footprints(), "protected_regions": _regions(), "no_drop_zones": _zones(),
    "perimeters": _perimeters(),
})  # fmt: skip
"""The name of each layer in the GeoPackage and its style."""
