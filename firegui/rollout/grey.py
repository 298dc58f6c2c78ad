"""Probabilities as the 256 levels of a picture, without the interpreter: a rollout is looked at some hundred times."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from firegui.native.compiled import kernel


@kernel
def grey_levels(probability: NDArray[np.float32], complement: bool, levels: NDArray[np.uint8]) -> None:
    """``levels = rint(255 p)`` cut to 0 … 255, where ``p`` is ``probability``, or ``1 − probability``; all ``[h, w]``.

    Every operation is one of 32 bits, as it is where a picture is made by torch: the levels are the same.
    """
    one, most, least = np.float32(1.0), np.float32(255.0), np.float32(0.0)
    for row in range(probability.shape[0]):
        for column in range(probability.shape[1]):
            value = probability[row, column]
            if complement:
                value = one - value
            levels[row, column] = np.uint8(min(max(np.rint(value * most), least), most))


def levels_of(probability: Tensor, complement: bool) -> NDArray[np.uint8]:
    """:func:`firegui.rollout.observe.levels_of` of a tensor of 32 bits in the computer's memory."""
    levels = np.empty(tuple(probability.shape), np.uint8)
    grey_levels(probability.numpy(), complement, levels)
    return levels
