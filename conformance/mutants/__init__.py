"""Planted bugs: what the suite must find, and the measure of how well it does."""
