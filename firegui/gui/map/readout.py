"""Texts about the shown map: caption, hover line and rows of the probe."""

from __future__ import annotations

import math

import numpy as np

from firegui.domain.calendar import DATE_UNKNOWN, to_the_minute
from firegui.domain.fuel import fuel_name
from firegui.domain.model_range import outside_training
from firegui.domain.observation import OBSERVED
from firegui.domain.project import changes_text
from firegui.domain.region_geometry import region_at
from firegui.domain.results import Frames
from firegui.domain.scenario import LAYERS
from firegui.domain.units import percent_text
from firegui.fire.model_caveats import unused_layers
from firegui.gui.map.decorations import Caption
from firegui.gui.map.layers.layer_stack import LayerStack
from firegui.gui.map.map_content import CellLocation, MapState
from firegui.gui.session.session import FireView, ShownResult
from firegui.io.coordinates import CoordinateFormat, format_place
from firegui.runs.titles import compared_titles

SEPARATOR = "  ·  "


def wind_origin(psi: float) -> int:
    """Return the origin of a wind in degrees clockwise from north.

    ``psi`` is its direction in radians counter-clockwise from east.
    """
    return round(270.0 - math.degrees(psi)) % 360


def hover_text(shown: MapState, place: CellLocation, row: float, column: float, form: CoordinateFormat) -> str:
    """Return one line with the position of the mouse, written as ``form``, and the values there.

    Empty outside the grid. The position comes first and the cell last: a narrow line is cut at its end.
    """
    cell = cell_at(shown, row, column)
    if cell is None:
        return ""
    lonlat = place.lonlat(row, column)
    number = f"row {cell[0]} col {cell[1]}"
    parts = [number if lonlat is None else format_place(*lonlat, form)]
    parts += [f"{name} {value}" for name, value in _fire(shown, cell, short=True)]
    canopy = _layer(shown, "canopy_cover", cell)
    parts += [f"canopy {canopy}"] if canopy else []
    wind = wind_text(shown, cell)
    parts += [f"wind {wind}"] if wind else []
    return SEPARATOR.join(parts if lonlat is None else [*parts, number])


def cell_at(shown: MapState, row: float, column: float) -> tuple[int, int] | None:
    """Return the cell that contains a point in corner coordinates."""
    rows, columns = shown.scenario.grid.shape
    i, j = math.floor(row), math.floor(column)
    return (i, j) if 0 <= i < rows and 0 <= j < columns else None


def wind_text(shown: MapState, cell: tuple[int, int]) -> str:
    """Return speed and origin of the wind of the shown day or period; empty without wind."""
    if not shown.scenario.days:
        return ""
    v, psi = shown.project.model_weather.wind_at(shown.weather_period, *cell)
    return f"{shown.units.wind(v)} from {wind_origin(psi):03d}°" if math.isfinite(v) and math.isfinite(psi) else ""


_GROUND = (
    ("Elevation", ("elevation",)), ("Slope, aspect", ("slope", "aspect")), ("Fuel model", ("fuel",)),
    ("Canopy", ("canopy_cover", "canopy_height", "canopy_base_height", "canopy_density")),
)  # fmt: skip
"""Rows of the card of a cell, each with its landscape layers: one row a layer would cover much of the map."""


def probe_rows(shown: MapState, place: CellLocation, cell: tuple[int, int]) -> list[tuple[str, str]]:
    """Return all values of a cell as name and value."""
    scenario = shown.scenario
    rows = [("", text) for text in place.texts(cell[0] + 0.5, cell[1] + 0.5)]
    rows += _areas(shown, cell)
    rows += _fire(shown, cell, short=False)
    observed = scenario.observed_on(shown.observed_day)
    if observed is not None:
        carried = " (filled forward)" if shown.perimeter_is_carried else ""
        rows.append(("Observed", ("inside the perimeter" if observed[cell] else "outside the perimeter") + carried))
    wind = wind_text(shown, cell)
    rows += [("Wind", wind)] if wind else []
    rows += _behaviour(shown, cell)
    for name, keys in _GROUND:
        if values := [value for key in keys if (value := _layer(shown, key, cell))]:
            rows.append((name, " · ".join(values)))
    if unused := [LAYERS[key][0].lower() for key in unused_layers(shown.project) if _layer(shown, key, cell)]:
        rows.append(("Not used by the model", ", ".join(unused)))
    return rows


def _areas(shown: MapState, cell: tuple[int, int]) -> list[tuple[str, str]]:
    """Return the names of the regions and no-drop zones that the centre of the cell lies in."""
    project, row, column = shown.project, cell[0] + 0.5, cell[1] + 0.5
    outside = project.unprotected_regions
    rows = [
        ("Region", f"{each.name} (not in the goal)") if each.name in outside else ("Protected region", each.name)
        for each in project.regions
        if region_at((each,), row, column) is not None
    ]
    zones = (each for each in project.operations.no_drop_zones if region_at((each,), row, column) is not None)
    return rows + [("No-drop zone", zone.name) for zone in zones]


def _behaviour(shown: MapState, cell: tuple[int, int]) -> list[tuple[str, str]]:
    """Return the fire of the shown period, if a layer of the map had it computed."""
    known = None if shown.behaviour is None else shown.behaviour.known(shown.project, shown.weather_period)
    if known is None or not np.isfinite(known.spread_rate[cell]):
        return []
    units, crowns = shown.units, known.crown_fraction
    return [
        ("Rate of spread", units.spread_rate(float(known.spread_rate[cell]))),
        ("Flame length", units.flame_length(float(known.flame_length[cell]))),
        ("Fireline intensity", units.fireline_intensity(float(known.intensity[cell]))),
        *([] if crowns is None else [("Crowns that burn", percent_text(float(crowns[cell])))]),
    ]


def _fire(shown: MapState, cell: tuple[int, int], *, short: bool) -> list[tuple[str, str]]:
    plan, baseline, mean = shown.result.plan, shown.result.baseline, "mean " if shown.result.mean_of else ""
    first, second = shown.result.names
    if short:
        if shown.view is FireView.DIFFERENCE:
            without, with_drops = _value(shown, baseline, "fire", cell), _value(shown, plan, "fire", cell)
            if without is None or with_drops is None:
                return []
            if shown.result.against:
                return [(f"{second} − {first}", f"{with_drops - without:+.2f}")]
            return [(f"{mean}{first} − {second}", f"{without - with_drops:+.2f}")]
        value = _value(shown, shown.frames, "fire", cell)
        return [(f"{mean}chance burned so far", f"{value:.2f}")] if value is not None else []
    wanted = (
        (f"Chance burned so far, {first}", baseline, "fire"), (f"Chance burned so far, {second}", plan, "fire"),
        (f"Chance burning now, {first}", baseline, "burning"), (f"Chance burning now, {second}", plan, "burning"),
        ("Fuel that can still burn", plan, "retardant"),
    )  # fmt: skip
    values = ((name, _value(shown, frames, what, cell)) for name, frames, what in wanted)
    return [(mean.capitalize() + name, f"{value:.2f}") for name, value in values if value is not None]


def _value(shown: MapState, frames: Frames | None, what: str, cell: tuple[int, int]) -> float | None:
    frame = shown.frame(frames, what)
    return None if frame is None else float(frame[cell]) / 255.0


def _layer(shown: MapState, key: str, cell: tuple[int, int]) -> str:
    """Return a landscape value with its unit; empty without one."""
    scenario = shown.scenario
    if key not in scenario.layers:
        return ""
    value = float(scenario.layers[key][cell])
    if not np.isfinite(value):
        return ""
    unit = LAYERS[key][1]
    if key == "aspect":
        return "flat" if value < 0 else f"{value:.0f}°"
    if key == "fuel":
        return fuel_name(value, shown.project.fire_model.fuels)
    digits = {"canopy_base_height": 1, "canopy_density": 3}.get(key, 0)
    return f"{value:.{digits}f} {unit}"


TITLES = {FireView.BASELINE: "No drops", FireView.PLAN: "Plan", FireView.DIFFERENCE: "Saved"}

NO_RESULT = "No result yet"
"""Title of a map without a fire."""
NO_FURTHER = "No further drops"
"""Title of the baseline of a plan that was replanned in an observed fire."""


def caption_of(shown: MapState | None, layers: LayerStack) -> Caption:
    """Return the texts of the decorations for the shown step."""
    if shown is None:
        return Caption()
    when, calendar = to_the_minute(shown.time), shown.project.calendar
    day, began = calendar.day_name(shown.drawn_step), calendar.began_text(shown.drawn_step)
    day = f"{day} ({began})" if began else day
    clock = f"{when.day} {when:%b %Y %H:%M} {calendar.zone_name}"
    if not calendar.is_dated:
        clock = f"{calendar.clock_text(when)} · {DATE_UNKNOWN}"
    what = f"{TITLES[shown.view]}, mean" if shown.result.mean_of else _fire_name(shown)
    fire = layers["difference" if shown.view is FireView.DIFFERENCE else "occupancy"]
    is_unnamed = shown.result.is_sample and not shown.result.plan_name
    notes = [f"{shown.result.title} of an ensemble"] if is_unnamed else []
    if shown.result.fire:
        notes.append(f"{shown.result.fire} fire")
    waits = bool(fire.missing()) and shown.view is not FireView.DIFFERENCE and not shown.result.mean_of
    coming = f"Computing {shown.result.next_title}…" if shown.result.next_title else ""
    awaited = shown.awaited if waits else coming
    if waits:
        # There is no fire that the title could name.
        what = awaited.partition("\n")[0] or NO_RESULT
    title = f"{what} · {day} · {clock}"
    if fire.missing():
        notes += [] if waits else [fire.missing()]
    elif shown.result.pending:
        notes.append("the fire is that before the change: computing the new one")
    elif shown.result.stale and not shown.result.against:
        # Of two plans that are compared, each card says what its plan lacks.
        ran = None if shown.result.plan is None or shown.result.is_sample else shown.result.project
        bare = shown.view is FireView.BASELINE and shown.result.fire != OBSERVED
        since = ["inputs edited since this result"]
        notes += (
            since if ran is None else changes_text(ran, shown.project, without_drops=bare, unreached=shown.unreached)
        )
    outside = None if fire.missing() else outside_training(shown.result.project or shown.project, shown.units)
    caution, reasons = ("", ()) if outside is None else (f"⚠ {outside.chip}", outside.reasons)
    if layers["observed"].visible and shown.perimeter_is_carried:
        notes.append("observed perimeter filled forward")
    scale = fire.legend.scale if fire.visible and not fire.missing() else None
    cell_m = shown.scenario.grid.cell_size_m
    return Caption(title, " · ".join(notes), "", scale, cell_m, shown.units, awaited, caution, reasons)


def _plan_name(result: ShownResult) -> str:
    """Return the name of the shown plan, which tells whether it was edited; empty for none."""
    return result.plan_name or (result.title if result.folder is not None else "")


def _fire_name(shown: MapState) -> str:
    result = shown.result
    match shown.view:
        case FireView.BASELINE if result.against:
            return compared_titles(*result.names)[0]
        case FireView.BASELINE:
            return NO_FURTHER if result.fire == OBSERVED else TITLES[FireView.BASELINE]
        case FireView.PLAN:
            return compared_titles(*result.names)[1] if result.against else _plan_name(result) or TITLES[FireView.PLAN]
        case FireView.DIFFERENCE if result.against:
            # Two long names do not fit over a map.
            return " − ".join(reversed(result.short_names))
        case FireView.DIFFERENCE:
            name = _plan_name(result)
            return f"Saved by {name}" if name else TITLES[FireView.DIFFERENCE]
