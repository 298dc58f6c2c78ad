"""Sentences on what a training taught the network, what is published, and what it never saw.

No torch is needed to say it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from firegui.domain.scenario import LAYERS
from firegui.domain.units import percent_text
from firegui.domain.weights import GAINS, OPTIONAL_LAYERS, Correction, NetworkWeights, Training
from firegui.fire.prior import SOURCE

_ALWAYS = ("rate of spread", "ignition", "fuel factor")
_EFFECTS = {"wind_gain": "wind strength", "wind_alignment": "wind direction", "slope_gain": "slope"}


def training_coverage(weights: NetworkWeights) -> tuple[str, ...]:
    """Return sentences on what the training could teach and what it could not.

    They also name the events with a correction.
    """
    training = weights.training
    return (*_gains(training), *_unseen(training), *map(_corrected, weights.corrections))


def _gains(training: Training) -> Iterator[str]:
    learned = [_EFFECTS[name] for name in GAINS if name in training.learned]
    effects = f", effect of {', '.join(learned)}" if learned else ""
    yield f"Learned: {', '.join(_ALWAYS)}{effects}."
    published = [_EFFECTS[name] for name in GAINS if name not in training.learned]
    if published:
        yield f"From published values ({SOURCE}): effect of {', '.join(published)}."


def _unseen(training: Training) -> Iterator[str]:
    layers = [LAYERS[key][0].lower() for key in OPTIONAL_LAYERS if key not in training.layers]
    parts = [", ".join(layers)] if layers else []
    parts.append(f"winds above {training.wind_max_ms:.1f} m/s")
    if "slope" in training.layers:
        parts.append(f"slopes above {training.slope_max_deg:.0f}°")
    yield f"Never seen: {'; '.join(parts)}."


def _corrected(correction: Correction) -> str:
    rows, columns = correction.log_rate.shape
    text = f"On the raster of {correction.event} the base rate is corrected by a field of {rows} × {columns} nodes"
    change = math.expm1(correction.trend)
    if round(100 * change) == 0:
        return f"{text}."
    return f"{text} and {'falls' if change < 0 else 'rises'} by {percent_text(abs(change), 0)} a day."
