"""The vocabulary of the whole suite."""
