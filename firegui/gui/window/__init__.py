"""Main window: workspaces, menus, actions, status bar, start page, opening, saving and recovery."""
