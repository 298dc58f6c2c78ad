"""Crown fire above a surface fire, which it only makes faster.

Sources: Van Wagner (1977), Canadian Journal of Forest Research 7, for its start and for the spread from crown to crown;
Rothermel (1991), USDA INT-438, for its speed; Scott and Reinhardt (2001), USDA RMRS-RP-29, who join them; Thomas (1963)
for flames. Spotting is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.domain.fuel_models import FuelModel, FuelMoisture, SurfaceConditions, model_named
from firegui.fire.surface_spread import (
    Numbers,
    SurfaceSpread,
    Values,
    flames_by_byram,
    midflame_factor,
    surface_spread,
    wind_and_slope,
    wind_for_speed,
)
from firegui.io.fuel_models_file import standard_fuel_models
from firegui.io.weather.conventions import TO_10_M, Height

CROWN_HEAT = 18_000.0
"""Heat of canopy fuel in kJ/kg (Scott and Reinhardt 2001)."""
CROWN_SPEED = 3.34
"""Speed of an active crown fire over that of a surface fire in fuel model 10 (Rothermel 1991)."""
CROWN_WIND = 0.4 / TO_10_M[Height.FT20]
"""Wind of that surface fire over the wind in the open at 10 m: 0.4 of the wind at 20 ft (Rothermel 1991)."""
LEAST_FLOW = 3.0
"""Bulk density times speed from which fire spreads from crown to crown, in kg/(m² min) (Van Wagner 1977)."""


@dataclass(frozen=True, slots=True, eq=False)
class Canopy:
    """Crowns at every place, each of the shape of the fire.

    ``base_height`` and ``height`` are in m, ``density`` is the bulk density in kg/m³, 0 where there are no crowns. The
    others may be of any value there.
    """

    base_height: Numbers
    height: Numbers
    density: Numbers

    def on(self, box: Any) -> Canopy:
        """Return the crowns on a part of the raster."""
        return Canopy(*(np.asarray(layer)[box] for layer in (self.base_height, self.height, self.density)))


@dataclass(frozen=True, slots=True, eq=False)
class CrownSpread(SurfaceSpread):
    """Fire with the crowns that burn in it. All arrays have the shape of the input.

    ``fraction`` of the crowns burns, from 0 to 1: 0 in a surface fire, 1 in an active crown fire (``is_active``), and
    between them in a passive one. ``crown_heat`` is their heat in kW min/m². ``reaction_intensity`` and ``residence``
    are those of the surface fire.
    """

    fraction: Values
    is_active: NDArray[np.bool_]
    crown_heat: Values

    @property
    def heat(self) -> Values:
        """Heat of a unit of area in kW min/m², surface fuel and crowns together."""
        return self.reaction_intensity * self.residence + self.crown_heat

    @property
    def flame_length(self) -> Values:
        """Flame length of the head in m, from Byram's to Thomas's by the fraction of crowns that burns.

        Byram's (1959) is of surface fires. For an active crown fire Rothermel (1991) uses that of Thomas (1963),
        ``0.0266 I^(2/3)`` with ``I`` in kW/m, because flames above the crowns are longer. No flame is shorter than
        Byram's.
        """
        byram = flames_by_byram(self.intensity)
        longer = np.maximum(0.0266 * self.intensity ** (2.0 / 3.0) - byram, 0.0)
        return byram + self.fraction * longer


def critical_intensity(base_height_m: Numbers, foliar_moisture: Numbers) -> Values:
    """Return the intensity in kW/m from which a surface fire ignites the crowns (Van Wagner 1977).

    ``I = (0.010 CBH (460 + 25.9 FMC))^1.5`` with the foliar moisture ``FMC`` in percent of the dry mass.
    """
    base = np.maximum(np.asarray(base_height_m, np.float64), 0.0)
    return (0.010 * base * (460.0 + 25.9 * np.asarray(foliar_moisture, np.float64))) ** 1.5


def with_crown_fire(
    surface: SurfaceSpread,
    models: tuple[FuelModel, ...],
    index: NDArray[np.int64] | int,
    moisture: Values,
    wind_m_min: Numbers,
    wind_factor: Numbers,
    wind_towards: Numbers,
    slope: Numbers,
    upslope: Numbers,
    canopy: Canopy,
    foliar_moisture: float,
    *,
    limit_wind: bool = True,
    speed_factor: Numbers = 1.0,
) -> CrownSpread:
    """Return a surface fire with the crown fire that it starts, by Scott and Reinhardt (2001).

    Crowns burn where the intensity reaches :func:`critical_intensity`, at the speed ``R_initiation``. Their fraction is
    ``CFB = (R_surface − R_initiation) / (R_SA − R_initiation)``, at most 1. ``R_SA`` is the speed of the surface fire
    in the wind in which the crown fire becomes active, without a limit on that wind. The crown fire is active where
    ``R_crown ≥ 3.0 / CBD`` with ``R_crown = 3.34 R_10``, the surface fire of fuel model 10 in 0.4 of the wind at 20 ft.
    There ``CFB`` is 1. The head is ``R_surface + CFB (R_crown − R_surface)``, and no slower than the surface fire. The
    length-to-width ratio lies between those of the two fires in the same way, but no flank or back is slower than in
    the surface fire. The direction is the surface fire's. The crowns that burn add the heat ``CFB CBD (CH − CBH)``
    times :data:`CROWN_HEAT`.

    ``surface`` and ``index`` to ``upslope`` are result and input of
    :func:`~firegui.fire.surface_spread.surface_spread`, but for ``wind_m_min``, which is that in the open at 10 m, and
    ``wind_factor``, the wind at the height of the flames over it. ``foliar_moisture`` is in percent. The speed of
    ``surface`` has been multiplied by ``speed_factor``, as that of a surface fire in another wind is here.
    """
    shape = surface.head.shape
    density, critical = np.asarray(canopy.density), critical_intensity(canopy.base_height, foliar_moisture)
    burns = np.broadcast_to((density > 0.0) & (surface.head > 0.0) & (surface.intensity >= critical), shape)

    def there(values: Numbers) -> Values:
        return np.broadcast_to(np.asarray(values, np.float64), shape)[burns]

    wet = moisture if moisture.ndim == 1 else np.broadcast_to(moisture, (*shape, moisture.shape[-1]))[burns]
    place = np.broadcast_to(np.asarray(index, np.int64), shape)[burns]
    ground = there(wind_towards), there(slope), there(upslope)
    head, ratio, wind = there(surface.head), there(surface.length_to_width), there(wind_m_min)
    active_speed = LEAST_FLOW / there(density)
    crown = active_crown_fire(wet, wind, *ground, limit_wind=limit_wind)
    speed, is_active = crown.head, crown.head >= active_speed
    active_wind = wind_for_speed(_crown_model(), wet, active_speed / CROWN_SPEED, *ground) / CROWN_WIND
    # Fuel model 10 burns in no wind where it is too moist. Then no crown burns.
    active_wind = np.where(np.isfinite(active_wind), active_wind, 0.0)
    full = surface_spread(models, place, wet, there(wind_factor) * active_wind, *ground, limit_wind=False).head
    full = full * there(speed_factor)
    start = there(critical) / there(surface.heat)
    span = full - start
    part = np.clip((head - start) / np.where(span > 0.0, span, 1.0), 0.0, 1.0)
    part = np.where(speed > 0.0, np.where(is_active | (span <= 0.0), 1.0, part), 0.0)
    faster = np.maximum(head, head + part * (speed - head))
    behind = there(surface.back) / faster
    longest = (1.0 + behind) / (2.0 * np.sqrt(behind))  # with the back of the surface fire
    longer = np.minimum(ratio + part * (crown.length_to_width - ratio), longest)
    depth = np.maximum(there(canopy.height) - np.maximum(there(canopy.base_height), 0.0), 0.0)

    def everywhere(values: Values, otherwise: Numbers) -> Values:
        made = np.array(np.broadcast_to(otherwise, shape), np.float64)
        made[burns] = values
        return made

    return CrownSpread(
        head=everywhere(faster, surface.head),
        direction=surface.direction,
        length_to_width=everywhere(longer, surface.length_to_width),
        reaction_intensity=surface.reaction_intensity,
        residence=surface.residence,
        fraction=everywhere(part, 0.0),
        is_active=everywhere(is_active.astype(np.float64), 0.0) > 0.0,
        crown_heat=everywhere(part * there(density) * depth * CROWN_HEAT / 60.0, 0.0),
    )


def crown_fire(
    surface: SurfaceSpread, model: FuelModel, moisture: FuelMoisture, conditions: SurfaceConditions,
    foliar_moisture: float, *, limit_wind: bool = True,
) -> CrownSpread:  # fmt: skip
    """Return the surface fire at one place with its crown fire, as arrays without axes.

    ``conditions`` need the wind in the open.
    """
    cover, height = conditions.canopy_cover / 100.0, conditions.canopy_height
    return with_crown_fire(
        surface, (model,), 0, np.array(moisture.values) / 100.0, conditions.wind * 60.0,
        midflame_factor(model.depth_ft, cover, height), *wind_and_slope(conditions),
        Canopy(conditions.canopy_base_height, height, conditions.canopy_density), foliar_moisture,
        limit_wind=limit_wind,
    )  # fmt: skip


def active_crown_fire(
    moisture: Values, wind_m_min: Numbers, wind_towards: Numbers, slope: Numbers, upslope: Numbers, *,
    limit_wind: bool = True,
) -> SurfaceSpread:  # fmt: skip
    """Return the surface fire of fuel model 10 with the speed of an active crown fire, 3.34 times its own.

    ``wind_m_min`` is that in the open at 10 m; the rest is as in :func:`~firegui.fire.surface_spread.surface_spread`.
    """
    wind = CROWN_WIND * np.asarray(wind_m_min, np.float64)
    fire = surface_spread([_crown_model()], 0, moisture, wind, wind_towards, slope, upslope, limit_wind=limit_wind)
    return replace(fire, head=CROWN_SPEED * fire.head)


def _crown_model() -> FuelModel:
    found = model_named(standard_fuel_models(), "10")
    assert found is not None
    return found
