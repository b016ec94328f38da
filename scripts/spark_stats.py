"""``kafka-conformance stats`` as a program for spark-submit; takes the same options.

spark-submit --master spark://host:7077 scripts/spark_stats.py --records 100M

Without --master here, the master is the one that spark-submit was given. docs/cluster.md has more.
"""

import sys
from pathlib import Path

# Of a clone that is not installed; spark-submit adds only the folder of this file.
sys.path.insert(1, str(Path(__file__).resolve().parents[1]))

from conformance.__main__ import main

if __name__ == "__main__":
    sys.argv.insert(1, "stats")
    main()
