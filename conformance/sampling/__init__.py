"""Sampling: blocks of records for subjects, counted and judged, without Spark."""
