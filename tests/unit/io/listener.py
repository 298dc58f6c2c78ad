"""A loopback port that counts the requests of files that make their reader open a connection."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field


@dataclass
class Listener:
    """Server on a loopback port that closes every connection and counts them."""

    url: str
    requests: list[bytes] = field(default_factory=list)


@contextmanager
def listening() -> Iterator[Listener]:
    """Listen while the block runs."""
    server = socket.create_server(("127.0.0.1", 0))
    found = Listener(f"http://127.0.0.1:{server.getsockname()[1]}")

    def serve() -> None:
        with suppress(OSError):
            while True:
                connection, _ = server.accept()
                with connection:
                    found.requests.append(connection.recv(200))

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        server.shutdown(socket.SHUT_RDWR)
        server.close()
        thread.join()
