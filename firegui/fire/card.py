"""The shipped scalar parameters and the card that says where they come from (``resources/fire/scalar.toml``)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path

from firegui.assets import resource
from firegui.errors import Problems
from firegui.fire.parameters import ScalarParameters
from firegui.io import strict


@dataclass(frozen=True, slots=True)
class DayScore:
    """One day of a rolled-out forecast against the observed perimeter.

    ``day`` counts from the start of the rollout. ``observed_cells`` are cells inside the perimeter, ``expected_cells``
    is ΣP, ``likely_cells`` the cells with ``P ≥ 0.5``; ``iou`` compares those with the perimeter, ``soft_iou`` is
    ``ΣPO / Σ(P + O − PO)``, ``area_error`` is ``(ΣP − ΣO) / ΣO``. ``held_iou`` is the IoU of holding the last perimeter
    that the model had seen.
    """

    day: int
    observed_cells: int
    expected_cells: int
    likely_cells: int
    iou: float
    soft_iou: float
    area_error: float
    held_iou: float


@dataclass(frozen=True, slots=True)
class ModelCard:
    """Parameters with their provenance.

    ``fitted_on`` names the event, of which the first ``fit_days`` days were used; ``fitted`` is the day it was done and
    ``method`` how. ``limits`` say what the model cannot be trusted with, ``scores`` how well it did.
    """

    label: str
    fitted_on: str
    fit_days: int
    fitted: date
    method: str
    limits: tuple[str, ...]
    parameters: ScalarParameters
    scores: tuple[DayScore, ...]


def scalar_card() -> ModelCard:
    """The card of the shipped model."""
    return read_card(resource("fire/scalar.toml"))


def read_card(path: Path) -> ModelCard:
    """Read a card; :class:`~firegui.errors.InputError` lists everything wrong with it."""
    problems, title = Problems(), f"The fire model {path.name} cannot be used"
    raw = strict.read_toml(path, problems)
    problems.raise_if_any(title)
    table = strict.Table(raw, path.name, problems)
    parameters = strict.read_dataclass(ScalarParameters, table.table("parameters"))
    scores = [strict.read_dataclass(DayScore, row) for row in table.tables("scores")]
    label, fitted_on = table.take("label", str), table.take("fitted_on", str)
    fit_days, fitted = table.take("fit_days", int), table.take("fitted", date)
    method, limits = table.take("method", str), table.take("limits", tuple[str, ...])
    table.finish()
    problems.raise_if_any(title)
    assert parameters is not None
    checked = ScalarParameters.of(parameters.as_mapping())
    found = tuple(score for score in scores if score is not None)
    return ModelCard(label, fitted_on, fit_days, fitted, method, limits, checked, found)
