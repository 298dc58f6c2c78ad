"""The cards that say where the shipped fire models come from and what they are worth.

``resources/fire/scalar.toml`` is the scalar model itself, ``resources/fire/network.toml`` describes the weights beside
it, and ``resources/fire/physical.toml`` the physical model.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from firegui.assets import resource
from firegui.errors import Problems
from firegui.fire.parameters import ScalarParameters
from firegui.io import toml


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


@dataclass(frozen=True, slots=True)
class ForecastResult:
    """One forecast in a few numbers: of the shipped weights, of another seed, or of a reference.

    ``mean_iou`` and ``worst_iou`` are over all scored days, ``late_iou`` is the mean over those after the fitted days.
    ``new_iou`` counts only cells outside the last fitted perimeter, ``growth`` is the predicted growth after that day
    over the observed one. ``None`` where it is not known.
    """

    name: str
    mean_iou: float
    worst_iou: float | None = None
    late_iou: float | None = None
    new_iou: float | None = None
    growth: float | None = None


@dataclass(frozen=True, slots=True)
class BaselineDay:
    """The fire without drops after ``day`` days, in cells.

    Observed, ΣP, and the mean and standard deviation of sampled fires.
    """

    day: int
    observed_cells: int
    expected_cells: int
    sampled_cells: int
    sampled_sd: int


@dataclass(frozen=True, slots=True)
class NetworkCard:
    """The network's provenance.

    ``trained_on`` names the events with the dates that were read, of which the first ``fit_days`` days were used, and
    ``layers`` the landscape layers they had. ``trained`` is the day it was done, ``command`` how to do it again and
    ``method`` what it does. ``correction`` says whether and where a correction field is used, ``priors`` what is
    assumed and from where, ``limits`` what the model cannot be trusted with. ``results`` compare forecasts, ``scores``
    are the days of the shipped weights, ``baseline`` the fire that a plan is judged against.
    """

    label: str
    trained_on: tuple[str, ...]
    fit_days: int
    layers: tuple[str, ...]
    trained: date
    command: str
    method: str
    correction: str
    priors: tuple[str, ...]
    limits: tuple[str, ...]
    results: tuple[ForecastResult, ...]
    scores: tuple[DayScore, ...]
    baseline: tuple[BaselineDay, ...] = ()


@dataclass(frozen=True, slots=True)
class PhysicalCard:
    """What the physical model is.

    It has what the model ``reads`` and ``ignores``, and its ``limits``.
    """

    label: str
    reads: tuple[str, ...]
    ignores: tuple[str, ...]
    limits: tuple[str, ...]


@cache
def physical_card() -> PhysicalCard:
    """Return the card of the physical model."""
    path = resource("fire/physical.toml")
    problems, title = Problems(), f"The card {path.name} cannot be used"
    raw = toml.read_toml(path, problems)
    problems.raise_if_any(title)
    card = toml.read_dataclass(PhysicalCard, toml.Table(raw, path.name, problems))
    problems.raise_if_any(title)
    assert card is not None
    return card


def scalar_card() -> ModelCard:
    """Return the card of the shipped scalar model."""
    return read_card(resource("fire/scalar.toml"))


def network_card() -> NetworkCard:
    """Return the card of the shipped network."""
    return read_network_card(resource("fire/network.toml"))


def read_network_card(path: Path) -> NetworkCard:
    """Read a network's card; :class:`~firegui.errors.InputError` lists everything wrong with it."""
    problems, title = Problems(), f"The card {path.name} cannot be used"
    raw = toml.read_toml(path, problems)
    problems.raise_if_any(title)
    table = toml.Table(raw, path.name, problems)
    results = [toml.read_dataclass(ForecastResult, row, lenient=True) for row in table.tables("results")]
    scores = [toml.read_dataclass(DayScore, row) for row in table.tables("scores")]
    baseline = [toml.read_dataclass(BaselineDay, row) for row in table.tables("baseline")]
    card = NetworkCard(
        label=table.take("label", str),
        trained_on=table.take("trained_on", tuple[str, ...]),
        fit_days=table.take("fit_days", int),
        layers=table.take("layers", tuple[str, ...]),
        trained=table.take("trained", date),
        command=table.take("command", str),
        method=table.take("method", str),
        correction=table.take("correction", str),
        priors=table.take("priors", tuple[str, ...]),
        limits=table.take("limits", tuple[str, ...]),
        results=tuple(result for result in results if result is not None),
        scores=tuple(score for score in scores if score is not None),
        baseline=tuple(day for day in baseline if day is not None),
    )
    table.finish()
    problems.raise_if_any(title)
    return card


def card_table(card: NetworkCard) -> dict[str, Any]:
    """Return the card as the table that :func:`read_network_card` reads; what is not known is left out."""
    results = [{key: value for key, value in asdict(result).items() if value is not None} for result in card.results]
    plain = {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(card).items()}
    return plain | {"results": results}


def read_card(path: Path) -> ModelCard:
    """Read a scalar model's card; :class:`~firegui.errors.InputError` lists everything wrong with it."""
    problems, title = Problems(), f"The fire model {path.name} cannot be used"
    raw = toml.read_toml(path, problems)
    problems.raise_if_any(title)
    table = toml.Table(raw, path.name, problems)
    parameters = toml.read_dataclass(ScalarParameters, table.table("parameters"))
    scores = [toml.read_dataclass(DayScore, row) for row in table.tables("scores")]
    label, fitted_on = table.take("label", str), table.take("fitted_on", str)
    fit_days, fitted = table.take("fit_days", int), table.take("fitted", date)
    method, limits = table.take("method", str), table.take("limits", tuple[str, ...])
    table.finish()
    problems.raise_if_any(title)
    assert parameters is not None
    checked = ScalarParameters.of(parameters.as_mapping())
    found = tuple(score for score in scores if score is not None)
    return ModelCard(label, fitted_on, fit_days, fitted, method, limits, checked, found)
