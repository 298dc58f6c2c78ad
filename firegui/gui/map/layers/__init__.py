"""Layers of the map, one family per module; :mod:`.layer_stack` puts them in order."""
