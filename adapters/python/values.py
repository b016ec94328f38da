"""Typed values of the protocol that adapters of record batches share."""

from typing import Any

Message = dict[str, Any]


def data_of(value: Message | None) -> bytes | None:
    """The bytes of a question, or null."""
    return None if value is None else bytes.fromhex(value["hex"])


def hex_of(value: bytes | None) -> Message | None:
    """Bytes as an answer, or null."""
    return None if value is None else {"hex": bytes(value).hex()}


def long_of(number: int) -> Message | str:
    """An int64; a number beyond, which only Python has, as text, for there is no such answer."""
    return {"int64": str(number)} if -(2**63) <= number < 2**63 else str(number)
