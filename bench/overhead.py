"""The share of a warm default run that is not the cases: ``python bench/overhead.py``.

Runs ``kafka-conformance run`` as a user does, start of the interpreter included, and compares
the time of all workers with what they spent generating and executing cases.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def main() -> None:
    """Run the default profile once to warm up the caches' small parts, then measure one run."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [sys.executable, "-m", "conformance", "run", "--json", str(report)]
        subprocess.run([*command, "--profile", "quick"], check=True, stdout=subprocess.DEVNULL)
        started = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        wall = time.perf_counter() - started
        document = json.loads(report.read_text("utf-8"))
    jobs = document["jobs"]
    generation = sum(cell["seconds"]["generation"] for cell in document["cells"])
    execution = sum(cell["seconds"]["execution"] for cell in document["cells"])
    share = 1 - (generation + execution) / (wall * jobs)
    print(f"{document['cases']} cases, {jobs} workers, {wall:.1f} s from command to prompt")
    print(f"  generation {generation:.1f} s, execution {execution:.1f} s of {wall * jobs:.1f} s")
    print(f"  neither: {share:.1%}")


if __name__ == "__main__":
    main()
