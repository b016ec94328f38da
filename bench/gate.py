"""What a gate costs beside a conformance run of one version: ``python bench/gate.py``.

Three commands in turn, as a user runs them, over the same behaviours: ``kafka-conformance run`` of
the baseline's version, a gate that asks both jars, and the same gate with the baseline's answers at
hand. Wall time, and processor time (user and system, of all processes), which a busy machine
changes less.
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

_COMPARED = ("same", "changed")


class Cost(NamedTuple):
    """What one command took, in seconds."""

    wall: float
    processor: float


def main() -> None:
    """Some rounds; a ratio is formed within a round."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--baseline", default="3.8.0")
    options.add_argument("--candidate", default="4.1.0")
    options.add_argument("--profile", default="default")
    options.add_argument("--rounds", type=int, default=3)
    asked = options.parse_args()
    effort = ["--profile", asked.profile]
    sides = ["--baseline", asked.baseline, "--candidate", asked.candidate]
    rounds = []
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        behaviours = _shared(place, sides)
        for number in range(asked.rounds):
            gate = ["gate", *sides, *effort, *behaviours, "--cache", str(place / str(number))]
            run = _cost(place, ["run", "--client", asked.baseline, *effort, *behaviours])
            rounds.append((run, _cost(place, gate), _cost(place, gate)))
            _show(f"round {number}", rounds[-1:])
    _show("median (lowest to highest)", rounds)


def _shared(place: Path, sides: list[str]) -> list[str]:
    """The options that name the behaviours of both jars; warms up the small caches, too."""
    report = place / "gate.json"
    _cost(place, ["gate", *sides, "--profile", "quick", "--no-cache", "--json", str(report)])
    changes = json.loads(report.read_text("utf-8"))["gate"]["changes"]
    names = [one["behaviour"] for one in changes if one["change"] in _COMPARED]
    return [word for name in names for word in ("--behaviour", name)]


def _cost(place: Path, arguments: list[str]) -> Cost:
    command = [sys.executable, "-m", "conformance", *arguments, "--output", str(place / "results")]
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    code = subprocess.run(command, check=False, stdout=subprocess.DEVNULL).returncode
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    if code not in (0, 1):  # 1: something changed, which is no failure here
        raise SystemExit(f"{' '.join(command)}: exit code {code}")
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(wall, processor)


def _show(title: str, rounds: list[tuple[Cost, Cost, Cost]]) -> None:
    print(title)
    for what in Cost._fields:
        run = statistics.median(getattr(costs[0], what) for costs in rounds)
        ratios = [
            [getattr(costs[at], what) / getattr(costs[0], what) for costs in rounds]
            for at in (1, 2)
        ]
        asked, kept = (
            f"{statistics.median(one):.2f} ({min(one):.2f} to {max(one):.2f})" for one in ratios
        )
        print(f"  {what} time: run {run:.1f} s; gate {asked}, with kept answers {kept}", flush=True)


if __name__ == "__main__":
    main()
