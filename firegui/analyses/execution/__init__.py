"""One executor of tasks for all analyses: this process, processes of this machine, or the workers of a Dask cluster."""
