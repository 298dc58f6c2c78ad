"""Draw the picture of the README: the workbench with a fire loaded and a plan playing.

``.venv/bin/python packaging/screenshot.py --event PyTorchFire/examples/Bear_2020 --perimeters Bear_2020_NAT.geojson``
imports the fire of 2020 from its publishers' files (the guide page ``bear-2020`` says where they are), protects the
paper's three regions, plans three days in forty epochs and draws the result. Without ``--event`` it takes the demo
fire. No display is needed; everything is done with the commands of ``firegui``.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

PICTURE = Path(__file__).resolve().parents[1] / "resources" / "screenshots" / "workbench.png"
REGIONS = """
[[region]]
name = "R1"
rows = [0, 200]
columns = [0, 744]

[[region]]
name = "R2"
rows = [201, 549]
columns = [450, 744]

[[region]]
name = "R3"
rows = [550, 618]
columns = [0, 744]
"""


def firegui(*words: str) -> None:
    """Run one command of ``firegui``; ends this script with its status when it fails."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    print("==> firegui", *words, flush=True)
    status = subprocess.run([sys.executable, "-m", "firegui", *words], env=environment, check=False).returncode
    if status != 0:
        sys.exit(status)


def draw_event(event: Path, perimeters: Path | None, days: int, epochs: int, picture: Path, scratch: Path) -> None:
    """Import an event, plan it and draw it."""
    project, run, regions = (
        scratch / "Bear.firegui",
        scratch / "Bear.firegui" / "runs" / "plan",
        scratch / "regions.toml",
    )
    regions.write_text(REGIONS, encoding="utf-8")
    observed = ["--perimeters", str(perimeters)] if perimeters else []
    firegui("import", "pytorchfire", str(event), "--out", str(project), *observed)
    firegui("configure", str(project), "--regions", str(regions), "--days", str(days))
    firegui("plan", str(project), "--out", str(run), "--margin", "none", "--epochs", str(epochs))
    firegui("snapshot", str(project), str(run), "--out", str(picture))


def draw_demo(picture: Path, scratch: Path) -> None:
    """Plan the demo fire and draw it."""
    firegui("demo", "--out", str(scratch))
    picture.write_bytes((scratch / "workbench.png").read_bytes())
    print(f"Wrote {picture}")


def main(arguments: Sequence[str]) -> None:
    """Read the command line and draw."""
    parser = argparse.ArgumentParser(description="Draw the picture of the README.")
    parser.add_argument("--event", type=Path, help="folder of a PyTorchFire example; the demo fire when left out")
    parser.add_argument("--perimeters", type=Path, help="its observed daily perimeters")
    parser.add_argument("--days", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=200)
    parser.add_argument("--out", type=Path, help="the PNG to write; with --event the README's when left out")
    asked = parser.parse_args(arguments)
    if asked.out is None and asked.event is None:
        parser.error("give --out for a picture of the demo: the README's own shows a real event")
    asked.out = asked.out or PICTURE
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        if asked.event is None:
            draw_demo(asked.out, Path(scratch))
        else:
            draw_event(asked.event, asked.perimeters, asked.days, asked.epochs, asked.out, Path(scratch))


if __name__ == "__main__":
    main(sys.argv[1:])
