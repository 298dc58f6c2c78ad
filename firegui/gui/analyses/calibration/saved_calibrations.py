"""Where the calibrations of a project are kept, and which of them was interrupted."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from pathlib import Path

from firegui.runs.fit_checkpoint import SUFFIX, part_of

CALIBRATIONS = "calibrations"
"""The folder of a project that holds the weights calibrated for it in the window."""

_WEIGHTS = ".safetensors"


def new_weights_file(project_folder: Path, now: datetime) -> Path:
    """``calibrations/YYYYMMDD-HHMMSS.safetensors`` in the project, with a number where that is there already."""
    base = project_folder / CALIBRATIONS / f"{now:%Y%m%d-%H%M%S}{_WEIGHTS}"
    out, number = base, 1
    while out.exists() or part_of(out).exists():
        number += 1
        out = base.with_stem(f"{base.stem}-{number}")
    return out


def interrupted_in(project_folder: Path | None) -> Path | None:
    """The weights file of the latest calibration that was stopped or killed, which need not be there yet."""
    if project_folder is None:
        return None
    parts = sorted((project_folder / CALIBRATIONS).glob(f"*{_WEIGHTS}{SUFFIX}"))
    return parts[-1].with_name(parts[-1].name.removesuffix(SUFFIX)) if parts else None


def discard(out: Path) -> None:
    """Remove the weights and what they would go on from; what cannot be removed stays."""
    for path in (part_of(out), out):
        with suppress(OSError):
            path.unlink()
