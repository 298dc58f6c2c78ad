"""``landscape.toml``: what the files of an exported event are, so that they are read back without a guess.

::

    format = 1
    name = "…"; start = …; utc_offset_h = −7.0; days = 15
    [layers] elevation = "elevation.tif" …            in the units of the layers
    [wind] speed, direction = files                   a band a day, m/s at 10 m, degrees clockwise from the grid's
                                                      north, where it blows from
    [fire] perimeters = file, ignition = file         a band a date, cumulative; a mask
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path, PurePosixPath

from firegui.domain.scenario import LAYERS
from firegui.errors import Problems
from firegui.io import strict
from firegui.io.importers.landscape_source import LandscapeSource, LayerBand
from firegui.io.importers.layer_values import UNITS
from firegui.io.vectors.perimeters import PerimeterGrowth, PerimeterSource
from firegui.io.weather.conventions import Components, Height, North, Sense, SpeedUnit, TimeBasis, WindConventions
from firegui.io.weather.wind import WindSource

FILE = "landscape.toml"
FORMAT = 1

WIND_TRAITS = WindConventions(
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
    """The source that the file at ``path`` describes. Raises :class:`~firegui.errors.InputError`."""
    problems, title = Problems(), f"{path} cannot be used"
    raw = strict.read_toml(path, problems)
    problems.raise_if_any(title)
    assert raw is not None
    number = raw.pop("format", None)
    if number != FORMAT:
        problems.add(path.name, f"format is {number!r}, this firegui reads {FORMAT}", "export it again")
    text = strict.read_dataclass(LandscapeText, strict.Table(raw, path.name, problems), lenient=True)
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
        wind=WindSource(files=files, traits=WIND_TRAITS, first=text.start, step_h=24.0),
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
