"""Test vectors: chosen cases with the answers of the real clients, as files for any language."""
