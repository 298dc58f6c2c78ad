"""Numbered steps from an older project file to the current one.

``project.toml`` carries ``format = n``. A step takes the parsed table of format ``n`` (plain values, as TOML gives
them) and returns that of ``n + 1``. Steps import no live code: the code moves on, the old files do not. To change the
format, add ``format_<n>.py`` with the function that leads from ``n`` to ``n + 1``, enter it in :data:`STEPS` and raise
:data:`CURRENT_FORMAT`; never touch an older step.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from firegui.io.migrations import format_1, format_2, format_3

TomlTable = dict[str, Any]
Step = Callable[[TomlTable], TomlTable]

CURRENT_FORMAT = 4

STEPS: Mapping[int, Step] = MappingProxyType({1: format_1.to_2, 2: format_2.to_3, 3: format_3.to_4})
"""``n`` → the step from format ``n`` to ``n + 1``."""


def migrate(table: TomlTable, *, steps: Mapping[int, Step] = STEPS, current: int = CURRENT_FORMAT) -> TomlTable:
    """Bring a table of format 1 … ``current`` to ``current``; the given table is left as it is.

    Raises ``KeyError`` when a step is missing, which is a fault of firegui and not of the file.
    """
    result = copy.deepcopy(table)
    for number in range(int(table["format"]), current):
        result = steps[number](result)
        result["format"] = number + 1
    return result
