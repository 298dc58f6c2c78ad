"""The public Python interface, reached through ``import firegui``; the command line is a layer over it."""
