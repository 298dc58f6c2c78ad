"""How far the fire model has been off: residuals in ILR coordinates (paper, section ``uq``, source 2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firegui.uncertainty.ilr import FLOOR

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ErrorModel:
    """A correlated Gaussian field of errors in ILR coordinates: ``Cov(η(x), η(x')) ≈ Σ exp(−‖x − x'‖ / ℓ)``.

    ``mean [2]`` and ``covariance [2, 2]`` are ``μ`` and ``Σ`` of the residuals. ``correlation_cells`` is ``ℓ``;
    ``sill`` and ``nugget`` are the fitted semivariogram's ``nugget + sill (1 − exp(−h/ℓ))``, 0 nugget in the paper.
    ``softening`` is the ε of observed states, ``threshold`` the ``P`` above which a cell is touched, ``floor`` what
    probabilities are raised to before the logarithm. ``source`` says where the numbers are from.
    """

    mean: tuple[float, float]
    covariance: tuple[tuple[float, float], tuple[float, float]]
    correlation_cells: float
    sill: float
    nugget: float = 0.0
    softening: float = 0.01
    threshold: float = 0.1
    floor: float = FLOOR
    source: str = ""

    def __post_init__(self) -> None:
        """Raises :class:`ValueError` for a ``Σ`` that is no covariance and for a length that is not positive."""
        covariance = np.array(self.covariance)
        if not np.isfinite(covariance).all() or abs(covariance[0, 1] - covariance[1, 0]) > 1e-9 * abs(covariance).max():
            raise ValueError(f"Σ = {self.covariance} is not symmetric")
        if np.linalg.eigvalsh(covariance)[0] < 0.0:
            raise ValueError(f"Σ = {self.covariance} is no covariance: one direction has a negative variance")
        if not self.correlation_cells > 0.0:
            raise ValueError(f"ℓ = {self.correlation_cells} cells is not positive")

    def principal(self) -> tuple[float, Floats]:
        """Standard deviation along the direction of the largest variance, and that direction: a unit vector ``[2]``.

        Its sign is the one in which ``U`` loses against the geometric mean of ``B`` and ``R``: towards more fire.
        """
        variances, directions = np.linalg.eigh(np.array(self.covariance))
        direction: Floats = directions[:, -1]
        against = direction[0] / np.sqrt(2.0) + direction[1] / np.sqrt(6.0)  # of ln U, with the sum of logs at 0
        return float(np.sqrt(variances[-1])), -direction if against > 0.0 else direction


PAPER_BEAR = ErrorModel(
    mean=(-4.289, -1.175), covariance=((28.39, 21.95), (21.95, 26.91)), correlation_cells=53.79, sill=36.17,
    source="paper, Table grf_params: Bear 2020, 15 days, fitted on the paper's own fire model",
)  # fmt: skip
