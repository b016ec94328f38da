"""Documents held to the suite's own JSON schemas, those in ``conformance/schemas``."""

import json
from functools import cache
from importlib import resources
from typing import Any

import jsonschema_rs


@cache
def validator(name: str) -> Any:
    """The validator of a schema by the beginning of its file's name, such as ``report``."""
    folder = resources.files("conformance") / "schemas"
    schemas = {
        one: json.loads((folder / f"{one}.schema.json").read_text("utf-8"))
        for one in {"divergence", "report", name}  # they name each other
    }
    registry = jsonschema_rs.Registry([(one["$id"], one) for one in schemas.values()])
    return jsonschema_rs.validator_for(schemas[name], registry=registry)


def problem_of(name: str, document: Any) -> str | None:
    """Where a document is against a schema, and what was expected there; None: nowhere."""
    problem = next(validator(name).iter_errors(document), None)
    if problem is None:
        return None
    where = "".join(f"[{part!r}]" for part in problem.instance_path)
    told = problem.message
    # What is wrong stands behind the value, which may be as long as the file.
    return f"{where or 'its top'}: " + (
        told if len(told) < 300 else f"{told[:100]} … {told[-100:]}"
    )
