"""The jars by which clients compress, where the testees look for them: PySpark brings them.

Run without an argument, it tells which they are; with a folder, it also links them there, each
under a name without its version.
"""

import re
import sys
from pathlib import Path

from conformance.jars.pyspark import codec_jars


def main() -> None:
    for jar in codec_jars():
        print(jar)
        for folder in map(Path, sys.argv[1:]):
            folder.mkdir(exist_ok=True)
            (folder / re.sub(r"-\d.*", ".jar", jar.name)).symlink_to(jar)


if __name__ == "__main__":
    main()
