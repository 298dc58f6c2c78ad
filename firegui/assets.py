"""Where the files that ship with firegui are."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from firegui.errors import FireguiError

_PACKAGE = Path(__file__).resolve().parent


def resource(name: str) -> Path:
    """Return the path of the shipped file ``name`` (relative to ``resources/``).

    In a checkout the folder stands beside the package, in an installed wheel inside it.
    Raises :class:`FireguiError` when the file is in neither place.
    """
    for root in (_PACKAGE / "resources", _PACKAGE.parent / "resources"):
        candidate = root / name
        if candidate.exists():
            return candidate
    raise FireguiError(f"The shipped file resources/{name} is missing; install firegui again.")


def installed_version(name: str = "firegui") -> str:
    """Return the version of a package, ``unknown`` for one that is not installed, as a checkout may be."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "unknown"
