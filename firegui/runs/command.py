"""Command line that repeats a run, generated from its specification and written into its folder."""

from __future__ import annotations

import shlex
from collections.abc import Collection
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from firegui.domain.benchmark import BenchmarkSettings, PlannerName
from firegui.domain.fit import NetworkFitSettings
from firegui.domain.margin_curve import MarginCurveSettings
from firegui.domain.options import exact_number, setting_fields, value_at
from firegui.domain.scaling import ScalingSettings
from firegui.domain.sensitivity import SensitivityKind, SensitivitySettings
from firegui.domain.settings import Margin
from firegui.domain.stress import StressTestSettings
from firegui.domain.uncertainty import ErrorSource, UncertaintyKind, UncertaintySettings
from firegui.domain.workers import WorkerSettings
from firegui.runs.spec import (
    BenchmarkSpec,
    CalibrateSpec,
    MarginSpec,
    PlanSpec,
    ReplanSpec,
    ScalingSpec,
    SensitivitySpec,
    StressSpec,
    StudySpec,
    UncertaintySpec,
)
from firegui.runs.stages import Stage

CURVE_OWN = ("kind", "draws")
"""Settings of a margin that a margin curve decides by itself or has another option for."""

RepeatableSpec = (
    PlanSpec
    | ReplanSpec
    | CalibrateSpec
    | SensitivitySpec
    | StressSpec
    | MarginSpec
    | UncertaintySpec
    | BenchmarkSpec
    | ScalingSpec
    | StudySpec
)
Spec = TypeVar("Spec", bound=RepeatableSpec)


def with_command(spec: Spec, source: Path | None = None) -> Spec:
    """Return ``spec`` with the command that repeats it; see :func:`repeat_command`."""
    return replace(spec, command=repeat_command(spec, source))


def repeat_command(spec: RepeatableSpec, source: Path | None = None) -> str:
    """Return ``firegui …`` with every option that decides the result; empty for an unsaved project.

    Options whose default is the project's own setting are always there, for the project may change. Others are there
    when they differ from their default. ``source`` is the file of a calibration's first weights or of an observed
    perimeter.
    """
    place = spec.project_folders if isinstance(spec, CalibrateSpec) else (spec.project_folder,)
    if isinstance(spec, StudySpec):
        place = (spec.study_file,)
    if None in place:
        return ""
    words = [*map(str, place), "--out", str(spec.out)]
    match spec:
        case PlanSpec():
            name = "plan" if len(spec.stages) > 1 else spec.stages[0].value
            words += _plan_words(spec)
        case ReplanSpec():
            name, plan = "replan", spec.project.plan
            words += [*_file("--schedule", spec.schedule_file), "--day", str(spec.day), *_file("--observed", source)]
            words += ["--closed-loop"] if spec.closed_loop else []
            if spec.exercise is not None:
                words += ["--scenario", spec.exercise.name, "--every", exact_number(spec.exercise.repair_hours)]
                words += ["--draw", str(spec.draw)] if spec.draw else []
            words += [] if spec.stop_at is None else ["--stop-at", exact_number(spec.stop_at)]
            words += _file("--after", spec.after)
            words += setting_words(plan.optimizer, skip=("start",)) + setting_words(plan.elimination)
            words += setting_words(plan.design, prefix="design")
        case CalibrateSpec():
            name, usual = "calibrate", NetworkFitSettings()
            words += ["--fit-days", str(spec.settings.fit_days)]
            words += [*setting_words(spec.settings, usual, skip=("fit_days",)), *_file("--start", source)]
        case SensitivitySpec():
            name = "sensitivity"
            words += _sensitivity_words(spec)
        case StressSpec():
            name = "stress"
            words += [*_file("--schedule", spec.schedule_file), *_file("--scenarios", spec.scenarios_file)]
            words += setting_words(spec.settings, StressTestSettings(), skip=("seed",))
            words += ["--seed", str(spec.settings.stress.seed)]
        case MarginSpec():
            name, plan = "margin", spec.project.plan
            words += setting_words(spec.settings, MarginCurveSettings())
            words += setting_words(plan.margin, skip=CURVE_OWN)
            words += setting_words(plan.optimizer, only=("epochs",))
        case UncertaintySpec():
            name = "uq"
            words += _uncertainty_words(spec)
        case BenchmarkSpec():
            # The two-stage plan is always carried out: naming it adds nothing, and a list may not be empty.
            name, planners = "benchmark", spec.settings.planners or (PlannerName.TWO_STAGE,)
            settings = replace(spec.settings, planners=planners)
            words += setting_words(settings, replace(BenchmarkSettings(), planners=()))
            words += ["--processes", str(spec.processes)] if spec.processes else []
            words += ["--scheduler", spec.scheduler] if spec.scheduler else []
        case ScalingSpec():
            name = "scaling"
            words += setting_words(spec.settings, ScalingSettings())
            words += setting_words(spec.project.plan.optimizer, only=("full_carry",))
        case StudySpec():
            name = "study"
            words += setting_words(spec.workers, WorkerSettings())
    backend = getattr(spec, "backend", "auto")
    return shlex.join(["firegui", name, *words, *(["--backend", backend] if backend != "auto" else [])])


def setting_words(
    settings: Any,
    usual: Any = None,
    *,
    prefix: str = "",
    kind: StrEnum | None = None,
    only: Collection[str] = (),
    skip: Collection[str] = (),
) -> list[str]:
    """Return the command-line words of settings: those that differ from ``usual``, without it all.

    ``kind`` is the kind of an analysis, whose settings alone are given.
    """
    words: list[str] = []
    for item in setting_fields(settings):
        if item.name in skip or (only and item.name not in only):
            continue
        if kind is not None and item.option.kinds and kind not in item.option.kinds:
            continue
        if usual is None or value_at(usual, item.path) != item.value:
            words += item.words(item.value, prefix)
    return words


def _plan_words(spec: PlanSpec) -> list[str]:
    plan, words = spec.project.plan, []
    if Stage.OPTIMIZE in spec.stages:
        words += setting_words(plan.optimizer)
    if Stage.TACTICAL in spec.stages:
        words += setting_words(plan.optimizer, only=("seed",))
        words += [] if spec.budget is None else ["--budget", str(spec.budget)]
    words += setting_words(plan.design, prefix="design")
    if Stage.PRUNE in spec.stages:
        words += [] if Stage.OPTIMIZE in spec.stages else setting_words(plan.optimizer, only=("search",))
        words += setting_words(plan.elimination)
    if Stage.OPTIMIZE in spec.stages or Stage.PRUNE in spec.stages:
        words += setting_words(plan.margin, only=("kind",) if plan.margin.kind is Margin.NONE else ())
    return words + _file("--warm-start" if Stage.OPTIMIZE in spec.stages else "--schedule", spec.warm_start_file)


def _sensitivity_words(spec: SensitivitySpec) -> list[str]:
    words = ["--kind", spec.kind.value, *_file("--schedule", spec.schedule_file)]
    words += setting_words(spec.workers, WorkerSettings())
    usual = SensitivitySettings()
    if spec.kind is not SensitivityKind.DESIGN:
        return words + setting_words(spec.settings, usual, kind=spec.kind)
    words += setting_words(spec.settings, usual, kind=spec.kind, skip=("seed",))
    return words + setting_words(spec.project.plan.optimizer, only=("epochs",)) + ["--seed", str(spec.settings.seed)]


def _uncertainty_words(spec: UncertaintySpec) -> list[str]:
    settings = spec.settings
    # The published error model is fitted already.
    fitted = settings.kind is UncertaintyKind.EPISTEMIC and settings.error is ErrorSource.PAPER
    skip = ("kind", "softening") if fitted else ("kind",)
    words = ["--kind", settings.kind.value, *_file("--schedule", spec.schedule_file)]
    words += setting_words(spec.workers, WorkerSettings())
    return words + setting_words(settings, UncertaintySettings(), kind=settings.kind, skip=skip)


def _file(option: str, file: Path | None) -> list[str]:
    return [] if file is None else [option, str(file)]
