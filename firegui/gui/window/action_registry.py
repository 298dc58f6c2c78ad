"""Registry of the window's actions.

Menus, tool bar, palette, start page and the page of shortcuts are made from it. To add an action, describe it in
:data:`ACTIONS`, name it in :data:`MENUS`, and give it a handler in
:meth:`~firegui.gui.window.workbench.Workbench._handlers` (panels have one already). An action with keys also belongs
on the page of shortcuts: ``python -m firegui.gui.window.action_registry > resources/help/shortcuts.md``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto


class Condition(Enum):
    """Condition under which an action is enabled."""

    ALWAYS = auto()
    PROJECT = auto()
    CAN_EXPORT = auto()
    BASE_MAP = auto()
    EDITED_DROPS = auto()
    SELECTED_SHAPE = auto()
    SELECTION = auto()
    SELECTED_DROPS = auto()
    BASELINE_SHOWN = auto()
    PLAN_SHOWN = auto()
    BOTH_SHOWN = auto()
    CAN_UNDO = auto()
    CAN_REDO = auto()
    CAN_START = auto()
    CAN_REPLAN = auto()
    CAN_PAUSE = auto()
    CAN_RESUME = auto()
    CAN_STOP = auto()


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """Action of the window.

    ``topic`` is its help page, ``tool_text`` its text on the tool bar, ``synonyms`` are other words that find it in the
    palette, and the section of a panel in the search of settings. A ``name`` with a colon is a choice: of the actions
    with the same prefix, one is checked.
    """

    name: str
    text: str
    help: str
    icon: str
    topic: str
    keys: tuple[str, ...] = ()
    when: Condition = Condition.ALWAYS
    checkable: bool = False
    tool_text: str = ""
    synonyms: str = ""

    @property
    def group(self) -> str:
        """Name of the choice that the action belongs to; empty for none."""
        return self.name.partition(":")[0] if ":" in self.name else ""

    @property
    def value(self) -> str:
        """The value that the action selects in its group."""
        return self.name.partition(":")[2]

    @property
    def title(self) -> str:
        """The text without mnemonic mark and ellipsis."""
        return plain_title(self.text)


@dataclass(frozen=True, slots=True)
class Submenu:
    """Submenu; the window creates its entries."""

    text: str
    help: str
    icon: str


@dataclass(frozen=True, slots=True)
class StartPageButton:
    """Button of the start page: its action, text and tooltip."""

    action: str
    text: str
    help: str


_C = Condition
_ALL_ACTIONS = (
    ActionSpec("new_demo", "&New demo", "make the synthetic demo fire", "new", "getting-started", ("Ctrl+N",),
               synonyms="example sample synthetic try"),
    ActionSpec("open", "&Open…", "open a project folder", "open", "files", ("Ctrl+O",),
               synonyms="load"),
    ActionSpec("import_landscape", "Import &landscape…",
               "make a project from raster layers, a wind and a fire of your own", "import", "import",
               synonyms="geotiff lcp landfire new fire own perimeter shapefile wind weather fuel terrain"),
    ActionSpec("import_events", "Import &HDF5 event…",
               "make a project from an event of the published file of six fires", "events", "import",
               synonyms="new fire event published"),
    ActionSpec("import_folder", "Import &PyTorchFire folder…",
               "make a project from an event in the files of PyTorchFire's examples", "import-folder", "import",
               synonyms="new fire event"),
    ActionSpec("import_maps", "Import &maps…",
               "make a project from the maps of any fire model that can state them, NPZ", "map", "import",
               synonyms="new fire npz farsite"),
    ActionSpec("save", "&Save", "save the project", "save", "files", ("Ctrl+S",), _C.PROJECT,
               synonyms="keep store"),
    ActionSpec("save_as", "Save &as…", "save the project in another folder and continue there", "save-as",
               "files", ("Ctrl+Shift+S",), _C.PROJECT),
    ActionSpec("export", "&Export…",
               "write schedule and map to files: of the run selected in the open list of runs, else of the plan shown",
               "export", "export", ("Ctrl+E",), _C.CAN_EXPORT,
               synonyms="pdf kml kmz gpx ics 220 briefing csv gps print report email share spreadsheet excel google "
                        "earth gis shapefile geotiff geojson geopackage gpkg png svg netcdf picture image radio garmin "
                        "table"),
    ActionSpec("quit", "&Quit", "close the window; asks before work is lost", "quit", "getting-started", ("Ctrl+Q",),
               synonyms="exit close"),
    ActionSpec("undo", "&Undo", "undo the last edit", "undo", "getting-started", ("Ctrl+Z",), _C.CAN_UNDO,
               synonyms="revert"),
    ActionSpec("redo", "&Redo", "repeat the edit that was undone", "redo", "getting-started",
               ("Ctrl+Shift+Z", "Ctrl+Y"), _C.CAN_REDO,
               synonyms="repeat again"),
    ActionSpec("delete_shape", "&Delete shape", "remove the selected region, barrier or base", "delete", "regions",
               ("Del",),
               _C.SELECTED_SHAPE),
    ActionSpec("fit", "&Fit map", "show the whole domain", "fit", "map", ("Ctrl+0",), _C.PROJECT,
               synonyms="zoom all full extent home overview"),
    ActionSpec("zoom_fire", "Zoom to f&ire", "show the fire of the shown time", "zoom-fire", "map", ("Ctrl+Shift+F",),
               _C.PROJECT,
               synonyms="extent"),
    ActionSpec("zoom_selection", "&Zoom to selection", "show the selected drops or the selected region", "zoom-to",
               "map", ("Ctrl+J",), _C.SELECTION,
               synonyms="extent"),
    ActionSpec("full_map", "F&ull map", "hide everything but the map; the same key or Esc shows it again", "full-map",
               "map", ("F11",), _C.PROJECT, checkable=True,
               synonyms="fullscreen maximise distraction hide"),
    ActionSpec("go_to", "&Go to coordinates…", "centre the map on a place by its coordinates, in any format", "go-to",
               "map", ("Ctrl+G",), _C.PROJECT,
               synonyms="latitude longitude utm find position"),
    ActionSpec("copy_coordinates", "Copy &coordinates",
               "copy the coordinates under the mouse, in the chosen format", "copy", "map", ("Ctrl+Shift+C",),
               _C.PROJECT,
               synonyms="latitude longitude utm position clipboard"),
    ActionSpec("identify_here", "&Identify here", "show the values of the cell under the mouse", "probe", "map", (),
               _C.PROJECT,
               synonyms="values cell query fuel elevation slope terrain wind"),
    ActionSpec("coordinates:ddm", "Degrees and minutes", "write places as 38°33.672′ N 122°38.406′ W", "coordinates",
               "map"),
    ActionSpec("coordinates:dms", "Degrees, minutes, seconds", "write places as 38°33′40.3″ N 122°38′24.4″ W",
               "coordinates", "map"),
    ActionSpec("coordinates:decimal", "Decimal degrees", "write places as 38.56120 -122.64010", "coordinates", "map"),
    ActionSpec("coordinates:utm", "UTM", "write places as 10S 531356 4268146", "coordinates", "map"),
    ActionSpec("add_bookmark", "Add &bookmark…", "keep the present view of the map under a name", "bookmark-add",
               "map", ("Ctrl+B",), _C.PROJECT,
               synonyms="save view favourite place"),
    ActionSpec("reset_layout", "&Reset layout", "restore the first arrangement of the window", "reset",
               "getting-started", synonyms="panels default"),
    ActionSpec("workspace:fire", "Fire", "what is loaded: scenario, fire model and its check against observations",
               "workspace-fire", "scenario", ("Ctrl+1",)),
    ActionSpec("workspace:plan", "Plan", "what to plan: goal, regions, fleet, grounded days and rules",
               "workspace-plan", "objective", ("Ctrl+2",)),
    ActionSpec("workspace:runs", "Runs", "the plans of the project and their results", "workspace-runs", "runs",
               ("Ctrl+3",)),
    ActionSpec("workspace:analyse", "Analyse", "how certain a plan is, and what it depends on", "workspace-analyse",
               "uncertainty", ("Ctrl+4",)),
    ActionSpec("workspace:hand-over", "Hand over", "write the shown plan to files", "workspace-hand-over", "export",
               ("Ctrl+5",)),
    ActionSpec("side_panel", "&Side panel", "show or hide the panel of the workspace", "side-panel",
               "getting-started", ("Ctrl+\\",), checkable=True,
               synonyms="hide sidebar"),
    ActionSpec("drawer", "D&rawer", "open or close the drawer: charts, drops, log", "drawer", "progress", ("F7",),
               checkable=True,
               synonyms="charts table log graph"),
    ActionSpec("next_pane", "&Next pane", "move the keyboard to the next part of the window", "page-forward",
               "getting-started", ("F6",), synonyms="focus keyboard"),
    ActionSpec("previous_pane", "Pre&vious pane", "move the keyboard to the part of the window before", "page-back",
               "getting-started", ("Shift+F6",), synonyms="focus keyboard"),
    ActionSpec("centre:map", "Map", "show the map in the centre", "map", "map", ("Alt+5",)),
    ActionSpec("centre:chart", "Chart", "show the result of the workspace in the centre", "dock-progress", "map",
               ("Alt+6",)),
    ActionSpec("centre:both", "Both", "show map and result together", "compare", "map", ("Alt+7",)),
    ActionSpec("tool:pan", "Pan", "move and zoom the map; click a region to select it", "pan", "map", ("1",),
               _C.PROJECT),
    ActionSpec("tool:rectangle", "Region", "drag a rectangular protected region", "rectangle", "regions", ("2",),
               _C.PROJECT,
               synonyms="protect draw asset rectangle village houses values risk"),
    ActionSpec("tool:polygon", "Polygon",
               "click the corners of a protected region; double-click ends it, Esc cancels", "polygon", "regions",
               ("3",), _C.PROJECT,
               synonyms="protect draw asset village houses values risk"),
    ActionSpec("tool:edit", "Edit shapes", "move regions, barriers and bases, and corners", "edit", "regions", ("4",),
               _C.PROJECT, synonyms="reshape corners vertex edit region move base barrier line"),
    ActionSpec("tool:probe", "Identify", "click a cell to see its values and how it burns over the plan",
               "probe", "map", ("5",), _C.PROJECT,
               synonyms="probe value inspect query fuel elevation slope aspect terrain canopy wind arrival"),
    ActionSpec("tool:measure", "Measure",
               "click corners to measure a distance, the first again for an area", "measure", "map",
               ("8",), _C.PROJECT, synonyms="distance ruler area"),
    ActionSpec("tool:drop", "Edit drops",
               "move, turn, add and remove drops of the shown plan and see the fire change meanwhile", "drop", "drops",
               ("9",), _C.PROJECT,
               synonyms="water retardant line manual add turn rotate heading"),
    ActionSpec("tool:zone", "No-drop &rectangle", "drag a rectangle in which no drop may land", "zone",
               "constraints", ("6",), _C.PROJECT,
               synonyms="no-fly forbidden restricted zone draw avoid"),
    ActionSpec("tool:zone-polygon", "No-drop &polygon",
               "click the corners of an area in which no drop may land; double-click ends it", "zone-polygon",
               "constraints", ("7",), _C.PROJECT,
               synonyms="no-fly forbidden restricted zone draw avoid"),
    ActionSpec("tool:barrier", "Barrier &line",
               "click the corners of a road, river or fire line that stops spread; double-click ends it", "barrier",
               "barriers", (), _C.PROJECT,
               synonyms="dozer hand line fireline road river fuel break draw"),
    ActionSpec("tool:barrier-area", "Barrier &area",
               "click the corners of a burned-out area or water that stops spread; double-click ends it",
               "barrier-area", "barriers", (), _C.PROJECT,
               synonyms="burned burnout lake water draw"),
    ActionSpec("tool:base", "&Base", "click the place of an airtanker base, reload base, dip site or lake", "base",
               "bases", (), _C.PROJECT, synonyms="airport tanker helibase reload dip scoop lake draw"),
    ActionSpec("view:baseline", "No drops", "the fire without drops", "view-baseline", "timeline", ("Alt+1",),
               _C.BASELINE_SHOWN,
               synonyms="without spread forecast"),
    ActionSpec("view:plan", "Plan", "the fire with the plan's drops", "view-plan", "timeline", ("Alt+2",),
               _C.PLAN_SHOWN),
    ActionSpec("view:difference", "Saved", "what the plan saves of the fire without drops", "view-difference",
               "timeline", ("Alt+3",), _C.BOTH_SHOWN,
               synonyms="difference benefit"),
    ActionSpec("side_by_side", "Side by side", "no drops, plan and what it saves, on maps that move together",
               "compare", "timeline", ("Alt+4",), _C.BOTH_SHOWN, checkable=True, synonyms="compare"),
    ActionSpec("theme:system", "Like the &system", "dark or light, like the desktop", "theme-system",
               "getting-started",
               synonyms="theme preferences options settings colours"),
    ActionSpec("theme:dark", "&Dark", "light text on a dark background", "theme-dark", "getting-started",
               synonyms="night mode colours theme preferences options settings dark"),
    ActionSpec("theme:light", "&Light", "dark text on a light background", "theme-light", "getting-started",
               synonyms="theme preferences options settings day bright"),
    ActionSpec("layer_properties", "Layer p&roperties…",
               "opacity, colour map, classes and threshold of a layer", "properties", "layers",
               synonyms="opacity transparency colour color ramp classes threshold contrast style wind "
                        "isochrones spread flame intensity"),
    ActionSpec("drops_shown:day", "This &day", "show the drops of the shown day on the map", "drop", "layers",
               synonyms="drops shown"),
    ActionSpec("drops_shown:now", "Until &now", "show the drops until the shown time on the map", "drop", "layers",
               synonyms="drops shown past footprint water retardant"),
    ActionSpec("drops_shown:plan", "&Whole plan",
               "show all drops on the map, those after the shown time as dotted lines", "drop", "layers",
               synonyms="drops shown future coming"),
    ActionSpec("base_map", "&Base map…",
               "show map tiles, a raster or a vector file of your own under the map; no network is needed",
               "basemap", "layers", (), _C.PROJECT,
               synonyms="backdrop tiles mbtiles geotiff shapefile satellite background basemap aerial photo "
                        "topographic wms picture image"),
    ActionSpec("no_base_map", "&No base map", "remove the base map", "basemap-off", "layers", (), _C.BASE_MAP),
    ActionSpec("snap_corners", "Snap to co&rners",
               "snap a drawn or dragged corner to a near corner of another region or zone",
               "snap-corners", "regions", checkable=True),
    ActionSpec("snap_cells", "Snap to &cells",
               "snap a drawn or dragged corner to the corners of cells", "snap-cells", "regions",
               checkable=True),
    ActionSpec("units:metric", "&Metric", "hectares, metres, kilometres and m/s, everywhere at once", "units",
               "conventions",
               synonyms="hectares units metric litres kilometres gallons preferences options settings"),
    ActionSpec("units:us", "&US field units", "acres, feet, miles and mph, everywhere at once", "units",
               "conventions",
               synonyms="imperial acres miles feet units gallons knots mph preferences options settings"),
    ActionSpec("go_to_drop", "Show on map", "show the selected drop on the map, at its time", "show", "drops", (),
               _C.SELECTED_DROPS),
    ActionSpec("edit_drop", "Mo&ve…", "change time, aircraft, heading and place of the selected drop as numbers",
               "edit", "drops", (), _C.SELECTED_DROPS),
    ActionSpec("pin_drops", "P&in", "pin the selected drops, so that every plan keeps them", "pin", "drops", (),
               _C.SELECTED_DROPS,
               synonyms="keep lock fix"),
    ActionSpec("unpin_drops", "U&npin", "let planning move the selected drops again", "pin-off", "drops", (),
               _C.SELECTED_DROPS),
    ActionSpec("remove_drops", "Re&move drops", "remove the selected drops from the shown plan", "delete", "drops", (),
               _C.SELECTED_DROPS,
               synonyms="delete"),
    ActionSpec("export_drops", "Export selected…", "write the selected drops to files", "export", "export", (),
               _C.SELECTED_DROPS),
    ActionSpec("keep_drops", "&Keep edited drops as a run",
               "score the drops that were edited by hand and keep them as a run; so does saving the project",
               "keep", "drops", (), _C.EDITED_DROPS, tool_text="Keep as a run"),
    ActionSpec("start", "&Start plan", "save the project and plan it", "start", "progress", ("F5",), _C.CAN_START,
               synonyms="run optimize calculate go optimise compute"),
    ActionSpec("quick", "&Quick plan",
               "place drops by rule within a minute; nothing is optimized",
               "quick", "progress", ("Shift+F5",), _C.CAN_START, tool_text="Quick plan",
               synonyms="tactical heuristic by rule fast initial attack"),
    ActionSpec("stages:both", "Place drops, then remove unneeded ones",
               "search for a plan, then remove every drop that it does not need",
               "both-stages", "method", (), _C.PROJECT),
    ActionSpec("stages:first", "Place drops only", "search for a plan and keep all of its drops", "first-stage",
               "method", (), _C.PROJECT),
    ActionSpec("pause", "&Pause", "pause before the next step or test", "pause", "progress", ("Ctrl+F6",),
               _C.CAN_PAUSE,
               synonyms="hold wait"),
    ActionSpec("resume", "&Resume", "continue the paused run, or resume a stopped one, which then replaces its plan",
               "resume", "progress", (),
               _C.CAN_RESUME),
    ActionSpec("stop", "S&top, keep best", "stop and keep the best plan so far", "stop", "progress",
               ("Ctrl+Shift+F6",),
               _C.CAN_STOP,
               synonyms="cancel abort end interrupt"),
    ActionSpec("replan", "&Replan…",
               "import the observed fire of a later day and plan the remaining days of the shown plan again", "branch",
               "runs", ("Ctrl+F5",), _C.CAN_REPLAN,
               synonyms="observed perimeter next day tomorrow update reality training"),
    ActionSpec("duplicate_run", "&Duplicate run…", "a new run like the selected one, with changes", "duplicate",
               "runs", ("Ctrl+D",), _C.PROJECT, synonyms="copy"),
    ActionSpec("continue_run", "Continue from this plan",
               "a new run of the project that begins with the plan of the selected run", "branch", "runs", (),
               _C.PROJECT, synonyms="continue go on warm start improve does not hold"),
    ActionSpec("show_leaks", "Where fire gets through",
               "the stress test of the shown plan, and the map of where the fire crosses its lines", "dock-stress",
               "stress", (), _C.PROJECT, synonyms="leaks does not hold gap continue"),
    ActionSpec("rename_run", "Re&name run", "give the selected run another name, which stands wherever the run does",
               "rename", "runs", (), _C.PROJECT,
               synonyms="title call label"),
    ActionSpec("compare_runs", "Co&mpare runs", "two selected runs on maps that move together, more in a table",
               "compare", "runs", ("Ctrl+Shift+D",), _C.PROJECT, synonyms="difference two plans versus better"),
    ActionSpec("choose_model", "&Fire model…", "network, constant parameters, physical model or imported maps",
               "weights", "scenario", (), _C.PROJECT,
               synonyms="rothermel moisture physical surface spread network fuel wind weather forecast calibrated"),
    ActionSpec("load_weights", "&Load weights…", "use the network fire model with weights from a file",
               "weights", "calibrate", (), _C.PROJECT,
               synonyms="network safetensors"),
    ActionSpec("score", "Run &model check", "compare the fire model with the observed perimeters",
               "dock-skill", "skill", ("F8",), _C.PROJECT,
               synonyms="validate accuracy validation observed perimeter error quality"),
    ActionSpec("show_calibrate", "&Calibrate fire model…",
               "fit the fire model to the observed perimeters of this event, alone or with others", "dock-calibrate",
               "calibrate", ("F9",), _C.PROJECT,
               synonyms="fit train training fitting perimeter"),
    ActionSpec("show_constraints", "Rules &of the operation…",
               "limits of the operation: darkness, groundings, sorties, no-drop zones, pinned drops",
               "dock-constraints", "constraints", ("F3",), _C.PROJECT,
               synonyms="grounded night daylight dark sorties no-drop zone pinned drops rules constraints "
                        "limits airspace no-fly forbidden restricted sunset sunrise  "
                        "safety smoke line time"),
    ActionSpec("show_sensitivity", "Sensiti&vity…",
               "how a plan depends on its assumptions: the robustness tables", "dock-sensitivity", "sensitivity",
               ("F4",), _C.PROJECT,
               synonyms="tornado what matters assumptions effectiveness robustness"),
    ActionSpec("show_stress", "Stress t&est…",
               "how a plan does in worlds that differ from the model, and where fire gets through", "dock-stress",
               "stress",
               ("Shift+F4",), _C.PROJECT,
               synonyms="robustness worst case robust confidence fails reliable wind"),
    ActionSpec("show_margin", "Cost of mar&gin…",
               "plans with more and more margin: their drops, and what the worst case leaves", "dock-margin", "margin",
               ("Ctrl+Shift+F4",), _C.PROJECT,
               synonyms="price money safety reserve"),
    ActionSpec("show_exercise", "E&xercise…",
               "fly a plan in a world that differs from the model, and repair it whenever the fire is observed",
               "dock-exercise", "exercise", ("Ctrl+Shift+F5",), _C.PROJECT,
               synonyms="training train simulation replanning real"),
    ActionSpec("show_uncertainty", "&Uncertainty…",
               "how certain a plan is: fires with and without it under sampled states, model error or wind",
               "dock-uncertainty", "uncertainty", ("F10",), _C.PROJECT,
               synonyms="ensemble members probability confidence chance risk spread forecast wind"),
    ActionSpec("show_benchmark", "&Benchmark…",
               "compare planners under one objective, one drop budget and one number of fire simulations",
               "dock-benchmark", "benchmark", ("F12",), _C.PROJECT,
               synonyms="planners compare methods algorithm method best"),
    ActionSpec("show_study", "St&udy…",
               "many plans with varied fleet, grounded days, effectiveness, weights, seeds or wind",
               "dock-study", "study", ("Shift+F12",), _C.PROJECT,
               synonyms="experiment factors sweep vary fleet worth batch"),
    ActionSpec("show_scenario", "S&cenario", "what is loaded: event, grid, fire model and notes", "dock-scenario",
               "scenario",
               synonyms="wind weather speed direction grid date ignition notes warnings perimeter event fuel"),
    ActionSpec("show_skill", "&Model check", "the fire model against the observed perimeters",
               "dock-skill", "skill",
               synonyms="validation score brier validate accuracy forecast"),
    ActionSpec("show_start", "Before you sta&rt", "what to know before a plan is started, and its button", "start",
               "objective",
               synonyms="checklist problems warnings ready notes check"),
    ActionSpec("show_objective", "&Goal and search", "goal, weights, effectiveness, days and search",
               "dock-objective", "objective",
               synonyms="weights settings epochs seed objectives objective priority priorities effectiveness "
                        "retardant water duration days margin device gpu cpu preferences options"),
    ActionSpec("show_regions", "Protected &regions", "the protected regions, their size and weight", "dock-regions",
               "regions",
               synonyms="protect village asset assets houses homes protection priority town area "
                        "powerline power line pipeline road"),
    ActionSpec("show_values", "&Values at risk", "structures, people, habitat or timber, and how much they count",
               "dock-values", "values",
               synonyms="value structures homes houses population people habitat timber assets weight susceptibility "
                        "loss"),
    ActionSpec("show_barriers", "Barriers and l&ine", "roads, rivers, dozer and hand line that stop spread",
               "dock-barriers", "barriers",
               synonyms="barrier road river stream water dozer hand line fireline fuel break burned burnout control "
                        "contingency contained holds"),
    ActionSpec("show_fleet", "&Fleet", "aircraft types with number, turnaround and payload", "dock-fleet", "fleet",
               synonyms="aircraft planes airtankers helicopters helicopter tanker scooper water retardant "
                        "payload load turnaround refill litres gallons footprint cost resources logistics speed"),
    ActionSpec("show_bases", "&Bases", "bases, dip sites and lakes, and the turnarounds that follow", "dock-bases",
               "bases",
               synonyms="airtanker base reload dip site scooping lake airport cycle time turnaround distance crew duty "
                        "hours"),
    ActionSpec("show_calendar", "Grounded &days", "days on which aircraft types cannot fly", "dock-calendar",
               "calendar",
               synonyms="grounding weather cannot fly calendar availability maintenance unavailable schedule "
                        "visibility smoke"),
    ActionSpec("show_runs", "R&uns", "the plans of the project", "dock-runs", "runs",
               synonyms="results history plans list"),
    ActionSpec("show_result", "R&esult", "the result of the shown run: size, drops and days", "dock-result",
               "progress",
               synonyms="results burned area hectares acres cost water retardant summary logistics "
                        "gallons litres"),
    ActionSpec("show_export", "Files to &hand over", "formats, sheet and folder of an export", "export", "export",
               synonyms="print pdf report email share spreadsheet kml kmz csv ics 220 briefing gis shapefile geotiff "
                        "geojson png picture film video animation"),
    ActionSpec("show_progress", "&Charts", "charts of the shown run, in the drawer", "dock-progress", "progress",
               synonyms="graph graphs curve plot convergence"),
    ActionSpec("show_log", "&Log", "what happened since the window was opened, in the drawer", "dock-log", "log",
               synonyms="messages history errors notes warnings"),
    ActionSpec("show_timeline", "&Timeline", "go to the timeline", "dock-timeline", "timeline",
               synonyms="play time animation film video gif clock schedule speed wind sunrise sunset hours "
                        "movie"),
    ActionSpec("show_drops", "&Drops table", "the drops of the shown plan, in the drawer", "dock-drops", "drops",
               ("Shift+F7",),
               synonyms="list table attributes schedule sort filter water retardant heading spreadsheet sorties"),
    ActionSpec("show_compare", "Runs co&mpared", "the numbers of the runs that were compared last, in the drawer",
               "compare", "runs"),
    ActionSpec("show_layers", "La&yers", "show or close the layers of the map, their order and opacity",
               "dock-layers", "layers", ("Ctrl+L",), checkable=True,
               synonyms="opacity order wind weather speed direction fuel terrain elevation slope aspect canopy "
                        "hillshade isochrones arrival reservoir lake road footprint visibility water retardant"),
    ActionSpec("show_legend", "L&egend", "show or close the legend of the map", "dock-legend", "layers",
               ("Ctrl+Shift+L",), checkable=True,
               synonyms="colours symbols key"),
    ActionSpec("show_help", "&Help", "show the help beside the map", "dock-help", "help"),
    ActionSpec("help", "&Help for this panel", "open the page about the focused panel; again closes the help", "help",
               "help", ("F1",),
               synonyms="manual documentation explain"),
    ActionSpec("getting_started", "&Getting started", "the first page of the help", "begin", "getting-started",
               synonyms="manual documentation begin learn first"),
    ActionSpec("tutorial", "T&utorial", "a plan from beginning to end, step by step", "tutorial", "tutorial",
               synonyms="manual learn example training"),
    ActionSpec("shortcuts", "&Keyboard shortcuts", "every key and what it does", "keyboard", "shortcuts",
               synonyms="hotkeys keys mouse"),
    ActionSpec("palette", "Find a &command…",
               "find any command, panel, project or page of the help by a few letters", "find", "help",
               ("Ctrl+K", "Ctrl+Shift+P"),
               synonyms="search"),
    ActionSpec("tour", "Guided &tour",
               "a tour of the window, step by step; opens the demo if no project is open", "tour", "help",
               synonyms="introduction learn example"),
    ActionSpec("start_page", "&Start page", "recent projects, how to begin, what is new", "home", "start-page",
               ("Ctrl+Shift+H",),
               synonyms="home recent welcome"),
    ActionSpec("news", "&What is new", "what has changed in firegui", "news", "whats-new",
               synonyms="changes release version update"),
    ActionSpec("about", "&About firegui", "what it is and what it cannot do", "about", "limits",
               synonyms="version licence license copyright limits"),
)  # fmt: skip
ACTIONS = {spec.name: spec for spec in _ALL_ACTIONS}
"""Every action by name, in the order of the palette."""

SUBMENUS = {
    "recent": Submenu("Open &recent", "projects opened lately", "recent"),
    "workspace": Submenu("&Workspace", "the five workspaces", "docks"),
    "centre": Submenu("&Centre", "map, result, or both", "compare"),
    "panels": Submenu("&Panels", "go to a panel, wherever it is", "docks"),
    "selected_drops": Submenu("Selected d&rops", "what can be done with the selected drops", "drop"),
    "coordinates": Submenu("Coordinates", "how places are written", "coordinates"),
    "bookmarks": Submenu("Boo&kmarks", "views of the map that were kept for this project", "bookmark"),
    "drops_shown": Submenu("Drops sho&wn", "which drops of the plan are on the map", "drop"),
    "theme": Submenu("&Theme", "dark or light", "theme"),
    "units": Submenu("&Units", "metric or US field units, for the whole window", "units"),
}
GROUPS: dict[str, tuple[str, ...]] = {
    "selected_drops": ("go_to_drop", "edit_drop", "pin_drops", "unpin_drops", "remove_drops", "export_drops"),
}
"""Actions of submenus that are no choice, by submenu."""
MAP_MENU = (
    "identify_here", "copy_coordinates", "go_to", "zoom_fire", "zoom_selection", "fit", "full_map", "drops_shown",
    "add_bookmark",
)  # fmt: skip
"""Actions and submenus that every context menu of the map ends with."""
SEPARATOR = ""
MENUS: dict[str, tuple[str, ...]] = {
    "&File": (
        "new_demo", "open", "recent",
        "import_landscape", "import_events", "import_folder", "import_maps",
        SEPARATOR, "save", "save_as", "export",
        SEPARATOR, "quit",
    ),
    "&Edit": (
        "undo", "redo",
        SEPARATOR, "delete_shape", "tool:zone", "tool:zone-polygon", "tool:barrier", "tool:barrier-area", "tool:base",
        SEPARATOR, "snap_corners", "snap_cells",
        SEPARATOR, "selected_drops", "keep_drops",
    ),
    "&View": (
        "view:baseline", "view:plan", "view:difference", "side_by_side",
        SEPARATOR, "workspace", "side_panel", "drawer", "show_layers", "show_legend", "centre", "panels",
        "next_pane", "previous_pane", "reset_layout",
        SEPARATOR, "fit", "zoom_fire", "zoom_selection", "full_map", "go_to", "copy_coordinates", "identify_here",
        "coordinates", "add_bookmark", "bookmarks",
        SEPARATOR, "layer_properties", "drops_shown", "base_map", "no_base_map", "theme", "units",
        SEPARATOR, "start_page",
    ),
    "&Plan": (
        "start", "quick", "pause", "resume", "stop", "duplicate_run", "continue_run", "rename_run", "compare_runs",
        SEPARATOR, "stages:both", "stages:first",
        SEPARATOR, "replan", "show_constraints", "show_sensitivity", "show_stress", "show_leaks", "show_margin",
        "show_exercise", "show_uncertainty", "show_benchmark", "show_study",
        SEPARATOR, "choose_model", "show_calibrate", "load_weights", "score",
    ),
    "&Help": (
        "help", "getting_started", "tutorial", "shortcuts", "palette", "tour",
        SEPARATOR, "start_page", "news", "about",
    ),
}  # fmt: skip
"""The menus by title; an entry is an action or a submenu."""

TOOL_BAR = (
    "tool:pan", "tool:rectangle", "tool:polygon", "tool:edit", "tool:probe", "tool:measure", "tool:drop", SEPARATOR,
    "start", "quick", "pause", "resume", "stop",
)  # fmt: skip

START_PAGE = {
    "Begin": (
        StartPageButton("new_demo", "Open the &demo fire", "Make the synthetic demo fire and open it"),
        StartPageButton("tour", "Take the guided &tour", "Open the demo and a tour of the window, step by step"),
        StartPageButton("open", "&Open a project…", "Open a project folder, NAME.firegui"),
    ),
    "Import a fire": (
        StartPageButton(
            "import_landscape", "Import a &landscape…", "A wizard: raster layers, weather and a perimeter of your own"
        ),
        StartPageButton("import_events", "Import &an HDF5 event…", "An event of the published file of six fires"),
        StartPageButton(
            "import_folder", "Import a P&yTorchFire folder…", "An event in the files of PyTorchFire's examples"
        ),
        StartPageButton("import_maps", "Import &maps…", "The maps of any fire model that can state them, NPZ"),
    ),
    "Learn": (
        StartPageButton("getting_started", "&Getting started", "Open the first page of the help (F1)"),
        StartPageButton("tutorial", "T&utorial", "A plan from beginning to end, step by step, with pictures"),
        StartPageButton("news", "What is &new", "What has changed in firegui"),
    ),
}
"""The buttons of the start page under their headings."""

_OTHER_KEYS: dict[str, tuple[tuple[str, str], ...]] = {
    "Map": (
        ("Ctrl+Up, Ctrl+Down", "in the list of layers: draw one higher, lower"),
        ("wheel, + and −", "zoom"),
        ("F", "show the whole domain"),
        ("Esc", "cancel a drawing"),
        ("arrows, Shift+arrows", "with every tool but Pan: move the crosshair, by larger steps; the map follows"),
        ("Enter, Space", "at the crosshair: click with the tool: set a corner, pick up or put down a shape or drop"),
        ("Enter twice", "at the crosshair: a double click: close a polygon, end a measurement, add a drop"),
        ("Backspace", "remove the last corner"),
        ("Shift", "held at the end of a drawing: keep the tool for another one"),
        ("Menu", "the menu of the place at the crosshair"),
        ("A", "with measure: area"),
        ("N, B", "with edit drops: select the next drop or the one before"),
        ("arrows, [ and ]", "with a selected drop: move, turn"),
        ("Enter, Ins, P, ?", "with a selected drop: numbers, add, pin, preview without it"),
    ),
    "Time": (
        ("Space", "play or pause"),
        ("Left, Right", "one frame"),
        ("Shift+Left, Shift+Right", "one day"),
        ("Home, End", "first and last step"),
        ("G", "on the timeline: ground aircraft on the shown day"),
    ),
    "In the panels and in the help": (
        ("Tab, Shift+Tab", "next, previous control"),
        ("Esc", "close help, drawer or card; the focus returns to where it was"),
        ("Alt and the underlined letter", "menus and buttons"),
        ("Enter, F2, a double click", "edit the cell of a table; a letter or digit replaces it"),
        ("Delete", "remove the selected line"),
        ("Ctrl+C", "copy a table"),
        ("Alt+Left, Alt+Right, Alt+Home", "in the help: back, forward, first page"),
        ("Ctrl+F", "find a setting; in the help: search"),
    ),
}
"""Keys that belong to a widget instead of an action, by the heading of the page."""
_FOOT = """Single keys belong to whatever has the focus first: Space presses a button, ticks a box and toggles a cell of
the calendar. On the map, the timeline, in lists and in tables it plays, unless the crosshair
is shown; in lists Ctrl+Space selects."""


def plain_title(text: str) -> str:
    """Return the text of an action without mnemonic mark and ellipsis."""
    return text.replace("&", "").rstrip("…")


def menu_of(name: str) -> str:
    """Return the title of the menu that an action is in, or ``Panel`` or ``Tool``."""
    group = ACTIONS[name].group
    inner = {group, *(submenu for submenu, entries in GROUPS.items() if name in entries)} - {""}
    found = [plain_title(menu) for menu, names in MENUS.items() if name in names or inner & set(names)]
    return found[-1] if found else "Panel" if name.startswith("show_") else "Tool"


def shortcuts_page() -> str:
    """Return the help page that lists all keys, as Markdown."""
    return "\n".join(["# Keyboard shortcuts", *_shortcut_tables(), "", _FOOT, ""])


def _shortcut_tables() -> Iterator[str]:
    tables: dict[str, list[tuple[str, str]]] = {plain_title(menu): [] for menu in (*MENUS, "Tool", "Panel")}
    for spec in ACTIONS.values():
        if spec.keys:
            text = f"[{spec.title}]({spec.topic}.md): {spec.help}"
            # Markdown needs a backslash twice.
            keys = ", ".join(spec.keys).replace("Del", "Delete").replace("\\", r"\\")
            tables[menu_of(spec.name)].append((keys, text))
    tables["Tools of the map"], tables["Panels"] = tables.pop("Tool"), tables.pop("Panel")
    tables |= {title: list(rows) for title, rows in _OTHER_KEYS.items()}
    for title, rows in tables.items():
        yield from ("", f"## {title}", "", "| Keys | What they do |", "|---|---|")
        yield from (f"| {keys} | {text} |" for keys, text in rows)


if __name__ == "__main__":
    print(shortcuts_page(), end="")
