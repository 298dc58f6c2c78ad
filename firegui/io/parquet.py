"""Tables as Apache Parquet.

The only module with pyarrow in it: it is brought in by name, for it may be missing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow
from pyarrow import parquet

from firegui.io.atomic import writing


def write_parquet(path: Path, columns: Mapping[str, Sequence[Any]], notes: Mapping[str, str]) -> None:
    """Replace ``path`` by ``columns`` of whole numbers, real numbers or text.

    ``None`` stands for no value. ``notes`` go into the file's own description. The same columns give the same file,
    byte for byte. Raises :class:`~firegui.errors.InputError` where the system refuses to write.
    """
    arrays = {name: _array(values) for name, values in columns.items()}
    table = pyarrow.table(arrays).replace_schema_metadata(dict(notes))
    with writing(path) as file:
        parquet.write_table(table, file, compression="zstd")


def _array(values: Sequence[Any]) -> Any:
    """Return a column of one type: real numbers where any is, text where any is."""
    there = [value for value in values if value is not None]
    if any(isinstance(value, str) for value in there):
        return pyarrow.array([None if value is None else str(value) for value in values], pyarrow.string())
    if all(isinstance(value, bool) for value in there) and there:
        return pyarrow.array(values, pyarrow.bool_())
    if all(isinstance(value, int) for value in there) and there:
        return pyarrow.array(values, pyarrow.int64())
    return pyarrow.array([None if value is None else float(value) for value in values], pyarrow.float64())
