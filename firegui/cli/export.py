"""``firegui export``: hand a run's plan over in other formats."""

from __future__ import annotations

from pathlib import Path

import click

from firegui.cli.options import FILE
from firegui.cli.output import json_option, report
from firegui.errors import Problems
from firegui.io.exporters import FORMATS, file_names, known_formats
from firegui.io.exporters.content import ExportContent
from firegui.runs.export import TITLE, hand_over, run_content
from firegui.runs.messages import counted


@click.command()
@click.argument("run_folder", metavar="RUN", type=FILE)
@click.option(
    "--format", "formats", metavar="A,B", required=True, help=f"Formats, with commas between: {', '.join(FORMATS)}."
)  # fmt: skip
@click.option("--out", metavar="DIR", type=FILE, required=True, help="Folder for the files; made if absent.")
@click.option("--name", metavar="NAME", help="Name the files NAME.csv and so on, not as PMS 936 names them.")
@click.option(
    "--water", metavar="F", type=FILE, help="Where water is, as polygons, lines or a raster; else by the fuel layer."
)
@json_option
def export(run_folder: Path, formats: str, out: Path, name: str | None, water: Path | None, as_json: bool) -> None:
    """Write the plan of RUN for pilots, GIS specialists and the air operations branch.

    Every file is written or none is. Files are named as the NWCG's standard for geospatial operations (PMS 936) has it:
    date, time, incident, run, and what they are. Drops within 300 ft of water are flagged. A plan with a drop that
    breaks a rule (outside the grid, on a grounded day, within a turnaround, ...) is refused.
    """
    problems = Problems()
    chosen = [part.strip().lower() for part in formats.split(",") if part.strip()]
    if name is not None and (not name.strip() or Path(name).name != name):
        problems.add("--name", f"{name!r} is not a file name", "use a name without slashes")
    problems.raise_if_any(TITLE)
    content = run_content(run_folder, water, chosen or [""])
    chosen = known_formats(chosen)
    there = {file for file in file_names(content, chosen, name) if (out / file).exists()}
    files = hand_over(content, chosen, out, name, tell=lambda file: click.echo(f"writing {file}", err=True))
    data = {
        "run": str(run_folder), "files": [str(path) for path in files], "drops": len(content.rows),
        "executed": len(content.flown), "near_water": content.near_water, "notes": list(content.notes),
    }  # fmt: skip
    wrote = [f"{'Replaced' if path.name in there else 'Wrote'} {path}" for path in files]
    report(as_json, data, lambda: [*wrote, *_said(content)])


def _said(content: ExportContent) -> list[str]:
    executed, others = len(content.flown), len(content.rows) - len(content.flown)
    rest = f", and {counted(others, 'proposal')} marked executed=false" if others else ""
    close = [
        f"  {row.drop.aircraft} {row.time_local} {row.landing_ddm or ''}" for row in content.flown if row.near_water
    ]
    flagged = [f"{counted(len(close), 'drop')} within 300 ft of water:", *close] if close else []
    return [f"{counted(executed, 'drop')} executed{rest}", *flagged, *(f"Note: {note}" for note in content.notes)]
