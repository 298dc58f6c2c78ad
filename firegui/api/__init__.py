"""Public Python interface behind ``import firegui``. The command line is a layer over it."""
