"""Processes that the suite starts: marked, watched, and ended with everything they started."""
