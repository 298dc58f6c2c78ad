"""Fit the scalar spread model to Bear 2020 again and write the parameters that firegui ships.

    python packaging/fit_scalar_model.py FOLDER --perimeters FILE [--out resources/fire/scalar.toml]

FOLDER is the published PyTorchFire example of Bear 2020, FILE the observed perimeters of the event. Only the wind of
days 0 to 9 and the perimeters of days 0 to 10 are read by the search; later perimeters serve the printed scores. Takes
a minute or two on one core; the same inputs give the same parameters.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from datetime import UTC, date, datetime
from pathlib import Path

from firegui.calibration.forecast import scalar_forecast, score_days
from firegui.calibration.scalar import (
    SEARCHED_PARAMETERS,
    FitSettings,
    ScalarFitProgress,
    fit_scalar,
    searched_parameters,
)
from firegui.domain.scenario import Scenario
from firegui.errors import InputError
from firegui.fire.card import DayScore, ModelCard
from firegui.fire.parameters import ScalarParameters
from firegui.io.atomic import write_text
from firegui.io.importers.pytorchfire import import_pytorchfire
from firegui.io.toml import dumps

SCORED_DAYS = 20
DEFAULT_OUT = Path(__file__).resolve().parents[1] / "resources" / "fire" / "scalar.toml"

HEADER = """\
# The scalar spread model that firegui ships, written by packaging/fit_scalar_model.py. Do not edit by hand.
# A stand-in until the trained network is there: read "limits" before trusting a number made with it.

"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit, score, write; returns the exit code."""
    options = _options(arguments)
    settings = FitSettings(fit_days=options.fit_days, seed=options.seed)
    try:
        event = import_pytorchfire(options.folder, perimeters=options.perimeters)
        found = fit_scalar(event, settings, progress=_say)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    card = make_card(event, settings, rounded(found.parameters), options.date)
    write_text(options.out, card_text(card))
    for score in card.scores:
        print(
            f"day {score.day:2d}: observed {score.observed_cells:6d}, expected {score.expected_cells:6d} cells, "
            f"IoU {score.iou:.3f} (holding the last perimeter {score.held_iou:.3f})"
        )
    print(f"{options.out}: {card.parameters}")
    return 0


def rounded(parameters: ScalarParameters) -> ScalarParameters:
    """Return four significant digits: more would say more than such a fit knows."""
    values = {item.name: float(f"{getattr(parameters, item.name):.4g}") for item in fields(parameters)}
    return ScalarParameters(**values)


def make_card(event: Scenario, settings: FitSettings, parameters: ScalarParameters, fitted: date) -> ModelCard:
    """Score the parameters on the whole grid and state what they are worth."""
    days = min(SCORED_DAYS, event.days)
    scores = score_days(event, scalar_forecast(event, parameters, days), settings.fit_days)
    return ModelCard(
        label=f"scalar spread model (provisional, fitted on {event.name} days 0–{settings.fit_days - 1})",
        fitted_on=f"{event.name}, perimeters of {event.date_of_day(0)} to {event.date_of_day(settings.fit_days)}",
        fit_days=settings.fit_days,
        fitted=fitted,
        method=(
            f"{settings.samples} random candidates (seed {settings.seed}), then pattern search; each rolled out from "
            "the perimeter of day 0 and judged by soft IoU, area and daily growth, with a weak pull to plausible values"
        ),
        limits=_limits(event, settings, scores),
        parameters=parameters,
        scores=tuple(_short(score) for score in scores),
    )


def _limits(event: Scenario, settings: FitSettings, scores: Sequence[DayScore]) -> tuple[str, ...]:
    wind = float(event.wind_speed[: settings.fit_days].max())
    unfitted = sorted({knob.name for knob in SEARCHED_PARAMETERS} - {knob.name for knob in searched_parameters(event)})
    said = [
        f"Fitted on one fire with winds up to {wind:.1f} m/s: the wind terms are mostly the plausible values they are "
        "pulled to.",
        "Only the product of p and gamma is fitted; gamma is held at 1.",
        "The canopy layer of the event shows the vegetation after the fire.",
        "The observed fire was being fought; the fit cannot tell suppression from fuel and weather.",
    ]
    if unfitted:
        said.append(f"Assumed, not fitted, because the event lacks the layers: {', '.join(unfitted)}.")
    late = [score for score in scores if score.day > settings.fit_days]
    if late:
        ours, held = (sum(values) / len(late) for values in ([s.iou for s in late], [s.held_iou for s in late]))
        said.append(
            f"On days {late[0].day} to {late[-1].day}, which the search does not read, the mean IoU is {ours:.2f}; "
            f"holding the perimeter of day {settings.fit_days} gives {held:.2f}."
        )
        said.append(
            "Those days are no clean test: the growth term of the misfit and the pull were chosen knowing that a fit "
            "without them overshoots there by more."
        )
        said.append(
            f"It expects {late[-1].expected_cells:,} cells on day {late[-1].day}, observed were "
            f"{late[-1].observed_cells:,}."
        )
    return tuple(said)


def _short(score: DayScore) -> DayScore:
    names = ("iou", "soft_iou", "area_error", "held_iou")
    return replace(score, **{name: round(getattr(score, name), 4) for name in names})


def card_text(card: ModelCard) -> str:
    """Return the card as the TOML that :func:`firegui.fire.card.read_card` reads."""
    table = asdict(card)
    table["limits"], table["scores"] = list(card.limits), [asdict(score) for score in card.scores]
    return HEADER + dumps(table)


def _say(progress: ScalarFitProgress) -> None:
    if progress.done % 10 == 0:
        print(
            f"{progress.done} of at most {progress.total}: best {progress.best_loss:.4f}", file=sys.stderr, flush=True
        )


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Fit the scalar spread model and write the shipped parameters.")
    parser.add_argument("folder", type=Path, help="PyTorchFire folder of Bear 2020")
    parser.add_argument("--perimeters", type=Path, required=True, help="observed perimeters of the event")
    parser.add_argument("--out", type=Path, default=DEFAULT_OUT, help="file to write")
    parser.add_argument("--fit-days", type=int, default=10, help="days that the search may read")
    parser.add_argument("--seed", type=int, default=0, help="seed of the random candidates")
    parser.add_argument("--date", type=date.fromisoformat, default=datetime.now(UTC).date(), help="date for the card")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    raise SystemExit(main())
