"""Speed and shape of a surface fire by Rothermel's model.

Sources: Rothermel (1972), USDA INT-115; Albini (1976), USDA INT-30; Scott and Burgan (2005), USDA RMRS-GTR-153, for
curing; Andrews (2018), USDA RMRS-GTR-371, which lists the equations; Anderson (1983), USDA INT-305, and Finney (1998),
USDA RMRS-RP-4, for the ellipse; Byram (1959) for intensity and flame length; Andrews (2012), USDA RMRS-GTR-266, for the
wind at the height of the flames.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from firegui.domain.fuel_models import FuelModel, FuelMoisture, SurfaceConditions
from firegui.domain.units import BTU_FT_S_KW_M, FOOT_M
from firegui.io.weather.conventions import TO_10_M, Height

Values = NDArray[np.float64]
Numbers = NDArray[np.floating] | float

CROWN_RATIO = 0.5
"""Share of a tree's height that has branches, assumed where nothing says it: no layer holds it."""
SHELTERED_FILL = 0.05
"""Share of the volume under the canopy's top that crowns fill, from which the wind below is the canopy's."""
MOST_LENGTH_TO_WIDTH = 8.0
"""Limit of the length-to-width ratio, which grows exponentially with the wind beyond all observations."""

_LB_FT2 = 2000.0 / 43_560.0  # of a US ton per acre
_PARTICLE_DENSITY, _TOTAL_MINERAL, _EFFECTIVE_MINERAL = 32.0, 0.0555, 0.010  # lb/ft³ and shares, of all models
_DEAD, _CURED, _HERB, _WOODY = slice(0, 4), 3, 4, 5
"""Places on the last axis: dead 1-h, 10-h and 100-h fuel, cured herbaceous, live herbaceous and woody fuel."""
_SIZES = np.array([1200.0, 192.0, 96.0, 48.0, 16.0])  # 1/ft, limits of the size classes of Albini (1976)
_KW_M2 = BTU_FT_S_KW_M / (60.0 * FOOT_M)  # of a Btu/(ft² min)


@dataclass(frozen=True, slots=True, eq=False)
class SurfaceSpread:
    """Elliptical surface fire at every place. All arrays have the shape of the input.

    ``head``, ``flank`` and ``back`` are rates of spread in m/min, ``direction`` that of the head in radians, counter-
    clockwise from east. ``length_to_width`` is the ellipse's. ``reaction_intensity`` is in kW/m². ``residence`` is the
    time that the front takes to pass a point, in minutes.
    """

    head: Values
    direction: Values
    length_to_width: Values
    reaction_intensity: Values
    residence: Values

    @property
    def heat(self) -> Values:
        """Heat of a unit of area in kW min/m²: ``I_R t``."""
        return self.reaction_intensity * self.residence

    @property
    def intensity(self) -> Values:
        """Fireline intensity of the head in kW/m: ``I_R t R``."""
        return self.heat * self.head

    @property
    def flame_length(self) -> Values:
        """Flame length of the head in m (:func:`flames_by_byram`)."""
        return flames_by_byram(self.intensity)

    @property
    def eccentricity(self) -> Values:
        """Eccentricity of the ellipse, 0 for a circle: ``e = sqrt(LW² − 1) / LW``."""
        ratio: Values = self.length_to_width
        return np.sqrt(ratio**2 - 1.0) / ratio

    @property
    def back(self) -> Values:
        """Rate of spread against the head: ``R (1 − e) / (1 + e)``."""
        return self.head * (1.0 - self.eccentricity) / (1.0 + self.eccentricity)

    @property
    def flank(self) -> Values:
        """Rate of spread of the ellipse's half width: ``(R + R_back) / (2 LW)``."""
        return (self.head + self.back) / (2.0 * self.length_to_width)


def surface_spread(
    models: Sequence[FuelModel],
    index: NDArray[np.int64] | Sequence[int] | int,
    moisture: Values,
    wind_m_min: Numbers,
    wind_towards: Numbers,
    slope: Numbers,
    upslope: Numbers,
    *,
    limit_wind: bool = True,
) -> SurfaceSpread:
    """Return the surface fire of fuel models, moisture, midflame wind and slope, by Rothermel (1972).

    ``R = I_R ξ (1 + |φ|) / Σ ρ_b ε Q_ig`` with the vector sum ``φ`` of the factors of wind and slope.

    ``index [...]`` is the place of every cell's fuel in ``models``; ``moisture [..., 5]`` are shares of the dry mass in
    the order of :data:`~firegui.domain.fuel_models.KINDS`. ``wind_m_min [...]`` blows at the height of the flames, in
    m/min; ``slope [...]`` is rise over run. Their directions ``wind_towards [...]`` and ``upslope [...]`` are in
    radians, counter-clockwise from east. The wind is level and follows the ground, on which it is longer:
    ``U sqrt(1 + (tan φ cos α)²)`` at the angle ``α`` to the slope. Rates of spread are along the ground as well.

    ``limit_wind`` limits wind and effective wind to 0.9 of the reaction intensity (Rothermel 1972), which Andrews,
    Cruz and Rothermel (2013) find too low for light fuels. Ellipse and length-to-width follow from the effective wind,
    which alone would speed the fire up as much as wind and slope together do.
    """
    bed = _beds(models, np.asarray(index, np.int64), np.asarray(moisture, np.float64))
    steep, uphill = np.asarray(slope, np.float64), np.asarray(upslope, np.float64)
    angle, level = np.asarray(wind_towards, np.float64) - uphill, np.asarray(wind_m_min, np.float64) / FOOT_M
    longer = np.sqrt(1.0 + steep**2)
    # Along the ground: up the slope, and to the left of that.
    up, across = level * np.cos(angle) * longer, level * np.sin(angle)
    wind = np.hypot(up, across)
    most = bed.most_wind if limit_wind else np.inf
    by_wind = bed.wind_scale * np.minimum(wind, most) ** bed.wind_power
    toward = np.arctan2(across, up)
    up = by_wind * np.cos(toward) + _slope_factor(bed, steep)
    across = by_wind * np.sin(toward)
    factor = np.hypot(up, across)
    effective = (factor / bed.wind_scale) ** (1.0 / bed.wind_power)
    if limit_wind:
        # The factor of the strongest wind belongs to the bed: a power less for every place.
        effective, factor = np.minimum(effective, bed.most_wind), np.minimum(factor, bed.most_factor)
    head = bed.still_speed * (1.0 + factor)
    return SurfaceSpread(
        head=head * FOOT_M,
        direction=uphill + np.arctan2(across, up / longer),
        length_to_width=length_to_width(effective * FOOT_M),
        reaction_intensity=bed.reaction_intensity * _KW_M2,
        residence=384.0 / bed.sav,
    )


def wind_for_speed(
    model: FuelModel, moisture: Values, speed: Numbers, wind_towards: Numbers, slope: Numbers, upslope: Numbers
) -> Values:
    """Return the midflame wind in m/min in which the head of a surface fire has ``speed`` m/min.

    It is the inverse of :func:`surface_spread` for one fuel model without the limit on the wind: 0 where the fire is
    as fast in no wind, and infinite where it does not burn. Of two winds against a slope it is the stronger one.
    """
    bed = _FuelBed.of([model], np.zeros(np.shape(speed), np.int64), np.asarray(moisture, np.float64))
    steep = np.asarray(slope, np.float64)
    angle = np.asarray(wind_towards, np.float64) - np.asarray(upslope, np.float64)
    up, across = np.cos(angle) * np.sqrt(1.0 + steep**2), np.sin(angle)
    toward = np.arctan2(across, up)
    with np.errstate(divide="ignore"):
        factor = np.maximum(np.asarray(speed, np.float64) / FOOT_M / bed.still_speed - 1.0, 0.0)
    rise = _slope_factor(bed, steep)
    by_wind = np.sqrt(np.maximum(factor**2 - (rise * np.sin(toward)) ** 2, 0.0)) - rise * np.cos(toward)
    wind: Values = (np.maximum(by_wind, 0.0) / bed.wind_scale) ** (1.0 / bed.wind_power) / np.hypot(up, across)
    return wind * FOOT_M


def flames_by_byram(intensity_kw_m: Values) -> Values:
    """Return the flame length in m: ``0.45 I^0.46`` ft with ``I`` in Btu/(ft s) (Byram 1959)."""
    length: Values = 0.45 * (intensity_kw_m / BTU_FT_S_KW_M) ** 0.46 * FOOT_M
    return length


def surface_fire(
    model: FuelModel, moisture: FuelMoisture, conditions: SurfaceConditions, *, limit_wind: bool = True
) -> SurfaceSpread:
    """Return the surface fire at one place, as arrays without axes.

    The wind at the height of the flames is :func:`midflame_factor` of that in the open.
    """
    wind = wind_at_flames(model, conditions) * 60.0
    wet, ground = np.array(moisture.values) / 100.0, wind_and_slope(conditions)
    return surface_spread([model], 0, wet, wind, *ground, limit_wind=limit_wind)


def wind_and_slope(conditions: SurfaceConditions) -> tuple[float, float, float]:
    """Return direction of the wind, slope and upslope at one place, as :func:`surface_spread` takes them."""
    towards, upslope = (math.radians(270.0 - angle) for angle in (conditions.wind_from, conditions.aspect))
    return towards, math.tan(math.radians(conditions.slope)), upslope


def wind_at_flames(model: FuelModel, conditions: SurfaceConditions) -> float:
    """Return the wind at the height of the flames at one place, in m/s."""
    if conditions.flame_wind is not None:
        return conditions.flame_wind
    cover = conditions.canopy_cover / 100.0
    return conditions.wind * float(midflame_factor(model.depth_ft, cover, conditions.canopy_height))


def length_to_width(wind_m_min: Numbers) -> Values:
    """Return the length-to-width ratio of a fire by its effective midflame wind in m/min.

    ``LW = 0.936 exp(0.2566 U) + 0.461 exp(−0.1548 U) − 0.397`` with ``U`` in m/s (Finney 1998, after Anderson 1983),
    limited to :data:`MOST_LENGTH_TO_WIDTH`.
    """
    speed = np.asarray(wind_m_min, np.float64) / 60.0
    ratio = 0.936 * np.exp(np.minimum(0.2566 * speed, 10.0)) + 0.461 * np.exp(-0.1548 * speed) - 0.397
    return np.clip(ratio, 1.0, MOST_LENGTH_TO_WIDTH)


def midflame_factor(depth_ft: Numbers, canopy_cover: Numbers, canopy_height_m: Numbers) -> Values:
    """Return the wind at the height of the flames over that in the open at 10 m (Andrews 2012).

    Without shelter ``1.83 / ln((20 + 0.36 H) / 0.13 H)`` of the wind 20 ft above a fuel bed of depth ``H`` in ft. Where
    crowns fill more than 5 % of the space below the canopy's top it is ``0.555 / (sqrt(f H) ln(…))`` with the canopy's
    height ``H``, the share filled ``f`` being a third of cover times crown ratio, for which 0.5 is assumed.
    ``canopy_cover`` is a share.
    """
    depth, height = np.asarray(depth_ft, np.float64), np.asarray(canopy_height_m, np.float64) / FOOT_M
    fill = np.asarray(canopy_cover, np.float64) * CROWN_RATIO / 3.0
    tall = np.maximum(height, 1.0)
    sheltered = 0.555 / (np.sqrt(np.maximum(fill, SHELTERED_FILL) * tall) * _logarithm(tall))
    # No wind below a low, thin canopy is stronger than without one.
    is_sheltered = (fill > SHELTERED_FILL) & (height > depth)
    in_open = 1.83 / _logarithm(depth)
    return np.where(is_sheltered, np.minimum(sheltered, in_open), in_open) / TO_10_M[Height.FT20]


def _logarithm(height_ft: Values) -> Values:
    return np.log((20.0 + 0.36 * height_ft) / (0.13 * height_ft))


@dataclass(frozen=True, slots=True, eq=False)
class _FuelBed:
    """What a fuel bed of some moisture gives, in the units of the equations (ft, min, Btu, lb).

    ``most_wind`` is the limit of wind and effective wind, and ``most_factor`` the wind factor at it.
    """

    sav: Values
    packing: Values
    reaction_intensity: Values
    still_speed: Values
    wind_scale: Values
    wind_power: Values
    most_wind: Values
    most_factor: Values

    @staticmethod
    def of(models: Sequence[FuelModel], index: NDArray[np.int64], moisture: Values) -> _FuelBed:
        shape = np.broadcast_shapes(index.shape, moisture.shape[:-1])
        index, moisture = np.broadcast_to(index, shape), np.broadcast_to(moisture, (*shape, moisture.shape[-1]))
        loads, savs, wet = _particles(models, index, moisture)
        depth = np.array([model.depth_ft for model in models])[index]
        dead_extinction = np.array([model.extinction for model in models])[index]
        heat = np.array([model.heats for model in models])[index]
        areas = loads * savs / _PARTICLE_DENSITY
        # [..., 2]: dead fuel and live fuel.
        area = _by_life(areas)
        within = areas / _expanded(np.where(area > 0.0, area, 1.0))
        share = area / area.sum(-1, keepdims=True)
        sav = (share * _by_life(within * savs)).sum(-1)
        density = loads.sum(-1) / depth
        packing = density / _PARTICLE_DENSITY
        best = 3.348 * sav**-0.8189
        relative = packing / best
        damping = _moisture_damping(loads, savs, wet, _by_life(within * wet), dead_extinction)
        net = _by_life(_size_weights(within, savs) * loads) * (1.0 - _TOTAL_MINERAL)
        power = 133.0 * sav**-0.7913
        most = sav**1.5 / (495.0 + 0.0594 * sav**1.5)
        velocity = most * (relative * np.exp(1.0 - relative)) ** power
        mineral = 0.174 * _EFFECTIVE_MINERAL**-0.19
        reaction = velocity * mineral * (net * heat * damping).sum(-1)
        flux = np.exp((0.792 + 0.681 * np.sqrt(sav)) * (packing + 0.1)) / (192.0 + 0.2595 * sav)
        heating = within * np.exp(-138.0 / savs) * (250.0 + 1116.0 * wet)
        sink = density * (share * _by_life(heating)).sum(-1)
        scale = 7.47 * np.exp(-0.133 * sav**0.55) * relative ** (-0.715 * np.exp(-3.59e-4 * sav))
        rise, most_wind = 0.02526 * sav**0.54, 0.9 * reaction
        most_factor = scale * most_wind**rise
        return _FuelBed(sav, packing, reaction, reaction * flux / sink, scale, rise, most_wind, most_factor)


def _slope_factor(bed: _FuelBed, slope: Values) -> Values:
    """Return the factor of a slope, given in rise over run."""
    factor: Values = 5.275 * bed.packing**-0.3 * slope**2
    return factor


def _beds(models: Sequence[FuelModel], index: NDArray[np.int64], moisture: Values) -> _FuelBed:
    """Return the fuel bed of every place; under one moisture each model's is computed once."""
    if moisture.ndim > 1 or index.size <= len(models):
        return _FuelBed.of(models, index, moisture)
    by_model = _FuelBed.of(models, np.arange(len(models)), moisture)
    return _FuelBed(*(getattr(by_model, item.name)[index] for item in fields(by_model)))


def _particles(
    models: Sequence[FuelModel], index: NDArray[np.int64], moisture: Values
) -> tuple[Values, Values, Values]:
    """Return loads in lb/ft², ratios in 1/ft and moistures ``[..., 6]``, cured herbaceous fuel among them.

    The cured part is 0 above a moisture of 120 % and all below 30 % (Scott and Burgan 2005). It has the ratio of live
    and the moisture of dead 1-h fuel.
    """
    loads5 = np.array([model.loads for model in models])[index] * _LB_FT2
    savs5 = np.array([model.savs for model in models])[index]
    dynamic = np.array([model.dynamic for model in models])[index]
    cured = np.where(dynamic, np.clip((1.2 - moisture[..., 3]) / 0.9, 0.0, 1.0), 0.0)
    order = [0, 1, 2, 3, 3, 4]
    loads, savs = loads5[..., order], savs5[..., order]
    loads[..., _CURED] *= cured
    loads[..., _HERB] *= 1.0 - cured
    wet = moisture[..., [0, 1, 2, 0, 3, 4]]
    return loads, savs, wet


def _by_life(values: Values) -> Values:
    """Sum the six kinds into dead and live fuel ``[..., 2]``."""
    return np.stack([values[..., _DEAD].sum(-1), values[..., _HERB:].sum(-1)], axis=-1)


def _expanded(values: Values) -> Values:
    """Give each of the six kinds the value ``[..., 2]`` of its dead or live fuel."""
    return values[..., [0, 0, 0, 0, 1, 1]]


def _size_weights(within: Values, savs: Values) -> Values:
    """Return the weights of net loads: the shares of area of each size class, summed (Albini 1976)."""
    size = np.searchsorted(-_SIZES, -savs, side="left")
    weights = np.zeros_like(within)
    for one in range(6):
        for other in range(_DEAD.stop) if one < _DEAD.stop else range(_HERB, 6):
            weights[..., one] += np.where(size[..., one] == size[..., other], within[..., other], 0.0)
    return weights


def _moisture_damping(loads: Values, savs: Values, wet: Values, mean: Values, dead_extinction: Values) -> Values:
    """Return the factor by which moisture damps the burning of dead and live fuel ``[..., 2]``.

    ``1 − 2.59 r + 5.11 r² − 3.52 r³`` of the mean moisture over that of extinction, ``r ≤ 1``. Live fuel's extinction
    depends on the ratio of fine dead to live load and on the moisture of fine dead fuel (Albini 1976).
    """
    fine_dead = loads[..., _DEAD] * np.exp(-138.0 / savs[..., _DEAD])
    fine_live = (loads[..., _HERB:] * np.exp(-500.0 / savs[..., _HERB:])).sum(-1)
    dead = fine_dead.sum(-1)
    dead_moisture = (fine_dead * wet[..., _DEAD]).sum(-1) / np.where(dead > 0.0, dead, 1.0)
    ratio = dead / np.where(fine_live > 0.0, fine_live, 1.0)
    live_extinction = np.maximum(2.9 * ratio * (1.0 - dead_moisture / dead_extinction) - 0.226, dead_extinction)
    part = np.minimum(mean / np.stack([dead_extinction, live_extinction], axis=-1), 1.0)
    # At a part of 1 the polynomial is 0 but for rounding.
    damping: Values = np.where(part < 1.0, 1.0 - 2.59 * part + 5.11 * part**2 - 3.52 * part**3, 0.0)
    return damping
