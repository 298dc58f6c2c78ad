"""The weights of a project's network fire model, kept in its own folder.

There they change when the project says so, and not when firegui brings new ones. The file is named after its content,
so that other weights come beside the old ones and ``project.toml`` moves from one to the other in a single step.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path

from firegui.domain.project import Project
from firegui.domain.weights import NetworkWeights
from firegui.errors import InputError, Problems
from firegui.io.project.layers import checked_path
from firegui.io.project.text import ArrayFile
from firegui.io.project.weights_file import read_weights, weights_bytes, write_weights

WEIGHTS = "weights"


def weights_content(weights: NetworkWeights) -> str:
    """SHA-256 of everything in the weights."""
    return hashlib.sha256(weights_bytes(weights)).hexdigest()


def write_project_weights(project: Project, folder: Path) -> ArrayFile | None:
    """Write the project's weights into ``folder`` unless they are there; returns what ``project.toml`` says of them."""
    if project.weights is None:
        return None
    digest = weights_content(project.weights)
    file = ArrayFile(_file_name(digest), digest, digest)
    if not (folder / file.file).exists():
        write_weights(folder / file.file, project.weights)
    return file


def kept_weights(folder: Path, weights: NetworkWeights) -> Path | None:
    """Where the project in ``folder`` keeps these weights, if it does."""
    path = folder / _file_name(weights_content(weights))
    return path if path.is_file() else None


def _file_name(digest: str) -> str:
    return f"fire-{digest[:12]}.safetensors"


def read_project_weights(folder: Path, file: ArrayFile | None, problems: Problems) -> NetworkWeights | None:
    """Read them back, adding what is missing, changed or damaged to ``problems``."""
    path = None if file is None else checked_path(folder, WEIGHTS, file, problems)
    try:
        return None if path is None else read_weights(path)
    except InputError as error:
        problems.extend(error.problems)
        return None


def remove_weights(folder: Path, file: ArrayFile | None, kept: ArrayFile | None) -> None:
    """Remove weights that the project no longer names; that it cannot be done is no harm."""
    if file is not None and (kept is None or kept.file != file.file):
        with suppress(OSError):
            (folder / file.file).unlink()
