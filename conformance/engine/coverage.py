"""Which ranges of their dimensions the cases of a cell reach, without performing them."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from conformance.engine.check import cell_seed
from conformance.engine.comparing import Asked
from conformance.engine.generation import generate_cases
from conformance.model.behaviour import Behaviour
from conformance.model.client_version import ClientVersion
from conformance.model.dimension import Dimension
from conformance.model.results import Cell


@dataclass
class Reached:
    """How many of a cell's cases reach each range of each dimension."""

    dimensions: tuple[Dimension, ...]
    cases: int = 0
    counts: Mapping[str, Counter[str]] = field(default_factory=dict)
    """By dimension, then by range."""

    def empty(self) -> list[str]:
        """The ranges that no case reached, as ``dimension: range``."""
        return [
            f"{dimension.name}: {name}"
            for dimension in self.dimensions
            for name in dimension.ranges
            if not self.counts[dimension.name][name]
        ]


def ranges_reached(
    behaviour: Behaviour, client: ClientVersion, *, cases: int, seed: int
) -> Reached:
    """Generate the cases that a run with this seed compares, and look which ranges they reach.

    Raises ValueError if a case reaches a range that its dimension does not have.
    """
    dimensions = behaviour.dimensions_of(client)
    found = Reached(dimensions, counts={dimension.name: Counter() for dimension in dimensions})

    wrong: list[ValueError] = []

    def count(asked: Asked) -> None:
        found.cases += 1
        try:
            for dimension in dimensions:
                reached = set(dimension.reached(asked.case))
                if unknown := reached.difference(dimension.ranges):
                    raise ValueError(f"{behaviour.name}, {dimension.name}: no range {unknown}")
                found.counts[dimension.name].update(reached)
        except ValueError as error:  # Hypothesis would try the case once more
            wrong.append(error)

    generate_cases(
        behaviour.cases(client),
        lambda case: case,
        count,
        cases=cases,
        seed=cell_seed(seed, Cell(behaviour.name, client.version)),
    )
    if wrong:
        raise wrong[0]
    return found
