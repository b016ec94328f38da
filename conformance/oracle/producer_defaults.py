"""The producer's settings and their defaults, as each client itself declares them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import jpype

from conformance.errors import OracleError, SuiteError
from conformance.model.program import LoadedClient
from conformance.oracle.looking import look_at_each

NO_DEFAULT: Final = "(must be set)"
_CONFIG: Final = "org.apache.kafka.clients.producer.ProducerConfig"
_DEFINITION: Final = "CONFIG"
"""The private ``ConfigDef``: its public accessor came later than some of the versions."""


def producer_defaults(jars: Sequence[Sequence[Path]]) -> list[Mapping[str, str] | SuiteError]:
    """For each client (the jars of its class loader) every producer setting with its default.

    A default is written as Java prints it (``null`` where it is null), a class by its name
    without the package. A client whose ``ProducerConfig`` cannot be read answers why.
    """
    return look_at_each(_defaults, jars)


def _defaults(java: LoadedClient) -> Mapping[str, str]:
    # 4.1 looks classes of its own up there while it declares its defaults.
    jpype.JClass("java.lang.Thread").currentThread().setContextClassLoader(java.loader)
    try:
        field = java.java_class(_CONFIG).class_.getDeclaredField(_DEFINITION)
        field.setAccessible(True)
        keys = field.get(None).configKeys()
        return {str(one.getKey()): _written(one.getValue()) for one in keys.entrySet()}
    except jpype.JException as error:
        raise OracleError(
            f"The producer's settings of kafka-clients {java.version} cannot be read: {error}.",
            "This client differs from the versions that the suite knows.",
        ) from error


def _written(key: Any) -> str:
    """The default of a ``ConfigDef.ConfigKey``."""
    if not key.hasDefault():
        return NO_DEFAULT
    value = key.defaultValue
    if hasattr(value, "getSimpleName"):
        return str(value.getSimpleName())
    return str(jpype.JClass("java.util.Objects").toString(value))
