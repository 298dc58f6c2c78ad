"""What a landscape event is made from.

Which file is which layer, on which grid, with what wind and what fire.

``landscape.toml`` says it for the files of an exported event, so that they are read back without a guess::

    format = 1
    name = "…"; start = …; utc_offset_h = −7.0; days = 15
    [layers] elevation = "elevation.tif" …            in the units of the layers
    [wind] speed, direction = files                   a band a day, m/s at 10 m, degrees clockwise from the grid's
                                                      north, where it blows from
    [fire] perimeters = file, ignition = file         a band a date, cumulative; a mask
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any

from firegui.domain.fuel_models import FuelModel
from firegui.domain.scenario import LAYERS
from firegui.errors import Problems
from firegui.io import toml
from firegui.io.importers.layer_values import UNITS
from firegui.io.vectors.perimeters import PerimeterGrowth, PerimeterSource
from firegui.io.weather.conventions import Components, Height, North, Sense, SpeedUnit, TimeBasis, WindConventions
from firegui.io.weather.wind import WindSource


@dataclass(frozen=True, slots=True)
class LayerBand:
    """One band of a raster file, counted from 1; ``None`` where the file holds that layer alone.

    ``unit`` is a name in :data:`~firegui.io.importers.layer_values.UNITS` of the layer, such as ``"ft"`` of an
    elevation; ``None`` leaves it to be told from the numbers.
    """

    path: Path
    band: int | None = None
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class TargetGrid:
    """What is asked of the event's grid; ``None`` leaves it to be proposed from the layers.

    ``bounds`` are west, south, east, north in the coordinates of ``crs``, else of the proposed CRS; cells are square,
    so the east and the south edge move outward by less than a cell where the bounds are no whole number of them.
    """

    crs: str | None = None
    cell_size_m: float | None = None
    bounds: tuple[float, float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class LandscapeSource:
    """Everything that an event is made from.

    ``layers`` maps keys of :data:`~firegui.domain.scenario.LAYERS` to bands of raster files; ``lcp`` is a landscape
    file (binary ``.lcp`` or a GeoTIFF of several bands) whose bands give the layers that ``layers`` does not.
    ``lcp_bands`` names its bands in order (keys of the layers, ``"duff"``, ``"woody"``, or ``"-"`` for one to leave
    out); ``None`` has them guessed and said. ``lcp_units`` are the units of its bands by
    layer. ``derive`` has slope and aspect made from elevation where they are missing. What burns is ``perimeters``
    (dated, or a mask of where it starts), or the point ``ignition`` (longitude, latitude); a mask given there may come
    with perimeters. ``days`` is the length of the weather, ``start`` the time of day 0 (UTC unless it says otherwise).
    ``fuels`` are custom fuel models, whose codes the fuel layer may hold. ``notes`` go before those of the import, such
    as which files of a folder were taken for what.
    """

    layers: Mapping[str, LayerBand] = field(default_factory=dict)
    lcp: Path | None = None
    lcp_bands: tuple[str, ...] | None = None
    lcp_units: Mapping[str, str] = field(default_factory=dict)
    derive: bool = True
    target: TargetGrid = field(default_factory=TargetGrid)
    wind: WindSource = field(default_factory=WindSource)
    perimeters: PerimeterSource | None = None
    ignition: tuple[float, float] | Path | None = None
    days: int | None = None
    start: datetime | None = None
    utc_offset_h: float | None = None
    name: str | None = None
    fuels: tuple[FuelModel, ...] = ()
    notes: tuple[str, ...] = ()

    def replaced_by(self, found: LandscapeSource) -> LandscapeSource:
        """Return ``found`` with the entries of this source that are not files, where ``found`` has none."""
        keeps_wind = not found.wind.is_given and not self.wind.files
        return replace(
            found,
            wind=self.wind if keeps_wind else found.wind,
            ignition=found.ignition or (self.ignition if found.perimeters is None else None),
            name=found.name or self.name,
            fuels=found.fuels or self.fuels,
            **self._times(found),
        )

    def joined_with(self, found: LandscapeSource) -> LandscapeSource:
        """Return this source with the files of ``found``, which replace those of the same kind."""
        fire = found.perimeters is not None or found.ignition is not None
        source = replace(
            self,
            layers={**self.layers, **found.layers},
            wind=found.wind if found.wind.is_given else self.wind,
            perimeters=found.perimeters if fire else self.perimeters,
            ignition=found.ignition if fire else self.ignition,
            **self._times(found),
        )
        if found.lcp is None or found.lcp == self.lcp:
            return source
        return replace(source, lcp=found.lcp, lcp_bands=found.lcp_bands, lcp_units=found.lcp_units)

    def _times(self, found: LandscapeSource) -> dict[str, Any]:
        return {
            "days": found.days if found.days is not None else self.days,
            "start": found.start or self.start,
            "utc_offset_h": found.utc_offset_h if found.utc_offset_h is not None else self.utc_offset_h,
        }


LANDSCAPE_FILE = "landscape.toml"
LANDSCAPE_FORMAT = 1

WIND_CONVENTIONS = WindConventions(
    Components.SPEED_DIRECTION, SpeedUnit.MS, Height.M10, Sense.FROM, North.GRID, TimeBasis.UTC
)  # fmt: skip

OWN_UNITS = {key: next(iter(units)) for key, units in UNITS.items() if key != "fuel"}
"""The unit of a layer in an event, the first of those it may come in; a fuel layer may hold codes of both sets."""


@dataclass(frozen=True, slots=True)
class LandscapeText:
    """What the file says."""

    name: str
    start: datetime
    utc_offset_h: float
    days: int
    layers: dict[str, str]
    wind: dict[str, str]
    fire: dict[str, str] = field(default_factory=dict)


def read_landscape_toml(path: Path) -> LandscapeSource:
    """Return the source that the file at ``path`` describes. Raises :class:`~firegui.errors.InputError`."""
    problems, title = Problems(), f"{path} cannot be used"
    raw = toml.read_toml(path, problems)
    problems.raise_if_any(title)
    assert raw is not None
    number = raw.pop("format", None)
    if number != LANDSCAPE_FORMAT:
        problems.add(path.name, f"format is {number!r}, this firegui reads {LANDSCAPE_FORMAT}", "export it again")
    text = toml.read_dataclass(LandscapeText, toml.Table(raw, path.name, problems), lenient=True)
    if text is not None:
        _check(text, path.name, problems)
    problems.raise_if_any(title)
    assert text is not None
    folder = path.parent
    layers = {key: LayerBand(folder / file, unit=OWN_UNITS.get(key)) for key, file in text.layers.items()}
    files = tuple(folder / text.wind[part] for part in ("speed", "direction") if part in text.wind)
    seen, start = text.fire.get("perimeters"), text.fire.get("ignition")
    return LandscapeSource(
        layers=layers,
        derive=False,
        wind=WindSource(files=files, conventions=WIND_CONVENTIONS, first=text.start, step_h=24.0),
        perimeters=None if seen is None else PerimeterSource(folder / seen, growth=PerimeterGrowth.CUMULATIVE),
        ignition=None if start is None else folder / start,
        days=text.days,
        start=text.start,
        utc_offset_h=text.utc_offset_h,
        name=text.name,
    )


def _check(text: LandscapeText, where: str, problems: Problems) -> None:
    for key in sorted(set(text.layers) - set(LAYERS)):
        problems.add(where, f"there is no layer {key!r}", f"use {', '.join(LAYERS)}")
    for table, known in ((text.wind, ("speed", "direction")), (text.fire, ("perimeters", "ignition"))):
        for key in sorted(set(table) - set(known)):
            problems.add(where, f"{key} is not known here", f"use {', '.join(known)}")
    for file in (*text.layers.values(), *text.wind.values(), *text.fire.values()):
        name = PurePosixPath(file)
        if name.is_absolute() or ".." in name.parts or "\\" in file or ":" in file:
            problems.add(where, f"{file} lies outside the folder", "name files beside this one")
