"""Messages of the engine and the device of a run, as events."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from firegui.rollout.engine_message import ACTIVE_FRONT, ACTIVE_TILES, EngineMessage
from firegui.runs.engine import CPU_NAME, Engine
from firegui.runs.events import DeviceUsed, Message, RunEvent

if TYPE_CHECKING:
    from firegui.rollout.model import Model


def computing_message(method: str, device_name: str) -> str:
    """Return what a run is computed on, for people; the method only where it is slower than usual."""
    place = "this computer" if device_name == CPU_NAME else device_name
    return f"Computing on {place}" + ("" if method in (ACTIVE_FRONT, ACTIVE_TILES) else f", {method}")


class EngineMessages:
    """Converter of engine messages to events of a run with the requested ``backend``."""

    def __init__(self, emit: Callable[[RunEvent], None], engine: Engine, backend: str) -> None:
        self._emit, self._engine, self._backend = emit, engine, backend
        self._moved = False

    def pass_on(self, remark: EngineMessage) -> None:
        """Emit a message of the engine. Called in the thread that computes."""
        self._moved = self._moved or bool(remark.device)
        used = self._used(remark.device) if remark.device else None
        self._emit(Message(remark.text, remark.level, used))

    def say_device(self, model: Model) -> None:
        """Emit the device of ``model``, unless the engine has reported a move to another device."""
        if not self._moved:
            used = self._used(model.device)
            self._emit(Message(computing_message(self._engine.method(model), used.name), device=used))

    def _used(self, device: str) -> DeviceUsed:
        return DeviceUsed(self._backend, self._engine.device_name(device))
