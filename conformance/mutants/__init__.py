"""Planted bugs, and mutations by machine: what the suite must find."""
