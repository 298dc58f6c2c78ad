"""Main window: docks, menus, actions, status bar, start page, opening, saving and recovery."""
