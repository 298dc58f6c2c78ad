"""From parameter maps to spread maps: the published spread form (``design/3-model.md``, "The frozen fire model").

A fire model states six fields (numbers or rasters); this module turns them, the day's wind and the terrain into the
untreated potentials ``φ`` and ignition gains ``γ`` that the rollout needs. Numpy only, one day and one neighbour at a
time, so that nothing larger than the result is ever held.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firegui.domain.maps import NEIGHBOURS

Raster = NDArray[np.float32]
Field = float | Raster
Window = tuple[slice, slice]

WIND_SCALE_MS = 10.0
SLOPE_SCALE_DEG = 90.0
MAXIMUM_EXPONENT = 20.0
MAXIMUM_POTENTIAL = 100.0


@dataclass(frozen=True, slots=True, eq=False)
class SpreadFields:
    """The six maps of the fire model, each a number or a float32 raster ``[H, W]``, without unit.

    ``base_rate`` p, ``wind_gain`` α_w1, ``wind_alignment`` α_w2, ``slope_gain`` α_s and ``ignition_gain`` α_γ belong to
    the receiving cell; ``fuel`` f is used at the emitting neighbour in φ and at the receiving cell in γ.
    """

    base_rate: Field
    wind_gain: Field
    wind_alignment: Field
    slope_gain: Field
    ignition_gain: Field
    fuel: Field


@dataclass(frozen=True, slots=True, eq=False)
class Terrain:
    """``steepness [H, W]`` s = slope° / 90; ``upslope [H, W]`` the way uphill, radians counter-clockwise from east."""

    steepness: Raster
    upslope: Raster

    @staticmethod
    def of_layers(slope_deg: Raster, aspect_deg: Raster) -> Terrain:
        """From slope in degrees and aspect in compass degrees (the way the slope *faces*, −1 on flat cells).

        Uphill is the opposite of the aspect. Flat cells and cells without data get no slope effect.
        """
        known = np.isfinite(slope_deg) & np.isfinite(aspect_deg) & (aspect_deg >= 0.0)
        steepness = np.where(known, slope_deg, 0.0) / SLOPE_SCALE_DEG
        upslope = np.deg2rad(np.where(known, -90.0 - aspect_deg, 0.0))
        return Terrain(steepness.astype(np.float32), upslope.astype(np.float32))

    def gradient(self) -> tuple[Raster, Raster]:
        """Components ``s cos(up)`` eastward and ``s sin(up)`` northward, each ``[H, W]``."""
        return self.steepness * np.cos(self.upslope), self.steepness * np.sin(self.upslope)


def direction_from(neighbour: tuple[int, int]) -> float:
    """``β``: direction from the neighbour at ``(d_row, d_column)`` into the cell, radians counter-clockwise from east.

    Rows count southward, so a neighbour one row further down lies to the south and its fire comes northward.
    """
    d_row, d_column = neighbour
    return math.atan2(d_row, -d_column)


def windows(neighbour: tuple[int, int], shape: tuple[int, int]) -> tuple[Window, Window]:
    """``(receivers, emitters)``: the cells that have this neighbour, and those neighbours, as slices of equal size."""
    rows, columns = zip(*(_overlap(shift, size) for shift, size in zip(neighbour, shape, strict=True)), strict=True)
    return (rows[0], rows[1]), (columns[0], columns[1])


def _overlap(shift: int, size: int) -> tuple[slice, slice]:
    receiver = slice(max(0, -shift), size - max(0, shift))
    return receiver, slice(receiver.start + shift, receiver.stop + shift)


def potentials(
    fields: SpreadFields, wind_speed: Raster, wind_dir: Raster, terrain: Terrain | None, out: Raster | None = None
) -> Raster:
    """Spread potentials of one day, ``[8, H, W]`` in the order NW N NE W E SW S SE.

    ``φ = clip(p(x) f(n) exp(α_w1 V_n) exp(α_w2 V_n (cos(β − ψ_n) − 1)) exp(α_s s_n cos(β − up_n)), 0, 100)`` with each
    exponent clipped to ±20, ``V = wind_speed / 10 m/s`` and ``ψ = wind_dir`` the direction the wind blows to (radians,
    counter-clockwise from east). Without ``terrain`` the slope factor is left out. A neighbour outside the raster gives
    0. ``out`` takes the result in place.
    """
    shape = (int(wind_speed.shape[0]), int(wind_speed.shape[1]))
    phi = np.empty((len(NEIGHBOURS), *shape), np.float32) if out is None else out
    speed = np.asarray(wind_speed / WIND_SCALE_MS, np.float32)
    wind_east, wind_north = np.cos(wind_dir), np.sin(wind_dir)
    rise = None if terrain is None else terrain.gradient()
    for index, neighbour in enumerate(NEIGHBOURS):
        x, n = windows(neighbour, shape)
        beta = direction_from(neighbour)
        east, north = np.float32(math.cos(beta)), np.float32(math.sin(beta))
        exponent = _limited(at(fields.wind_gain, x) * speed[n])
        aligned = np.asarray(east * wind_east[n] + north * wind_north[n] - 1.0, np.float32)
        exponent += _limited(at(fields.wind_alignment, x) * speed[n] * aligned)
        if rise is not None:
            exponent += _limited(at(fields.slope_gain, x) * (east * rise[0][n] + north * rise[1][n]))
        phi[index] = 0.0
        phi[index][x] = np.clip(at(fields.base_rate, x) * at(fields.fuel, n) * np.exp(exponent), 0.0, MAXIMUM_POTENTIAL)
    return phi


def ignition_gains(fields: SpreadFields, shape: tuple[int, int]) -> Raster:
    """``γ = clip(α_γ(x) f(x), 0, 100)``, ``[H, W]``."""
    gain = np.clip(np.multiply(fields.ignition_gain, fields.fuel), 0.0, MAXIMUM_POTENTIAL)
    return np.ascontiguousarray(np.broadcast_to(np.asarray(gain, np.float32), shape))


def at(field: Field, window: Window) -> np.float32 | Raster:
    """The part of a field on ``window``; a number is the same everywhere."""
    return np.float32(field) if isinstance(field, (int, float)) else field[window]


def _limited(exponent: Raster) -> Raster:
    return np.clip(exponent, -MAXIMUM_EXPONENT, MAXIMUM_EXPONENT)


def daily_potentials(fields: SpreadFields, wind_speed: Raster, wind_dir: Raster, terrain: Terrain | None) -> Raster:
    """:func:`potentials` of every day: winds ``[D, H, W]`` to ``[D, 8, H, W]``, with the same fields each day."""
    days, rows, columns = wind_speed.shape
    phi = np.empty((days, len(NEIGHBOURS), rows, columns), np.float32)
    for day in range(days):
        potentials(fields, wind_speed[day], wind_dir[day], terrain, out=phi[day])
    return phi
