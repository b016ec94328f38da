"""The distributions that a run judges: one instance each, registered here."""

from conformance.distributions.adaptive import Adaptive
from conformance.distributions.built_in import BuiltIn
from conformance.distributions.double_call import DoubleCall
from conformance.distributions.drains import ORDERS, Drains
from conformance.distributions.key_families import KEY_FAMILIES, ZIPF
from conformance.distributions.keyed import Keyed, KeyedWithRepeats
from conformance.distributions.rack_aware import RackAware
from conformance.distributions.round_robin import RoundRobin
from conformance.distributions.sticky import Sticky
from conformance.model.distribution import Distribution

DISTRIBUTIONS: tuple[Distribution, ...] = (
    *(Keyed(family) for family in KEY_FAMILIES if family is not ZIPF),
    KeyedWithRepeats(),
    RoundRobin("round-robin-null-key", wraps=False),
    RoundRobin("round-robin-null-key", wraps=True),
    RoundRobin("round-robin", wraps=False),
    RoundRobin("round-robin", wraps=True),
    DoubleCall(),
    Sticky(),
    BuiltIn(),
    *(Drains(order) for order in ORDERS),
    Adaptive(),
    RackAware(),
)
