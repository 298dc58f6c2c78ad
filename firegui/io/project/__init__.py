"""The project folder and the files that projects and runs are made of."""
