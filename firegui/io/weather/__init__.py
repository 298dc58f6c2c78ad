"""Wind from a number, a table, rasters or NetCDF, as daily maps on an event's grid."""
