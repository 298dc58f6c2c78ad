"""Analyses: a folder for each with its run, saved results and report; shared modules beside them."""
