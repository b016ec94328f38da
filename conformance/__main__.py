"""``python -m conformance`` is ``kafka-conformance``."""

from conformance.cli import main

if __name__ == "__main__":
    main()
