"""Messages of the engine on standard error, while a command waits for it."""

from __future__ import annotations

import click

from firegui.rollout.engine_message import EngineMessage


def print_message(message: EngineMessage) -> None:
    """Print a message of the engine on standard error."""
    click.echo(message.text if message.level == "info" else f"{message.level}: {message.text}", err=True)
