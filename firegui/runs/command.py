"""The command line that repeats a run, written into its folder whether the window or the command line started it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from firegui.domain.fit import NetworkFitSettings
from firegui.domain.settings import EliminationSettings, OptimizerSettings, PlanSettings
from firegui.runs.spec import Stage


def plan_command(
    stages: tuple[Stage, ...],
    project: Path,
    out: Path,
    plan: PlanSettings,
    *,
    warm_start: Path | None = None,
    backend: str = "auto",
    budget: int | None = None,
) -> str:
    """``firegui plan …``, ``optimize …``, ``prune …`` or ``tactical …`` with every option that decides the result."""
    both = Stage.OPTIMIZE in stages and Stage.PRUNE in stages
    words = ["firegui", "plan" if both else stages[0].value, str(project), "--out", str(out)]
    if Stage.OPTIMIZE in stages:
        words += _first_stage_words(plan.optimizer)
    if Stage.TACTICAL in stages:
        words += ["--seed", str(plan.optimizer.seed)]
        words += [] if budget is None else ["--budget", str(budget)]
    words += ["--design-retardant", repr(plan.design.retardant), "--design-water", repr(plan.design.water)]
    if Stage.PRUNE in stages:
        words += _second_stage_words(plan.elimination)
    if warm_start is not None:
        words += ["--warm-start" if Stage.OPTIMIZE in stages else "--schedule", str(warm_start)]
    if backend != "auto":
        words += ["--backend", backend]
    return shlex.join(words)


def replan_command(
    project: Path,
    out: Path,
    plan: PlanSettings,
    schedule: Path,
    observed: Path | None,
    day: int,
    *,
    closed_loop: bool = False,
    backend: str = "auto",
) -> str:
    """``firegui replan …`` with every option that decides the result; without ``observed`` the project's perimeter."""
    words = ["firegui", "replan", str(project), "--schedule", str(schedule), "--day", str(day), "--out", str(out)]
    words += ["--observed", str(observed)] if observed is not None else []
    words += ["--closed-loop"] if closed_loop else []
    optimizer = plan.optimizer
    words += ["--epochs", str(optimizer.epochs), "--lr", repr(optimizer.learning_rate)]
    words += ["--patience", str(optimizer.patience), "--seed", str(optimizer.seed)]
    words += ["--slack", repr(plan.elimination.slack), "--allowance", str(plan.elimination.allowance)]
    words += ["--design-retardant", repr(plan.design.retardant), "--design-water", repr(plan.design.water)]
    return shlex.join(words + (["--backend", backend] if backend != "auto" else []))


def _first_stage_words(settings: OptimizerSettings) -> list[str]:
    words = ["--epochs", str(settings.epochs), "--lr", repr(settings.learning_rate)]
    words += ["--patience", str(settings.patience), "--seed", str(settings.seed)]
    words += ["--start", settings.start.value]
    return [*words, "--full-carry" if settings.full_carry else "--cut-carry"]


def _second_stage_words(settings: EliminationSettings) -> list[str]:
    words = ["--slack", repr(settings.slack), "--allowance", str(settings.allowance), "--keep", str(settings.keep)]
    words += ["--perturbations", str(settings.perturbations), "--perturbation-scale", repr(settings.perturbation_scale)]
    return [*words, "--smoothing", str(settings.smoothing), "--front-shift", repr(settings.front_shift)]


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
