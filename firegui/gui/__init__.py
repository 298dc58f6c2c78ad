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

``.github/CONTRIBUTING.md`` lists what a new analysis needs, under *Add an analysis*.

``jobs/run_list`` lists saved plans, and :mod:`firegui.runs.run_folder` reads them. The fire of a plan is computed again
when it is shown. ``analyses/saved_results`` lists saved results of analyses. Each controller's ``_read`` opens one,
with the ``results`` modules of ``firegui/analyses``.
"""
