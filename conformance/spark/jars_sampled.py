"""Two jars of kafka-clients, shipped to a Spark cluster and sampled there."""

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from conformance.jars.lock import jars_beside
from conformance.jars.store import JarStore
from conformance.model.distribution import Measures
from conformance.sampling.blocks import Key, Order
from conformance.spark.job import Progress, run_order
from conformance.spark.session import spark_session
from conformance.subjects.pair_of_jars import ShippedJars, TwoJars, shipped_name


def sample_jars(
    jars: TwoJars,
    store: JarStore,
    order: Order,
    master: str | None,
    progress: Callable[[int], AbstractContextManager[Callable[[Progress], None]]],
) -> tuple[Mapping[Key, Measures], str]:
    """What both jars answer to an order, and the master that was used; see :func:`spark_session`.

    ``progress`` is asked, with the number of cores, and entered when Spark is there.
    """
    with (
        _shipped(jars, store) as files,
        spark_session(master, files) as context,
        progress(context.defaultParallelism) as tell,
    ):
        totals = run_order(context, order, ShippedJars(jars), tell=tell)
        return totals, str(context.master)


@contextmanager
def _shipped(jars: TwoJars, store: JarStore) -> Iterator[list[Path]]:
    """The jars under names that are their own, and what driving them takes, for Spark to ship."""
    folder = Path(tempfile.mkdtemp(prefix="kafka-conformance-gate-"))
    try:
        files = {jar.sha256: jar for jar in (jars.old, jars.new)}
        for jar in files.values():
            shutil.copyfile(jar.path, folder / shipped_name(jar))
        yield [*folder.iterdir(), *store.ensure(jars_beside())]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
