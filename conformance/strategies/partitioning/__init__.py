"""What is worth trying with partitioners."""
