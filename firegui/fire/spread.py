"""Spread maps from parameter maps: the published spread form.

It is described in ``design/3-model.md``, "The frozen fire model". A fire model states six fields (numbers or rasters);
this module turns them, the day's wind and the terrain into the untreated potentials ``φ``, the ignition gains ``γ`` and
the spread gains ``K`` that the rollout needs. In torch and without writing in place, so that a network behind the
fields can be trained through it. Everything is computed in the type of the wind, float32 unless equations are checked.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from firegui.domain.scenario import Scenario
from firegui.domain.stencil import NEIGHBOURS
from firegui.fire.features import WIND_SCALE_MS
from firegui.fire.landscape import Raster, has_terrain

Field = float | Tensor
Window = tuple[slice, slice]

SLOPE_SCALE_DEG = 90.0
MAXIMUM_EXPONENT = 20.0
MAXIMUM_POTENTIAL = 100.0


@dataclass(frozen=True, slots=True, eq=False)
class SpreadFields:
    """The six maps of the fire model, each a number or a tensor ``[H, W]``, without unit.

    ``base_rate`` p, ``wind_gain`` α_w1, ``wind_alignment`` α_w2, ``slope_gain`` α_s and ``ignition_gain`` α_γ belong to
    the receiving cell; ``fuel`` f is used at the emitting neighbour in φ and at the receiving cell in γ.
    ``even_at_ms``: the wind in m/s at which a gain of published alignment is left as published, ``None`` to leave it so
    at every wind (:func:`evening`).
    """

    base_rate: Field
    wind_gain: Field
    wind_alignment: Field
    slope_gain: Field
    ignition_gain: Field
    fuel: Field
    even_at_ms: float | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True, eq=False)
class Terrain:
    """Rise of the ground, ``s = slope° / 90`` uphill: ``east`` and ``north``, tensors ``[H, W]``."""

    east: Tensor
    north: Tensor

    @staticmethod
    def of_layers(slope_deg: Raster, aspect_deg: Raster) -> Terrain:
        """Return the terrain of slope in degrees and aspect in compass degrees.

        The aspect is the way the slope *faces*, −1 on flat cells. Uphill is the opposite of the aspect. Flat cells and
        cells without data get no slope effect.
        """
        known = np.isfinite(slope_deg) & np.isfinite(aspect_deg) & (aspect_deg >= 0.0)
        steepness = np.where(known, slope_deg, 0.0) / SLOPE_SCALE_DEG
        upslope = np.deg2rad(np.where(known, -90.0 - aspect_deg, 0.0))
        east, north = (steepness * way(upslope) for way in (np.cos, np.sin))
        return Terrain(torch.from_numpy(east.astype(np.float32)), torch.from_numpy(north.astype(np.float32)))

    @staticmethod
    def of_event(scenario: Scenario) -> Terrain | None:
        """Return the terrain of an event, ``None`` unless it has both slope and aspect."""
        layers = scenario.layers
        return Terrain.of_layers(layers["slope"], layers["aspect"]) if has_terrain(scenario) else None

    def cropped(self, rows: slice, columns: slice) -> Terrain:
        """Return a window of the raster."""
        return Terrain(self.east[rows, columns], self.north[rows, columns])


def direction_from(neighbour: tuple[int, int]) -> float:
    """Return ``β``, the direction from the neighbour at ``(d_row, d_column)`` into the cell.

    It is in radians counter-clockwise from east. Rows count southward, so a neighbour one row further down lies to the
    south and its fire comes northward.
    """
    d_row, d_column = neighbour
    return math.atan2(d_row, -d_column)


def potentials(fields: SpreadFields, wind_speed: Tensor, wind_dir: Tensor, terrain: Terrain | None) -> Tensor:
    """Return the spread potentials of one day, ``[8, H, W]``.

    Neighbours are in the order NW N NE W E SW S SE.
    ``φ = clip(p(x) f(n) exp(α_w1 V_n) exp(α_w2 V_n (cos(β − ψ_n) − 1)) exp(α_s s_n cos(β − up_n)), 0, 100)`` with each
    exponent clipped to ±20, ``V = wind_speed / 10 m/s`` and ``ψ = wind_dir`` the direction the wind blows to (radians,
    counter-clockwise from east). With ``even_at_ms`` the product has :func:`evening` of the neighbour as a further
    factor. Without ``terrain`` the slope factor is left out. A neighbour outside the raster gives 0. Differentiable in
    every field that is a tensor.
    """
    speed = wind_speed / WIND_SCALE_MS
    emitted = fields.fuel
    if fields.even_at_ms is not None:
        emitted = emitted * evening(fields.wind_alignment, wind_speed, fields.even_at_ms)
    east, north = speed * torch.cos(wind_dir), speed * torch.sin(wind_dir)
    phi = []
    for neighbour in NEIGHBOURS:
        x, n = windows(neighbour, (int(speed.shape[0]), int(speed.shape[1])))
        beta = direction_from(neighbour)
        # V_n (cos(β − ψ_n) − 1): how far the wind falls short of blowing the whole of its speed this way.
        short = math.cos(beta) * east[n] + math.sin(beta) * north[n] - speed[n]
        exponent = _limited(_at(fields.wind_gain, x) * speed[n]) + _limited(_at(fields.wind_alignment, x) * short)
        if terrain is not None:
            rise = math.cos(beta) * terrain.east[n] + math.sin(beta) * terrain.north[n]
            exponent = exponent + _limited(_at(fields.slope_gain, x) * rise)
        rate = _at(fields.base_rate, x) * _at(emitted, n)
        phi.append(_framed(torch.clamp(rate * torch.exp(exponent), 0.0, MAXIMUM_POTENTIAL), neighbour))
    return torch.stack(phi)


def evening(alignment: Field, wind_speed: Tensor, even_at_ms: float) -> Tensor:
    """Return the factor ``m(V₀) / m(V)`` that keeps alignment from reducing the spread, ``[H, W]``.

    ``m(V) = e^−z I₀(z)`` with ``z = α_w2 V`` is the mean of ``exp(z (cos θ − 1))`` over all directions ``θ``, ``I₀``
    the modified Bessel function; over the raster's eight it is the same within 0.1 % up to 25 m/s at the published
    alignment. ``exp(z cos θ) / (2π I₀(z))`` is the density of von Mises: a cell in the wind ``V`` gives off
    ``m(V₀) exp(α_w1 V)`` times what the base rate says, the more of it downwind the stronger the wind, and the ratios
    between directions are the published ones. The factor is 1 at ``V₀ = even_at_ms``.

    Why: the published alignment factor is at most 1, so it takes from all sides what the wind gain gives back only
    in part. Over the eight neighbours together, with the published gain, 86 % of calm is left at 2 m/s, 65 % at 8 and
    62 % at 16. That was published for a fire whose cells light each neighbour with probability 0.58 in calm. With a
    base rate learned from daily growth a cell lights one to three others in the ten steps that it burns, and what
    one side loses is what the fire loses: flanks die, and the head, fed by three neighbours behind it of which two are
    diagonal, and by two beside it, gains no speed (a straight front of the shipped network: 327, 320, 319 and 364 m a
    day in calm and at 2, 8 and 16 m/s). Evened it runs 292, 380, 662 and 1,006 m a day, 2.3 and 3.4 times calm at 8 and
    16 m/s; McArthur's meter has ``exp(0.084 V)``, 2.0 and 3.8 times (I. R. Noble, G. A. V. Bary, A. M. Gill (1980),
    *McArthur's fire-danger meters expressed as equations*, Australian Journal of Ecology 5, 201–203). A straight head
    cannot slow down as the wind rises, for weight moves from neighbours in front to those behind and the sum does not
    fall.
    """
    # A number where the alignment is one.
    means: list[Tensor] = [
        torch.special.i0e(torch.clamp(alignment * speed / WIND_SCALE_MS, 0.0, MAXIMUM_EXPONENT))
        for speed in (wind_speed.new_tensor(even_at_ms), wind_speed)
    ]
    return means[0] / means[1]


def ignition_gains(fields: SpreadFields, like: Tensor) -> Tensor:
    """Return ``γ = clip(α_γ(x) f(x), 0, 100)``, ``[H, W]`` of the shape and type of ``like``."""
    gain = torch.ones_like(like) * fields.ignition_gain * fields.fuel
    return torch.clamp(gain, 0.0, MAXIMUM_POTENTIAL)


def spread_gains(
    fields: SpreadFields, wind_speed: Tensor, wind_dir: Tensor, terrain: Terrain | None, burnable: Tensor
) -> Tensor:
    """Return ``K_n(x) = γ(x) φ_n(x) · burnable(x)`` of one day, ``[8, H, W]``; see :func:`potentials`."""
    gain = ignition_gains(fields, wind_speed) * burnable
    return potentials(fields, wind_speed, wind_dir, terrain) * gain


def windows(neighbour: tuple[int, int], shape: tuple[int, int]) -> tuple[Window, Window]:
    """Return ``(receivers, emitters)``: the cells that have this neighbour, and the neighbours.

    Both are slices of equal size.
    """
    rows, columns = zip(*(_overlap(shift, size) for shift, size in zip(neighbour, shape, strict=True)), strict=True)
    return (rows[0], rows[1]), (columns[0], columns[1])


def _overlap(shift: int, size: int) -> tuple[slice, slice]:
    receiver = slice(max(0, -shift), size - max(0, shift))
    return receiver, slice(receiver.start + shift, receiver.stop + shift)


def _framed(inside: Tensor, neighbour: tuple[int, int]) -> Tensor:
    """Return the whole raster, 0 at the cells that have no such neighbour."""
    d_row, d_column = neighbour
    return functional.pad(inside, (max(0, -d_column), max(0, d_column), max(0, -d_row), max(0, d_row)))


def _at(field: Field, window: Window) -> Field:
    """Return the part of a field on ``window``; a number is the same everywhere."""
    return field[window] if isinstance(field, Tensor) else field


def _limited(exponent: Tensor) -> Tensor:
    return torch.clamp(exponent, -MAXIMUM_EXPONENT, MAXIMUM_EXPONENT)
