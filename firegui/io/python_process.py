"""Command of another Python process that finds the modules of this one."""

from __future__ import annotations

import json
import os
import sys

_START = "import json, sys; sys.path[:] = json.loads(sys.argv[1]);"


def python_command(statements: str, *arguments: str) -> list[str]:
    """Return the command that carries out ``statements``, to which ``arguments`` are ``sys.argv[2:]``.

    It finds modules where this program does, and none in a folder that happens to be the current one.
    """
    places = json.dumps([place or os.getcwd() for place in sys.path])
    return [sys.executable, "-P", "-c", _START + statements, places, *arguments]
