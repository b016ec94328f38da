"""The test vectors: their choice, their files, and the examples that use them."""
