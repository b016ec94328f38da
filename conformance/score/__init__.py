"""How many bugs the suite, and others, find."""
