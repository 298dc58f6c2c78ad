"""What the map draws, one family of layers per module; :mod:`.stack` puts them in order."""
