"""Arguments and options of one rollout, passed to a command as one request."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

from firegui.api.rollouts import RolloutRequest
from firegui.cli.arguments import project_argument
from firegui.cli.options import backend_option, nominal_options, precision_option, schedule_option
from firegui.cli.setting_options import given_settings
from firegui.domain.settings import Effectiveness
from firegui.errors import Problems

Command = Callable[..., None]


def rollout_options(*, schedule_required: bool) -> Callable[[Command], Command]:
    """Add PROJECT and the options of one rollout.

    The command receives them as one :class:`~firegui.api.rollouts.RolloutRequest`.
    """

    def decorate(command: Command) -> Command:
        @wraps(command)
        def packed(
            project_folder: Path,
            schedule_file: Path | None,
            backend: str,
            precision: str,
            **rest: Any,
        ) -> None:
            given = {key: rest.pop(key) for key in list(rest) if key.startswith("eta_")}

            def nominal(base: Effectiveness, problems: Problems) -> Effectiveness:
                return given_settings(base, given, problems, prefix="eta")

            command(RolloutRequest(project_folder, schedule_file, backend, precision, nominal), **rest)

        with_options = nominal_options(backend_option(precision_option(packed)))
        return project_argument(schedule_option(schedule_required)(with_options))

    return decorate
