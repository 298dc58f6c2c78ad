"""Moisture of dead fuel from the weather.

Sources: Simard (1968), Canadian Department of Forestry FF-X-14, for the equilibrium moisture of wood; Cohen and Deeming
(1985), USDA PSW-82, equations of the National Fire Danger Rating System, for fine fuel.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from firegui.domain.fuel_models import FuelMoisture
from firegui.domain.weather import PeriodWeather

Values = NDArray[np.float64]

_BY_EQUILIBRIUM_1H, _BY_EQUILIBRIUM_10H = 1.03, 1.28


def equilibrium_moisture(temperature_c: Values | float, humidity: Values | float) -> Values:
    """Return the moisture in percent of the dry mass at which wood neither dries nor gets wetter.

    ``temperature_c`` is that of the air at the fuel in °C, ``humidity`` the relative humidity in percent. By Simard
    (1968), with ``T`` in °F: ``0.03229 + 0.281073 H − 0.000578 H T`` below 10 %, ``2.22749 + 0.160107 H − 0.01478 T``
    to 50 %, ``21.0606 + 0.005565 H² − 0.00035 H T − 0.483199 H`` above.
    """
    heat, damp = np.asarray(temperature_c, np.float64) * 1.8 + 32.0, np.asarray(humidity, np.float64)
    dry = 0.03229 + 0.281073 * damp - 0.000578 * damp * heat
    middle = 2.22749 + 0.160107 * damp - 0.01478 * heat
    wet = 21.0606 + 0.005565 * damp**2 - 0.00035 * damp * heat - 0.483199 * damp
    moisture: Values = np.where(damp < 10.0, dry, np.where(damp < 50.0, middle, wet))
    return moisture


def fine_dead_moisture(temperature_c: Values | float, humidity: Values | float) -> tuple[Values, Values]:
    """Return the moistures of dead 1-h and 10-h fuel in percent of the dry mass.

    They are 1.03 and 1.28 of the equilibrium (Cohen and Deeming 1985), at least 1 %. Sun, shade and rain are not
    considered.
    """
    moisture = equilibrium_moisture(temperature_c, humidity)
    one, ten = (np.maximum(factor * moisture, 1.0) for factor in (_BY_EQUILIBRIUM_1H, _BY_EQUILIBRIUM_10H))
    return one, ten


def moistures_of(weather: PeriodWeather, usual: FuelMoisture, *, from_air: bool = True) -> tuple[FuelMoisture, ...]:
    """Return the moisture of every period.

    It is ``usual``, with that of dead 1-h and 10-h fuel by the air where it is known.
    """
    if not from_air or weather.temperature_c is None or weather.humidity is None:
        return (usual,) * len(weather.speed)
    dead = zip(*fine_dead_moisture(weather.temperature_c, weather.humidity), strict=True)
    return tuple(replace(usual, dead_1h=float(one), dead_10h=float(ten)) for one, ten in dead)
