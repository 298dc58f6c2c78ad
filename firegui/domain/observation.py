"""A fire as it was seen on a later day, and the three-state field that a plan goes on from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class FireState:
    """Which cells burn and which have burned out, ``[H, W]`` each and disjoint; everything else has not burned."""

    burning: Bools
    burned: Bools

    @property
    def fire(self) -> Bools:
        """Everything that has burned so far."""
        return np.asarray(self.burning | self.burned)

    @staticmethod
    def between(earlier: Bools, fire: Bools) -> FireState:
        """From the perimeters of two days: what is new burns, what was there before has burned out.

        A cell of ``earlier`` that is not in ``fire`` counts as never burned: the later perimeter is the better one.
        """
        return FireState(np.asarray(fire & ~earlier), np.asarray(fire & earlier))


@dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """The perimeter ``fire [H, W]`` at the start of a day and, where there is one, an ``earlier`` one.

    ``source`` says where it comes from, ``sha256`` is the hash of that file, empty for the project's own. ``notes`` say
    what was assumed.
    """

    fire: Bools
    earlier: Bools | None
    source: str
    sha256: str = ""
    notes: tuple[str, ...] = ()
