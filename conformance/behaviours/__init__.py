"""The behaviours that the suite checks: one module each, registered here."""

from conformance.behaviours.adaptive import Adaptive
from conformance.behaviours.built_in import BuiltIn
from conformance.behaviours.explicit_partition import ExplicitPartition
from conformance.behaviours.keyed import Keyed, KeyedColumns
from conformance.behaviours.load_stats import LoadStats
from conformance.behaviours.murmur2 import Murmur2
from conformance.behaviours.round_robin import RoundRobin
from conformance.behaviours.round_robin_null_key import RoundRobinNullKey
from conformance.behaviours.round_robin_sends import RoundRobinSends
from conformance.behaviours.serialized_keys import SerializedKeys
from conformance.behaviours.sticky import Sticky
from conformance.behaviours.sticky_cache import StickyCache
from conformance.behaviours.uniform_sticky import UniformSticky
from conformance.model.behaviour import Behaviour

BEHAVIOURS: tuple[Behaviour, ...] = (
    Murmur2(),
    Keyed(),
    KeyedColumns(),
    SerializedKeys(),
    ExplicitPartition(),
    RoundRobinNullKey(),
    RoundRobin(),
    RoundRobinSends(),
    Sticky(),
    UniformSticky(),
    StickyCache(),
    BuiltIn(),
    LoadStats(),
    Adaptive(),
)
"""In the order of the matrix."""

OF_JARS = tuple(behaviour for behaviour in BEHAVIOURS if behaviour.for_jars)
"""Those in which two jars can differ."""
