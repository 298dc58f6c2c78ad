"""The rollout with its gradient in closed form, on the window the fire can have reached.

Same equations as :mod:`firegui.rollout.reference`. Two facts make it cheaper. A step can change only the neighbours of
burning cells, so everything is evaluated on the bounding box of what has burned, grown by the stencil's reach a step:
exact in any precision, because outside of it every heat exposure is exactly 0. And every loss depends on the state only
through ``U = 1 − P`` while the carry of ``B`` is cut, so the adjoint is one transposed stencil a step. With
``l_t = ∂𝓛/∂P_t``, ``g = ∂𝓛/∂U_{t+1}`` (started at ``−l_T``), ``ρ_x, ρ_e`` the retardant factor where it acts on
receiver and emitter (1 where it does not), and from ``t = T − 1`` down:

    V = g U_{t+1}                      M(x) = Σ_y V(y) ρ_x(y) K_{x→y}(y)
    C ← C + V h_t [receiver] + M B̃_t ρ_e [emitter]        = ∂𝓛/∂E^ret_t
    g̃ = g e^{−h_t}                     ∂𝓛/∂E^water_t = s_t B_t (g̃ + M ρ_e)
    g ← g̃ − l_t

With the model's ``full_carry`` the burning state keeps its gradient from step to step. ``B_{t+1} = c B̃_t + Ũ_t (1 −
e^{−h_t})`` with ``c = 1 − 1/T_burn``, so a second adjoint goes back beside ``g``: ``b = ∂𝓛/∂B_{t+1}``, 0 at ``T``.

    V = (g − b) U_{t+1}                 M and C as above
    g̃ = g e^{−h_t} + b (1 − e^{−h_t})  = ∂𝓛/∂Ũ_t
    b̃ = c b − M ρ_e                    = ∂𝓛/∂B̃_t
    ∂𝓛/∂E^water_t = s_t B_t (g̃ − b̃)
    g ← g̃ − l_t                        b ← (1 − s_t) g̃ + s_t b̃

``b = 0`` throughout gives the cut gradient. Outside the window of a step ``B`` is the constant 0 and ``b`` is dropped.
Each share ``w_n(y) = V(y) ρ_x(y) K_n(y) Π_z r(z) B̃(x_n) ρ_e(x_n)`` of a knight's move goes to ``C`` at the two cells
``z`` between which it passes, too.

``V`` is 0 where ``h`` is so small that ``e^{−h}`` rounds to 1, for the reason given in ``DESIGN.md``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from firegui.domain.fleet import Material
from firegui.domain.results import Metrics
from firegui.domain.schedule import Schedule
from firegui.domain.stencil import Offset
from firegui.errors import Check
from firegui.rollout.alteration import Alteration
from firegui.rollout.deposits import StepDose, batches, scales_of, step_doses
from firegui.rollout.gates import Gates, gates_of
from firegui.rollout.landing import fall_time_s
from firegui.rollout.measure import losses_of, metrics_of, values_lost
from firegui.rollout.model import Model
from firegui.rollout.moving_start import start_fields
from firegui.rollout.observe import Observer, StateView
from firegui.rollout.outcome import Outcome
from firegui.rollout.suppression import MAXIMUM_DOSE

Box = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True, eq=False)
class _Record:
    """Record of one step for the backward pass, on the step's window."""

    box: Box
    burning: Tensor  # B_t, before water
    heat: Tensor  # h_t
    after: Tensor  # U_{t+1}
    cells: Tensor | None  # where retardant fell …
    before: Tensor | None  # … and r_t there


class Forward:
    """State of one rollout: ``U [H, W]``, ``B`` and ``r`` padded by the stencil's reach."""

    def __init__(self, model: Model, schedule: Schedule) -> None:
        self.model = model
        self.gates: Gates = gates_of(schedule, model.fleet, model.maps, model.rules)
        self.proposed = int(schedule.proposed.sum())
        self.doses = step_doses(model, schedule, self.gates.executed)
        fire, alight = (torch.from_numpy(cells).to(model.device).to(model.dtype) for cells in start_fields(model.maps))
        self.stencil = model.maps.stencil
        reach = self.stencil.reach
        rows, columns = model.shape
        self._burning = torch.zeros((rows + 2 * reach, columns + 2 * reach), dtype=model.dtype, device=model.device)
        self._retardant = torch.ones_like(self._burning)
        self.burning = self._burning[reach:-reach, reach:-reach]
        self.retardant = self._retardant[reach:-reach, reach:-reach]
        self.burning.copy_(alight)
        self.unburned = 1.0 - fire
        self.occupied = torch.zeros(model.shape, dtype=torch.float64, device=model.device)  # Σ_t P_t of scored steps
        self.unscored = 0.0  # Σ_t Σ_x P_t of the steps before the first scored one
        self.records: list[_Record] = []

    def run(
        self, observer: Observer, check: Check | None, *, keep: bool, alter: Alteration | None = None,
        extent: float = math.inf,
    ) -> None:  # fmt: skip
        """Run all ``T`` steps.

        ``keep`` stores what the gradient needs, ``alter`` changes the ends of days. Stops at the end of the first day
        on which the fire has more than ``extent`` cells, and counts the states after it as equal to it.
        """
        per_day = self.model.maps.steps_per_day
        box = self._reached()
        self._score(0, box, observer)
        for step in range(self.model.n_steps):
            if check is not None:
                check()
            if step % per_day == 0:
                box = self._reached()
            box = _grown(box, self.model.shape, self.stencil.reach)
            record = self._step(step, box, keep)
            if record is not None:
                self.records.append(record)
            if alter is not None and (step + 1) % per_day == 0:
                self._alter(alter, step // per_day, box)
            self._score(step + 1, box, observer)
            if (step + 1) % per_day == 0 and float((1.0 - self.unburned[_window(box)]).double().sum()) > extent:
                self._count_the_rest(step + 1, box)
                return

    def _count_the_rest(self, step: int, box: Box) -> None:
        """Count the states after that of ``step`` as equal to it."""
        fire, model = 1.0 - self.unburned[_window(box)], self.model
        scored = model.n_steps - max(step, model.first_scored_step - 1)
        self.occupied[_window(box)] += scored * fire
        self.unscored += (model.n_steps - step - scored) * float(fire.double().sum())

    def _reached(self) -> Box:
        """Return bounding box of every cell that has burned or burns."""
        touched = (self.burning > 0) | (self.unburned < 1)
        rows = torch.nonzero(touched.any(dim=1)).flatten()
        columns = torch.nonzero(touched.any(dim=0)).flatten()
        if len(rows) == 0:
            return 0, 0, 0, 0
        return int(rows[0]), int(rows[-1]) + 1, int(columns[0]), int(columns[-1]) + 1

    def _alter(self, alter: Alteration, day: int, box: Box) -> None:
        window = _window(box)
        fields = (self.unburned[window], self.burning[window])
        changed = alter.applied(day, window, *(field.cpu().numpy().copy() for field in fields))
        for field, values in zip(fields, changed, strict=True):
            field.copy_(torch.from_numpy(values))

    def _score(self, step: int, box: Box, observer: Observer) -> None:
        window = _window(box)
        fire = 1.0 - self.unburned[window]
        if step >= self.model.first_scored_step:
            self.occupied[window] += fire
        else:
            self.unscored += float(fire.double().sum())
        whole = (slice(0, self.retardant.shape[0]), slice(0, self.retardant.shape[1]))
        observer.see(step, StateView(window, self.unburned[window], self.burning[window], whole, self.retardant))

    def _step(self, step: int, box: Box, keep: bool) -> _Record | None:
        model, window = self.model, _window(box)
        burning_before = self.burning[window].clone() if keep else None
        water = self.doses[Material.WATER].get(step)
        if water is not None:
            self._wet(water)
        laid = self.doses[Material.RETARDANT].get(step)
        before = None
        if laid is not None:
            flat = (laid.cells // model.shape[1], laid.cells % model.shape[1])
            before = self.retardant[flat]
            self.retardant[flat] = before * _survival(laid, self.model.dtype)
        heat = self._exposure(step, box)
        unburned, burning = self.unburned[window], self.burning[window]
        new = unburned * (1.0 - torch.exp(-heat))
        burnout = burning * (1.0 - (1.0 - 1.0 / model.maps.t_burn))
        burning += new
        burning -= burnout
        burning.clamp_(0.0, 1.0)
        unburned -= new
        unburned.clamp_(0.0, 1.0)
        if burning_before is None:
            return None
        return _Record(box, burning_before, heat, unburned.clone(), laid.cells if laid is not None else None, before)

    def _wet(self, water: StepDose) -> None:
        """Apply water, ``B̃ = B s`` and ``Ũ = clip(U + B (1 − s), 0, 1)``, on the cells that it reaches."""
        columns = self.model.shape[1]
        flat = (water.cells // columns, water.cells % columns)
        burning, survival = self.burning[flat], _survival(water, self.model.dtype)
        self.unburned[flat] = (self.unburned[flat] + burning * (1.0 - survival)).clamp(0.0, 1.0)
        self.burning[flat] = burning * survival

    def _exposure(self, step: int, box: Box) -> Tensor:
        """Return ``h = ρ_x Σ_n (ρ_e B̃)(n) K_n Π_z r(z)`` on the window, summed in the order of the stencil."""
        top, bottom, left, right = box
        halo = self.halo(box)
        source = self._burning[halo]
        if self.model.emitter_treated:
            source = source * self._retardant[halo]
        gains = self.model.K[step // self.model.maps.steps_per_period]
        heat = torch.zeros((bottom - top, right - left), dtype=self.model.dtype, device=source.device)
        for n, offset in enumerate(self.stencil.offsets):
            share = source[self.moved(offset, box)] * gains[n, top:bottom, left:right]
            between = self.stencil.between(n)
            heat += share * self.passing(box, between) if between else share
        return heat * self.retardant[_window(box)] if self.model.receiver_treated else heat

    def halo(self, box: Box) -> tuple[slice, slice]:
        """Return the window ``box`` with the reach of the stencil around it, in the padded fields."""
        top, bottom, left, right = box
        return slice(top, bottom + 2 * self.stencil.reach), slice(left, right + 2 * self.stencil.reach)

    def moved(self, offset: Offset, box: Box) -> tuple[slice, slice]:
        """Return where the cells at ``offset`` from those of ``box`` are in a field on its halo."""
        row, column = self.stencil.reach + offset[0], self.stencil.reach + offset[1]
        return slice(row, row + box[1] - box[0]), slice(column, column + box[3] - box[2])

    def passing(self, box: Box, between: Sequence[Offset]) -> Tensor:
        """Return ``Π_z r(z)`` of the cells between which a knight's move to each cell of ``box`` passes."""
        retardant = self._retardant[self.halo(box)]
        first, second = (retardant[self.moved(cell, box)] for cell in between)
        return first * second

    def metrics(self) -> Metrics:
        """Return the paper's loss terms and the benchmark's metrics."""
        model = self.model
        last = (1.0 - self.unburned).double()
        extent, protected = float(last.sum()), float(last[model.protected].sum())
        executed, scored = self.gates.executed.sum(axis=0), float(self.occupied.sum())
        guarded, lost = float((self.occupied * model.protection).sum()), values_lost(model, lambda: last)
        losses = losses_of(model, scored, guarded, extent, executed, lost)
        return metrics_of(
            model, extent, protected, self.unscored + scored, losses, self.proposed, executed, self.gates.executed
        )


def simulate(
    model: Model, schedule: Schedule, observer: Observer, check: Check | None, alter: Alteration | None = None
) -> Outcome:
    """Roll out without a gradient; ``alter`` changes the state at the ends of days."""
    forward = Forward(model, schedule)
    forward.run(observer, check, keep=False, alter=alter)
    return Outcome(forward.metrics(), forward.gates.executed)


def gradient(
    model: Model, schedule: Schedule, observer: Observer, check: Check | None
) -> tuple[Outcome, NDArray[np.float64], NDArray[np.float64]]:
    """Roll out and differentiate: ``∂𝓛/∂D [T, A]`` and ``∂𝓛/∂(y, x, θ) [T, A, 3]``.

    The first is straight-through. All are float64.
    """
    forward = Forward(model, schedule)
    forward.run(observer, check, keep=True, extent=model.gradient_extent)
    outcome = Outcome(forward.metrics(), forward.gates.executed)
    if not model.is_differentiated(outcome.metrics):
        return outcome, np.zeros(schedule.logits.shape), np.zeros(schedule.poses.shape)
    backward = Backward(forward, schedule)
    backward.run(check)
    probability = 1.0 / (1.0 + np.exp(-schedule.logits))
    soft = probability * (1.0 - probability) * forward.gates.open
    return outcome, (backward.decision + model.drop_weights) * soft, backward.pose


class Backward:
    """Adjoint sweep.

    ``decision [T, A]`` is ``∂𝓛/∂d`` of every open pair, ``pose`` that of every executed one.
    """

    def __init__(self, forward: Forward, schedule: Schedule) -> None:
        self.forward, self.model, self.schedule = forward, forward.model, schedule
        model = self.model
        dtype, device = model.dtype, model.device
        self.decision = np.zeros(schedule.logits.shape)
        self.pose = np.zeros(schedule.poses.shape)
        self.margin = 2 * max((scales_of(kind, model).half_width for kind in model.fleet.types), default=0) + 1
        rows, columns = model.shape
        padded = (rows + 2 * self.margin, columns + 2 * self.margin)
        inner = (slice(self.margin, self.margin + rows), slice(self.margin, self.margin + columns))
        # Padded, so that footprints that stick out of the raster read zeros there: what lands outside is lost.
        self._retardant_slope = torch.zeros(padded, dtype=dtype, device=device)
        self._water_slope = torch.zeros(padded, dtype=dtype, device=device)
        self.retardant_slope = self._retardant_slope[inner]  # C, ∂𝓛/∂E^ret
        self.water_slope = self._water_slope[inner]  # ∂𝓛/∂E^water
        self.slope = model.occupancy_slope().to(dtype)  # l_t
        # Starts at −l of the last state that was simulated, which counts for those after it.
        states = model.n_steps - max(len(forward.records), model.first_scored_step) + 1
        self.g = -(states * self.slope + model.terminal_slope)
        by_value = model.value_slope()
        if by_value is not None:
            self.g -= by_value.to(dtype)
        self.has_water = bool(model.columns_of(Material.WATER))
        self.b = torch.zeros(model.shape if model.full_carry else (0, 0), dtype=dtype, device=device)

    def run(self, check: Check | None) -> None:
        """Run all simulated steps backward, footprints a day at a time."""
        per_day = self.model.maps.steps_per_day
        for day in range(len(self.forward.records) // per_day - 1, -1, -1):
            steps = range(day * per_day, (day + 1) * per_day)
            table = _FootprintTable(self, steps, self._readable(steps))
            for step in reversed(steps):
                if check is not None:
                    check()
                self._step(step)
                table.read(step)

    def _readable(self, steps: range) -> NDArray[np.bool_]:
        """Open pairs of these steps whose gradient can be other than 0: near where the fire ever was."""
        boxes = np.array([record.box for record in self.forward.records])
        (top, left), (bottom, right) = boxes[:, ::2].min(axis=0), boxes[:, 1::2].max(axis=0)
        wanted = np.zeros_like(self.forward.gates.open)
        window = slice(steps.start, steps.stop)
        y, x = self.schedule.poses[window, :, 0], self.schedule.poses[window, :, 1]
        near = np.zeros(y.shape, bool)
        maps = self.model.maps
        winds = slice(steps.start // maps.steps_per_period, -(-steps.stop // maps.steps_per_period))
        speed = float(maps.wind_speed[winds].max(initial=0.0))
        for tail in self.model.fleet.tails:
            drift = speed * fall_time_s(tail.type) / maps.cell_size_m
            reach = scales_of(tail.type, self.model).half_width + 2 + drift
            a = tail.index
            near[:, a] = (
                (y[:, a] >= top - reach)
                & (y[:, a] <= bottom + reach)
                & (x[:, a] >= left - reach)
                & (x[:, a] <= right + reach)
            )
        wanted[window] = self.forward.gates.open[window] & near
        return wanted

    def _step(self, step: int) -> None:
        forward, model = self.forward, self.model
        record = forward.records[step]
        window = _window(record.box)
        retardant = forward.retardant[window]
        water = forward.doses[Material.WATER].get(step)
        survival = self._survival_field(water, record.box)
        carried = self.b[window] if model.full_carry else None
        survived = torch.exp(-record.heat)
        flow = self.g[window] * record.after  # V
        if carried is not None:
            flow = torch.where(survived < 1.0, flow - carried * record.after, 0.0)
        received = flow * retardant if model.receiver_treated else flow
        wetted = record.burning if survival is None else record.burning * survival
        emitted, between = self._transposed(step, record.box, received, wetted)  # M
        if model.emitter_treated:
            emitted = emitted * retardant
        if model.receiver_treated:
            self.retardant_slope[window] += flow * record.heat
        if between is not None:
            self.retardant_slope[window] += between
        if model.emitter_treated:
            self.retardant_slope[window] += emitted * wetted
        passed = self.g[window] * survived
        if carried is not None:
            passed = passed + carried * (1.0 - survived)
            emitted = emitted - carried * (1.0 - 1.0 / model.maps.t_burn)  # −b̃
        if self.has_water:
            self.water_slope.zero_()
            self.water_slope[window] = wetted * (passed + emitted)
        if carried is not None:
            self.b.zero_()
            self.b[window] = -emitted if survival is None else (1.0 - survival) * passed - survival * emitted
        self.g[window] = passed
        if step >= model.first_scored_step:
            self.g -= self.slope
        if record.cells is not None and record.before is not None:
            columns = model.shape[1]
            forward.retardant[record.cells // columns, record.cells % columns] = record.before

    def _survival_field(self, water: StepDose | None, box: Box) -> Tensor | None:
        if water is None:
            return None
        field = torch.ones(self.model.n_cells, dtype=self.model.dtype, device=self.model.device)
        field[water.cells] = _survival(water, self.model.dtype)
        return field.reshape(self.model.shape)[_window(box)]

    def _transposed(self, step: int, box: Box, received: Tensor, wetted: Tensor) -> tuple[Tensor, Tensor | None]:
        """Return ``M(x) = Σ_y received(y) K_{x→y}(y) Π_z r(z)``, and what the cells ``z`` held of it.

        It is the stencil of the forward pass, scattered back to the emitters. The second sums the shares of the
        knight's moves that passed each cell, ``None`` where the stencil has none.
        """
        forward, (top, bottom, left, right) = self.forward, box
        stencil, reach = forward.stencil, forward.stencil.reach
        gains = self.model.K[step // self.model.maps.steps_per_period]
        height, width = bottom - top, right - left
        halo = torch.zeros((height + 2 * reach, width + 2 * reach), dtype=self.model.dtype, device=received.device)
        inner = (slice(reach, reach + height), slice(reach, reach + width))
        source = passed = halo
        if reach > 1:
            source, passed = torch.zeros_like(halo), torch.zeros_like(halo)
            source[inner] = wetted * forward.retardant[_window(box)] if self.model.emitter_treated else wetted
        for n, offset in enumerate(stencil.offsets):
            part = received * gains[n, top:bottom, left:right]
            between = stencil.between(n)
            if between:
                part = part * forward.passing(box, between)
                share = part * source[forward.moved(offset, box)]
                for cell in between:
                    passed[forward.moved(cell, box)] += share
            halo[forward.moved(offset, box)] += part
        return halo[inner], passed[inner] if reach > 1 else None

    def slope_of(self, material: Material) -> Tensor:
        """Return the padded field that a footprint of this material reads."""
        return self._water_slope if material is Material.WATER else self._retardant_slope

    def capped(self, material: Material, step: int) -> Tensor | None:
        """Return flat cells at which the dose of this step is at its cap, where its gradient is 0."""
        dose = self.forward.doses[material].get(step)
        if dose is None or not bool((dose.dose > MAXIMUM_DOSE).any()):
            return None
        return dose.cells[dose.dose > MAXIMUM_DOSE]


class _FootprintTable:
    """Footprints of a day's open pairs, read against the slopes as the sweep passes their step."""

    def __init__(self, owner: Backward, steps: range, wanted: NDArray[np.bool_]) -> None:
        self._owner, self._steps = owner, steps
        executed = owner.forward.gates.executed
        self._at: dict[int, list[_FootprintReader]] = {}
        for moving, pairs in ((False, wanted & ~executed), (True, wanted & executed)):
            for batch in batches(owner.model, owner.schedule, pairs, slopes=moving):
                tables = (
                    batch.prints.weight[None]
                    if batch.prints.slope is None
                    else torch.cat([batch.prints.weight[None], batch.prints.slope])
                )
                tables = (tables * batch.dose).to(owner.model.dtype)
                bounds = np.flatnonzero(np.diff(batch.pairs[:, 0], prepend=-1, append=-1))
                for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
                    reader = _FootprintReader(
                        batch.kind.material, batch.pairs[begin:end, 1], batch.prints.top[begin:end],
                        batch.prints.left[begin:end], tables[:, begin:end],
                    )  # fmt: skip
                    self._at.setdefault(int(batch.pairs[begin, 0]), []).append(reader)

    def read(self, step: int) -> None:
        """Inner products of every footprint of ``step`` with the current slopes."""
        for reader in self._at.pop(step, []):
            values = reader.products(self._owner, step)
            self._owner.decision[step, reader.columns] = values[0]
            if len(values) == 4:
                self._owner.pose[step, reader.columns] = values[1:].T


@dataclass(frozen=True, slots=True, eq=False)
class _FootprintReader:
    """Footprints of one type at one step.

    ``tables [1 or 4, n, m, m]`` holds the dose, then its slopes in y, x, θ.
    """

    material: Material
    columns: NDArray[np.int64]
    top: Tensor
    left: Tensor
    tables: Tensor

    def products(self, owner: Backward, step: int) -> NDArray[np.float64]:
        field, margin, side = owner.slope_of(self.material), owner.margin, self.tables.shape[2]
        capped = owner.capped(self.material, step)
        if capped is not None:
            columns = owner.model.shape[1]
            field = field.clone()
            field[capped // columns + margin, capped % columns + margin] = 0.0
        offset = torch.arange(side, device=field.device)
        rows = (self.top + margin)[:, None, None] + offset[None, :, None]
        cols = (self.left + margin)[:, None, None] + offset[None, None, :]
        patch = field[rows, cols].double()
        result: NDArray[np.float64] = (self.tables.double() * patch).sum(dim=(2, 3)).cpu().numpy()
        return result


def _survival(dose: StepDose, dtype: torch.dtype) -> Tensor:
    """Return ``exp(−min(E, 50))``, formed in float64."""
    return torch.exp(-dose.dose.clamp(max=MAXIMUM_DOSE)).to(dtype)


def _window(box: Box) -> tuple[slice, slice]:
    return slice(box[0], box[1]), slice(box[2], box[3])


def _grown(box: Box, shape: tuple[int, int], reach: int) -> Box:
    """Return ``reach`` cells more on every side, inside the raster; an empty box stays empty."""
    top, bottom, left, right = box
    if top == bottom:
        return box
    return max(top - reach, 0), min(bottom + reach, shape[0]), max(left - reach, 0), min(right + reach, shape[1])
