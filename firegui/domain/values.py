"""Values at risk: what stands in the cells, such as structures, people, habitat or timber."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.domain.names import character_problems, repeated_names, shown_name
from firegui.domain.options import bounds_problems, option
from firegui.errors import Problem


@dataclass(frozen=True, slots=True)
class ValueTerms:
    """What is said of a value layer: all but its cells.

    ``total`` is the sum of its cells and ``content`` their SHA-256. ``source`` says where they are from.
    """

    name: str
    source: str = ""
    weight: float = option(
        1.0, "Weight", "what a value of 1 counts in the goal, beside the other layers", low=0.0,
        high=1e9,
    )  # fmt: skip
    susceptibility: float = option(
        1.0, "Susceptibility", "share of the value that is lost where a cell burns", low=0.0, high=1.0, percent=True
    )
    total: float = 0.0
    content: str = ""

    @property
    def at_risk(self) -> float:
        """Value that is lost where every cell burns."""
        return self.susceptibility * self.total

    @property
    def counts(self) -> float:
        """What the whole layer counts in the goal; :func:`goal_shares` compares layers."""
        return self.weight * self.at_risk


@dataclass(frozen=True, slots=True)
class ValueLayer:
    """Values in cells, ``cells [H, W]`` float32, at least 0. Layers with equal ``terms`` are equal."""

    terms: ValueTerms
    cells: NDArray[np.float32] = field(compare=False, repr=False)

    @staticmethod
    def of(
        name: str, source: str, cells: NDArray[np.floating], weight: float = 1.0, susceptibility: float = 1.0
    ) -> ValueLayer:
        """Return the layer of ``cells [H, W]``, with their sum and hash."""
        kept = np.ascontiguousarray(cells, np.float32)
        content = hashlib.sha256(kept.tobytes()).hexdigest()
        total = float(kept.sum(dtype=np.float64))
        return ValueLayer(ValueTerms(name, source, weight, susceptibility, total, content), kept)

    @property
    def name(self) -> str:
        """Name of the layer."""
        return self.terms.name

    def lost(self, fire: NDArray[Any] | None) -> float | None:
        """Return what is lost where ``fire [H, W]`` is ``P``; ``None`` where fire or cells are not known."""
        if fire is None or fire.shape != self.cells.shape:
            return None
        return self.terms.susceptibility * float(np.sum(self.cells * fire, dtype=np.float64))


def share_lost(layers: Sequence[ValueLayer], fire: NDArray[Any]) -> float:
    """Return ``𝓛_val = Σ w(x) P(x) / Σ w`` of the layers where ``fire [H, W]`` is ``P``; 0 without values."""
    whole = sum(layer.terms.counts for layer in layers)
    lost = sum(layer.terms.weight * (layer.lost(fire) or 0.0) for layer in layers)
    return lost / whole if whole > 0.0 else 0.0


def goal_shares(terms: Sequence[ValueTerms]) -> tuple[float, ...]:
    """Return the share of each layer in the value that the goal counts."""
    whole = sum(one.counts for one in terms)
    return tuple(one.counts / whole if whole > 0.0 else 0.0 for one in terms)


def cell_problems(where: str, cells: NDArray[np.floating]) -> list[Problem]:
    """Return what keeps ``cells`` from being values."""
    found: list[Problem] = []
    if cells.size and cells.min() >= 0.0 and 0.0 < cells.max() < np.inf:
        return found
    for what, wrong in (
        ("not a number", np.isnan(cells)), ("infinite", np.isinf(cells)), ("below 0", np.less(cells, 0.0)),
    ):  # fmt: skip
        count = int(wrong.sum())
        if count:
            text = f"{count} {'value is' if count == 1 else 'values are'} {what}"
            found.append(Problem(where, text, "give every value as a number of 0 or more"))
    if not found and not np.any(cells):
        found.append(Problem(where, "every value is 0", "give at least one value above 0, or leave the layer out"))
    return found


def value_problems(layers: Iterable[ValueLayer], shape: tuple[int, int]) -> list[Problem]:
    """Return every problem of value layers on a raster of ``shape``. Cells that are not at hand have none."""
    found: list[Problem] = []
    layers = list(layers)
    for layer in layers:
        where = f"value layer {shown_name(layer.name) or '(no name)'}"
        if not layer.name.strip():
            found.append(Problem(where, "the name is empty", "name every value layer"))
        found += character_problems(where, layer.name) + bounds_problems(layer.terms, where)
        if layer.cells.size and layer.cells.shape != shape:
            size, wanted = ("{} × {}".format(*each) for each in (layer.cells.shape, shape))
            found.append(Problem(where, f"has {size} cells on a grid of {wanted}", "import its file again"))
        elif layer.cells.size:
            found += cell_problems(where, layer.cells)
    found += repeated_names("value layers", (layer.name for layer in layers))
    if layers and not found and all(layer.terms.counts == 0.0 for layer in layers):
        what = "every weight or susceptibility is 0"
        found.append(Problem("value layers", what, "give at least one layer a weight and a susceptibility"))
    return found
