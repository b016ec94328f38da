"""Hold the examples' functions against the test vectors: files alone, no suite, no Java.

Run it:  python examples/python/check_vectors.py [FOLDER]
Needs Python 3.8 and nothing else. The files: docs/vectors.md. Exit code 0: every answer is as the
real client's; 1: not every one; 2: there was nothing to compare.
"""

import json
import sys
from pathlib import Path

import batches
import testee

FOLDER = Path(__file__).resolve().parents[2] / "vectors"
FORMAT = "kafka-conformance vectors 1"


def read(path):
    """A file of vectors; ends the program if it is none."""
    try:
        document = json.loads(path.read_text("utf-8"))
        if document["format"] == FORMAT:
            return document
        print(f"{path} is {document['format']!r}; this program reads {FORMAT!r}.", file=sys.stderr)
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"{path} is no file of vectors: {error}", file=sys.stderr)
    sys.exit(2)


def can_be_asked(behaviour, case):
    """Whether an example can: one is written to read, and not to do everything."""
    steps = case["steps"]
    if behaviour == "batch-reading":
        return all(
            step["op"] in ("records", "refusals") and step["codec"] == "none" and not step["odd"]
            for step in steps
        )
    if behaviour == "record-batch":  # it is handed all records at once, and they are right
        *appends, last = [step["op"] for step in steps]
        return (
            last == "build"
            and appends
            and {"append", "append at"}.issuperset(appends)
            and case["config"]["codec"] == "none"
            and not any(
                is_error(step["answer"]) for one in case["answers"] for step in one["trace"]
            )
        )
    return all(step.get("headers", ()) is not None for step in steps)


def is_error(answer):
    return isinstance(answer, dict) and "error" in answer


def same(answer, expected):
    """Errors are compared by their kind; 3.0 and True are no partitions, whatever == says."""
    if is_error(answer):
        return is_error(expected) and answer["error"] == expected["error"]
    return json.dumps(answer) == json.dumps(expected)


def failures(document, trace):
    """The number of answers that were compared, and for each case that fails its first failure."""
    compared, failed = 0, {}
    for case in document["cases"]:
        if not can_be_asked(document["behaviour"], case):
            continue
        for answer in case["answers"]:  # versions that answer the same stand together
            for client in answer["clients"]:
                given = trace(case, {"behaviour": document["behaviour"], "client": client})
                compared += 1
                for step, java in enumerate(answer["trace"]):
                    if not same(given[step], java["answer"]):
                        told = f"client {client}, step {step}: {given[step]}, Java {java['answer']}"
                        failed.setdefault(case["id"], (case, told))
                        break
    return compared, list(failed.values())


def main():
    """Check the files of the behaviours that the examples have."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    total = wrong = 0
    traces = {name: one.trace for one in (testee, batches) for name in one.BEHAVIOURS}
    for behaviour, trace in traces.items():
        document = read(folder / f"{behaviour}.json")
        compared, failed = failures(document, trace)
        total, wrong = total + compared, wrong + len(failed)
        for case, told in failed:
            print(f"{case['id']}: {case['comment']}\n  {told}")
        for flag in sorted({flag for case, _ in failed for flag in case["flags"]}):
            note = document["notes"][flag]  # what the failing cases point to
            seen = f" Seen in: {', '.join(note['seenIn'])}." if note["seenIn"] else ""
            print(f"  {flag}: {note['bug']}{seen}")
    print(f"{total} answers compared, {wrong} cases fail")
    return 1 if wrong else 0 if total else 2


sys.exit(main())
