"""``firegui export``: hand a run's plan over in other formats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import click

from firegui.api.exports import format_names, name_problems, write_export
from firegui.cli.arguments import FILE, WHOLE
from firegui.cli.output import chosen_units, json_option, report
from firegui.cli.progress import emitter
from firegui.cli.window import FILM_SIDES, film_run
from firegui.domain.model_range import outside_text
from firegui.errors import InputError, Problem, Problems
from firegui.io.exporters import FILMS, FORMATS, PROPOSAL_FORMATS
from firegui.io.exporters.animation import film_problems
from firegui.io.exporters.content import ExportContent, MapBackground, WrittenDrops
from firegui.runs.export import TITLE
from firegui.runs.messages import counted
from firegui.runs.run_folder import read_run


@click.command()
@click.argument("run_folder", metavar="RUN", type=FILE)
@click.option(
    "--format", "formats", metavar="A,B", required=True,
    help=f"Formats, with commas between: {', '.join((*FORMATS, *FILMS))}.",
)  # fmt: skip
@click.option("--out", metavar="DIR", type=FILE, required=True, help="Folder for the files; made if absent.")
@click.option("--name", metavar="NAME", help="Name the files NAME.csv and so on, not as PMS 936 names them.")
@click.option(
    "--water", metavar="F", type=FILE, help="Where water is, as polygons, lines or a raster; else by the fuel layer."
)
@click.option(
    "--drops",
    type=click.Choice([each.value for each in WrittenDrops]),
    default=WrittenDrops.ALL.value,
    show_default=True,
    help=f"Drops in tables and layers ({', '.join(PROPOSAL_FORMATS)}): the flown ones, or every proposal as in "
    "schedule.csv.",
)
@click.option(
    "--background",
    type=click.Choice([each.value for each in MapBackground]),
    default=MapBackground.RELIEF.value,
    show_default=True,
    help="What maps show below the drops: arrival is that of the fire without drops; spread, flames and intensity are "
    "the highest of the days, by the physical model.",
)
@click.option(
    "--film",
    "sides",
    type=click.Choice(tuple(FILM_SIDES)),
    default="plan",
    show_default=True,
    help="What an mp4 or gif shows.",
)
@click.option("--fps", metavar="N", type=WHOLE, default=12, show_default=True, help="Pictures a second in a film.")
@click.option("--verbose", is_flag=True, help="List the notes on fire model and event as well.")
@json_option
def export(
    run_folder: Path, formats: str, out: Path, name: str | None, water: Path | None, drops: str, background: str,
    sides: str, fps: int, verbose: bool, as_json: bool,
) -> None:  # fmt: skip
    """Write the plan of RUN for pilots, GIS specialists and the air operations branch.

    Every file is written or none is. Files are named as the NWCG's standard for geospatial operations (PMS 936) has it:
    date, time, incident, run, and what they are. Drops within 300 ft of water are flagged. A plan with a drop that
    breaks a rule (outside the grid, on a grounded day, within a turnaround, ...) is refused. A film is drawn by the
    window's own map, out of sight.
    """
    problems, chosen = Problems(), format_names(formats)
    name_problems(name, problems)
    wanted_films = [kind for kind in dict.fromkeys(chosen) if kind in FILMS]
    for kind in wanted_films:
        problems.extend(film_problems(out / f"film.{kind}", fps))
    problems.raise_if_any(TITLE)
    written = write_export(
        run_folder, [kind for kind in chosen if kind not in FILMS], out, name=name, water=water,
        films=lambda: _films(run_folder, wanted_films, sides, fps), film_kinds=wanted_films,
        tell=lambda file: click.echo(f"writing {file}", err=True), units=chosen_units(),
        drops=WrittenDrops(drops), background=MapBackground(background), progress=emitter("bar"),
    )  # fmt: skip
    content = written.content
    data = {
        "run": str(run_folder), "files": [str(path) for path in written.files], "drops": len(content.rows),
        "executed": len(content.flown), "left_out": content.left_out, "near_water": content.near_water,
        "notes": list(content.notes), "warnings": list(content.warnings),
    }  # fmt: skip
    wrote = [f"{'Replaced' if path in written.replaced else 'Wrote'} {path}" for path in written.files]
    outside = outside_text(content.project)
    warned = [f"Warning: {warning}" for warning in (*content.warnings, *([outside] if outside else []))]
    report(as_json, data, lambda: [*warned, *wrote, *_said(content, verbose=verbose)])


def _films(run: Path, kinds: Sequence[str], sides: str, fps: int) -> dict[str, Callable[[Path], None]]:
    """Return the function that draws each film.

    Raises :class:`~firegui.errors.InputError` where the run's project is gone.
    """
    if not kinds:
        return {}
    where = read_run(run).header.project_folder
    if not where or not Path(where).is_dir():
        remedy = "put the project back, or open it in the window and export the film there"
        raise InputError(
            [Problem("film", f"needs the run's project, which is not at {where or 'hand'}", remedy)], TITLE
        )
    draw = partial(film_run, Path(where), run, sides=sides, fps=fps)
    return dict.fromkeys(kinds, draw)


def _said(content: ExportContent, *, verbose: bool) -> list[str]:
    others = len(content.rows) - len(content.flown)
    rest = f", and {counted(others, 'proposal')} marked executed=false: --drops flown leaves them out" if others else ""
    if content.left_out:
        rest = f"; {counted(content.left_out, 'proposal')} not flown and left out: --drops all writes them"
    close = [f"  {row.drop.aircraft} {row.when} {row.landing_ddm or ''}" for row in content.flown if row.near_water]
    flagged = [f"{counted(len(close), 'drop')} within 300 ft of water:", *close] if close else []
    folded = () if verbose else content.background
    notes = [f"Note: {note}" for note in content.notes if note not in content.warnings and note not in folded]
    if folded:
        notes.append(f"{counted(len(folded), 'note')} on the fire model and the event: --verbose lists them")
    return [f"{counted(len(content.flown), 'drop')} executed{rest}", *flagged, *notes]
