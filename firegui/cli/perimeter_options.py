"""Options that say where an event's observed fire comes from, and how it is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from firegui.cli.options import FILE, F
from firegui.errors import Problems
from firegui.io.perimeter_growth import Growth
from firegui.io.perimeters import PerimeterSource


def perimeter_options(command: F) -> F:
    """Adds ``--perimeters`` and what goes with it."""
    options = [
        click.option(
            "--perimeters", metavar="F", type=FILE,
            help="Observed fire: dated polygons (shapefile, GeoPackage, GeoJSON, KML, or a folder of one), a GeoTIFF "
            "with a mask for every date, or where it starts (points, or a mask).",
        ),
        click.option("--perimeters-layer", metavar="NAME", help="Its layer, where it holds several."),
        click.option("--perimeters-date", metavar="COLUMN", help="Its column of dates; recognised otherwise."),
        click.option(
            "--perimeters-are", type=click.Choice([member.value for member in Growth]),
            help="Whether a date's polygons are that day's growth or the whole fire; told from them otherwise.",
        ),
    ]  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


def perimeter_source(options: Mapping[str, Any], problems: Problems) -> PerimeterSource | None:
    """What the options ask for, ``utc_offset`` among them; ``None`` where no file is given."""
    layer, column, growth = (options[f"perimeters_{name}"] for name in ("layer", "date", "are"))
    if options["perimeters"] is None:
        for name, value in (("layer", layer), ("date", column), ("are", growth)):
            if value is not None:
                problems.add(f"--perimeters-{name}", "is given without --perimeters", "give the file as well")
        return None
    return PerimeterSource(
        options["perimeters"], layer, column, None if growth is None else Growth(growth), options.get("utc_offset")
    )
