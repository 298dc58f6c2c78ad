"""Projects as the Python interface has them: open, make, change and save."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from firegui.api.argument_checks import is_mapping, is_number, is_path, is_string, strings_of
from firegui.api.gather import Gather
from firegui.api.inputs import with_given
from firegui.api.python_words import python_interface
from firegui.domain.airspace import AirspaceRule, rule_name, rules_problems
from firegui.domain.barriers import Barrier, BarrierKind, barrier_problems
from firegui.domain.bases import BaseKind
from firegui.domain.crew_notes import RadioFrequency, frequency_problems, hazard_problems
from firegui.domain.names import Item, with_named, without_named
from firegui.domain.project import Project
from firegui.errors import InputError, Problem, Problems, raise_new_problems
from firegui.fire.physical import with_physical_model
from firegui.io.fuel_models_file import read_fuel_models
from firegui.io.importers.barriers import BarrierSource, read_barriers
from firegui.io.importers.bases import BaseSource, read_bases
from firegui.io.importers.values import RasterMeaning, ValueSource, read_values
from firegui.io.project.store import load_project, save_project

EXISTS = "exists already"


@dataclass(frozen=True, slots=True, eq=False)
class OpenProject(Project):
    """Project with the ``folder`` that holds its event, ``None`` where it is not saved.

    ``saved`` is the project as that folder holds it. Both stay with ``dataclasses.replace`` and the ``with_…`` methods.
    """

    folder: Path | None = None
    saved: Project | None = None

    @classmethod
    def of(cls, project: Project, folder: Path | None = None) -> Self:
        """Return ``project`` as it is saved in ``folder``."""
        return cls(**_values(project), folder=folder, saved=None if folder is None else project)

    @property
    def plain(self) -> Project:
        """The project without its folder."""
        return Project(**_values(self))

    @property
    def has_saved_event(self) -> bool:
        """Whether the folder holds the event and the fire model of this project, whatever else was changed."""
        saved = self.saved
        return saved is not None and all(
            getattr(self, name) is getattr(saved, name) for name in ("scenario", "maps", "weights")
        )

    @property
    def is_as_saved(self) -> bool:
        """Whether the folder and the options of a command give this project.

        Commands have options for the optimizer, the elimination, the margin and the design effectiveness.
        """
        if self.saved is None or not self.has_saved_event:
            return False
        then, now = self.saved.plan, self.plan
        then = replace(then, optimizer=now.optimizer, elimination=now.elimination, margin=now.margin, design=now.design)
        others = (
            "fleet", "grounded", "regions", "fire_model", "operations", "coverage", "stress", "values", "barriers",
        )  # fmt: skip
        return then == now and all(getattr(self, name) == getattr(self.saved, name) for name in others)

    @python_interface
    def with_counts(self, counts: Mapping[str, int]) -> Self:
        """Return the project with other numbers of aircraft.

        ``counts`` maps ids of aircraft types to their number; types that are not named stay as they are. Days on which
        a type is grounded stay, too. Raises :class:`~firegui.errors.InputError` for ids that the fleet does not have
        and for numbers that cannot be.
        """
        title, problems = "The fleet cannot be changed", Problems()
        if not is_mapping(counts, "counts", '{"S-2T": 2}', problems):
            problems.raise_if_any(title)
        known, given = {kind.id for kind in self.fleet.types}, dict[str, int]()
        for name, count in counts.items():
            if name not in known:
                remedy = f"use one of {', '.join(sorted(known))}"
                problems.add(str(name), "is not an aircraft type of the fleet", remedy)
            elif is_number(count, f"aircraft {name}", problems):
                given[name] = int(count) if math.isfinite(count) and int(count) == count else count
        types = tuple(replace(kind, count=given.get(kind.id, kind.count)) for kind in self.fleet.types)
        problems.extend(problem for kind in types for problem in kind.problems())
        problems.raise_if_any(title)
        return replace(self, fleet=replace(self.fleet, types=types))

    @python_interface
    def with_physical_fire(self, **settings: float) -> Self:
        """Return the project with the physical fire model and the steps a day that it needs.

        ``settings`` are those of :class:`~firegui.domain.physical.PhysicalSettings`: moistures as ``dead_1h=5``,
        ``burn_hours``, ``cells_per_step``, ``speed_percentile``, ``moving_start``, ``steady_front``, ``crown_fire``,
        ``foliar_moisture``, and factors as ``grass_speed=1.2``. What is not given stays, or is as in a first project.
        Raises :class:`~firegui.errors.InputError` like :func:`~firegui.fire.physical.with_physical_model`.
        """
        gather, before = Gather(), self.physical
        known = before.as_mapping()
        for name in settings:
            if name not in known:
                gather.add(name, "is not a setting of the physical fire model", f"use one of {', '.join(known)}")
        chosen = with_given(before, {name: value for name, value in settings.items() if name in known}, gather)
        gather.raise_if_any("The fire model cannot be chosen")
        return with_physical_model(self, chosen)

    @python_interface
    def with_fuel_models(self, file: str | Path | None) -> Self:
        """Return the project with the physical fire model on the custom fuel models in ``file`` (.fmd).

        They take the place of those that the project has; ``None`` leaves only the standard ones. Raises
        :class:`~firegui.errors.InputError` with every problem of the file, and like
        :func:`~firegui.fire.physical.with_physical_model`.
        """
        problems = Problems()
        if file is not None and not is_path(file, "file", problems):
            problems.raise_if_any("The fuel models cannot be used")
        fuels = () if file is None else read_fuel_models(Path(file))
        return with_physical_model(self, self.physical, fuels=fuels)

    @python_interface
    def with_values(
        self, file: str | Path, name: str = "", *, column: str = "", layer: str | None = None,
        meaning: str | None = None, weight: float = 1.0, susceptibility: float = 1.0,
    ) -> Self:  # fmt: skip
        """Return the project with a layer of values at risk, in place of that of the same name.

        They are not in the goal until ``plan.weights.val`` is above 0.

        Args:
            file: Points in CSV, points or polygons in GeoPackage, GeoJSON, KML or shapefile, or a GeoTIFF.
            name: Name of the layer, that of the file without one.
            column: Column of values; without it ``weight`` or ``value``, or every feature counts 1.
            layer: Layer of a vector file that has several.
            meaning: ``"counts"`` or ``"densities"``, what a raster on other cells than the project's holds.
            weight: What a value of 1 counts in the goal, beside the other layers.
            susceptibility: Share of the value, 0 to 1, that is lost where a cell burns.

        Raises:
            InputError: Something is wrong with the file. Every problem is listed.
        """
        problems = Problems()
        if meaning is not None and meaning not in list(RasterMeaning):
            problems.add("meaning", f"{meaning!r} is unknown", f"use one of {', '.join(RasterMeaning)}")
        is_path(file, "file", problems)
        for where, text in (("name", name), ("column", column), ("layer", "" if layer is None else layer)):
            is_string(text, where, problems)
        for where, number in (("weight", weight), ("susceptibility", susceptibility)):
            is_number(number, where, problems)
        problems.raise_if_any("The values cannot be used")
        kind = None if meaning is None else RasterMeaning(meaning)
        source = ValueSource(Path(file), name, column, layer, kind, weight, susceptibility)
        return self.with_value_layer(read_values(source, self.scenario.grid).layer)

    @python_interface
    def without_values(self, name: str) -> Self:
        """Return the project without the value layer of this name; raises ``InputError`` where there is none."""
        return replace(self, values=_without_one(self.values, name, "values", "layer"))

    @python_interface
    def with_bases(
        self, file: str | Path, *, kind: str = "airtanker_base", serves: Sequence[str] = (), layer: str | None = None
    ) -> Self:
        """Return the project with the bases of a file, in place of those of the same names.

        The turnaround of a type that a base serves follows from its distance to the fire of each day. The type needs a
        ``cruise_ms``, without which the bases are refused.

        Args:
            file: Points in CSV (columns name, lon, lat and others) or in GeoJSON, GeoPackage, KML or shapefile.
            kind: ``"airtanker_base"``, ``"reload_base"``, ``"dip_site"`` or ``"scooping_lake"``, for rows without one.
            serves: Ids of the aircraft types that load there, for rows that name none.
            layer: Layer of a vector file that has several.

        Raises:
            InputError: Something is wrong with the file, or with its bases for this fleet. Every problem is listed.
        """
        title, problems = "The bases cannot be used", Problems()
        if kind not in list(BaseKind):
            problems.add("kind", f"{kind!r} is unknown", f"use one of {', '.join(BaseKind)}")
        is_path(file, "file", problems)
        served = strings_of(serves, "serves", problems)
        problems.raise_if_any(title)
        read = read_bases(BaseSource(Path(file), BaseKind(kind), served or (), layer), self.scenario.grid)
        bases = with_named(self.operations.bases, read.bases)
        raise_new_problems(self.base_problems(self.operations.bases), self.base_problems(bases), title)
        return replace(self, operations=replace(self.operations, bases=bases))

    @python_interface
    def without_base(self, name: str) -> Self:
        """Return the project without the base of this name; raises ``InputError`` where there is none."""
        kept = _without_one(self.operations.bases, name, "bases", "base")
        return replace(self, operations=replace(self.operations, bases=kept))

    @python_interface
    def with_airspace(self, *rules: Mapping[str, Any]) -> Self:
        """Return the project with airspace rules in place of those there are; without any, with none.

        Args:
            rules: Values by name: ``most`` drops in any ``minutes``, with ``radius_m`` between release points and
                ``types``, ids of aircraft types, where only some drops count. ``{"most": 1, "minutes": 60, "radius_m":
                300}`` lets an hour pass before the next drop within 300 m.

        Raises:
            InputError: A rule lacks a value or has one that cannot be used. Every problem is listed.
        """
        problems, made = Problems(), []
        known = {item.name for item in fields(AirspaceRule)}
        for number, rule in enumerate(rules):
            where, noted = rule_name(number), len(problems)
            if not is_mapping(rule, where, '{"most": 1, "minutes": 60}', problems):
                made.append(AirspaceRule(1, 1.0))  # later messages number the rules by their place
                continue
            remedy = f"use {', '.join(sorted(known))}"
            problems.extend(Problem(where, f"{name} is not known", remedy) for name in rule if name not in known)
            given: dict[str, Any] = {name: value for name, value in rule.items() if name in known}
            for name in ("most", "minutes", "radius_m"):
                if name in rule:
                    is_number(rule[name], f"{where}, {name}", problems, may_be_none=name == "radius_m")
                elif name != "radius_m":
                    problems.add(where, f"{name} is missing", "give a number")
            given["types"] = strings_of(rule.get("types", ()), f"{where}, types", problems)
            made.append(AirspaceRule(1, 1.0) if len(problems) > noted else AirspaceRule(**given))
        problems.extend(rules_problems(made) + rules_problems(made, self.fleet))
        problems.raise_if_any("The airspace rules cannot be used")
        return replace(self, operations=replace(self.operations, airspace=tuple(made)))

    @python_interface
    def with_barriers(
        self, file: str | Path | Sequence[Barrier], *, kind: str | None = None, width_m: float | None = None,
        strength: float = 1.0, exists_from: datetime | None = None, layer: str | None = None,
    ) -> Self:  # fmt: skip
        """Return the project with the barriers of a file, in place of those of the same names.

        Args:
            file: Lines or polygons in GeoJSON, GeoPackage, KML or shapefile, or barriers themselves. Categories of
                NWCG's Event Line standard decide kinds, and which features are left out.
            kind: ``"road"``, ``"river"``, ``"dozer_line"``, ``"hand_line"``, ``"fuel_break"``, ``"burned_out"`` or
                ``"other"``, for features that say none.
            width_m: Width in metres of lines that have none; the usual one of the kind without it.
            strength: Share of the spread that is stopped, 0 to 1, of features that have none.
            exists_from: Time with an offset from UTC from which on they hold; from the start without it.
            layer: Layer of a vector file that has several.

        Raises:
            InputError: Something is wrong with the file. Every problem is listed.
        """
        title, wrong = "The barriers cannot be used", Problems()
        if kind is not None and kind not in list(BarrierKind):
            wrong.add("kind", f"{kind!r} is unknown", f"use one of {', '.join(BarrierKind)}")
        is_number(width_m, "width_m", wrong, may_be_none=True)
        is_number(strength, "strength", wrong)
        if exists_from is not None and not isinstance(exists_from, datetime):
            wrong.add("exists_from", f"{exists_from!r} cannot be used", "give a datetime with an offset from UTC")
        is_list = isinstance(file, Sequence) and all(isinstance(barrier, Barrier) for barrier in file)
        if not isinstance(file, str | Path) and not is_list:
            wrong.add("file", f"{file!r} cannot be used", "give the path of a file, or a sequence of barriers")
        wrong.raise_if_any(title)
        if isinstance(file, str | Path):
            chosen = None if kind is None else BarrierKind(kind)
            source = BarrierSource(Path(file), chosen, layer, width_m, strength, exists_from)
            added: Sequence[Barrier] = read_barriers(source, self.scenario.grid).barriers
        else:
            added = file
        problems = barrier_problems(added, self.scenario.grid.shape)
        if problems:
            raise InputError(problems, title)
        return replace(self, barriers=with_named(self.barriers, added))

    @python_interface
    def without_barrier(self, name: str) -> Self:
        """Return the project without the barrier of this name; raises ``InputError`` where there is none."""
        return replace(self, barriers=_without_one(self.barriers, name, "barriers", "barrier"))

    @python_interface
    def with_crew_notes(
        self, *, frequencies: Mapping[str, str | Sequence[str]] | None = None, hazards: Sequence[str] | None = None
    ) -> Self:
        """Return the project with radio frequencies and hazards that briefing and order sheets print.

        No plan depends on them: an export of a saved run prints those that its project has by then.

        Args:
            frequencies: AM and FM frequency by use, such as ``{"Air/Ground": ("122.925", "168.275 T110.9")}``; an empty
                text for none, and one text for AM alone. They take the place of those there are.
            hazards: Texts, in the place of those there are.

        Raises:
            InputError: A text cannot be printed, is empty or too long. Every problem is listed.
        """
        operations, problems = self.operations, Problems()
        example = '{"Air/Ground": ("122.925", "168.275")}'
        if frequencies is not None and is_mapping(frequencies, "frequencies", example, problems):
            bands = {use: strings_of(given, f"frequency {use}", problems) for use, given in frequencies.items()}
            channels = tuple(RadioFrequency(str(use), *given[:2]) for use, given in bands.items() if given is not None)
            operations = replace(operations, frequencies=channels)
        if hazards is not None:
            operations = replace(operations, hazards=strings_of(hazards, "hazards", problems) or ())
        problems.extend(frequency_problems(operations.frequencies) + hazard_problems(operations.hazards))
        problems.raise_if_any("The notes for crews cannot be used")
        return replace(self, operations=operations)

    @python_interface
    def save(self, folder: str | Path) -> Self:
        """Save the project as the new folder ``folder`` (``NAME.firegui``) and return it as it is saved there.

        The name is kept as it is given: a name without ``.firegui`` stays without it, as with ``--out`` of commands.
        The folder holds all of the project or does not appear. Raises :class:`~firegui.errors.InputError` where it
        exists or cannot be written.
        """
        place = Path(folder)
        save_new(self.plain, place)
        return type(self).of(load_project(place, saved=self.plain), place)


def _without_one(items: Sequence[Item], name: str, where: str, what: str) -> tuple[Item, ...]:
    """Return the items without the one of this name; raises ``InputError`` where there is none."""
    kept = without_named(items, [name])
    if len(kept) == len(items):
        known = ", ".join(item.name for item in items) or "none"
        raise InputError([Problem(where, f"there is no {what} {name!r}", f"the project has: {known}")])
    return kept


def _values(project: Project) -> dict[str, Any]:
    return {item.name: getattr(project, item.name) for item in fields(Project)}


ProjectSource = Project | str | Path
"""Project, or the folder of one."""


@dataclass(frozen=True, slots=True, eq=False)
class ReadProject:
    """Project that a run is made of.

    ``folder`` holds its event, if it is saved. ``is_as_saved`` says that a command on this folder repeats the run.
    """

    project: Project
    folder: Path | None = None
    is_as_saved: bool = False


def read_project(source: ProjectSource, gather: Gather) -> ReadProject | None:
    """Return the project; ``None`` with its problems noted where it cannot be read."""
    if isinstance(source, OpenProject):
        folder = source.folder if source.has_saved_event else None
        return ReadProject(source.plain, folder, source.is_as_saved)
    if isinstance(source, Project):
        return ReadProject(source)
    if not isinstance(source, str | Path):
        gather.add("project", f"is {type(source).__name__}", "give a project, or the folder of one")
        return None
    folder = Path(source)
    project = gather.attempt(lambda: load_project(folder))
    return None if project is None else ReadProject(project, folder, is_as_saved=True)


def refuse_existing(folder: Path | None, problems: Problems) -> None:
    """Add a problem if ``folder`` exists."""
    if folder is not None and folder.exists():
        problems.add(str(folder), EXISTS, "give another name with --out, or remove it first")


def save_new(project: Project, folder: Path) -> None:
    """Save ``project`` as a new folder. Raises :class:`~firegui.errors.InputError` where that exists."""
    if folder.exists():
        problem = Problem(str(folder), EXISTS, "give another name, or remove it first")
        raise InputError([problem], "The project cannot be saved")
    save_project(project, folder)


def made_project(project: Project, out: Path | None) -> OpenProject:
    """Return a new project, saved as the folder ``out`` where that is given."""
    made = OpenProject.of(project)
    return made if out is None else made.save(out)


@python_interface
def open_project(folder: str | Path) -> OpenProject:
    """Open the project in ``folder`` (``NAME.firegui``).

    Raises :class:`~firegui.errors.InputError` with every problem of a project that is damaged, newer or not there.
    """
    place = Path(folder)
    return OpenProject.of(load_project(place), place)
