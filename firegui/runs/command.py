"""The command line that repeats a run, written into its folder whether the window or the command line started it."""

from __future__ import annotations

import shlex
from pathlib import Path

from firegui.domain.settings import Effectiveness, OptimizerSettings


def optimize_command(
    project: Path,
    out: Path,
    optimizer: OptimizerSettings,
    design: Effectiveness,
    *,
    warm_start: Path | None = None,
    backend: str = "auto",
) -> str:
    """``firegui optimize …`` with every option that decides the result spelled out."""
    words = ["firegui", "optimize", str(project), "--out", str(out)]
    words += ["--epochs", str(optimizer.epochs), "--lr", repr(optimizer.learning_rate)]
    words += ["--patience", str(optimizer.patience), "--seed", str(optimizer.seed)]
    words += ["--design-retardant", repr(design.retardant), "--design-water", repr(design.water)]
    if warm_start is not None:
        words += ["--warm-start", str(warm_start)]
    if backend != "auto":
        words += ["--backend", backend]
    return shlex.join(words)
