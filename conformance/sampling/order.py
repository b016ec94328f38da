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
    seed: int = 0,
) -> tuple[Order, dict[tuple[str, str], str]]:
    """The order for some versions and distributions (none named: all), and what is absent.

    ``extra`` are distributions that only this run knows. ``records`` are shared out in proportion
    to the default sizes. What a version lacks is by distribution and version, with the reason.
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
    return Order(wanted, sizes_of(wanted, records), having, seed), absent


def distribution_named(name: str, extra: Sequence[Distribution] = ()) -> Distribution:
    """One of all, or of ``extra``; raises :class:`UsageError` if there is none of that name."""
    return named("distribution", name, {one.name: one for one in (*DISTRIBUTIONS, *extra)})


def sizes_of(distributions: Sequence[Distribution], records: int | None) -> dict[str, int]:
    """How many records each distribution gets of so many, or of the default number (None)."""
    default = sum(distribution.records for distribution in distributions)
    scale = 1.0 if records is None else records / default
    return {
        distribution.name: min(
            max(1, round(distribution.records * scale)), distribution.most or 10**12
        )
        for distribution in distributions
    }
