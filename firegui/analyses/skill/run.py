"""A forecast from the first perimeter, scored against the later ones and beside the references."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from firegui.domain.fit import SkillSettings
from firegui.domain.project import FireModel, Project
from firegui.errors import InputError, Problem, Problems
from firegui.fire.card import scalar_card
from firegui.fire.skill import ForecastSkill, forecast_skill, observed_start, scored_days
from firegui.fire.skill_report import SkillReport, skill_report
from firegui.rollout.engine_message import EngineMessage
from firegui.runs.base_run import BaseRun
from firegui.runs.events import Message, RunFinished, SkillReady
from firegui.runs.spec import SkillSpec
from firegui.runs.stages import FinishReason, RunState

_USUAL = SkillSettings()
"""As many days as the published curve has."""


def default_settings(project: Project) -> SkillSettings:
    """Return what is scored of a project unless another number of days is given."""
    return SkillSettings(min(_USUAL.days, available_days(project)), fitted_days(project))


def available_days(project: Project) -> int:
    """Return the number of days that the project's fire model can be rolled out from day 0."""
    return (project.imported_maps or project.scenario).days


def fitted_days(project: Project) -> int:
    """Return how many days of this event the project's weights were trained on.

    A model without weights gives 10. An event may have been given another name since, so one with the same first day
    counts as the same.
    """
    weights = project.weights
    if weights is None or project.fire_model.kind != "network":
        return _USUAL.fit_days
    start = project.scenario.date_of_day(0)
    return max((item.fit_days for item in weights.training.events if item.start == start), default=0)


def skill_problems(spec: SkillSpec) -> list[Problem]:
    """Return the problems of ``spec``."""
    found, event, most = [], spec.project.scenario, available_days(spec.project)
    if not 1 <= spec.days <= most:
        found.append(Problem("days", f"{spec.days} asked for", f"give 1 to {most}: there are maps for no more"))
    if spec.fit_days < 0:
        found.append(Problem("fit days", f"{spec.fit_days} asked for", "give 0 or more"))
    try:
        observed_start(event)
    except InputError as error:
        return [*found, *error.problems]
    if not scored_days(event, min(max(spec.days, 1), most)):
        what = f"no perimeter on days 1 to {spec.days}"
        found.append(Problem("forecast", what, "import later perimeters or roll out more days"))
    return found


class SkillScoring(BaseRun[SkillSpec]):
    """Run of a :class:`~firegui.runs.spec.SkillSpec`; writes nothing."""

    def run(self) -> RunFinished:
        """Roll out the project's model and the references, then score them."""
        spec, event = self._spec, self._spec.project.scenario
        problems = Problems()
        problems.extend(skill_problems(spec))
        problems.raise_if_any("The fire model cannot be checked")
        self._machine.move(RunState.RUNNING)
        rivals = list(_rivals(spec.project))
        total = len(rivals) + 2
        self._say(0, total, "Simulating the fire")
        project = spec.project
        states = self._engine.forecast(
            project, spec.days, backend=spec.backend, check=self._control.check, tell=self._pass_on
        )
        model = forecast_skill("model", project.fire_model.label, event, states, spec.fit_days)
        references = []
        for done, (key, label, rival) in enumerate(rivals, start=1):
            self._say(done, total, f"Rolling out: {label}")
            references.append(self._reference(key, label, rival))
        self._say(total - 1, total, "Scoring")
        report = skill_report(event, states, spec.fit_days, model, references)
        self._control.check()
        self._emit(SkillReady(report, states))
        return RunFinished(FinishReason.COMPLETED, skill_message(report), None, None, None)

    def _reference(self, key: str, label: str, project: Project) -> ForecastSkill:
        spec = self._spec
        states = self._engine.forecast(
            project, spec.days, backend=spec.backend, check=self._control.check, tell=self._pass_on
        )
        return forecast_skill(key, label, project.scenario, states, spec.fit_days)

    def _pass_on(self, remark: EngineMessage) -> None:
        self._emit(Message(remark.text, remark.level))


def skill_message(report: SkillReport) -> str:
    """Summarize the result in one sentence."""
    whole, _fitted, after = report.spans
    mean, lowest = report.model.mean_iou(1, whole.last), report.model.lowest(1, whole.last)
    assert mean is not None and lowest is not None
    text = (
        f"mean overlap (IoU) {mean:.2f} over {len(report.model.days)} days, lowest {lowest[1]:.2f} on day {lowest[0]}"
    )
    late = report.model.mean_iou(after.first, after.last)
    if report.fit_days and late is not None:
        text += f"; {late:.2f} on the days after day {report.fit_days}"
    return text


def _rivals(project: Project) -> Iterator[tuple[str, str, Project]]:
    """Key, label and project of every other model to roll out."""
    event, weights = project.scenario, project.weights
    if project.fire_model.kind == "network" and weights is not None and weights.correction_for(event) is not None:
        bare = replace(project, weights=replace(weights, corrections=()))
        yield "uncorrected", "without the correction field", bare
    card = scalar_card()
    constant = FireModel("scalar", card.label, card.parameters.as_mapping())
    if project.fire_model.kind != "scalar" or dict(project.fire_model.parameters) != dict(constant.parameters):
        yield "scalar", "constant parameters", project.with_model(constant)
