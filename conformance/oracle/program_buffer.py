"""Memory that Python and Java share, in which programs cross from one to the other."""

import struct
from typing import Any

from conformance.model.program import Program
from conformance.oracle.objects import direct_buffer

_FIRST_BYTES = 1 << 16


class ProgramBuffer:
    """Holds one program at a time: its code as int32 in the machine's order, then its blob.

    Without it, each program would need new Java arrays, which JPype fills number by number.
    """

    def __init__(self) -> None:
        self._memory = bytearray(_FIRST_BYTES)
        self._java = direct_buffer(self._memory)

    def write(self, program: Program) -> Any:
        """Write a program down; answers the ``java.nio.ByteBuffer`` that it is in."""
        count, code_bytes = len(program.code), 4 * len(program.code)
        end = code_bytes + len(program.blob)
        if end > len(self._memory):  # Java's buffer pins it, so it cannot grow itself
            self._memory = bytearray(2 * end)
            self._java = direct_buffer(self._memory)
        struct.pack_into(f"={count}i", self._memory, 0, *program.code)
        self._memory[code_bytes:end] = program.blob
        return self._java
