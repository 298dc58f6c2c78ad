"""What compiled code is written in and how it is compiled: for whatever is computed cell by cell."""
