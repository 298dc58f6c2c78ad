"""Ensembles of fires: drawn states, model error, wind (paper, section ``uq``)."""
