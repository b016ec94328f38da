"""Experiments: real producers in front of real brokers, repeated and judged."""
