"""Blocks of records put to subjects, counted and judged; without Spark."""
