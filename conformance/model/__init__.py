"""What everything else speaks of."""
