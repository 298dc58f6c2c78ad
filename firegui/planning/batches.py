"""Which removals are tested next (paper, section ``step5``, "Batches"): bookkeeping without a single rollout."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Interval = tuple[int, int, bool]


@dataclass(frozen=True, slots=True)
class Batches:
    """Where a pass over ``count`` sorted elements is, in the sequence of the paper's rule.

    A batch is an interval of the order, ``size`` long. One that is feasible is removed and doubles the next, up to
    ``largest``; one that is not halves the next and is split in two, which are tested in the same way, down to single
    elements. ``stack`` holds what is open of the batch at work as ``(begin, end, first)``, the next one last;
    ``position`` is where the next batch begins. ``first``: the one below it on the stack is its other half, and without
    both nothing is feasible, so when it goes the other half need not be rolled out whole. ``hopeful`` says that the
    last batch was feasible.
    """

    count: int
    largest: int
    size: int
    position: int = 0
    stack: tuple[Interval, ...] = ()
    hopeful: bool = True

    @property
    def is_done(self) -> bool:
        """Whether every element is decided."""
        return not self.stack and self.position >= self.count

    @property
    def decided(self) -> int:
        """How many elements are decided."""
        return self.position - sum(end - begin for begin, end, _ in self.stack)

    @property
    def next(self) -> tuple[int, int]:
        """The interval to test."""
        if self.stack:
            begin, end, _ = self.stack[-1]
            return begin, end
        return self.position, min(self.position + self.size, self.count)

    @property
    def guess(self) -> bool:
        """How the next test probably ends: a batch as the last one did, half of a refused batch badly."""
        return self.hopeful and not self.stack

    def after(self, feasible: bool) -> Batches:
        """Where the pass is once the next test has ended so."""
        begin, end = self.next
        if not self.stack:
            grown = min(2 * self.size, self.largest) if feasible else max(self.size // 2, 1)
            open_ = () if feasible else _halves(begin, end)
            return replace(self, size=grown, position=end, stack=open_, hopeful=feasible)
        *below, (_, _, first) = self.stack
        if not feasible:
            return replace(self, stack=(*below, *_halves(begin, end)))
        if not first:
            return replace(self, stack=tuple(below))
        *below, (begin, end, _) = below
        return replace(self, stack=(*below, *_halves(begin, end)))

    def stack_array(self) -> NDArray[np.int64]:
        """``stack`` as ``[m, 3]``, to be saved."""
        return np.array(self.stack, np.int64).reshape(-1, 3)

    @staticmethod
    def stack_of(rows: NDArray[np.int64]) -> tuple[Interval, ...]:
        """The inverse of :meth:`stack_array`."""
        return tuple((int(begin), int(end), bool(first)) for begin, end, first in rows)


def _halves(begin: int, end: int) -> tuple[Interval, ...]:
    """Both halves of a refused interval, the first one last; a single element is decided: it stays."""
    if end - begin < 2:
        return ()
    middle = (begin + end) // 2
    return (middle, end, False), (begin, middle, True)
