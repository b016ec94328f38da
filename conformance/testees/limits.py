"""What a testee may take: time, memory, length of a line."""

from dataclasses import dataclass

MEBIBYTE = 2**20


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one testee; whoever exceeds one is stopped, and what it did is not run."""

    hello_seconds: float = 10.0
    """From its start to its hello."""
    answer_seconds: float = 20.0
    """For each answer, while nothing else arrives."""
    exit_seconds: float = 5.0
    """From the end of its input to its exit."""
    line_bytes: int = 16 * MEBIBYTE
    memory_bytes: int = 2048 * MEBIBYTE
    """Resident, of the testee and its children together."""
