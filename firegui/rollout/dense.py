"""The rollout in careful dense torch: what an engine is measured against, and nothing computes with.

The equations of :mod:`firegui.rollout.reference` over the whole raster in float32, with everything that makes torch
fast: no graph, no buffer made inside a step, every operation in place, retardant left out until some has fallen.
"""

from __future__ import annotations

import torch
from torch import Tensor

from firegui.domain.fleet import Material
from firegui.domain.maps import NEIGHBOURS
from firegui.domain.schedule import Schedule
from firegui.rollout.deposits import StepDose, step_doses
from firegui.rollout.gates import gates_of
from firegui.rollout.model import Model
from firegui.rollout.suppression import MAXIMUM_DOSE


class DenseRollout:
    """Buffers of one rollout on ``model.device``; call it as often as wanted.

    ``unburned [H, W]`` and ``burning [H, W]`` are ``U_T`` and ``B_T`` after a call, ``occupied [H, W]`` is
    ``Σ_t P_t`` over all ``T + 1`` states.
    """

    def __init__(self, model: Model) -> None:
        self._model, self._gains = model, model.K
        rows, columns = model.shape
        self._ignition = torch.from_numpy(model.maps.ignition).to(model.device).to(model.dtype)
        self.unburned, self.burning, self.occupied = (torch.empty_like(self._ignition) for _ in range(3))
        self._retardant, self._heat, self._burnout = (torch.empty_like(self._ignition) for _ in range(3))
        self._padded = self._ignition.new_zeros((rows + 2, columns + 2))
        self._source = self._padded[1:-1, 1:-1]
        self._shifted = [self._padded[1 + i : 1 + i + rows, 1 + j : 1 + j + columns] for i, j in NEIGHBOURS]

    def __call__(self, schedule: Schedule) -> DenseRollout:
        """Roll ``schedule`` out, its footprints included."""
        model, per_day = self._model, self._model.maps.steps_per_day
        gates = gates_of(schedule, model.fleet, model.maps, model.rules)
        doses = step_doses(model, schedule, gates.executed)
        self.burning.copy_(self._ignition)
        torch.sub(1.0, self._ignition, out=self.unburned)
        torch.sub(1.0, self.unburned, out=self.occupied)
        self._retardant.fill_(1.0)
        treated = False
        for step in range(model.n_steps):
            water, laid = (doses[material].get(step) for material in (Material.WATER, Material.RETARDANT))
            if water is not None:
                self._wet(water)
            if laid is not None:
                self._retardant.view(-1)[laid.cells] *= _survival(laid, model.dtype)
                treated = True
            self._step(self._gains[step // per_day], treated)
        return self

    def _wet(self, water: StepDose) -> None:
        """``U ← clip(U + B (1 − s), 0, 1)`` and ``B ← B s``."""
        unburned, burning = self.unburned.view(-1), self.burning.view(-1)
        before, survival = burning[water.cells], _survival(water, self._model.dtype)
        unburned[water.cells] = (unburned[water.cells] + before * (1.0 - survival)).clamp_(0.0, 1.0)
        burning[water.cells] = before * survival

    def _step(self, gains: Tensor, treated: bool) -> None:
        """``h = ρ_x Σ_n (ρ_e B)(n) K_n``, ``new = U (1 − e^{−h})``, then the three-state update."""
        model, heat = self._model, self._heat
        if treated and model.emitter_treated:
            torch.mul(self.burning, self._retardant, out=self._source)
        else:
            self._source.copy_(self.burning)
        torch.mul(self._shifted[0], gains[0], out=heat)
        for n in range(1, len(self._shifted)):
            heat.addcmul_(self._shifted[n], gains[n])
        if treated and model.receiver_treated:
            heat.mul_(self._retardant)
        new = heat.neg_().exp_().neg_().add_(1.0).mul_(self.unburned)
        torch.mul(self.burning, 1.0 - (1.0 - 1.0 / model.maps.t_burn), out=self._burnout)
        self.burning.add_(new).sub_(self._burnout).clamp_(0.0, 1.0)
        self.unburned.sub_(new).clamp_(0.0, 1.0)
        self.occupied.add_(1.0).sub_(self.unburned)


def _survival(dose: StepDose, dtype: torch.dtype) -> Tensor:
    """``exp(−min(E, 50))``, formed in float64."""
    return torch.exp(-dose.dose.clamp(max=MAXIMUM_DOSE)).to(dtype)
