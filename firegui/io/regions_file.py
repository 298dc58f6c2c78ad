"""Protected regions in and out: GeoJSON polygons (lon/lat) and TOML (cells)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from firegui.domain.grid import Grid
from firegui.domain.regions import Region, region_problems
from firegui.errors import Problems
from firegui.io import strict
from firegui.io.atomic import write_text
from firegui.io.region_shapes import crossing_problems
from firegui.io.region_table import read_region, region_to_table
from firegui.io.regions_geojson import regions_from_geojson, regions_to_geojson
from firegui.io.source_files import read_text
from firegui.io.toml_text import dumps

_HEADER = """\
# Protected regions of a firegui project. rows and columns are half-open, in cells: [0, 200] is rows 0 to 199.
# polygons hold rings of [row, column] corners; after its outer ring a polygon may have holes.

"""
_SUFFIXES = (".toml", ".geojson", ".json")


def read_regions(path: Path, grid: Grid) -> tuple[Region, ...]:
    """Read the regions of a ``.toml``, ``.geojson`` or ``.json`` file onto ``grid``.

    TOML: ``[[region]]`` with ``name``, optional ``weight``, and ``rows`` with ``columns``, or ``polygon`` (one ring of
    ``[row, column]`` corners), or ``polygons``. GeoJSON: polygons and multipolygons in longitude and latitude, or in
    the CRS that an older file names. Raises :class:`~firegui.errors.InputError` with everything that is wrong.
    """
    problems = Problems()
    suffix = path.suffix.lower()
    if suffix not in _SUFFIXES:
        problems.add(path.name, f"a {suffix or 'nameless'} file cannot hold regions", f"use {', '.join(_SUFFIXES)}")
        regions: list[Region] = []
    elif suffix == ".toml":
        regions = _from_toml(path, problems)
    else:
        regions = _from_geojson_file(path, grid, problems)
    if not problems and not regions:
        problems.add(path.name, "holds no region", "give at least one polygon")
    # Regions that could be read are checked even when others could not.
    problems.extend(region_problems(regions, grid.shape) + crossing_problems(regions))
    problems.raise_if_any(f"The regions of {path.name} cannot be used")
    return tuple(regions)


def write_regions_toml(regions: Sequence[Region], path: Path) -> None:
    """Write regions in cells, atomically; rectangles as rows and columns, so that people can edit them."""
    write_text(path, _HEADER + dumps({"region": [region_to_table(region) for region in regions]}))


def write_regions_geojson(regions: Sequence[Region], path: Path, grid: Grid) -> None:
    """Write regions as RFC 7946 GeoJSON, atomically.

    Raises :class:`~firegui.errors.InputError` on a grid without a place.
    """
    write_text(path, json.dumps(regions_to_geojson(regions, grid), indent=1, ensure_ascii=False) + "\n")


def _from_toml(path: Path, problems: Problems) -> list[Region]:
    raw = strict.read_toml(path, problems)
    if raw is None:
        return []
    table = strict.Table(raw, path.name, problems)
    regions = [region for row in table.tables("region") if (region := read_region(row)) is not None]
    table.finish()
    return regions


def _from_geojson_file(path: Path, grid: Grid, problems: Problems) -> list[Region]:
    text = read_text(path, problems)
    if text is None:
        return []
    try:
        root = json.loads(text)
    except json.JSONDecodeError as error:
        ended = error.pos >= len(text.rstrip()) or "Unterminated" in error.msg
        what = "is cut short" if ended else "is not valid JSON"
        problems.add(path.name, f"{what} ({error})", "export it as GeoJSON again")
    except (ValueError, RecursionError) as error:
        problems.add(path.name, f"is not valid JSON ({error})", "export it as GeoJSON again")
    else:
        return regions_from_geojson(root, grid, problems)
    return []
