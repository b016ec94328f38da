"""What comes of a port's requests for a producer id; for a real client see ``ProducerIds.java``."""

from collections.abc import Sequence
from typing import Any


class IdTurns:
    """What comes of requests for a producer id, one turn after the other; see ``ProducerIds``."""

    def __init__(self) -> None:
        self.open: Any = None
        self.waited_for = 0
        self.begin(())

    def begin(self, turns: Sequence[Any]) -> None:
        """The turns of a pass; a request may be on its way from one before."""
        self._turns = [*turns]
        self.sent = self.slept_ms = 0

    def send(self, request: Any) -> None:
        """A request is on its way."""
        self.open = request
        self.sent += 1

    def takes(self, kind: str) -> bool:
        """Whether it is that kind's turn, which then is over."""
        if not self._turns or self._turns[0][0] != kind:
            return False
        del self._turns[0]
        return True

    def answer(self, producing: Any) -> Any:
        """What comes of a request; None if nothing does now."""
        if not self._turns or self._turns[0][0] not in ("answer", "disconnect", "mismatch"):
            return None
        how, code, producer_id, epoch = self._turns.pop(0)
        if how == "answer":
            return producing.InitProducerIdResponse(code, producer_id, epoch)
        return producing.NoResponse(
            disconnected=how == "disconnect", version_mismatch=how == "mismatch"
        )
