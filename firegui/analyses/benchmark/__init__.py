"""Benchmark: planners compared under one simulator, objective, drop budget and allowance."""
