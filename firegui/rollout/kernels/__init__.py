"""Fast kernels, reached only through ``firegui.rollout.backend``."""
