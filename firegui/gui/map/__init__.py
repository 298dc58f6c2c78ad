"""Map: a north-up view of the grid with layers, tools and read-outs. Entry point: :mod:`.map_view`."""
