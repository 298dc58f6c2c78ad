"""Files in and out: rasters, perimeters, importers, exporters and the project store."""
