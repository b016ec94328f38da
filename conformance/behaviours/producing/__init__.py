"""What a producer does with records between ``send`` and a broker."""
