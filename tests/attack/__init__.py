"""Attacks on the program: damaged and hostile files, disks without room, kills. Every attack is made from a seed.

``pytest tests/attack --attack-seconds 3600 --attack-seed 7`` attacks for an hour.
``python -m tests.attack SEED NUMBER`` makes one attack on a file again and keeps its folder.
"""
