"""Run a broken testee: ``python -I -S tests/testees/broken/__main__.py FAULT FOLDER``.

FOLDER is a place to remember something in from one start to the next; every process that a fault
leaves behind has it on its command line, by which the tests find them.
"""

import resource
import sys
from pathlib import Path


def main() -> None:
    """Be the testee that the first argument names."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
    from tests.testees.broken import FAULTS

    # No fault leaves a dump of its memory behind.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    FAULTS[sys.argv[1]](sys.argv[2]).run()


if __name__ == "__main__":
    main()
