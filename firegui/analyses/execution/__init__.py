"""Executor of the tasks of analyses: in this process, on processes, or on the workers of a cluster."""
