"""All mutants."""

from conformance.mutants.mutant import Mutant
from conformance.mutants.partitioning import (
    adaptive,
    built_in,
    explicit_partition,
    keyed,
    keyed_columns,
    load_stats,
    once_held_out,
    producer_sends,
    rack_aware,
    round_robin,
    sticky,
)

MUTANTS: list[Mutant] = [
    *keyed.MUTANTS,
    *keyed_columns.MUTANTS,
    *explicit_partition.MUTANTS,
    *round_robin.MUTANTS,
    *producer_sends.MUTANTS,
    *sticky.MUTANTS,
    *built_in.MUTANTS,
    *load_stats.MUTANTS,
    *adaptive.MUTANTS,
    *rack_aware.MUTANTS,
    *once_held_out.MUTANTS,
]
