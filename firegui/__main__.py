"""``python -m firegui`` is the command ``firegui``."""

from __future__ import annotations

from firegui.cli.main import main

if __name__ == "__main__":
    main(prog_name="firegui")
