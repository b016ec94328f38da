"""The one JVM of this process: start it, check that its randomness can be controlled.

Kafka's jars never go on the system class path; each client gets a class loader of its own
(:mod:`conformance.oracle.client`).
"""

import atexit
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import jpype
import jpype.config

from conformance.draws import MAIN_THREAD_ID, Draw
from conformance.errors import JavaNotUsableError, OracleError
from conformance.java_home import JVM_OPTIONS, MINIMUM_JAVA, find_java

_ARGUMENTS = (
    # The runner writes the seed of the thread that ThreadLocalRandom draws from.
    "--add-opens=java.base/java.lang=ALL-UNNAMED",
    # Or a JVM that has run for a while throws exceptions without the message that is reported.
    "-XX:-OmitStackTraceInFastThrow",
    *JVM_OPTIONS,
)
_probed = False


def start_jvm() -> None:
    """Start the JVM if it does not run yet, and probe its ``ThreadLocalRandom`` until it passes.

    Raises :class:`JavaNotUsableError` without a usable Java, :class:`OracleError` if random
    draws cannot be controlled on it. Must be called from the thread that will run cases.
    """
    global _probed  # noqa: PLW0603 -- there is one JVM per process
    if not jpype.isJVMStarted():
        java = find_java()
        try:
            jpype.startJVM(*_ARGUMENTS, jvmpath=str(java.library), classpath=[], interrupt=False)
        except Exception as error:
            raise JavaNotUsableError(
                f"The JVM in {java.library} does not start: {error}.",
                f"Check that {java.executable} -version works, that it is for this machine's "
                "architecture, and that enough memory is free (the suite asks for up to 1 GiB).",
            ) from error
        _silence()
        atexit.register(_let_go)
    if not _probed:
        # A JVM that failed keeps running: no later cell may use it unprobed.
        probe_thread_local_random()
        _probed = True


def _silence() -> None:
    """Let what a client prints go nowhere: it may be gigabytes, and it is no report of ours."""
    nowhere = jpype.JClass("java.io.OutputStream").nullOutputStream()
    printer = jpype.JClass("java.io.PrintStream")(nowhere)
    system = jpype.JClass("java.lang.System")
    system.setOut(printer)
    system.setErr(printer)


def _let_go() -> None:
    """End the process although a jar's own threads run: JPype would wait for them, for ever.

    Without such threads the JVM ends as it should, and deletes what it has extracted.
    """
    threads = jpype.JClass("java.lang.Thread").getAllStackTraces().keySet()
    mine = jpype.JClass("java.lang.Thread").currentThread()
    if any(not thread.isDaemon() and not thread.equals(mine) for thread in threads):
        jpype.config.destroy_jvm = False


def probe_thread_local_random() -> None:
    """Seed the thread, draw four times, compare with :class:`conformance.draws.Draw`.

    Raises :class:`OracleError` when this JDK's ``ThreadLocalRandom`` is not the one that the
    suite reproduces, or when the current thread is not the JVM's main one. Puts the seed back.
    """
    thread = jpype.JClass("java.lang.Thread").currentThread()
    if int(thread.getId()) != MAIN_THREAD_ID:
        raise OracleError(
            f"The suite must drive Java from the JVM's main thread; this is thread "
            f"{thread.getId()} ({threading.current_thread().name}).",
            "Start the JVM and run the cases from the same Python thread.",
        )
    expected, drawn = _expected_and_drawn()
    if drawn != expected:
        raise OracleError(
            f"This JDK's ThreadLocalRandom drew {drawn} where {expected} was expected, so the "
            "draws of clients 2.3.1 and 3.2.3 cannot be controlled on it.",
            f"Use another JDK (Java {MINIMUM_JAVA} is what the suite is tested with) by setting "
            "JAVA_HOME, and report this one.",
        )


def _expected_and_drawn() -> tuple[list[int], list[int]]:
    probe = Draw(first=-(2**31), tail=0x12345678)
    sequence = probe.sequence()
    expected = [next(sequence) for _ in range(4)]
    with thread_random_seed(probe.seed):
        random = jpype.JClass("java.util.concurrent.ThreadLocalRandom").current()
        return expected, [int(random.nextInt()) for _ in range(4)]


@contextmanager
def thread_random_seed(seed: int) -> Iterator[None]:
    """This thread's ``ThreadLocalRandom`` starts from a 64-bit seed; then its own goes on."""
    # Its first use in a thread would overwrite the seed.
    jpype.JClass("java.util.concurrent.ThreadLocalRandom").current()
    thread_class = jpype.JClass("java.lang.Thread")
    thread = thread_class.currentThread()
    field = thread_class.class_.getDeclaredField("threadLocalRandomSeed")
    field.setAccessible(True)
    before = field.getLong(thread)
    field.setLong(thread, seed - 2**64 if seed >= 2**63 else seed)
    try:
        yield
    finally:
        field.setLong(thread, before)
