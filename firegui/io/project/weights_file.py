"""The weights of the network fire model as one safetensors file.

The tensors are those of :data:`firegui.domain.weights.TENSOR_SHAPES`. The nodes of correction ``k`` are the tensor
``correction.<k>``. The metadata entry ``firegui`` of the header is a JSON object with ``format``, ``training`` and
``corrections``, the event and raster of each correction. Equal weights give equal bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as load_safetensors
from safetensors.numpy import save as save_safetensors

from firegui.domain.weights import Correction, NetworkWeights, TrainedEvent, Training, tensor_problems
from firegui.errors import InputError, Problem, Problems
from firegui.io import toml
from firegui.io.array_files import no_tensors
from firegui.io.atomic import write_bytes
from firegui.io.source_files import read_bytes

FORMAT = 1
_ENTRY = "firegui"
_CORRECTION = "correction."
_REMEDY = "use a file that firegui has written"

Tensors = dict[str, NDArray[Any]]


def write_weights(path: Path, weights: NetworkWeights) -> None:
    """Write the weights, atomically.

    Raises :class:`~firegui.errors.InputError` for weights that could not be read back.
    """
    problems = weights.problems()
    if problems:
        raise InputError(problems, "The weights were not written")
    data = weights_bytes(weights)
    write_bytes(path, data)


def weights_bytes(weights: NetworkWeights) -> bytes:
    """Return the bytes of the file."""
    tensors = {name: np.ascontiguousarray(tensor, np.float32) for name, tensor in weights.tensors.items()}
    for number, correction in enumerate(weights.corrections):
        tensors[f"{_CORRECTION}{number}"] = np.ascontiguousarray(correction.log_rate, np.float32)
    description = {
        "format": FORMAT,
        "training": asdict(weights.training),
        "corrections": [_correction_header(correction) for correction in weights.corrections],
    }
    # One entry only, because safetensors writes several in no fixed order.
    return bytes(save_safetensors(tensors, {_ENTRY: json.dumps(description, sort_keys=True, default=str)}))


def _correction_header(correction: Correction) -> dict[str, Any]:
    place = {} if correction.transform is None else {"transform": correction.transform}
    time = {} if correction.start is None else {"start": correction.start}
    trend = {"trend": correction.trend, "fit_days": correction.fit_days}
    return {"event": correction.event, "shape": correction.shape, **trend, **place, **time}


def read_weights(path: Path) -> NetworkWeights:
    """Read weights back bit for bit.

    Raises :class:`~firegui.errors.InputError` listing every problem of the file.
    """
    title = f"The fire model {path.name} cannot be used"
    problems = Problems()
    data = read_bytes(path, problems)
    problems.raise_if_any(title)
    assert data is not None
    return weights_of_bytes(data, path.name)


def weights_of_bytes(data: bytes, name: str) -> NetworkWeights:
    """Return the weights that :func:`weights_bytes` wrote to ``data``.

    ``name`` is the name of the file in messages. Raises :class:`~firegui.errors.InputError` listing every problem.
    """
    problems, title = Problems(), f"The fire model {name} cannot be used"
    weights = _parsed(data, name, problems)
    if weights is not None:
        problems.extend(weights.problems())
    problems.raise_if_any(title)
    assert weights is not None
    return weights


def _parsed(data: bytes, name: str, problems: Problems) -> NetworkWeights | None:
    """Return the weights, or ``None`` with problems.

    If a value of the description is wrong, the tensors are still checked.
    """
    try:
        tensors: Tensors = load_safetensors(data)
    except (SafetensorError, ValueError, KeyError, OverflowError) as error:
        problems.add(name, no_tensors(data, error), _REMEDY)
        return None
    network = {key: tensor for key, tensor in tensors.items() if not key.startswith(_CORRECTION)}
    description = _description(data, name, problems)
    if description is None:
        return None
    before = len(problems)
    found = Problems()
    table = toml.Table(description, name, found)
    table.raw("format")
    training = _training(table.table("training"))
    rows = table.tables("corrections")
    nodes = {key: tensor for key, tensor in tensors.items() if key.startswith(_CORRECTION)}
    corrections = [_correction(row, nodes.pop(f"{_CORRECTION}{number}", None)) for number, row in enumerate(rows)]
    table.finish()
    # The reader of tables proposes to edit a key, but users cannot edit the header of a binary file.
    problems.extend(Problem(problem.where, problem.what, _REMEDY) for problem in found)
    problems.extend(Problem(name, f"the tensor {key} belongs to no correction", _REMEDY) for key in nodes)
    if training is None or len(problems) > before:
        problems.extend(tensor_problems(network))
        return None
    return NetworkWeights(network, training, tuple(correction for correction in corrections if correction is not None))


def _description(data: bytes, name: str, problems: Problems) -> Mapping[str, Any] | None:
    # `load_safetensors` has checked the length of the header and that the header is JSON.
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    text = header.get("__metadata__", {}).get(_ENTRY)
    if text is None:
        problems.add(name, "does not say what it was trained on: these are not weights of a fire model", _REMEDY)
        return None
    try:
        description = json.loads(text)
    except (ValueError, RecursionError):
        description = None
    number = description.get("format") if isinstance(description, dict) else None
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        problems.add(name, f"its description has the format {number!r}", _REMEDY)
    elif number > FORMAT:
        what = f"was written by a newer firegui (format {number}; this one reads up to {FORMAT})"
        problems.add(name, what, "update firegui")
    else:
        return dict(description)
    return None


def _training(table: toml.Table) -> Training | None:
    before = len(table.problems)
    events = [toml.read_dataclass(TrainedEvent, row) for row in table.tables("events")]
    training = Training(
        label=table.take("label", str),
        events=tuple(event for event in events if event is not None),
        epochs=table.take("epochs", int),
        seed=table.take("seed", int),
        learned=table.take("learned", tuple[str, ...]),
        limits=table.take("limits", tuple[str, ...]),
        firegui=table.take("firegui", str),
    )
    table.finish()
    return training if table.is_table and len(table.problems) == before else None


def _correction(table: toml.Table, nodes: NDArray[Any] | None) -> Correction | None:
    before = len(table.problems)
    event = table.take("event", str)
    shape = table.take("shape", tuple[int, int])
    transform = table.take("transform", tuple[float, float, float, float, float, float], None)
    trend, fit_days = table.take("trend", float, 0.0), table.take("fit_days", int, 0)
    start = table.take("start", date, None)
    table.finish()
    if nodes is None:
        table.problems.add(table.where, "its nodes are missing")
    elif nodes.dtype != np.float32:
        table.problems.add(table.where, f"its nodes are {nodes.dtype} values, not float32")
    if nodes is None or len(table.problems) > before:
        return None
    return Correction(event, shape, transform, nodes, trend, start, fit_days)
