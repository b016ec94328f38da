"""What is worth trying with record batches."""
