"""What to sample, from what the user asked for."""

from collections.abc import Sequence

from conformance.clients.versions import CLIENT_VERSIONS, client_named
from conformance.distributions.registry import DISTRIBUTIONS
from conformance.errors import UsageError
from conformance.model.distribution import Distribution
from conformance.names import named, unique
from conformance.sampling.blocks import Order


def make_order(
    *,
    clients: Sequence[str] = (),
    distributions: Sequence[str] = (),
    extra: Sequence[Distribution] = (),
    records: int | None = None,
    share: float = 1.0,
    seed: int = 0,
) -> tuple[Order, dict[tuple[str, str], str]]:
    """The order for some versions and distributions (none named: all), and what is absent.

    ``extra`` are distributions that only this run knows. ``records`` are shared out in proportion
    to the default sizes; without them it is ``share`` of these. What a version lacks is by
    distribution and version, with the reason.
    Raises :class:`UsageError` for an unknown name, or when nothing is left.
    """
    if not -(2**63) <= seed < 2**64:
        raise UsageError(f"The seed {seed} is too large.", "Choose one of at most 64 bits.")
    chosen = [distribution_named(name, extra) for name in unique(distributions)]
    chosen = chosen or list(extra or DISTRIBUTIONS)
    versions = [client_named(name) for name in unique(clients)] or list(CLIENT_VERSIONS)
    absent = {}
    having = {}
    for distribution in chosen:
        having[distribution.name] = tuple(
            client for client in versions if distribution.lacking(client) is None
        )
        for client in versions:
            reason = distribution.lacking(client)
            if reason is not None:
                absent[distribution.name, client.version] = reason
    wanted = tuple(distribution for distribution in chosen if having[distribution.name])
    if not wanted:
        told = "; ".join(f"{name}[{version}]: {why}" for (name, version), why in absent.items())
        raise UsageError(f"There is nothing to sample: {told}.", "Choose other versions.")
    return Order(wanted, sizes_of(wanted, records, share), having, seed), absent


def distribution_named(name: str, extra: Sequence[Distribution] = ()) -> Distribution:
    """One of all, or of ``extra``; raises :class:`UsageError` if there is none of that name."""
    return named("distribution", name, {one.name: one for one in (*DISTRIBUTIONS, *extra)})


def sizes_of(
    distributions: Sequence[Distribution], records: int | None, share: float = 1.0
) -> dict[str, int]:
    """How many records each distribution gets of so many, or of ``share`` of the default (None).

    None gets fewer than all its tests need, unless ``records`` are too few for that.
    """
    if records is None:
        sizes = {one.name: max(one.least, round(one.records * share)) for one in distributions}
    else:
        sizes = _shared_out(distributions, records)
    return {one.name: min(sizes[one.name], one.most or 10**12) for one in distributions}


def least_records(distributions: Sequence[Distribution]) -> int:
    """With so many records in all, every test of these distributions is run."""
    return sum(one.least for one in distributions)


def _shared_out(distributions: Sequence[Distribution], records: int) -> dict[str, int]:
    """In proportion to the default sizes; who would get too little gets what it needs."""
    needy: list[Distribution] = []
    rest = list(distributions)
    while True:
        scale = (records - least_records(needy)) / sum(one.records for one in rest)
        short = [one for one in rest if one.records * scale < one.least]
        if not short or records < least_records(distributions):
            shared = {one.name: max(1, round(one.records * scale)) for one in rest}
            return shared | {one.name: one.least for one in needy}
        needy += short
        rest = [one for one in rest if one not in short]
