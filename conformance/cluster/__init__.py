"""Real Kafka clusters on loopback: started, slowed, taken apart and removed, without Docker."""
