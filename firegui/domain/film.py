"""Pictures of a fire over time, of which each keeps only the part where something is to be seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Levels = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """``levels [h, w]`` of a picture from (``row``, ``column``) on; around it nothing is to be seen."""

    row: int
    column: int
    levels: Levels


@dataclass(frozen=True, slots=True, eq=False)
class Film:
    """``F`` pictures ``[H, W]`` of uint8, each ``outside`` wherever its part does not reach.

    A fire that aircraft hold burns in a hundredth of its raster, so that its pictures are made, kept and thrown away in
    a hundredth of the time that whole ones take.
    """

    shape: tuple[int, int]
    parts: tuple[Part, ...]
    outside: int = 0

    @staticmethod
    def of(pictures: Levels, outside: int = 0) -> Film:
        """Return the film of whole pictures ``[F, H, W]``, which are not copied."""
        _count, height, width = pictures.shape
        return Film((height, width), tuple(Part(0, 0, picture) for picture in pictures), outside)

    def __len__(self) -> int:
        """Return ``F``."""
        return len(self.parts)

    def picture(self, index: int) -> Levels:
        """Return a whole frame ``[H, W]`` as a new array. Raises :class:`IndexError`."""
        whole = np.full(self.shape, self.outside, np.uint8)
        part = self.parts[index]
        height, width = part.levels.shape
        whole[part.row : part.row + height, part.column : part.column + width] = part.levels
        return whole

    def whole(self) -> Levels:
        """Return all frames, ``[F, H, W]``."""
        pictures = [self.picture(index) for index in range(len(self))]
        return np.stack(pictures) if pictures else np.empty((0, *self.shape), np.uint8)

    def until(self, count: int, rest: Film) -> Film:
        """Return the first ``count`` frames followed by ``rest``.

        Raises :class:`ValueError` where the two films do not fit together.
        """
        if (rest.shape, rest.outside) != (self.shape, self.outside):
            raise ValueError("the films are of other rasters")
        return replace(self, parts=self.parts[:count] + rest.parts)

    def raised(self, floor: Levels) -> Film:
        """Return every picture with at least the levels ``floor [H, W]``."""
        return self._changed(floor != 0, lambda box, levels: np.maximum(levels, floor[box]))

    def scaled(self, factor: NDArray[np.float32]) -> Film:
        """Return every picture times ``factor [H, W]``, at most 1."""
        return self._changed(factor != 1, lambda box, levels: np.rint(levels * factor[box]).astype(np.uint8))

    def _changed(self, where: NDArray[np.bool_], change: Callable[[tuple[slice, slice], Levels], Levels]) -> Film:
        """Change every picture, on a part that also holds all of ``where [H, W]``."""
        if not where.any():
            return self
        lines, columns = (np.flatnonzero(where.any(axis=axis)) for axis in (1, 0))
        parts = []
        for part in self.parts:
            height, width = part.levels.shape
            top, left = min(part.row, int(lines[0])), min(part.column, int(columns[0]))
            bottom = max(part.row + height, int(lines[-1]) + 1)
            right = max(part.column + width, int(columns[-1]) + 1)
            levels = np.full((bottom - top, right - left), self.outside, np.uint8)
            row, column = part.row - top, part.column - left
            levels[row : row + height, column : column + width] = part.levels
            parts.append(Part(top, left, change((slice(top, bottom), slice(left, right)), levels)))
        return replace(self, parts=tuple(parts))

    def at(self, row: int, column: int) -> Levels:
        """Return the values of one cell in every frame, ``[F]``."""
        levels = np.full(len(self), self.outside, np.uint8)
        for index, part in enumerate(self.parts):
            y, x = row - part.row, column - part.column
            if 0 <= y < part.levels.shape[0] and 0 <= x < part.levels.shape[1]:
                levels[index] = part.levels[y, x]
        return levels

    def sums(self) -> NDArray[np.int64]:
        """Return ``Σ`` over the cells of every picture, ``[F]``."""
        cells = self.shape[0] * self.shape[1]
        # 32 bits take half the time of 64, and hold 16 million cells.
        wide = np.uint32 if cells < 2**24 else np.uint64
        found = [int(part.levels.sum(dtype=wide)) + self.outside * (cells - part.levels.size) for part in self.parts]
        return np.array(found, np.int64)
