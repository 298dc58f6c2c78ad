"""How long a stage will still take, as far as that can be told from how it went so far."""

from __future__ import annotations

import numpy as np

from firegui.gui.jobs.run_history import History, Removals

_ROWS_FOR_PACE = 20


def epochs_left(history: History, epochs: int) -> float | None:
    """Seconds that the rest of ``epochs`` take at the pace of the last twenty; ``None`` before there is a pace."""
    seconds = history.column("seconds")[-_ROWS_FOR_PACE - 1 :]
    if len(seconds) < 2:
        return None
    pace = (seconds[-1] - seconds[0]) / (len(seconds) - 1)
    return float(max(epochs - history.column("epoch")[-1] - 1, 0) * pace)


def pass_left(removals: Removals) -> float | None:
    """Seconds that the undecided drops of the pass take at its pace of late; ``None`` before there is one.

    Late in a pass batches are small and every drop takes longer, so only the last twenty reports count, or the whole
    pass where those decided nothing.
    """
    if not len(removals):
        return None
    passes = removals.column("passes")
    first = int(np.searchsorted(passes, passes[-1]))
    tested, seconds = removals.column("tested")[first:], removals.column("seconds")[first:]
    for rows in (_ROWS_FOR_PACE + 1, len(tested)):
        decided, took = tested[-1] - tested[-rows:][0], seconds[-1] - seconds[-rows:][0]
        if decided > 0:
            return float((removals.column("to_test")[-1] - tested[-1]) * took / decided)
    return None
