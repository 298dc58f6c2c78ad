"""Analyses: one folder for each with its run, its saved results and its report; what they share lies beside them."""
