"""Write the sha256 of every file of every pin to ``packaging/hashes.txt``.

``python packaging/hash_pins.py`` asks uv, in whose environment it must run, what its index says; nothing is installed.
Run it after every change of the pins: ``packaging/bootstrap.py`` accepts no other file for a pin that is listed.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from outdated_pins import CONSTRAINTS, pins

HASHES = CONSTRAINTS.with_name("hashes.txt")
# The oldest Python that all pins support; without dependencies it decides nothing else.
_OPTIONS = ("--universal", "--no-deps", "--generate-hashes", "--no-annotate", "--no-header", "--python-version=3.11.5")
_HEAD = "# Written by packaging/hash_pins.py from packaging/constraints.txt: do not edit.\n"


def main() -> int:
    """Write the file; return the exit status of uv."""
    pinned = pins(CONSTRAINTS.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        asked = Path(folder) / "pins.in"
        asked.write_text("".join(f"{name}=={version}\n" for name, version in pinned.items()), encoding="utf-8")
        command = [sys.executable, "-m", "uv", "pip", "compile", "--quiet", *_OPTIONS, str(asked)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, encoding="utf-8", check=False)
    if done.returncode == 0:
        HASHES.write_text(_HEAD + done.stdout, encoding="utf-8")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
