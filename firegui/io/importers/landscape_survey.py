"""What an import would make of its files, for people to look at before it is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from firegui.domain.coverage import fuel_cells, weighted_coverage
from firegui.domain.grid import Grid
from firegui.domain.scenario import LAYERS
from firegui.errors import Check, Problem, Problems
from firegui.io import crs
from firegui.io.importers.landscape import Fire, LandscapeLayout, fire_notes, lay_out_landscape, layer_notes
from firegui.io.importers.landscape_layers import GriddedLayer, outline
from firegui.io.importers.landscape_source import LandscapeSource, LayerBand
from firegui.io.importers.layer_values import UNITS
from firegui.io.project.scenario_toml import shipped_table
from firegui.io.weather.wind import WindSurvey

PREVIEW = 512
"""Cells of a preview's longer side, at most."""

Ring = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True, eq=False)
class LayerFacts:
    """One layer as it was found and as it would be imported.

    ``key`` of :data:`~firegui.domain.scenario.LAYERS`; ``file`` (``None`` where derived) and what it says of itself:
    ``crs`` (short name, "" for none), ``shape`` (rows, columns), ``cell`` (width, height in the units of its CRS),
    ``bands`` in it, and ``outline``, the ring around it in the coordinates of :attr:`Survey.grid`, empty where unknown.
    ``unit`` is the unit its numbers were read in, one of ``units``, ``unit_given`` whether that was said and not
    guessed. ``placing`` says how it came onto the grid: "as it is", "cut", "nearest", "bilinear", "bilinear, as a
    direction", "derived from elevation". ``low``, ``high`` are in the layer's own unit, ``holes`` is the share of the
    grid's cells without data, and ``preview [h, w]`` float32 (NaN is no data) lies on :attr:`Survey.preview_grid`.
    """

    key: str
    title: str
    file: LayerBand | None
    crs: str
    shape: tuple[int, int] | None
    cell: tuple[float, float] | None
    bands: int
    outline: Ring
    unit: str
    units: tuple[str, ...]
    unit_given: bool
    placing: str
    low: float
    high: float
    holes: float
    preview: NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Survey:
    """What :func:`survey_landscape` found.

    ``grid`` is ``None`` where there cannot be one, and ``problems`` say why. ``grid_reason`` says how the grid was
    chosen; layers whose files cannot be used are left out of ``layers``. ``lcp_bands`` is the order of the landscape
    file's bands as it was given or guessed, ``lcp_reason`` why. ``start`` (UTC), ``utc_offset_h`` and ``days`` are day
    0 and the length of the weather. ``c_req`` is the required coverage in gal/100 ft² and ``c_req_source`` where it is
    from, ``fuel_cells`` how many cells hold each fuel model. ``burning`` and ``final [h, w]`` are the first and the
    last perimeter (or the ignition) on ``preview_grid``.
    """

    grid: Grid | None
    grid_reason: str
    preview_grid: Grid | None
    layers: tuple[LayerFacts, ...]
    lcp_bands: tuple[str, ...]
    lcp_reason: str
    wind: WindSurvey
    start: datetime | None
    utc_offset_h: float
    days: int
    burning: NDArray[np.bool_] | None
    final: NDArray[np.bool_] | None
    c_req: float
    c_req_source: str
    fuel_cells: Mapping[int, int]
    notes: tuple[str, ...]
    problems: tuple[Problem, ...]


def survey_landscape(source: LandscapeSource, check: Check | None = None) -> Survey:
    """Look at everything that ``source`` names and say what an import would make of it.

    Bad input becomes problems. ``check`` is called often and may raise to cancel.
    """
    problems = Problems()
    lay = lay_out_landscape(source, problems, check)
    ground, place = lay.ground, lay.ground.place
    grid = None if place is None else place.grid
    step = 1 if grid is None else max(1, -(-max(grid.shape) // PREVIEW))
    fuel = ground.layers["fuel"].values if grid is not None and "fuel" in ground.layers else None
    table = shipped_table()
    coverage = weighted_coverage(fuel, table.levels, table.source)
    cells = {} if fuel is None else fuel_cells(fuel)
    burning, final = _burning(lay.fire, step)
    return Survey(
        grid=grid,
        grid_reason=ground.reason,
        preview_grid=None if grid is None else _coarser(grid, step),
        layers=()
        if grid is None
        else tuple(_facts(key, placement, source, grid, step) for key, placement in ground.placement.items()),
        lcp_bands=() if ground.order is None else ground.order.roles,
        lcp_reason="" if ground.order is None else ground.order.reason,
        wind=lay.wind,
        start=None if lay.began is None else lay.began.start,
        utc_offset_h=0.0 if lay.began is None else lay.began.utc_offset_h,
        days=lay.days,
        burning=burning,
        final=final,
        c_req=coverage.c_req,
        c_req_source=coverage.source,
        fuel_cells=cells,
        notes=_notes(lay),
        problems=tuple(problems),
    )


def _facts(key: str, placement: GriddedLayer, source: LandscapeSource, grid: Grid, step: int) -> LayerFacts:
    values, header, file = placement.layer.values, placement.header, placement.file
    geometry = None if header is None else header.geometry
    said = source.layers[key].unit if key in source.layers else source.lcp_units.get(key)
    return LayerFacts(
        key=key,
        title=LAYERS[key][0],
        file=file,
        crs="" if geometry is None or geometry.crs is None else crs.short_name(geometry.crs),
        shape=None if geometry is None else geometry.shape,
        cell=None
        if geometry is None or geometry.transform is None
        else (abs(geometry.transform[0]), abs(geometry.transform[4])),
        bands=0 if header is None else len(header.bands),
        outline=() if header is None else _ring(placement, grid),
        unit=placement.layer.unit,
        units=tuple(UNITS[key]),
        unit_given=file is not None and said is not None,
        placing=placement.placing,
        low=float(np.nanmin(values)),
        high=float(np.nanmax(values)),
        holes=placement.layer.holes / values.size,
        preview=_coarse(values, step),
    )


def _ring(placement: GriddedLayer, grid: Grid) -> Ring:
    """Return the edge of a layer's file in the coordinates of the grid."""
    assert placement.header is not None
    geometry = placement.header.geometry
    if geometry.crs is None or grid.crs is None:
        return ()
    ring = np.array(outline(geometry))
    x, y = crs.transformer(geometry.crs, grid.crs).transform(ring[:, 0], ring[:, 1])
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        return ()
    return tuple((float(east), float(north)) for east, north in zip(x, y, strict=True))


def _coarser(grid: Grid, step: int) -> Grid:
    """Return the grid of a preview: cells ``step`` times as large, from the same corner."""
    rows, columns = -(-grid.rows // step), -(-grid.columns // step)
    six = grid.transform
    transform = None if six is None else (six[0] * step, six[1], six[2], six[3], six[4] * step, six[5])
    return Grid(rows, columns, grid.cell_size_m * step, transform, grid.crs)


def _coarse(values: NDArray[np.float32], step: int) -> NDArray[np.float32]:
    """Return every ``step``-th cell, out of the middle of those it stands for where there is one."""
    if step == 1:
        return values
    middle = step // 2
    rows = np.minimum(np.arange(0, values.shape[0], step) + middle, values.shape[0] - 1)
    columns = np.minimum(np.arange(0, values.shape[1], step) + middle, values.shape[1] - 1)
    return np.ascontiguousarray(values[np.ix_(rows, columns)])


def _burning(fire: Fire, step: int) -> tuple[NDArray[np.bool_] | None, NDArray[np.bool_] | None]:
    if fire.observed is not None and len(fire.observed):
        return _any(fire.observed[0], step), _any(fire.observed[-1], step)
    return (None, None) if fire.ignition is None else (_any(fire.ignition, step), _any(fire.ignition, step))


def _any(mask: NDArray[np.bool_], step: int) -> NDArray[np.bool_]:
    """Return whether any of the cells that a preview's cell stands for is set.

    A single cell must not get lost.
    """
    rows, columns = -(-mask.shape[0] // step), -(-mask.shape[1] // step)
    padded = np.zeros((rows * step, columns * step), np.bool_)
    padded[: mask.shape[0], : mask.shape[1]] = mask
    return np.asarray(padded.reshape(rows, step, columns, step).any(axis=(1, 3)))


def _notes(lay: LandscapeLayout) -> tuple[str, ...]:
    place = () if lay.ground.place is None else lay.ground.place.notes
    began = () if lay.began is None else lay.began.notes
    return (*place, *began, *lay.wind.notes, *fire_notes(lay.fire), *layer_notes(lay.ground))
