"""Effect of drops on the state, and its reversal.

Doses of a step are summed in the order of the fleet on a scratch field, in pieces of 8 cells, and capped when they act.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firegui.native.compiled import kernel
from firegui.native.vectors import bits_above, fma, load8, minimum, splat8, store, total
from firegui.rollout.kernels.cpu_arithmetic import bright8, emit8, mark, survival8
from firegui.rollout.kernels.layout import SUM_FIRE, SUM_PROT, Constants, Floats, Marks, Sizes, StateFields

HIGHEST_DOSE = np.float32(50.0)


class PlacedFootprints(NamedTuple):
    """Footprints of one material, by step: drops ``first[t] … first[t + 1]`` with their 8-cell pieces.

    ``weights [n · 8]`` are not normalised; ``amounts`` scale them to doses.
    """

    first: NDArray[np.int64]
    pieces: NDArray[np.int64]
    places: NDArray[np.int32]
    weights: Floats
    amounts: Floats


class DropLog(NamedTuple):
    """Undo log of the drops.

    Per step ``first[t]`` it has the places, the values of one or two fields and the doses. ``capped[t]`` is 1 where a
    dose of the step is above :data:`HIGHEST_DOSE`.
    """

    first: NDArray[np.int64]
    capped: NDArray[np.uint8]
    places: NDArray[np.int32]
    before: Floats
    dose: Floats

    def most(self) -> int:
        """Return the most pieces that any step changed."""
        return int(np.diff(self.first).max(initial=0))


@kernel
def gather_doses(field: Floats, prints: PlacedFootprints, step: int) -> None:
    """Sum the doses of a step's drops, in the order of the fleet."""
    for drop in range(prints.first[step], prints.first[step + 1]):
        amount = splat8(prints.amounts[drop])
        for piece in range(prints.pieces[drop], prints.pieces[drop + 1]):
            at = prints.places[piece]
            store(field, at, fma(load8(prints.weights, piece * 8), amount, load8(field, at)))


@kernel
def lay_retardant(
    fields: StateFields, prints: PlacedFootprints, log: DropLog, marks: Marks, step: int, shape: Sizes, emitter: bool
) -> None:
    """Scale ``r ← r e^{−E}`` under the drops of ``step``."""
    gather_doses(fields.dose, prints, step)
    count = log.first[step]
    nothing, highest = splat8(np.float32(0.0)), splat8(HIGHEST_DOSE)
    for piece in range(prints.pieces[prints.first[step]], prints.pieces[prints.first[step + 1]]):
        at = prints.places[piece]
        dose = load8(fields.dose, at)
        if bits_above(dose, nothing) != 0:
            before = load8(fields.retardant, at)
            log.places[count] = at
            store(log.before, count * 8, before)
            store(log.dose, count * 8, dose)
            if bits_above(dose, highest) != 0:
                log.capped[step] = 1
            count += 1
            store(fields.retardant, at, bright8(before * survival8(dose)))
            store(fields.dose, at, nothing)
            emit8(fields, at, load8(fields.scaled, at), emitter)
            mark(marks.treated, at, shape)
    log.first[step + 1] = count


@kernel
def pour_water(
    fields: StateFields, prints: PlacedFootprints, log: DropLog, marks: Marks, step: int, decay: np.float32,
    shape: Sizes, setting: Constants, sums: NDArray[np.float64],
) -> None:  # fmt: skip
    """Set ``Ũ = U + B (1 − s)`` and ``B̃ = B s``, ``s = e^{−E}``, under the drops of ``step``."""
    gather_doses(fields.dose, prints, step)
    count = log.first[step]
    nothing, one, highest = splat8(np.float32(0.0)), splat8(np.float32(1.0)), splat8(HIGHEST_DOSE)
    for piece in range(prints.pieces[prints.first[step]], prints.pieces[prints.first[step + 1]]):
        at = prints.places[piece]
        dose = load8(fields.dose, at)
        if bits_above(dose, nothing) != 0:
            store(fields.dose, at, nothing)
            scaled, unburned = load8(fields.scaled, at), load8(fields.unburned, at)
            log.places[count] = at
            store(log.before, count * 16, scaled)
            store(log.before, count * 16 + 8, unburned)
            store(log.dose, count * 8, dose)
            if bits_above(dose, highest) != 0:
                log.capped[step] = 1
            count += 1
            if bits_above(scaled, nothing) != 0:
                spared = survival8(dose)
                raised = minimum(fma(scaled * splat8(decay), one - spared, unburned), one)
                store(fields.unburned, at, raised)
                scaled = bright8(scaled * spared)
                store(fields.scaled, at, scaled)
                emit8(fields, at, scaled, setting.emitter)
                back = unburned - raised
                sums[SUM_FIRE] += total(back)
                sums[SUM_PROT] += total(back * load8(setting.density, at))
                mark(marks.now, at, shape)
    log.first[step + 1] = count


@kernel
def unlay(fields: StateFields, log: DropLog, step: int, emitter: bool) -> None:
    """Undo the retardant of ``step``, last drop first."""
    for piece in range(log.first[step + 1] - 1, log.first[step] - 1, -1):
        at = log.places[piece]
        store(fields.retardant, at, load8(log.before, piece * 8))
        emit8(fields, at, load8(fields.scaled, at), emitter)


@kernel
def unpour(fields: StateFields, log: DropLog, step: int, emitter: bool) -> None:
    """Undo the water of ``step``, last drop first."""
    for piece in range(log.first[step + 1] - 1, log.first[step] - 1, -1):
        at = log.places[piece]
        scaled = load8(log.before, piece * 16)
        store(fields.scaled, at, scaled)
        store(fields.unburned, at, load8(log.before, piece * 16 + 8))
        emit8(fields, at, scaled, emitter)
