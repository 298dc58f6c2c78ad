"""The spread gains ``K`` of a frozen fire, laid out once for whichever engine asks."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Any, TypeVar

import torch
from torch import Tensor

from firegui.domain.maps import FireMaps

MAXIMUM_FACTOR = 100.0
MOST_RECENT = 4

Layout = TypeVar("Layout")


class SpreadGains:
    """Gains ``K_n(x) = clip(γ, 0, 100) clip(φ_n, 0, 100) burnable(x)`` of every day.

    They are held in the layouts that engines compute on. A layout is made at the first call and shared by every model
    that differs only in its fleet, its effectiveness or its objective; the gains are by far the largest thing that a
    model holds.
    """

    def __init__(self, maps: FireMaps, dtype: torch.dtype, device: str) -> None:
        self.maps, self.dtype, self.device = maps, dtype, device
        self._layouts: dict[str, Any] = {}
        self._recent: dict[str, Any] = {}
        self._lock = RLock()  # a layout may be made from another

    def dense(self) -> Tensor:
        """Return ``[D, 8, H, W]`` on the device, neighbours in the order NW N NE W E SW S SE."""
        return self.layout("dense", lambda: spread_gains(self.maps, self.dtype).to(self.device))

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
    """Return ``K`` as ``[D, 8, H, W]``, multiplied in ``dtype``."""
    gamma = (torch.from_numpy(maps.gamma).to(dtype) * torch.from_numpy(maps.burnable)).clamp(0.0, MAXIMUM_FACTOR)
    return torch.from_numpy(maps.phi).to(dtype).clamp(0.0, MAXIMUM_FACTOR) * gamma[:, None]
