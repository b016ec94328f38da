"""Where a record goes: the producer's partitioners, and what stands around them."""
