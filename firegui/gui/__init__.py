"""The workbench: the only place with Qt."""
