"""Stress scenarios in words."""

from __future__ import annotations

from collections.abc import Iterator

from firegui.domain.stress import StressScenario
from firegui.runs.messages import RETARDANT_SIDES, pair_text


def scenario_text(scenario: StressScenario) -> str:
    """Return what differs from the model, such as ``fire spreads × 1.15, every drop 30 min late``."""
    return ", ".join(_differences(scenario)) or "as in the model"


def _differences(scenario: StressScenario) -> Iterator[str]:
    if scenario.effectiveness is not None:
        yield f"effectiveness {pair_text(scenario.effectiveness)}"
    if scenario.retardant_acts_on is not None:
        yield f"retardant acts on the {RETARDANT_SIDES[scenario.retardant_acts_on]}".replace("the both", "both")
    if scenario.spread_factor != 1.0:
        yield f"fire spreads × {scenario.spread_factor:g}"
    if scenario.wind_speed_factor != 1.0:
        yield f"wind speed × {scenario.wind_speed_factor:g}"
    if scenario.wind_turn_deg != 0.0:
        yield f"wind turned {abs(scenario.wind_turn_deg):g}° {'left' if scenario.wind_turn_deg > 0 else 'right'}"
    if scenario.ignition_growth_m > 0.0:
        yield f"fire {scenario.ignition_growth_m:g} m wider at the start"
    if scenario.pose_noise_m > 0.0:
        yield f"drops {scenario.pose_noise_m:g} m off target"
    if scenario.heading_noise_deg > 0.0:
        yield f"headings {scenario.heading_noise_deg:g}° off"
    if scenario.delay_minutes > 0.0:
        yield f"every drop {scenario.delay_minutes:g} min late"
    if scenario.failure_rate > 0.0:
        yield f"{100.0 * scenario.failure_rate:g} % of the drops fail"
    if scenario.repair_hours > 0.0:
        yield f"replanned every {scenario.repair_hours:g} h"
