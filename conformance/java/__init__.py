"""The suite's own Java: what runs beside a real client. ECJ compiles it (oracle/compiler.py)."""
