"""What the testee protocol costs: ``python bench/testees.py``. First: tox -e adapters -- go node.

Keyed records through the pipe against the same library called in its own process; what a stateful
step costs against the same port called here; what it costs to start each adapter that is built.
"""

import json
import os
import statistics
import subprocess
import sys
import time
import tomllib
from collections.abc import Sequence
from pathlib import Path

from conformance.clients.versions import CLIENT_VERSIONS
from conformance.engine.generation import generate
from conformance.engine.plan import behaviour_named
from conformance.errors import SuiteError
from conformance.model.case import Case
from conformance.subjects.python_port import PythonPort
from conformance.subjects.testee import Testee
from conformance.testees.conversation import Conversation
from conformance.testees.limits import Limits
from conformance.testees.process import TesteeProcess
from conformance.testees.protocol import records_line, suite_hello

ROOT = Path(__file__).parents[1]
KEYS = 2**16
ROUNDS = 5
MESSAGES = 16
UNDER_WAY = 2
CASES = 300

NODE = """
const fs = require('fs'), { Partitioners } = require('kafkajs')
const message = JSON.parse(fs.readFileSync(0, 'utf8'))
const keys = message.keys.map(key => Buffer.from(key, 'hex'))
const partitionMetadata = message.partitions.map(([partitionId]) => ({ partitionId, leader: 0 }))
const partition = Partitioners.DefaultPartitioner()
const started = process.hrtime.bigint()
let calls = 0, seconds = 0
while (seconds < 2) {
  for (const key of keys) partition({ topic: 't', partitionMetadata, message: { key } })
  calls += keys.length
  seconds = Number(process.hrtime.bigint() - started) / 1e9
}
console.log(JSON.stringify({ keys_per_second: calls / seconds }))
"""
LIBRARIES = {
    "Go, franz-go StickyKey": (
        ROOT / "adapters" / "go",
        ["./testee-bin", "franz-go", "sticky-key"],
        ["./testee-bin", "--in-process", "2", "franz-go", "sticky-key"],
    ),
    "Node, kafkajs Default": (
        ROOT / "adapters" / "node",
        ["node", "kafkajs.js", "default"],
        ["node", "-e", NODE],
    ),
}


def keyed() -> None:
    """Keys per second: in the library's process, through the pipe, and with the suite's share."""
    for name, (folder, testee, alone) in LIBRARIES.items():
        for size in (16, 36):
            keys = [os.urandom(size).hex() for _ in range(KEYS)]
            members = {"partitions": [[n, n] for n in range(12)], "keys": keys}
            line = records_line(1, "keyed", "3.8.0", 1, members)
            try:
                rounds = [_keyed_round(folder, testee, alone, line, members) for _ in range(ROUNDS)]
            except (OSError, subprocess.CalledProcessError, SuiteError) as error:
                print(f"{name}: not measured: {str(error).splitlines()[0]}")
                break
            own, pipe, suite = (statistics.median(each) for each in zip(*rounds, strict=True))
            ratios = [through / inside for inside, through, _ in rounds]
            print(
                f"{name}, keys of {size} bytes: {own / 1e6:.2f} M/s in its own process, "
                f"{pipe / 1e6:.2f} through the pipe ({statistics.median(ratios):.2f}x, "
                f"{min(ratios):.2f} to {max(ratios):.2f}), {suite / 1e6:.2f} with the suite "
                f"writing and reading the lines ({suite / own:.2f}x)"
            )


def _keyed_round(
    folder: Path,
    testee: Sequence[str],
    alone: Sequence[str],
    line: bytes,
    members: dict[str, object],
) -> tuple[float, float, float]:
    done = subprocess.run(alone, cwd=folder, input=line, capture_output=True, check=True)
    own = float(json.loads(done.stdout)["keys_per_second"])
    process = TesteeProcess(testee, limits=Limits(), folder=folder, run="bench")
    try:
        process.send(suite_hello())
        process.receive(10, "hello")
        started = time.perf_counter()
        for sent in range(MESSAGES):
            process.send(line)
            if sent >= UNDER_WAY - 1:
                process.receive(60, "an answer")
        for _ in range(UNDER_WAY - 1):
            process.receive(60, "an answer")
        pipe = MESSAGES * KEYS / (time.perf_counter() - started)
    finally:
        process.stop()
    talk = Conversation(testee, limits=Limits(), folder=folder)
    try:
        started = time.perf_counter()
        for _ in range(MESSAGES // 4):
            talk.partitions("keyed", "3.8.0", 1, members)
        suite = MESSAGES // 4 * KEYS / (time.perf_counter() - started)
    finally:
        talk.stop()
    return own, pipe, suite


def stateful() -> None:
    """The Python port as a testee against itself in this process, built-in histories of 3.8.0."""
    behaviour, client = behaviour_named("built-in"), CLIENT_VERSIONS[-1]
    cases: list[Case] = []
    strategy = behaviour.cases(client)
    generate(strategy, lambda case, _: cases.append(case), cases=CASES, seed=0, shrink=False)
    steps = sum(len(case["steps"]) for case in cases)
    here = PythonPort().performer(behaviour, client)
    subject = Testee([sys.executable, str(ROOT / "tests" / "testees" / "port.py"), "built-in"])
    perform = subject.performer(behaviour, client)
    figures: dict[str, list[float]] = {"here": [], "one by one": [], "many": []}
    for _ in range(ROUNDS):
        for name, run in (
            ("here", lambda: [here(case) for case in cases]),
            ("one by one", lambda: [perform(case) for case in cases]),
            ("many", lambda: subject.perform_many(behaviour, client, cases)),
        ):
            started = time.perf_counter()
            run()
            figures[name].append((time.perf_counter() - started) / steps * 1e6)
    subject.finish()
    told = {name: statistics.median(found) for name, found in figures.items()}
    ratio = told["one by one"] / told["here"]
    print(
        f"A stateful step ({len(cases)} histories, {steps} steps): {told['here']:.1f} us here, "
        f"{told['one by one']:.1f} through the protocol ({ratio:.1f}x), "
        f"{told['many']:.1f} with many histories in a message"
    )


def start_up() -> None:
    """From the start of each adapter that is built to its exit, nothing but hello in between."""
    for file in sorted((ROOT / "adapters").glob("*/adapters.toml")):
        document = tomllib.loads(file.read_text("utf-8"))
        entry = document["testee"][0]
        jars = str(ROOT / "jars")
        command = [word.replace("{jars}", jars) for word in entry["command"]]
        found = []
        try:
            for _ in range(ROUNDS):
                started = time.perf_counter()
                Conversation(command, limits=Limits(), folder=file.parent).finish()
                found.append((time.perf_counter() - started) * 1e3)
        except SuiteError as error:
            print(f"{entry['title']}: not measured: {str(error).splitlines()[0]}")
            continue
        print(f"{entry['title']}: {statistics.median(found):.0f} ms from start to exit")


if __name__ == "__main__":
    keyed()
    stateful()
    start_up()
