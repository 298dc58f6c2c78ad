"""Export of an ensemble: tables, maps, figures, and what its error model was fitted to."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from firegui.analyses.uncertainty.results import (
    DIFFERENCE,
    FIGURES,
    HEADER,
    MEAN_BASELINE,
    MEAN_PLAN,
    MEMBERS,
    RESIDUALS,
    TABLE,
    VARIOGRAM,
    EnsembleHeader,
    read_ensemble,
    write_maps,
)
from firegui.analyses.uncertainty.summary import ensemble_csv, summarised, summary_csv
from firegui.domain.ensemble import Ensemble
from firegui.errors import InputError, Problems
from firegui.io import atomic
from firegui.io.paths import real_path
from firegui.runs.base_run import BaseRun
from firegui.runs.events import RunFinished
from firegui.runs.messages import counted
from firegui.runs.result_store import check_writable
from firegui.runs.spec import EnsembleExportSpec, EnsemblePart
from firegui.runs.stages import FinishReason, RunState

TITLE = "The ensemble was not exported"
_WORDS = {
    EnsemblePart.TABLES: "tables",
    EnsemblePart.MAPS: "maps",
    EnsemblePart.FIGURES: "figures",
    EnsemblePart.ERROR_MODEL: "error model",
}


def available_parts(folder: Path) -> tuple[EnsemblePart, ...]:
    """Return the parts of the ensemble in ``folder``: residuals only where an error model was fitted."""
    fitted = all((folder / name).is_file() for name in (VARIOGRAM, RESIDUALS))
    return tuple(part for part in EnsemblePart if fitted or part is not EnsemblePart.ERROR_MODEL)


def part_names(part: EnsemblePart, header: EnsembleHeader) -> tuple[str, ...]:
    """Return the files of a part, by name."""
    match part:
        case EnsemblePart.TABLES:
            return MEMBERS, TABLE, HEADER
        case EnsemblePart.MAPS:
            return (MEAN_BASELINE, MEAN_PLAN, DIFFERENCE) if header.schedule else (MEAN_BASELINE,)
        case EnsemblePart.FIGURES:
            return FIGURES
        case EnsemblePart.ERROR_MODEL:
            return VARIOGRAM, RESIDUALS


class EnsembleExport(BaseRun[EnsembleExportSpec]):
    """Run of an :class:`~firegui.runs.spec.EnsembleExportSpec`.

    Tables, maps and figures are made anew from the members that are saved, so that they agree with each other and with
    the window even where drawing was stopped. Every file appears or none does.
    """

    def run(self) -> RunFinished:
        """Write the files beside their place, and move them there once all of them are whole."""
        spec = self._spec
        header, ensemble = self._checked()
        self._machine.move(RunState.RUNNING)
        with _waiting_room(spec.out) as waiting:
            for done, part in enumerate(spec.parts):
                self._say(done, len(spec.parts), f"Writing the {_WORDS[part]}")
                self._write(part, header, ensemble, waiting)
            self._control.check()
            names = sorted(path.name for path in waiting.iterdir())
            for name in names:
                os.replace(waiting / name, spec.out / name)
        message = f"wrote {counted(len(names), 'file')} to {spec.out}: {', '.join(names)}"
        return RunFinished(FinishReason.COMPLETED, message, None, None, spec.out)

    def _checked(self) -> tuple[EnsembleHeader, Ensemble]:
        spec, problems = self._spec, Problems()
        if not spec.parts:
            problems.add("parts", "none is chosen", "choose at least one")
        if real_path(spec.out) == real_path(spec.folder):
            problems.add(str(spec.out), "is the ensemble's own folder", "choose another one")
        try:
            check_writable(spec.out, "export", TITLE)
        except InputError as error:
            problems.extend(error.problems)
        found = None
        try:
            found = read_ensemble(spec.folder)
        except InputError as error:
            problems.extend(error.problems)
        for part in set(spec.parts) - set(available_parts(spec.folder)):
            problems.add(_WORDS[part], "is not in the ensemble's folder", "leave it out")
        problems.raise_if_any(TITLE)
        assert found is not None
        return found

    def _write(self, part: EnsemblePart, header: EnsembleHeader, ensemble: Ensemble, folder: Path) -> None:
        project, regions = header.project.project(), bool(header.project.regions)
        match part:
            case EnsemblePart.TABLES:
                atomic.write_text(folder / MEMBERS, ensemble_csv(ensemble, regions=regions))
                atomic.write_text(folder / TABLE, summary_csv(summarised(ensemble, regions=regions)))
                atomic.write_text(folder / HEADER, header.text())
            case EnsemblePart.MAPS:
                write_maps(folder, ensemble, project)
            case EnsemblePart.FIGURES:
                self._engine.draw_ensemble(ensemble, project, folder)
            case EnsemblePart.ERROR_MODEL:
                for name in part_names(part, header):
                    shutil.copyfile(self._spec.folder / name, folder / name)


@contextmanager
def _waiting_room(out: Path) -> Iterator[Path]:
    """Yield a hidden folder in ``out``, removed at the end, and ``out`` with it if it is new."""
    new = not out.exists()
    try:
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".export-", dir=out) as waiting:
            try:
                yield Path(waiting)
            except InputError as error:
                raise InputError(atomic.problems_at(out, Path(waiting), error), error.title) from error
    except OSError as error:
        raise InputError([atomic.write_problem(out, error)], TITLE) from error
    finally:
        if new:
            with suppress(OSError):
                out.rmdir()  # refuses where there is something in it
