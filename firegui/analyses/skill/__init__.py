"""Skill: score of a forecast against observed perimeters."""
