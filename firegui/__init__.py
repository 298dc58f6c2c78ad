"""firegui plans the aerial attack on a wildfire by gradient descent through a frozen fire model."""
