"""Mouse tools of the map."""
