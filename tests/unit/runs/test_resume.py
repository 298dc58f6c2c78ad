"""With the real engine: an interrupted run that goes on must end as if it had never been interrupted, bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from firegui.domain.project import Project
from firegui.domain.regions import Region
from firegui.domain.schedule import Schedule
from firegui.domain.settings import Effectiveness, ObjectiveWeights
from firegui.runs.control import RunControl
from firegui.runs.events import RunEvent, RunFinished
from firegui.runs.history import history_text
from firegui.runs.run_folder import read_run
from firegui.runs.runner import execute
from firegui.runs.spec import PlanSpec
from firegui.runs.stages import EpochDone, FinishReason
from tests.support import forget_checksums, make_project, random_maps

EPOCHS = 12
EXACT = ("plan.safetensors", "checkpoint.safetensors", "schedule.csv", "drops.json", "metrics.json", "occupancy.tif")


def run(spec: PlanSpec, stop_after: int | None = None, *, in_epoch: bool = False) -> RunFinished:
    """Carry ``spec`` out, stopping after an epoch, or within the next one."""
    control, ends = RunControl(), []
    if in_epoch:
        control = _StopsInside(stop_after or 0)

    def emit(event: RunEvent) -> None:
        if isinstance(event, EpochDone):
            if isinstance(control, _StopsInside):
                control.seen = event.epoch
            elif event.epoch == stop_after:
                control.request_stop()
        if isinstance(event, RunFinished):
            ends.append(event)

    execute(spec, emit, control)
    return ends[-1]


class _StopsInside(RunControl):
    """Stops in the epoch after ``last``: at its third check, the second of its rollout, which is amid it."""

    def __init__(self, last: int) -> None:
        super().__init__()
        self.seen, self._last, self._checks = -1, last, 0

    def check(self) -> None:
        if self.seen == self._last:
            self._checks += 1
            if self._checks == 3:
                self.request_stop()
        super().check()


def spec_in(folder: Path, project: Project | None = None) -> PlanSpec:
    return PlanSpec(project or make_project(epochs=EPOCHS), folder, "firegui optimize …", snapshot_seconds=float("inf"))


def with_epochs(project: Project, epochs: int) -> Project:
    return replace(project, plan=replace(project.plan, optimizer=replace(project.plan.optimizer, epochs=epochs)))


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unbroken") / "run"
    assert run(spec_in(folder)).reason is FinishReason.COMPLETED
    return folder


def assert_same(broken: Path, unbroken: Path) -> None:
    """Every file equal byte for byte; the history but for the clock."""
    for name in EXACT:
        assert (broken / name).read_bytes() == (unbroken / name).read_bytes(), name
    timeless = [
        history_text(replace(row, seconds=0.0, epochs=0) for row in read_run(folder).history)
        for folder in (broken, unbroken)
    ]
    assert timeless[0] == timeless[1]


def test_the_unbroken_run_improves_on_no_drops(unbroken: Path) -> None:
    record = read_run(unbroken)
    assert record.metrics is not None
    assert record.baseline is not None
    assert record.metrics.objective < 0.5 * record.baseline.objective
    assert record.header.best_epoch > 4


@pytest.mark.parametrize("in_epoch", [False, True])
@pytest.mark.parametrize("stop_after", [0, 4, 10])
def test_stop_and_resume_equal_an_unbroken_run(tmp_path: Path, unbroken: Path, stop_after: int, in_epoch: bool) -> None:
    spec = spec_in(tmp_path / "run")
    stopped = run(spec, stop_after, in_epoch=in_epoch)
    assert stopped.reason is FinishReason.STOPPED
    assert read_run(spec.out).header.epochs_done == stop_after + 1
    assert run(replace(spec, resume=True)).reason is FinishReason.COMPLETED
    assert_same(spec.out, unbroken)


def test_resuming_twice_equals_an_unbroken_run(tmp_path: Path, unbroken: Path) -> None:
    spec = spec_in(tmp_path / "run")
    run(spec, 2)
    run(replace(spec, resume=True), 7)
    run(replace(spec, resume=True))
    assert_same(spec.out, unbroken)


def test_raising_the_epochs_of_a_finished_run_equals_a_longer_run(tmp_path: Path, unbroken: Path) -> None:
    short = spec_in(tmp_path / "run", make_project(epochs=5))
    assert run(short).reason is FinishReason.COMPLETED
    run(replace(short, project=with_epochs(short.project, EPOCHS), resume=True))
    assert_same(short.out, unbroken)


def test_a_history_ahead_of_the_planner_is_trimmed(tmp_path: Path, unbroken: Path) -> None:
    spec = spec_in(tmp_path / "run")
    run(spec, 4)
    # What a kill between the two writes of a checkpoint leaves.
    ahead = read_run(unbroken).history[:8]
    (spec.out / "history.csv").write_text(history_text(ahead))
    forget_checksums(spec.out)
    run(replace(spec, resume=True))
    assert_same(spec.out, unbroken)


def test_a_run_stopped_before_its_first_checkpoint_starts_over(tmp_path: Path, unbroken: Path) -> None:
    spec = spec_in(tmp_path / "run")
    control = RunControl()
    control.request_stop()
    execute(spec, lambda event: None, control)
    assert not read_run(spec.out).can_resume
    run(replace(spec, resume=True))
    assert_same(spec.out, unbroken)


def test_resuming_without_its_first_checkpoint_needs_the_same_warm_start(tmp_path: Path) -> None:
    start = Schedule.empty(20, 4)
    spec = replace(spec_in(tmp_path / "run"), warm_start=start)
    control = RunControl()
    control.request_stop()
    execute(spec, lambda event: None, control)
    refused = run(replace(spec, resume=True, warm_start=None))
    assert "give the same one again (--warm-start)" in str(refused.problems[0])
    assert run(replace(spec, resume=True)).reason is FinishReason.COMPLETED


def _plan(**changes: object) -> Callable[[Project], Project]:
    return lambda project: replace(project, plan=replace(project.plan, **changes))  # type: ignore[arg-type]


def _optimizer(**changes: object) -> Callable[[Project], Project]:
    def change(project: Project) -> Project:
        optimizer = replace(project.plan.optimizer, **changes)  # type: ignore[arg-type]
        return replace(project, plan=replace(project.plan, optimizer=optimizer))

    return change


def _later_grounding(project: Project) -> Project:
    return replace(project, grounded={"R": (project.calendar.date_of_day(0) + timedelta(days=0),)})


CHANGES: list[tuple[Callable[[Project], Project], str]] = [
    (_optimizer(learning_rate=0.01), "Step size = 0.05, now 0.01"),
    (_optimizer(seed=4), "Random seed = 3, now 4"),
    (_optimizer(patience=5), "it can only be raised"),
    (_optimizer(epochs=2), "has done 5 search steps, more than the 2 asked for"),
    (_plan(days=1), "Days = 2, now 1"),
    (_plan(weights=ObjectiveWeights(50.0, 50.0, 11.0, 1e-6)), "Weight of protected places = 10.0, now 11.0"),
    (_plan(design=Effectiveness(0.8, 0.75)), "How well retardant works = 0.85, now 0.8"),
    (_later_grounding, "another fleet or other grounded days"),
    (lambda project: replace(project, regions=(Region.rectangle("B", (0, 2), (0, 2)),)), "other protected regions"),
    (lambda project: make_project(epochs=EPOCHS, maps=random_maps(9)), "another event or fire model"),
]


@pytest.mark.parametrize(("change", "said"), CHANGES, ids=[said for _, said in CHANGES])
def test_resuming_with_anything_else_changed_is_refused_by_name(
    tmp_path: Path, change: Callable[[Project], Project], said: str
) -> None:
    spec = spec_in(tmp_path / "run")
    run(spec, 4)
    before = {path: path.read_bytes() for path in spec.out.iterdir()}
    refused = run(replace(spec, resume=True, project=change(spec.project)))
    assert refused.reason is FinishReason.FAILED
    assert said in "\n".join(map(str, refused.problems))
    assert {path: path.read_bytes() for path in spec.out.iterdir()} == before


def test_a_resumed_run_goes_on_and_does_not_repeat_what_is_done(tmp_path: Path) -> None:
    spec = spec_in(tmp_path / "run")
    run(spec, 4)
    before = read_run(spec.out).history
    events: list[RunEvent] = []
    execute(replace(spec, resume=True), events.append, RunControl())
    rows = [event for event in events if isinstance(event, EpochDone)]
    assert [row.epoch for row in rows] == list(range(5, EPOCHS))
    assert rows[0].seconds >= before[-1].seconds
    after = read_run(spec.out)
    assert [replace(row, epochs=0) for row in after.history[:5]] == [replace(row, epochs=0) for row in before]
    assert after.header.seconds >= rows[-1].seconds
