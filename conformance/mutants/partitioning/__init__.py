"""Bugs planted in the partitioners."""
