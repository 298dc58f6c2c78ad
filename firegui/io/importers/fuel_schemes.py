"""Numberings of fuel types that are no fuel models of Rothermel's spread equation.

The Canadian Forest Fire Behavior Prediction (FBP) System (Forestry Canada Fire Danger Group 1992, Information Report
ST-X-3) has sixteen fuel types with their own spread equations. Rasters of them use the grid numbers of Natural
Resources Canada's fuel type table, which Prometheus reads as well: 1–7 conifers C-1 to C-7, 11–13 deciduous D-1, D-2
and both, 21–23 slash S-1 to S-3, 31–32 grass O-1a and O-1b, 40–95 and 400–995 mixed wood M-1 to M-4, 98–106 what is no
fuel. Some of these numbers are models of FBFM13 and FBFM40 (1–7, 11–13, 101–106), which burn quite differently. No
table that takes the types to fuel models is part of the system, so none is applied.
"""

from __future__ import annotations

from collections.abc import Collection

FBP_TABLE = "the fuel types of the Canadian FBP System (ST-X-3, grid numbers of Natural Resources Canada's table)"

_CONIFERS, _LEAVES = frozenset(range(1, 8)), frozenset((11, 12, 13))
_SLASH_AND_GRASS = frozenset((21, 22, 23, 31, 32))
_MIXED = frozenset((40, 50, 60, 70, 80, 90)) | frozenset(range(400, 1000))
_NO_FUEL = frozenset(range(98, 107))
_FBP = _CONIFERS | _LEAVES | _SLASH_AND_GRASS | _MIXED | _NO_FUEL
_NO_FUEL_SEEN = frozenset((101, 102, 105))

_FEWEST_KINDS = 3
"""Kinds of unknown codes below which a layer is of fuel models with some classes of its own, such as built-up land."""


def is_fbp(codes: Collection[int]) -> bool:
    """Return whether the codes of a layer are those of the Canadian FBP System.

    None may be outside of its table. One that no fuel model has must be there, or conifers beside what is no fuel.
    """
    found = frozenset(codes)
    if not found <= _FBP:
        return False
    natural = found & (_CONIFERS | _LEAVES)
    return bool(found & _SLASH_AND_GRASS or (natural and found & (_MIXED | _NO_FUEL_SEEN)))


def is_unknown(known: Collection[int], unknown: Collection[int]) -> bool:
    """Return whether most kinds of codes of a layer are no fuel models, so that its scheme is unknown."""
    return len(unknown) >= _FEWEST_KINDS and len(unknown) > len(known)
