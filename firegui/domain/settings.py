"""Settings of a plan, declared with :func:`firegui.domain.options.option`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from firegui.domain.calendar import MOST_DAYS
from firegui.domain.options import bounds_problems, option, plain_number, setting_fields
from firegui.errors import Problem

MORE = "Advanced"
"""Group of the settings that few people change."""
LONG_FLAMES = "Long flames"
"""Group of the settings of drops in long flames."""
MOST_COUNT = 10**9
"""Largest weight and largest number of drops, steps or simulations of a setting without a limit of its own."""


class Setting(StrEnum):
    """The paper's two objectives (Table ``loss_weights``), both together, or the user's own weights."""

    A = "A"
    B = "B"
    BOTH = "AB"
    CUSTOM = "custom"


SETTING_TITLES: Mapping[Setting, str] = {
    Setting.A: "Keep the whole fire small",
    Setting.B: "Keep the fire out of the regions",
    Setting.BOTH: "Keep the fire small and out of the regions",
    Setting.CUSTOM: "Own weights",
}
SETTING_SHORT: Mapping[Setting, str] = {
    Setting.A: "Whole fire",
    Setting.B: "Regions",
    Setting.BOTH: "Whole fire and regions",
    Setting.CUSTOM: "Own weights",
}
"""Goals in names of runs and columns of tables."""


@dataclass(frozen=True, slots=True)
class ObjectiveWeights:
    """``λ_burn, λ_final, λ_prot, λ_budget`` of the paper's objective (step 4), and ``λ_cost``.

    ``λ_cost Σ c_a / c̄`` over the executed drops is added, with the cost ``c_a`` of a drop of aircraft ``a`` and its
    mean ``c̄`` over the aircraft of the fleet. A drop of mean cost counts as much as one drop does with ``λ_budget``.
    """

    burn: float = option(
        50.0,
        "Weight of burned area day by day",
        "weight of the burning and burned area over all days",
        label="Burned area day by day",
        symbol="λ_burn",
        low=0.0,
        high=MOST_COUNT,
    )
    final: float = option(
        50.0,
        "Weight of final size",
        "weight of the size of the fire at the end",
        label="Final size",
        symbol="λ_final",
        low=0.0,
        high=MOST_COUNT,
    )
    prot: float = option(
        0.0,
        "Weight of protected places",
        "weight of fire inside the protected regions",
        label="Protected places",
        symbol="λ_prot",
        low=0.0,
        high=MOST_COUNT,
    )
    budget: float = option(
        1e-6,
        "Weight of number of drops",
        "cost of one drop",
        label="Number of drops",
        symbol="λ_budget",
        synonyms="money price",
        low=0.0,
        high=MOST_COUNT,
    )
    cost: float = option(
        0.0, "Weight of cost", "λ_cost, weight of the cost of the drops over the mean cost of a drop in the fleet; the "
        "paper has none", label="Cost of drops", synonyms="money price dollars", low=0.0, high=MOST_COUNT,
    )  # fmt: skip
    val: float = option(
        0.0,
        "Weight of values at risk",
        "weight of the share of the values at risk that is lost",
        label="Values at risk",
        synonyms="structures population habitat timber",
        low=0.0,
        high=MOST_COUNT,
    )

    @property
    def counts_growth(self) -> bool:
        """Whether the growth of the whole fire counts, not that in protected regions and of values lost alone."""
        return self.burn > 0.0 or (self.final > 0.0 and self.prot == 0.0 and self.val == 0.0)

    @property
    def counts_regions_only(self) -> bool:
        """Whether the fire in protected regions counts, and neither the growth of the whole fire nor values."""
        return self.prot > 0.0 and self.val == 0.0 and not self.counts_growth

    @staticmethod
    def of(setting: Setting) -> ObjectiveWeights:
        """Return the weights of a setting; custom weights start from A.

        Both together are A with the regions of B.
        """
        if setting is Setting.B:
            return ObjectiveWeights(0.0, 1.0, 100.0, 0.0)
        return ObjectiveWeights(prot=100.0) if setting is Setting.BOTH else ObjectiveWeights()


@dataclass(frozen=True, slots=True)
class Effectiveness:
    """η: the fraction of the fire response removed where a cell gets the required coverage, per material."""

    retardant: float = option(
        0.9, "How well retardant works",
        "part of the fire's spread that retardant stops where it has the required coverage", symbol="η", low=0.0,
        high=0.999999, about="how well retardant works",
    )  # fmt: skip
    water: float = option(
        0.9, "How well water works",
        "part of the fire's spread that water stops where it has the required coverage", symbol="η", low=0.0,
        high=0.999999, about="how well water works",
    )  # fmt: skip

    def __str__(self) -> str:
        """Return ``0.85/0.75``: retardant, then water, exactly."""
        return f"{self.retardant!r}/{self.water!r}"

    @staticmethod
    def parse(text: str) -> Effectiveness:
        """Return the effectiveness that :meth:`__str__` wrote. Raises ``ValueError``."""
        retardant, water = text.split("/")
        return Effectiveness(float(retardant), float(water))


def pair_text(effectiveness: Effectiveness) -> str:
    """Return ``0.85/0.75``: retardant, then water."""
    return f"{effectiveness.retardant:g}/{effectiveness.water:g}"


def effectiveness_words(effectiveness: Effectiveness) -> str:
    """Return ``retardant 85 %, water 75 % effective``."""
    retardant, water = (f"{100.0 * value:g} %" for value in (effectiveness.retardant, effectiveness.water))
    return f"retardant {retardant}, water {water} effective"


NOMINAL = Effectiveness(0.9, 0.9)
DESIGN = Effectiveness(0.85, 0.75)


class RetardantSide(StrEnum):
    """Cells whose fuel factor retardant changes: emitting neighbour, receiving cell, or both (default)."""

    BOTH = "both"
    EMITTER = "emitter"
    RECEIVER = "receiver"


RETARDANT_SIDES = {
    RetardantSide.BOTH: "both cells", RetardantSide.EMITTER: "emitting cell", RetardantSide.RECEIVER: "receiving cell",
}  # fmt: skip
"""Cells on which retardant acts, for people."""


class BurningAtStart(StrEnum):
    """Cells of the perimeter that burn when a plan starts; the others have burned out."""

    WHOLE = "whole"
    GROWTH = "growth"
    EDGE = "edge"


BURNING_TITLES: Mapping[BurningAtStart, str] = {
    BurningAtStart.WHOLE: "Whole perimeter",
    BurningAtStart.GROWTH: "Newest growth",
    BurningAtStart.EDGE: "Edge",
}


class Start(StrEnum):
    """Start of the first stage.

    See the paper, step 4, "Initialization", and section ``scope_objective``.
    """

    FRONT = "front"
    CENTROID = "centroid"
    TACTICAL = "tactical"


START_TITLES: Mapping[Start, str] = {
    Start.FRONT: "Fire front (default)",
    Start.CENTROID: "Centroid of the fire",
    Start.TACTICAL: "Quick plan (by rule)",
}

SIDE_TITLES: Mapping[RetardantSide, str] = {
    RetardantSide.BOTH: "Both cells (default)",
    RetardantSide.EMITTER: "Emitting cell only",
    RetardantSide.RECEIVER: "Receiving cell only",
}


class SearchMethod(StrEnum):
    """How a plan is searched for."""

    AUTO = "auto"
    PAPER = "paper"
    FAST = "fast"


SEARCH_TITLES: Mapping[SearchMethod, str] = {
    SearchMethod.AUTO: "By the margin (default)",
    SearchMethod.PAPER: "Long, as in the paper",
    SearchMethod.FAST: "Fast",
}
LONG_SEARCH_TEXT = "The long method takes many steps with the whole fire; for the model alone it is the paper's."
FAST_SEARCH_TEXT = "The fast method follows the fire only as far as a plan may let it burn."
"""How each search works, in a sentence."""


@dataclass(frozen=True, slots=True)
class OptimizerSettings:
    """Stage 1 (paper, Table ``opt_params``). ``search`` is read by both stages."""

    search: SearchMethod = option(
        SearchMethod.AUTO, "Search method", "how a plan is searched for, in minutes or in a quarter of them. The fast "
        "search follows the fire only as far as a plan may let it burn, and moves the drops that are left while others "
        "are removed", label="Method", choices=SEARCH_TITLES, synonyms="quick speed time",
        about="how to search: long as in the paper, fast, or fast where more than the model must hold",
    )  # fmt: skip
    epochs: int = option(
        10_000, "Search steps", "most steps of the search; gradient epochs in the paper", low=1, high=1_000_000,
        restarts=False, group=MORE,
    )  # fmt: skip
    learning_rate: float = option(
        3e-3, "Step size", "size of a step of the search; the learning rate of Adam", low=1e-6, high=10.0, flag="--lr",
        group=MORE,
    )  # fmt: skip
    patience: int = option(
        2_000, "Steps without gain", "stop the search after this many steps without gain; the patience", unit="steps",
        low=1, high=MOST_COUNT, restarts=False, group=MORE, label="Stop after steps without gain",
    )  # fmt: skip
    clip_norm: float = option(
        1.0, "Gradient clip", "global gradient norm is clipped to this", low=1e-12, high=1e12, group=MORE
    )
    logit_clamp: float = option(
        3.0, "Logit clamp", "drop logits are kept within ± this", low=0.1, high=50.0, group=MORE
    )
    initial_logit: float = option(
        -0.04, "Initial logit", "every drop logit starts here", low=-50.0, high=50.0, group=MORE
    )
    exclusion_cells: float = option(
        12.0,
        "Exclusion radius",
        "simultaneous drops start at least this far apart",
        unit="cells",
        low=0.0,
        high=10_000.0,
        group=MORE,
    )
    jitter_cells: float = option(
        2.0, "Jitter", "standard deviation of the random offset of starting positions", unit="cells", low=0.0,
        high=10_000.0, group=MORE,
    )  # fmt: skip
    seed: int = option(0, "Random seed", "seed of every random choice of the run", low=0, high=2**32 - 1, group=MORE)
    start: Start = option(
        Start.FRONT, "Start", "on the front of the fire without drops, on its centroid, or from the quick plan by rule",
        label="Start from", choices=START_TITLES, about="where the drops begin",
    )  # fmt: skip
    full_carry: bool = option(
        True, "Full carry", "follow the gradient through the burning state from step to step; the paper cuts it there",
        group=MORE, off_flag="--cut-carry",
    )  # fmt: skip


class RemovalOrder(StrEnum):
    """Order in which the drops that a plan does not need are removed."""

    EFFECT = "effect"
    COST = "cost"


REMOVAL_ORDERS: Mapping[RemovalOrder, str] = {
    RemovalOrder.EFFECT: "Least effect (default)",
    RemovalOrder.COST: "Dearest first",
}


@dataclass(frozen=True, slots=True)
class EliminationSettings:
    """Stage 2 (paper, section ``step5`` and Table ``loss_weights``).

    ``perturbations`` and ``front_shift`` are the paper's two other ways to leave a margin (section ``design_eta``),
    off at 0.
    """

    slack: float = option(
        1.02,
        "Slack",
        "factor by which fewer drops may worsen what is held; 1.02 allows 2 %",
        symbol="ρ",
        low=1.0,
        high=1e6,
    )
    floor: float = option(1e-4, "Threshold floor", "no constraint is tighter than this", low=0.0, high=1e6)
    first_batch: int = option(
        32, "First batch", "drops removed together in the first trial of a round", low=1, high=MOST_COUNT
    )
    largest_batch: int = option(256, "Largest batch", "cap on the batch after accepted batches", low=1, high=MOST_COUNT)
    allowance: int = option(
        40_000,
        "Fire simulations",
        "stop removing drops after this many fire simulations",
        low=1,
        high=MOST_COUNT,
        restarts=False,
    )
    keep: int = option(
        0, "Keep at least", "stop removing at this many drops; 0 removes whatever can go", low=0, high=MOST_COUNT
    )
    perturbations: int = option(
        0, "Displaced copies", "a removal must also hold in this many copies of the plan with displaced drops", low=0,
        high=64,
    )  # fmt: skip
    perturbation_scale: float = option(
        1e-3, "Displacement", "standard deviation of the displaced pose logits; 0.001 is about half a cell",
        low=0.0, high=1.0,
    )  # fmt: skip
    order: RemovalOrder = option(
        RemovalOrder.EFFECT, "Order of removal", "which needless drops go first: those of least effect, as in the "
        "paper, or the dearest by the prices of the fleet", choices=REMOVAL_ORDERS, synonyms="cost money price",
        about="which needless drops go first: by effect or by cost", flag="--removal-order",
    )  # fmt: skip
    smoothing: int = option(
        0, "Smoothing", "steps that then move the drops until the plan holds with displaced drops; the paper: 300",
        unit="steps", low=0, high=100_000,
    )  # fmt: skip
    front_shift: float = option(
        0.0, "Front shift", "a removal must also hold when the fire is this many standard deviations worse", low=0.0,
        high=10.0,
    )  # fmt: skip


class Margin(StrEnum):
    """In which worlds a plan must hold.

    The model alone, by the paper's method; the model at design effectiveness; or every scenario of a stress set.
    """

    NONE = "none"
    DESIGN = "design"
    STRESS = "stress"


MARGIN_TITLES: Mapping[Margin, str] = {
    Margin.NONE: "The model alone",
    Margin.DESIGN: "Model, cautious effectiveness",
    Margin.STRESS: "Every stress scenario",
}


MARGIN_SHORT: Mapping[Margin, str] = {
    Margin.NONE: "no margin", Margin.DESIGN: "cautious margin", Margin.STRESS: "stress margin",
}  # fmt: skip
"""Margins in names of runs."""


@dataclass(frozen=True, slots=True)
class MarginSettings:
    """Required margin of a plan and settings to make it.

    :attr:`Margin.NONE` reads ``kind`` alone.
    """

    kind: Margin = option(
        Margin.STRESS, "How much must hold", "the worlds in which the plan must hold", choices=MARGIN_TITLES,
        flag="--margin",
    )  # fmt: skip
    limit: float = option(
        0.05,
        "Limit",
        "largest share of a scenario's growth that may burn with the plan",
        low=1e-4,
        high=1.0,
        percent=True,
        label="Limit of growth left",
    )
    draws: int = option(
        24, "Test draws", "draws of a random scenario in a test while drops are removed", low=1, high=1_000, group=MORE
    )
    search_epochs: int = option(
        600,
        "Steps on the goal",
        "search steps on the goal alone; the fast search takes half of them at a time",
        low=1,
        high=1_000_000,
        group=MORE,
    )
    training_epochs: int = option(
        1200,
        "Steps in scenarios",
        "search steps in the scenarios; the fast search takes 5 of 6",
        low=1,
        high=1_000_000,
        group=MORE,
    )
    adapt_epochs: int = option(
        2600, "Adaptation", "steps in which the drops that are left adapt in the first round of removal; the fast "
        "search takes 6 of 13",
        unit="steps", low=1, high=100_000, group=MORE,
    )  # fmt: skip

    @property
    def placing_epochs(self) -> int:
        """Epochs of the first stage."""
        return self.search_epochs + self.training_epochs


@dataclass(frozen=True, slots=True)
class PlanSettings:
    """The part of a project that says which days are planned and what for."""

    start_day: int = option(
        0, "Start day", "day of the event on which the plan starts, counted from 0", unit="day", low=0, high=MOST_DAYS
    )
    days: int = option(15, "Days", "length of the plan in days", unit="days", low=1, high=MOST_DAYS)
    setting: Setting = option(Setting.A, "Goal", "what the plan is for", choices=SETTING_TITLES)
    weights: ObjectiveWeights = ObjectiveWeights()
    nominal: Effectiveness = NOMINAL
    design: Effectiveness = DESIGN
    retardant_acts_on: RetardantSide = option(
        RetardantSide.BOTH, "Retardant acts on", "which use of the fuel factor retardant changes; reports name it",
        choices=SIDE_TITLES, group=MORE,
    )  # fmt: skip
    burning_at_start: BurningAtStart = option(
        BurningAtStart.WHOLE, "Burning at start", "cells of the perimeter that burn when the plan starts: all, those "
        "that the perimeter before does not have, or those within two cells of its outside; the others have burned "
        "out. Without an earlier perimeter the whole one burns", choices=BURNING_TITLES, group=MORE,
    )  # fmt: skip
    flame_limit_m: float = option(
        2.4, "Flame limit", "drops where the flames of the physical model are longer are marked: drops rarely work "
        "against flames over 8 ft, which is 2.4 m (Andrews and Rothermel 1982). Changes no number of a plan unless "
        "drops fail in long flames", unit="m", low=0.5, high=30.0, group=LONG_FLAMES, restarts=False,
        flag="--flame-limit", synonyms="intensity ineffective effectiveness hauling chart",
    )  # fmt: skip
    drops_fail_in_flames: bool = option(
        False, "Drops fail in long flames", "what a drop lays on cells where flames are longer than the flame limit "
        "when it lands has no effect on the fire. Retardant that was laid before the flames grew keeps its effect. "
        "Physical model", group=LONG_FLAMES, synonyms="intensity ineffective effectiveness hauling chart",
    )  # fmt: skip
    optimizer: OptimizerSettings = OptimizerSettings()
    elimination: EliminationSettings = EliminationSettings()
    margin: MarginSettings = MarginSettings()

    @property
    def counts_cost(self) -> bool:
        """Whether a plan depends on the prices of its fleet."""
        return self.weights.cost > 0.0 or self.elimination.order is RemovalOrder.COST

    @property
    def is_fast(self) -> bool:
        """Whether the search is the fast one: where it is chosen, and with a margin where nothing else is."""
        search = self.optimizer.search
        return search is SearchMethod.FAST or (search is SearchMethod.AUTO and self.margin.kind is not Margin.NONE)

    @property
    def failing_flame_m(self) -> float | None:
        """Flame length above which drops have no effect, ``None`` where they work in flames of any length."""
        return self.flame_limit_m if self.drops_fail_in_flames else None

    @property
    def effectiveness_text(self) -> str:
        """What the two effectivenesses are and what each is for, with the numbers."""
        cautious, expected = (
            f"retardant {one.retardant:g}, water {one.water:g}" for one in (self.design, self.nominal)
        )
        return (
            f"A run plans at cautious effectiveness ({cautious}), and sizes during it are at that. "
            f"A finished plan is scored at expected effectiveness ({expected})."
        )

    def problems(self) -> list[Problem]:
        """Return everything out of bounds."""
        parts: dict[str, tuple[object, str]] = {
            "plan": (self, ""), "objective": (self.weights, ""), "nominal effectiveness": (self.nominal, "eta"),
            "design effectiveness": (self.design, "design"), "optimizer": (self.optimizer, ""),
            "elimination": (self.elimination, ""), "margin": (self.margin, ""),
        }  # fmt: skip
        found = [each for where, (part, prefix) in parts.items() for each in bounds_problems(part, where, prefix)]
        weights = (self.weights.burn, self.weights.final, self.weights.prot, self.weights.val)
        if all(math.isfinite(w) for w in weights) and not any(w > 0 for w in weights):
            found.append(
                Problem(
                    "objective",
                    "no part of the fire has a weight",
                    "give burned area, final size, protected places or values at risk a weight above 0",
                )
            )
        return found


def goal_short(plan: PlanSettings) -> str:
    """Return the goal of a plan in plain words, that of own weights by what they count."""
    if plan.setting is not Setting.CUSTOM:
        return SETTING_SHORT[plan.setting]
    weights = plan.weights
    counted = {"whole fire": weights.counts_growth, "regions": weights.prot > 0.0, "values": weights.val > 0.0}
    *most, last = [name for name, is_counted in counted.items() if is_counted] or ["whole fire"]
    return (f"{', '.join(most)} and {last}" if most else last).capitalize()


_BEYOND_PAPER = ("cost", "val")
"""Weights that the paper does not have; texts name them where they count."""


def goal_text(plan: PlanSettings) -> str:
    """Return the goal of a plan in plain words, with the weights where they are the user's own.

    ``Whole fire and regions (own weights: burned area day by day 50, final size 50, ...)``.
    """
    if plan.setting is not Setting.CUSTOM:
        return goal_short(plan)
    parts = (
        f"{item.option.field_label.lower()} {plain_number(getattr(plan.weights, item.name))}"
        for item in setting_fields(plan.weights)
        if item.name not in _BEYOND_PAPER or getattr(plan.weights, item.name) > 0.0
    )
    return f"{goal_short(plan)} (own weights: {', '.join(parts)})"
