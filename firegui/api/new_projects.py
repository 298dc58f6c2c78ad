"""New projects: ``import_landscape``, ``import_maps`` and ``demo``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from firegui.api.gather import Gather
from firegui.api.projects import OpenProject, made_project, refuse_existing
from firegui.api.python_words import python_interface
from firegui.fire.first_project import first_project
from firegui.io.fuel_models_file import read_fuel_models
from firegui.io.importers.landscape import import_landscape as landscape_event
from firegui.io.importers.landscape_source import LandscapeSource, LayerBand, TargetGrid
from firegui.io.project.maps_file import import_maps as maps_event
from firegui.io.vectors.perimeters import PerimeterSource
from firegui.runs.engine import Engine

TITLE = "The import cannot start"
Files = str | Path | Sequence[str | Path]


def new_landscape_project(source: LandscapeSource, out: Path | None, gather: Gather) -> OpenProject:
    """Return a project on the landscape of ``source``, saved as ``out`` where that is given.

    Raises :class:`~firegui.errors.InputError` with everything that is wrong, noted in ``gather`` or found here.
    """
    event = gather.take(lambda: landscape_event(source), TITLE)
    return made_project(first_project(event, of_paper=False, fuels=source.fuels), out)


def new_maps_project(file: Path, out: Path | None) -> OpenProject:
    """Return a project on the maps in ``file``, saved as ``out`` where that is given.

    Raises :class:`~firegui.errors.InputError` with everything that is wrong.
    """
    gather = Gather()
    refuse_existing(out, gather)
    event, maps = gather.take(lambda: maps_event(file), TITLE)
    return made_project(first_project(event, maps), out)


@python_interface
def import_maps(file: str | Path, *, out: str | Path | None = None) -> OpenProject:
    """Make a project of the maps of any fire model.

    Args:
        file: npz as ``firegui maps`` writes it: ``phi``, ``gamma``, ``burnable``, wind in m/s and radians, ignition.
        out: Folder of the new project, ``NAME.firegui``; must not exist. Without it nothing is written.

    Raises:
        InputError: Something is wrong with the file. Every problem is listed and nothing was written.
    """
    return new_maps_project(Path(file), None if out is None else Path(out))


@python_interface
def import_landscape(
    source: LandscapeSource | None = None,
    *,
    elevation: str | Path | None = None,
    slope: str | Path | None = None,
    aspect: str | Path | None = None,
    fuel: str | Path | None = None,
    canopy_cover: str | Path | None = None,
    canopy_height: str | Path | None = None,
    canopy_base_height: str | Path | None = None,
    canopy_density: str | Path | None = None,
    lcp: str | Path | None = None,
    fuel_models: str | Path | None = None,
    wind: Files | None = None,
    wind_speed: float | None = None,
    wind_from: float | None = None,
    perimeters: str | Path | None = None,
    ignition: tuple[float, float] | str | Path | None = None,
    crs: str | None = None,
    cell_size: float | None = None,
    bounds: tuple[float, float, float, float] | None = None,
    days: int | None = None,
    start: datetime | None = None,
    utc_offset: float | None = None,
    name: str | None = None,
    out: str | Path | None = None,
) -> OpenProject:
    """Make a project of landscape layers or a landscape file, with a wind and a fire.

    Any subset of layers may be given; ``project.scenario.notes`` say what was assumed.

    Args:
        source: Everything that is not given by a keyword, for files with several bands and other units.
        elevation: Elevation, a raster in m.
        slope: Slope, a raster in degrees.
        aspect: Aspect, a raster in degrees clockwise from north, −1 for flat.
        fuel: Fuel models, a raster of Scott and Burgan's 40 codes.
        canopy_cover: Canopy cover, a raster in percent.
        canopy_height: Canopy height, a raster in m.
        canopy_base_height: Height of the lowest branches, a raster in m.
        canopy_density: Canopy bulk density, a raster in kg/m³.
        lcp: Landscape file (.lcp, or a GeoTIFF of its bands).
        fuel_models: Custom fuel models (.fmd), whose codes the fuel models may have.
        wind: Wind file: a CSV table, a NetCDF file, or one or two GeoTIFFs.
        wind_speed: Wind speed in m/s, the same everywhere on every day.
        wind_from: Direction that the wind blows from, in degrees clockwise from north.
        perimeters: Observed perimeters with dates, or where the fire starts.
        ignition: Longitude and latitude in degrees where the fire starts, or a mask.
        crs: CRS of the grid, such as ``"EPSG:3310"``; that of the layers unless given.
        cell_size: Side of a cell in m.
        bounds: West, south, east and north of the grid in its CRS; what all layers share unless given.
        days: Days of weather.
        start: Time of day 0; UTC unless it says otherwise.
        utc_offset: Local time at the fire in hours, such as −7.
        name: Name of the event.
        out: Folder of the new project, ``NAME.firegui``; must not exist. Without it nothing is written.

    Raises:
        InputError: Something is wrong with the input. Every problem is listed and nothing was written.
    """
    base = source or LandscapeSource()
    given = {
        "elevation": elevation, "slope": slope, "aspect": aspect, "fuel": fuel, "canopy_cover": canopy_cover,
        "canopy_height": canopy_height, "canopy_base_height": canopy_base_height, "canopy_density": canopy_density,
    }  # fmt: skip
    layers = {key: LayerBand(Path(path)) for key, path in given.items() if path is not None}
    blows = replace(base.wind, speed=wind_speed, direction=wind_from, files=_paths(wind))
    fire, place = base.perimeters, base.ignition
    if perimeters is not None or ignition is not None:
        fire = None if perimeters is None else PerimeterSource(Path(perimeters), utc_offset_h=utc_offset)
        place = Path(ignition) if isinstance(ignition, str | Path) else ignition
    target = TargetGrid(
        crs or base.target.crs,
        base.target.cell_size_m if cell_size is None else cell_size,
        bounds or base.target.bounds,
    )
    gather, folder = Gather(), None if out is None else Path(out)
    own = None if fuel_models is None else gather.attempt(lambda: read_fuel_models(Path(fuel_models)))
    wanted = replace(
        base,
        layers={**base.layers, **layers},
        lcp=base.lcp if lcp is None else Path(lcp),
        wind=blows if blows.is_given else base.wind,
        perimeters=fire,
        ignition=place,
        target=target,
        days=base.days if days is None else days,
        start=start or base.start,
        utc_offset_h=base.utc_offset_h if utc_offset is None else utc_offset,
        name=name or base.name,
        fuels=own or base.fuels,
    )
    refuse_existing(folder, gather)
    return new_landscape_project(wanted, folder, gather)


def _paths(files: Files | None) -> tuple[Path, ...]:
    if files is None:
        return ()
    return (Path(files),) if isinstance(files, str | Path) else tuple(Path(file) for file in files)


@python_interface
def demo(*, out: str | Path | None = None) -> OpenProject:
    """Make the demo project: a synthetic fire, not a real one, with a fleet and protected regions.

    Args:
        out: Folder of the new project, ``NAME.firegui``; must not exist. Without it nothing is written.

    Raises:
        InputError: The folder exists or cannot be written.
    """
    return made_project(Engine().make_demo(), None if out is None else Path(out))
