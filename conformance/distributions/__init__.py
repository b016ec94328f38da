"""What is sampled by the million, counted and tested."""
