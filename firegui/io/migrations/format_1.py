"""Format 2 knows the network fire model and the table of its weights; format 1 had neither."""

from __future__ import annotations

from typing import Any


def to_2(table: dict[str, Any]) -> dict[str, Any]:
    """Nothing moves: the constant parameters or imported maps of an older project stay its fire model.

    The number changes, so that a firegui which does not know the network says that it is too old.
    """
    return table
