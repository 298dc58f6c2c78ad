"""Dose and effectiveness (paper, step 3 and eq. ``suppression_dose``)."""

from __future__ import annotations

import math

from firegui.domain.fleet import AircraftType, Material
from firegui.domain.maps import FireMaps
from firegui.domain.settings import Effectiveness

MAXIMUM_DOSE = 50.0


def dose_of_payload(kind: AircraftType, maps: FireMaps, effectiveness: Effectiveness) -> float:
    """Return ``P_a α_a``: the dose that a whole payload would give if it all fell on one cell.

    ``α_a = −ln(1 − η) / (c_req A_cell)`` with ``A_cell = (Δx / 0.3048)² / 100`` in 100 ft²; then
    ``E(x) = Ḡ(x) P_a α_a`` and a cell that gets exactly ``c_req`` keeps the fraction ``1 − η`` of its response.
    """
    eta = effectiveness.water if kind.material is Material.WATER else effectiveness.retardant
    return kind.payload_gal * -math.log1p(-eta) / (maps.c_req * maps.cell_area_100ft2)
