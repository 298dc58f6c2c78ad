"""The command line that repeats a run, written into its folder whether the window or the command line started it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from firegui.domain.fit import NetworkFitSettings
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


def calibrate_command(
    projects: Sequence[Path], out: Path, settings: NetworkFitSettings, *, start: Path | None = None
) -> str:
    """``firegui calibrate …`` with every option that decides the result spelled out."""
    words = ["firegui", "calibrate", *map(str, projects), "--out", str(out), "--fit-days", str(settings.fit_days)]
    words += ["--epochs", str(settings.epochs), "--lr", repr(settings.learning_rate)]
    words += ["--patience", str(settings.patience), "--seed", str(settings.seed)]
    words += ["--margin", str(settings.margin_cells)]
    if settings.correction:
        words += ["--correction-rate", repr(settings.correction_rate), "--node-spacing", repr(settings.node_spacing_m)]
    else:
        words.append("--no-correction")
    if start is not None:
        words += ["--start", str(start)]
    return shlex.join(words)
