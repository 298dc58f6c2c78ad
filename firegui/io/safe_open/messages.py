"""Values between the program and a reader process: msgpack, and arrays as their plain bytes after it.

Nothing is pickled. What arrives is judged by its size before memory is spent on it.
"""

from __future__ import annotations

import os
import sys
from math import prod
from multiprocessing.connection import Connection
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

_NUMBERS, _OBJECTS = 1, 2
_MOST_BYTES = 4 * 2**30


def send(connection: Connection, value: Any) -> None:
    """Send plain values, mappings, sequences and arrays.

    Arrays of objects may hold text, bytes, numbers and ``None``.
    """
    arrays: list[NDArray[Any]] = []

    def encode(item: Any) -> Any:
        if isinstance(item, np.generic):
            return item.item()
        if not isinstance(item, np.ndarray):
            raise TypeError(f"{type(item).__name__} is not sent")
        if item.dtype.hasobject:
            return msgspec.msgpack.Ext(_OBJECTS, msgspec.msgpack.encode(item.ravel().tolist()))
        arrays.append(np.ascontiguousarray(item))
        return msgspec.msgpack.Ext(_NUMBERS, msgspec.msgpack.encode((item.dtype.str, item.shape)))

    connection.send_bytes(msgspec.msgpack.encode(value, enc_hook=encode))
    for array in arrays:
        _send_bytes(connection, _bytes_of(array))


def receive(connection: Connection) -> Any:
    """Return what :func:`send` sent. Raises ``EOFError`` or ``OSError`` when the other end closes."""
    arrays: list[NDArray[Any]] = []

    def decode(code: int, data: memoryview) -> Any:
        if code == _OBJECTS:
            items = msgspec.msgpack.decode(data, type=list[Any])
            found = np.empty(len(items), object)
            found[:] = items
            return found
        kind, shape = msgspec.msgpack.decode(data, type=tuple[str, tuple[int, ...]])
        dtype = np.dtype(kind)
        if dtype.hasobject or min(shape, default=0) < 0 or prod(shape) * dtype.itemsize > _MOST_BYTES:
            raise OSError(f"an array of {shape} {dtype} is not taken")
        arrays.append(np.empty(shape, dtype))
        return arrays[-1]

    value = msgspec.msgpack.decode(connection.recv_bytes(_MOST_BYTES), ext_hook=decode)
    for array in arrays:
        _receive_bytes(connection, _bytes_of(array))
    return value


if sys.platform == "win32":

    def _send_bytes(connection: Connection, data: memoryview) -> None:
        if data.nbytes:
            connection.send_bytes(data)

    def _receive_bytes(connection: Connection, target: memoryview) -> None:
        if target.nbytes and connection.recv_bytes_into(target) != target.nbytes:
            raise OSError("an array came without some of its bytes")

else:

    def _send_bytes(connection: Connection, data: memoryview) -> None:
        while data.nbytes:
            data = data[os.write(connection.fileno(), data) :]

    def _receive_bytes(connection: Connection, target: memoryview) -> None:
        # A connection's own function would copy them twice more.
        while target.nbytes:
            count = os.readv(connection.fileno(), [target])
            if not count:
                raise EOFError
            target = target[count:]


def _bytes_of(array: NDArray[Any]) -> memoryview:
    return array.reshape(-1).view(np.uint8).data
