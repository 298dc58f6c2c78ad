"""Format 3 knows the second stage and the operational constraints; format 2 had neither."""

from __future__ import annotations

from typing import Any


def to_3(table: dict[str, Any]) -> dict[str, Any]:
    """The paper's elimination, the gradient with its full carry, and no operational constraint."""
    plan = table.get("plan")
    if isinstance(plan, dict):
        plan.setdefault(
            "elimination",
            {
                "slack": 1.02, "floor": 1e-4, "first_batch": 32, "largest_batch": 256, "allowance": 40_000,
                "keep": 0, "perturbations": 0, "perturbation_scale": 1e-3, "front_shift": 0.0, "smoothing": 0,
            },
        )  # fmt: skip
        if isinstance(plan.get("optimizer"), dict):
            plan["optimizer"].setdefault("full_carry", True)
            plan["optimizer"].setdefault("start", "front")
    table.setdefault("operations", {})
    return table
