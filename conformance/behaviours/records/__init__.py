"""What is written: sizes, bytes and estimates of record batches."""
