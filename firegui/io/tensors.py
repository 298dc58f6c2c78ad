"""What is wrong with bytes that should be a safetensors file."""

from __future__ import annotations

import json
from typing import Any

_COUNT = 8


def no_tensors(data: bytes, error: Exception) -> str:
    """Why ``data`` could not be read, given what the reader says: it ends too early, or is something else."""
    length = int.from_bytes(data[:_COUNT], "little")
    start = data[_COUNT : _COUNT + length]
    if start.startswith(b"{") and len(start) < length <= 100 * len(data):
        return f"is cut short: its header ends after {len(start):,} of {length:,} bytes"
    end = _end(start)
    missing = end - (len(data) - _COUNT - length)
    if end and missing > 0:
        return f"is cut short: {missing:,} bytes of its tensors are not there"
    return f"is not a safetensors file ({' '.join(str(error).split())})"


def _end(header: bytes) -> int:
    """Where the last tensor ends as the header says, 0 where it says nothing that can be understood."""
    try:
        about: Any = json.loads(header)
        return max((int(entry["data_offsets"][1]) for key, entry in about.items() if key != "__metadata__"), default=0)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return 0
