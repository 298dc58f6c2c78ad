"""The wizard that makes a project from somebody's own rasters, wind and perimeters."""
