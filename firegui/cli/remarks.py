"""What the engine has to say while a command waits for it."""

from __future__ import annotations

import click

from firegui.rollout.engine_message import EngineMessage


class Remarks:
    """Printer of remarks on standard error; ``device`` is where the engine has moved to, empty while it has not."""

    def __init__(self) -> None:
        self.device = ""

    def __call__(self, remark: EngineMessage) -> None:
        """Print it."""
        self.device = remark.device or self.device
        click.echo(remark.text if remark.level == "info" else f"{remark.level}: {remark.text}", err=True)
