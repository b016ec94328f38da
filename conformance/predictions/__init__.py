"""What the simulator says of a producer, held to the real one."""
