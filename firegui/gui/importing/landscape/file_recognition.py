"""Taking in a folder or files: what they were recognised as joins what was there before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from firegui.gui.base.tasks import Check
from firegui.gui.importing.landscape.wizard_answers import Answers
from firegui.io.importers.folder import recognise
from firegui.io.importers.landscape_source import LandscapeSource
from firegui.io.perimeters import PerimeterSource


def bring_in(answers: Answers, paths: Sequence[Path], check: Check) -> Answers:
    """The answers with everything that ``paths``, one folder or some files, are recognised as.

    A folder takes the place of all files there were, files are added to them. ``check`` may raise to cancel. Raises
    :class:`~firegui.errors.InputError` where nothing can be made of the paths.
    """
    folder = len(paths) == 1 and paths[0].is_dir()
    found = recognise(paths[0] if folder else tuple(paths), check)
    before, new = answers.source, _one_file(found.source)
    source = _kept(before, new) if folder else _joined(before, new)
    guessed = found.notes if folder else tuple(dict.fromkeys((*answers.guessed, *found.notes)))
    return replace(answers, source=source, guessed=guessed)


def _one_file(found: LandscapeSource) -> LandscapeSource:
    """A file of where it starts is chosen in the same place as perimeters, unless there are both."""
    if isinstance(found.ignition, Path) and found.perimeters is None:
        return replace(found, perimeters=PerimeterSource(found.ignition), ignition=None)
    return found


def _kept(before: LandscapeSource, found: LandscapeSource) -> LandscapeSource:
    """What a person typed that is no file goes on where the folder says nothing of it."""
    return replace(
        found,
        wind=found.wind if found.wind.is_given or before.wind.files else before.wind,
        ignition=found.ignition or (before.ignition if found.perimeters is None else None),
        days=found.days if found.days is not None else before.days,
        start=found.start or before.start,
        utc_offset_h=found.utc_offset_h if found.utc_offset_h is not None else before.utc_offset_h,
        name=found.name or before.name,
    )


def _joined(before: LandscapeSource, found: LandscapeSource) -> LandscapeSource:
    """Files that come later go before those of the same kind."""
    lcp = found.lcp or before.lcp
    same = lcp == before.lcp
    fire = found.perimeters is not None or found.ignition is not None
    return replace(
        before,
        layers={**before.layers, **found.layers},
        lcp=lcp,
        lcp_bands=before.lcp_bands if same else found.lcp_bands,
        lcp_units=before.lcp_units if same else found.lcp_units,
        wind=found.wind if found.wind.is_given else before.wind,
        perimeters=found.perimeters if fire else before.perimeters,
        ignition=found.ignition if fire else before.ignition,
        start=found.start or before.start,
        utc_offset_h=found.utc_offset_h if found.utc_offset_h is not None else before.utc_offset_h,
        days=found.days if found.days is not None else before.days,
    )
