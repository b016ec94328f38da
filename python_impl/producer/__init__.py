"""The partitioners of the producer, one module per Java class (or per family of it)."""
