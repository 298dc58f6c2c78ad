"""The spread gains ``K`` of a frozen fire, laid out once for whichever engine asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import RLock
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from firegui.domain.compact_maps import MAXIMUM_FACTOR
from firegui.domain.maps import FireMaps
from firegui.domain.stencil import NEIGHBOURS, Offset
from firegui.rollout.moving_start import start_fields

MOST_RECENT = 4

Layout = TypeVar("Layout")


class SpreadGains:
    """Gains ``K_n(x) = clip(γ, 0, 100) clip(φ_n, 0, 100) burnable(x) Π_z burnable(z)`` of every period.

    ``z`` are the two cells between which a knight's move passes; the paper's eight neighbours have none.

    They are held in the layouts that engines compute on. A layout is made at the first call and shared by every model
    that differs only in its fleet, its effectiveness or its objective; the gains are by far the largest thing that a
    model holds.
    """

    def __init__(self, maps: FireMaps, dtype: torch.dtype, device: str) -> None:
        self.maps, self.dtype, self.device = maps, dtype, device
        self._lender: SpreadGains | None = None
        self._first: SpreadGains | None = None  # not itself: a cycle would keep the gains until it is collected
        self._layouts: dict[str, Any] = {}
        self._recent: dict[str, Any] = {}
        self._lock = RLock()  # a layout may be made from another

    def of(self, maps: FireMaps) -> SpreadGains:
        """Return the gains of ``maps``, another fire on the same raster.

        Those of a fire that differs only in its start are laid out once for both.
        """
        gains, mine = SpreadGains(maps, self.dtype, self.device), self.maps
        gains._first = self._first or self
        if maps.phi is mine.phi and maps.gamma is mine.gamma and maps.burnable is mine.burnable:
            gains._lender = self
        return gains

    def dense(self) -> Tensor:
        """Return ``[D P, N, H, W]`` on the device, neighbours in the order of the stencil."""
        return self.spread("dense", lambda: spread_gains(self.maps, self.dtype).to(self.device))

    def spread(self, name: str, make: Callable[[], Layout]) -> Layout:
        """Return a :meth:`layout` of the gains alone, which do not depend on where the fire starts."""
        return self.layout(name, make) if self._lender is None else self._lender.spread(name, make)

    def shared(self, name: str, make: Callable[[], Layout]) -> Layout:
        """Return a :meth:`layout` that all fires share which :meth:`of` made from one another."""
        return (self._first or self).layout(name, make)

    def start(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return :func:`~firegui.rollout.moving_start.start_fields`, whose tail is worked out once."""
        return self.layout("start", lambda: start_fields(self.maps))

    def recent(self, name: str, make: Callable[[], Layout]) -> Layout:
        """Return the same for what differs from one objective to the next: only the last few are kept."""
        with self._lock:
            kept: Layout = self._recent.pop(name) if name in self._recent else make()
            self._recent[name] = kept
            while len(self._recent) > MOST_RECENT:
                del self._recent[next(iter(self._recent))]
            return kept

    def layout(self, name: str, make: Callable[[], Layout]) -> Layout:
        """Return what ``make`` returns, made once and cached under ``name``."""
        with self._lock:
            if name not in self._layouts:
                self._layouts[name] = make()
            kept: Layout = self._layouts[name]
            return kept


def spread_gains(maps: FireMaps, dtype: torch.dtype) -> Tensor:
    """Return ``K`` as ``[D P, N, H, W]``, multiplied in ``dtype``.

    A knight's move passes only where both cells between which it passes are burnable.
    """
    gamma = (torch.tensor(maps.gamma, dtype=dtype) * torch.from_numpy(maps.burnable)).clamp(0.0, MAXIMUM_FACTOR)
    gains = torch.from_numpy(np.asarray(maps.phi)).to(dtype).clamp(0.0, MAXIMUM_FACTOR).mul_(gamma[:, None])
    stencil = maps.stencil
    for n in range(len(NEIGHBOURS), len(stencil.offsets)):
        gains[:, n] *= torch.from_numpy(passable(maps.burnable, stencil.between(n)))
    return gains


def passable(burnable: NDArray[np.bool_], between: Sequence[Offset]) -> NDArray[np.bool_]:
    """Return ``[H, W]``: where all cells ``between`` are burnable; outside the raster none is."""
    rows, columns = burnable.shape
    padded = np.pad(burnable, 1)
    free = np.ones_like(burnable)
    for i, j in between:
        free &= padded[1 + i : 1 + i + rows, 1 + j : 1 + j + columns]
    return free
