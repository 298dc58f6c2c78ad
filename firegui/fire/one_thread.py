"""Torch on one thread, where the bits must be the same on however many there are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def one_thread() -> Iterator[None]:
    """Make torch compute on the calling thread alone, and restore its number of threads afterwards.

    Threads share the sums of a convolution and of its gradient, so that their last bits depend on how many there are.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
