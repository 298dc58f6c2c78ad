"""Write the card of the shipped network: training, skill, and its baseline on Bear 2020.

    python packaging/network_card.py PROJECT --weights FILE [--seeds FILE …] [--members 30] [--date YYYY-MM-DD]

PROJECT is the imported event, ``--weights`` the file that ``firegui calibrate`` wrote, ``--seeds`` files of the same
training from other seeds, scored beside it. The weights are copied to ``resources/fire/network.safetensors`` and the
card is written to ``resources/fire/network.toml``. Perimeters after the fitted days serve the scores alone.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.calibration.forecast import forecast, score_days
from firegui.domain.project import FireModel, Project
from firegui.domain.weights import NetworkWeights
from firegui.ensembles.aleatoric import sampled_fire
from firegui.errors import InputError
from firegui.fire.card import BaselineDay, DayScore, ForecastResult, NetworkCard, card_table, scalar_card
from firegui.fire.maps import project_maps
from firegui.fire.prior import SOURCE
from firegui.fire.skill import ForecastSkill, forecast_skill, held_skill, scored_days
from firegui.fire.skill_report import published_for
from firegui.io.atomic import write_text
from firegui.io.project.store import load_project
from firegui.io.project.weights_file import read_weights, write_weights
from firegui.io.toml import dumps

SCORED_DAYS, BASELINE_DAYS = 20, 15
FOLDER = Path(__file__).resolve().parents[1] / "resources" / "fire"
COMMAND = "firegui calibrate bear.firegui --out network.safetensors"
HEADER = "# The network that firegui ships, written by packaging/network_card.py. Do not edit by hand.\n\n"
METHOD = (
    "AdamW on the source model's misfit plus a term for daily growth, through the closed-form gradient "
    "of the rollout by the spread maps, one day at a time from its own state; the network and the correction together; "
    "the weights of the epoch with the smallest misfit"
)
KNOWN_BEFORE = (
    "Step sizes and the spacing of the correction's nodes were chosen by fitting days 0 to 6 and scoring days 8 to 10. "
    "Its smoothness and the use of a trend were chosen after looking at the days after day 10, so those are no clean "
    "test of the two."
)
# To be dropped with the next fit, which goes through the evened form.
FITTED_AS_PUBLISHED = (
    "The weights were fitted with the effect of wind direction as published; it is used evened, which raised the mean "
    "IoU of the three seeds by 0.003 on average."
)

States = NDArray[np.float32]


def main(arguments: Sequence[str] | None = None) -> int:
    """Score, write, print; returns the exit code."""
    options = _options(arguments)
    try:
        project = load_project(options.project)
        weights = read_weights(options.weights)
        others = [read_weights(path) for path in options.seeds]
        card = make_card(project, weights, others, options.members, options.date)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    write_weights(FOLDER / "network.safetensors", weights)
    write_text(FOLDER / "network.toml", HEADER + dumps(card_table(card)))
    for result in card.results:
        print(result)
    for day in card.baseline:
        print(day)
    return 0


def make_card(
    project: Project, weights: NetworkWeights, others: Sequence[NetworkWeights], members: int, trained: date
) -> NetworkCard:
    """Roll everything out from the perimeter of day 0 and put the numbers together."""
    event, training = project.scenario, weights.training
    fit_days = training.events[0].fit_days
    states = forecast(_with(project, weights), SCORED_DAYS)
    results = [_result(f"this model, seed {training.seed}", project, states, fit_days)]
    bare = replace(weights, corrections=())
    for other in others:
        results.append(_result(f"another seed, {other.training.seed}", project, _roll(project, other), fit_days))
    results.append(_result(f"without the correction, seed {training.seed}", project, _roll(project, bare), fit_days))
    for other in others:
        name = f"without the correction, seed {other.training.seed}"
        results.append(_result(name, project, _roll(project, replace(other, corrections=())), fit_days))
    scalar = scalar_card()
    constant = replace(
        project, fire_model=FireModel("scalar", scalar.label, scalar.parameters.as_mapping()), weights=None
    )
    results.append(_result("constant parameters", project, forecast(constant, SCORED_DAYS), fit_days))
    results.append(_in_short(f"perimeter of day {fit_days} held", held_skill(event, SCORED_DAYS, fit_days), fit_days))
    published = published_for(event)
    if published is not None and published.mean is not None:
        results.append(ForecastResult("source model (published)", published.mean))
    fires = tuple(
        f"{each.name}, {each.start} to {event.date_of_day(each.fit_days)}" if each.name == event.name else each.name
        for each in training.events
    )
    return NetworkCard(
        label=training.label, trained_on=fires, fit_days=fit_days, layers=training.layers, trained=trained,
        command=COMMAND, method=METHOD, correction=_correction(weights),
        priors=tuple(f"{name}: {SOURCE}" for name in _assumed(weights)),
        limits=(*training.limits, FITTED_AS_PUBLISHED, KNOWN_BEFORE, *_about(project, states)), results=tuple(results),
        scores=tuple(_short(score) for score in score_days(event, states, fit_days)),
        baseline=tuple(baseline(_with(project, weights), states, members)),
    )  # fmt: skip


def baseline(project: Project, states: States, members: int) -> list[BaselineDay]:
    """Return the daily area without drops: observed, expected, and of ``members`` sampled fires.

    The fires have the seeds 0, 1, ….
    """
    event = project.scenario
    plan = replace(project.plan, start_day=0, days=BASELINE_DAYS)
    maps = project_maps(replace(project, plan=plan))
    fires = [sampled_fire(maps, np.random.default_rng(seed)) for seed in range(members)]
    cells = np.array([fire.sum(axis=(1, 2)) for fire in fires], np.float64)
    found = []
    for day in range(1, BASELINE_DAYS + 1):
        observed = event.observed_on(day)
        found.append(
            BaselineDay(
                day, 0 if observed is None else int(observed.sum()), round(float(states[day].sum(dtype=np.float64))),
                round(float(cells[:, day].mean())), round(float(cells[:, day].std(ddof=1))),
            )
        )  # fmt: skip
    return found


def _roll(project: Project, weights: NetworkWeights) -> States:
    return forecast(_with(project, weights), SCORED_DAYS)


def _with(project: Project, weights: NetworkWeights) -> Project:
    return project.with_network(weights)


def _result(name: str, project: Project, states: States, fit_days: int) -> ForecastResult:
    return _in_short(name, forecast_skill("model", name, project.scenario, states, fit_days), fit_days)


def _in_short(name: str, skill: ForecastSkill, fit_days: int) -> ForecastResult:
    late, worst = skill.pooled(fit_days + 1, SCORED_DAYS), skill.lowest(1, SCORED_DAYS)
    mean = skill.mean_iou(1, SCORED_DAYS)
    assert mean is not None and worst is not None and late is not None and skill.growth is not None
    after = skill.mean_iou(fit_days + 1, SCORED_DAYS)
    new = late.new_iou
    return ForecastResult(
        name, round(mean, 4), round(worst[1], 4), None if after is None else round(after, 4),
        None if new is None else round(new, 4), round(skill.growth.ratio, 3),
    )  # fmt: skip


def _assumed(weights: NetworkWeights) -> list[str]:
    return [name for name in ("wind_gain", "wind_alignment", "slope_gain") if name not in weights.training.learned]


def _correction(weights: NetworkWeights) -> str:
    if not weights.corrections:
        return "none"
    parts = [
        f"{each.event}: {each.log_rate.shape[0]} × {each.log_rate.shape[1]} nodes of the log rate, "
        f"{float(each.log_rate.min()):+.2f} to {float(each.log_rate.max()):+.2f}, a trend of {each.trend:+.3f} a day"
        for each in weights.corrections
    ]
    return "; ".join(parts) + ". Used only on the raster it was fitted on."


def _about(project: Project, states: States) -> list[str]:
    """Return the limits of the event's own data."""
    event = project.scenario
    last = scored_days(event, SCORED_DAYS)[-1]
    observed = event.observed_on(last)
    assert observed is not None
    return [
        "The canopy layers of the event show the vegetation after the fire.",
        "The observed fire was being fought; the fit cannot tell suppression from fuel and weather, and the falling "
        "trend is mostly the former.",
        f"It expects {float(states[last].sum()):,.0f} cells on day {last}, observed were {int(observed.sum()):,}.",
    ]


def _short(score: DayScore) -> DayScore:
    names = ("iou", "soft_iou", "area_error", "held_iou")
    return replace(score, **{name: round(getattr(score, name), 4) for name in names})


def _options(arguments: Sequence[str] | None) -> Any:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("project", type=Path)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--seeds", type=Path, nargs="*", default=[])
    parser.add_argument("--members", type=int, default=30)
    parser.add_argument("--date", type=date.fromisoformat, default=date.today())
    return parser.parse_args(arguments)


if __name__ == "__main__":
    raise SystemExit(main())
