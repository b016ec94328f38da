"""Whatever can perform a behaviour."""
