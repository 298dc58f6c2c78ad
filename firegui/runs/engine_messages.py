"""Says what a run computes on, and passes on what its engine has to say."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from firegui.rollout.engine_message import EngineMessage
from firegui.runs.engine import Engine
from firegui.runs.events import DeviceUsed, Message, RunEvent
from firegui.runs.messages import engine_words

if TYPE_CHECKING:
    from firegui.rollout.model import Model


class EngineMessages:
    """Speaks through ``emit`` for a run that asked for ``backend``."""

    def __init__(self, emit: Callable[[RunEvent], None], engine: Engine, backend: str) -> None:
        self._emit, self._engine, self._backend = emit, engine, backend
        self._moved = False

    def pass_on(self, remark: EngineMessage) -> None:
        """Make an event of what the engine says; called in the thread that computes."""
        self._moved = self._moved or bool(remark.device)
        used = self._used(remark.device) if remark.device else None
        self._emit(Message(remark.text, remark.level, used))

    def say_device(self, model: Model) -> None:
        """Say what ``model`` is computed on, unless the engine has said by now that it moved to another device."""
        if not self._moved:
            used = self._used(model.device)
            self._emit(Message(f"Computing on {engine_words(self._engine.method(model), used.name)}", device=used))

    def _used(self, device: str) -> DeviceUsed:
        return DeviceUsed(self._backend, self._engine.device_name(device))
