"""The window: the only package with Qt. One folder per feature; imports point down this list.

==============  ======================================================================================================
``app``         starts the program and takes it down
``window``      main window, docks, actions (``action_registry``), opening and saving, recovery
``scenario``    docks that edit what is planned: fleet, calendar, regions, objective, constraints, layers
``planning``    start, progress, result, comparison, hand edits and replanning of runs
``analyses``    base classes and ``registry`` of the analyses, and one folder per analysis
``importing``   dialogs and wizard that make a project from files
``exporting``   dialogs that write plans, maps and films
``help``        help pages, guided tour, command palette
``map``         the map with its layers and tools, and the timeline
``charts``      the chart and its export
``widgets``     tables, settings forms and fields that features share
``jobs``        runs in threads, their queue, and the bridge from run events to signals
``session``     the open project, its undo stack and the plan editor
``base``        theme, icons, preferences, dialogs, background tasks: nothing that knows a project
==============  ======================================================================================================

A click on *Start plan*: ``window/action_registry`` declares the action, ``window/workbench`` names its handler,
``planning/plan_control`` checks and saves the project, ``jobs/run_queue`` starts a ``jobs/run_job`` in a thread. There
:func:`firegui.runs.runner.execute` loads the run class (``runs/plan`` and ``runs/first_stage``). Its events come back
through ``jobs/event_bridge`` to the queue. ``jobs/result_presenter`` puts pictures into ``session/session``, whose
``result_changed`` marks the layers of ``map/map_view``; a timer repaints them. ``planning/progress_panel`` draws
the charts.

A new analysis: a controller and a panel in a folder of ``analyses``, one line in ``analyses/registry``, and a run in
``firegui/runs``. Saved results are listed by ``analyses/saved_results`` and read by the ``*_folder`` modules of
``firegui/runs`` and ``firegui/studies``; saved plans by ``jobs/run_list`` and :mod:`firegui.runs.folder`.
"""
