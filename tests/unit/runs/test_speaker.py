"""What the engine has to say reaches whoever follows a run, and with it the device that computes."""

from __future__ import annotations

from pathlib import Path

import pytest

from firegui.rollout.engine_message import EngineMessage, MessageCallback
from firegui.runs.events import DeviceUsed, Message
from firegui.runs.spec import EvaluateSpec, PlanSpec, RunSpec
from tests.support import make_project
from tests.unit.runs.fakes import FakeEngine, carried_out

FALLEN_BACK = EngineMessage("Memory does not suffice.", "warning", "spare")


@pytest.fixture(params=["optimize", "evaluate"])
def spec(request: pytest.FixtureRequest, tmp_path: Path) -> RunSpec:
    project = make_project(epochs=2)
    if request.param == "evaluate":
        return EvaluateSpec(project, backend="cuda")
    return PlanSpec(project, tmp_path / "run", "", backend="cuda")


def messages(spec: RunSpec, engine: FakeEngine) -> list[Message]:
    return [event for event in carried_out(spec, engine) if isinstance(event, Message)]


def test_a_remark_made_while_preparing_comes_before_the_device(spec: RunSpec) -> None:
    said = messages(spec, FakeEngine(during_build=lambda tell: tell(EngineMessage("Compiling first."))))
    assert said[0] == Message("Compiling first.")
    assert said[1].device == DeviceUsed("cuda", "the none of the test")


def test_a_device_that_was_left_while_preparing_is_not_said_to_compute(spec: RunSpec) -> None:
    said = messages(spec, FakeEngine(during_build=lambda tell: tell(FALLEN_BACK)))
    devices = [message.device for message in said if message.device is not None]
    assert devices == [DeviceUsed("cuda", "the spare of the test")]
    assert said[0].level == "warning"


def test_a_device_that_is_left_in_a_run_is_followed(spec: RunSpec) -> None:
    heard: list[MessageCallback] = []
    engine = FakeEngine(during_build=heard.append, during_rollout=lambda _number: heard[0](FALLEN_BACK))
    said = messages(spec, engine)
    assert [message.device.name for message in said if message.device is not None][:2] == [
        "the none of the test",
        "the spare of the test",
    ]
    assert Message(FALLEN_BACK.text, "warning", DeviceUsed("cuda", "the spare of the test")) in said
