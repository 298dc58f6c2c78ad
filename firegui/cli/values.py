"""``firegui values``: list, add and remove layers of values at risk."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from firegui.api.gather import Gather
from firegui.cli.arguments import FILE, project_argument
from firegui.cli.configure import save_changed
from firegui.cli.output import json_option, report
from firegui.cli.project_report import value_lines, value_rows
from firegui.cli.setting_options import given_settings, setting_options
from firegui.cli.words import command_text
from firegui.domain.project import VALUES_WEIGHT, Project
from firegui.domain.values import ValueTerms
from firegui.io.importers.values import ImportedValues, RasterMeaning, ValueSource, read_values
from firegui.io.project.store import load_project


@click.command()
@project_argument
@click.option(
    "--add", "file", metavar="F.csv|F.gpkg|F.geojson|F.tif", type=FILE,
    help="Points in CSV, points or polygons in a vector file, or a GeoTIFF.",
)  # fmt: skip
@click.option("--name", metavar="NAME", help="Name of the layer: of the one that is added or changed.")
@click.option(
    "--column", metavar="NAME", default="",
    help="Column of values; without it weight or value, or every feature counts 1.",
)  # fmt: skip
@click.option("--layer", metavar="NAME", help="Layer of a vector file that has several.")
@click.option(
    "--cells", type=click.Choice([each.value for each in RasterMeaning]),
    help="What a raster on other cells holds: counts are summed, densities averaged.",
)  # fmt: skip
@setting_options(ValueTerms(""), show_defaults=False)
@click.option("--remove", metavar="NAME", help="Remove a layer.")
@json_option
def values(
    project_folder: Path, file: Path | None, name: str | None, column: str, layer: str | None, cells: str | None,
    remove: str | None, as_json: bool, **given: Any,
) -> None:  # fmt: skip
    """List the values at risk of PROJECT, or change them.

    A layer that is added takes the place of one with the same name. With --name alone, weight and susceptibility of a
    layer are changed. The goal counts values by the weight that configure --weights val= sets.
    """
    changes = any(value is not None for value in given.values())
    if changes and file is None and name is None:
        raise click.UsageError("name the layer with --name, or give a file with --add")
    notes: list[str] = []

    def change(before: Project, gather: Gather) -> Project:
        after = before
        for asked in filter(None, (remove, name if file is None else None)):
            if asked not in [one.name for one in before.values]:
                known = ", ".join(one.name for one in before.values) or "none"
                gather.add(project_folder.name, f"has no value layer {asked!r}", f"the project has: {known}")
        if file is not None:
            terms = given_settings(ValueTerms(name or ""), given, gather)
            meaning = None if cells is None else RasterMeaning(cells)
            source = ValueSource(file, terms.name, column, layer, meaning, terms.weight, terms.susceptibility)
            read: ImportedValues | None = gather.attempt(lambda: read_values(source, before.scenario.grid))
            if read is not None:
                notes[:] = read.notes
                after = after.with_value_layer(read.layer)
        elif name is not None:
            changed = [
                one if one.name != name else replace(one, terms=given_settings(one.terms, given, gather))
                for one in after.values
            ]
            after = replace(after, values=tuple(changed))
        return replace(after, values=tuple(one for one in after.values if one.name != remove))

    is_edit = file is not None or name is not None or remove is not None
    project = save_changed(change, project_folder) if is_edit else load_project(project_folder)
    rows = value_rows(project)
    weight = project.plan.weights.val
    hint = command_text("configure", project_folder, "--weights", f"val={VALUES_WEIGHT:g}")
    counted = (
        f"The goal counts values with weight {weight:g}." if weight else f"The goal does not count them yet: {hint}"
    )
    report(
        as_json, {"project": str(project_folder), "values": rows, "goal_weight": weight, "notes": notes},
        lambda: [*value_lines(rows), *notes, counted] if rows else ["There are no values at risk."],
    )  # fmt: skip
