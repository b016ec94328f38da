"""A producer on simulated time: the port, brokers with queues, and what became of each record."""
