"""The broker of the Python adapters, as a process: what is told, and that it never hangs."""

import importlib.util
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
BROKER = """
import json, sys
assert sys.argv[1:] == ["broker"]
print(json.dumps({"address": "127.0.0.1:1"}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    with open(sys.argv[0] + ".asked", "a") as file:
        file.write(line)
    answers = {"produced": {"batches": ["00ff"]}, "hand out": {"error": "no"}}
    print(json.dumps(answers.get(asked["op"], {})), flush=True)
"""


@pytest.fixture
def broker() -> ModuleType:
    """``adapters/python/broker.py``, which is no part of a package."""
    spec = importlib.util.spec_from_file_location("b", ROOT / "adapters" / "python" / "broker.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def program(
    broker: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], Path]:
    """Puts Python code in the place of the broker."""

    def put(code: str) -> Path:
        file = tmp_path / "testee-bin"
        file.write_text(f"#!{sys.executable}\n{code}", "utf-8")
        file.chmod(0o755)
        monkeypatch.setattr(broker, "_PROGRAM", file)
        return file

    return put


def test_it_is_told_its_topic_and_tells_what_was_produced(
    broker: ModuleType, program: Callable[[str], Path]
) -> None:
    file = program(BROKER)
    started = broker.Broker()
    assert started.address == "127.0.0.1:1"
    assert started.produced() == [b"\x00\xff"]
    started.wait_until_read()
    with pytest.raises(broker.BrokerFailed, match="no"):
        started.hand_out(b"\x01")
    started.close()
    assert file.with_name("testee-bin.asked").read_text("utf-8").splitlines() == [
        '{"op": "topics", "topics": {"t": [[0, 0]]}}',
        '{"op": "produced"}',
        '{"op": "wait until read"}',
        '{"op": "hand out", "data": "01"}',
    ]


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ('print(\'{"error": "no port is free"}\')', "no port is free"),
        ("", "the broker has ended"),
        ('print(\'{"address": "127.0.0.1:1"}\')', "the broker has ended"),
    ],
)
def test_one_that_cannot_start_or_ends_is_told(
    broker: ModuleType, program: Callable[[str], Path], code: str, reason: str
) -> None:
    program(code)
    with pytest.raises(broker.BrokerFailed, match=reason):
        broker.Broker()


def test_one_that_was_not_built_is_told(
    broker: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broker, "_PROGRAM", tmp_path / "testee-bin")
    with pytest.raises(broker.BrokerFailed, match=r"does not start: .*; adapters/run.py builds it"):
        broker.Broker()


def test_one_that_does_not_end_with_its_input_is_killed(
    broker: ModuleType, program: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broker, "_ENDING_SECONDS", 0.5)
    program(f"{BROKER}import time; time.sleep(600)")
    started = broker.Broker()
    started.close()
    assert started._process.returncode == -9


def test_its_failure_ends_a_testee_with_the_reason(broker: ModuleType) -> None:
    """So that it is not run: an answer would be taken for the library's."""
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'adapters' / 'python')!r})\n"
        "import broker\n"
        "try:\n    raise broker.BrokerFailed('no port is free')\n"
        "except Exception:\n    print('answered')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "no port is free" in done.stderr
