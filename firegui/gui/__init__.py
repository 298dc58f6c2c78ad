"""The window: the only package with Qt. One folder per feature; imports point down this list.

Folders in one row do not import each other.

==============  ======================================================================================================
``snapshot``    a picture or film of the window, without a display
``app``         starts the program and takes it down
``window``      main window, workspaces, actions, event log, notifications, start page, opening and saving, recovery
``scenario``    panels for fleet, calendar, regions, objective, constraints, the scenario and the layers of the map
``planning``    start, progress, result, comparison, hand edits and replanning of runs (row of ``scenario``)
``analyses``    base classes and ``registry`` of the analyses, and one folder per analysis (row of ``scenario``)
``importing``   dialogs and wizard that make a project from files (row of ``scenario``)
``exporting``   dialogs that write plans, maps and films (row of ``scenario``)
``help``        help pages, guided tour, command palette (row of ``scenario``)
``map``         the map with its layers and tools, and the timeline
``charts``      the chart and its export (row of ``map``)
``widgets``     tables, settings forms and fields that features share
``jobs``        runs in threads, their list and queue, the bridge from run events to signals (row of ``widgets``)
``session``     the open project, its undo stack, the plan editor and the base map
``base``        theme, icons, preferences, dialogs, background tasks: nothing that knows a project
==============  ======================================================================================================

A click on *Start plan*: ``window/action_registry`` declares the action, ``window/actions`` receives the click and
calls the handler that ``window/workbench`` names. ``planning/plan_control`` checks and saves the project,
``jobs/run_queue`` starts a ``jobs/run_job`` in a thread (or queues it). There :func:`firegui.runs.runner.execute`
loads the run class, ``runs/plan.Planning``, which goes through ``runs/first_stage`` and ``runs/second_stage``. Its
events come back through ``jobs/event_bridge`` to the queue. Pictures go to ``jobs/result_presenter`` and into
``session/session``, whose ``result_changed`` makes ``map/layers/layer_stack`` mark layers; a timer of
``map/map_view`` repaints them. Numbers go from the queue's ``epochs_added`` to the charts of
``planning/progress_panel``.

Most panels are built when they are first shown (``widgets/lazy_widget``): a panel reads the whole state when it is
made, and nothing outside may depend on what a panel heard before.

A new analysis needs, in the window: a folder in ``analyses`` with a controller, a panel and a form; an entry in
``analyses/registry``; its place in ``window/workspaces``, action in ``window/action_registry`` and icon in
``base/icons``; its help page in ``help/help_view``; and a case in ``tests/gui/analyses/scene.py``, which runs the
contract suite over it. Below the window: settings in ``domain`` (forms, options and checks are made from them), a
folder in ``firegui/analyses`` with a run, built on :class:`firegui.runs.base_run.SavedRun`, and its results, entries
in ``runs/spec``, ``runs/events``, ``runs/runner`` and ``runs/command``, a command in ``cli`` with an entry in
``cli/main``, and the folder of its results among those of ``io/project/store`` that hold no plans. ``pyproject.toml``
lists it in the contracts "analyses" and "analysis-runs". A saved plan is listed by ``jobs/run_list`` and read by
:mod:`firegui.runs.run_folder`; its fire is computed again when it is shown. Saved results of analyses are listed by
``analyses/saved_results``; each controller's ``_read`` opens one, with the ``results`` modules of
``firegui/analyses``.
"""
