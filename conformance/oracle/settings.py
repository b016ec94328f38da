"""The settings of producer and consumer, as each client itself declares them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import jpype

from conformance.errors import OracleError, SuiteError
from conformance.model.program import LoadedClient
from conformance.model.settings import NO_DEFAULT, Setting, Settings
from conformance.oracle.client import without_identity
from conformance.oracle.looking import look_at_each

CONFIGS: Final = {
    "producer": "org.apache.kafka.clients.producer.ProducerConfig",
    "consumer": "org.apache.kafka.clients.consumer.ConsumerConfig",
}
_DEFINITION: Final = "org.apache.kafka.common.config.ConfigDef"


def settings_of(jars: Sequence[Sequence[Path]]) -> list[Settings | SuiteError]:
    """For each client (the jars of its class loader) every setting.

    A client whose configurations cannot be read answers why.
    """
    return look_at_each(_settings, jars)


def _settings(java: LoadedClient) -> Settings:
    # 4.1 looks classes of its own up there while it declares its defaults.
    jpype.JClass("java.lang.Thread").currentThread().setContextClassLoader(java.loader)
    try:
        return {client: _of_config(java, name) for client, name in CONFIGS.items()}
    except jpype.JException as error:
        raise OracleError(
            f"The settings of kafka-clients {java.version} cannot be read: {error}.",
            "This client differs from the versions that the suite knows.",
        ) from error


def _of_config(java: LoadedClient, name: str) -> Mapping[str, Setting]:
    # A private field, told by its type: the public accessor came later than some versions.
    fields = java.java_class(name).class_.getDeclaredFields()
    found = [one for one in fields if str(one.getType().getName()) == _DEFINITION]
    if not found:
        raise OracleError(
            f"{name} of kafka-clients {java.version} has no field that is a ConfigDef.",
            "This client differs from the versions that the suite knows.",
        )
    found[0].setAccessible(True)
    keys = found[0].get(None).configKeys()
    return {str(one.getKey()): _setting(one.getValue()) for one in keys.entrySet()}


def _setting(key: Any) -> Setting:
    """What a ``ConfigDef.ConfigKey`` says."""

    def part(name: str) -> str:
        # Some versions have methods of the same names.
        return _written(key.getClass().getField(name).get(key))

    default = part("defaultValue") if key.hasDefault() else NO_DEFAULT
    return Setting(part("type"), default, part("validator"), part("importance"))


def _written(value: Any) -> str:
    if isinstance(value, jpype.JClass("java.lang.Class")):
        return str(value.getSimpleName())
    return without_identity(str(jpype.JClass("java.util.Objects").toString(value)))
