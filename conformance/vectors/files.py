"""Files of vectors: found in a folder, read, and held to the schema."""

import json
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any, Final

from conformance.errors import UsageError
from conformance.json_schema import validator
from conformance.model.values import from_json, to_json
from conformance.vectors.document import FORMAT, SCHEMA_FILE

_ANY_FORMAT: Final = FORMAT.rstrip("0123456789")
_REMEDY: Final = "Restore it from version control, or write it again: kafka-conformance vectors."


def schema_text() -> str:
    """The JSON schema of the documents, as it lies beside them."""
    return (resources.files("conformance") / "schemas" / SCHEMA_FILE).read_text("utf-8")


def vector_files(folder: Path) -> list[Path]:
    """The files of vectors in a folder, by name; :class:`UsageError` if there are none."""
    try:
        names = sorted(path for path in folder.iterdir() if path.suffix == ".json")
    except OSError as error:
        raise UsageError(
            f"{folder} cannot be read: {error.strerror or error}.",
            "Name the folder that kafka-conformance vectors wrote.",
        ) from error
    files = [path for path in names if path.name != SCHEMA_FILE]
    if not files:
        raise UsageError(
            f"There are no vectors in {folder}.", "Write some: kafka-conformance vectors."
        )
    return files


def read_document(path: Path) -> dict[str, Any]:
    """What a file of vectors holds, bytes decoded.

    Raises :class:`UsageError` if it is not JSON or of another format. Whether it follows the
    schema is for :func:`schema_errors` to say.
    """
    document = _read_json(path)
    written_in = document.get("format") if isinstance(document, dict) else None
    if isinstance(document, dict) and written_in == FORMAT:
        return document
    if _is_any_format(written_in):
        raise UsageError(
            f"{path} has the format {written_in!r}, but this suite reads {FORMAT!r}.",
            "Take the vectors and the suite from the same commit.",
        )
    raise UsageError(f"{path} is not a file of vectors: its format is not {FORMAT!r}.", _REMEDY)


def read_documents(folder: Path) -> list[dict[str, Any]]:
    """All documents of a folder; raises :class:`UsageError` if one is broken."""
    documents = []
    for path in vector_files(folder):
        document = read_document(path)
        for problem in schema_errors(document):
            raise UsageError(f"{path}: {problem}", _REMEDY)
        documents.append(document)
    return documents


def holds_vectors(path: Path) -> bool:
    """Whether a file is one of vectors, whatever the version of their format."""
    try:
        document = _read_json(path)
    except UsageError:
        return False
    return isinstance(document, dict) and _is_any_format(document.get("format"))


def schema_errors(document: Any) -> Iterator[str]:
    """Where a document is against the schema, a sentence each."""
    plain = json.loads(to_json(document))
    for error in validator("vectors").iter_errors(plain):
        where = "".join(f"[{part!r}]" for part in error.instance_path) or "the document"
        yield f"{where} violates the schema: {error.message[:200]}."


def _read_json(path: Path) -> Any:
    try:
        return from_json(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}.", _REMEDY) from error
    except (ValueError, TypeError, RecursionError) as error:
        raise UsageError(f"{path} is not JSON: {error}.", _REMEDY) from error


def _is_any_format(text: Any) -> bool:
    return isinstance(text, str) and text.startswith(_ANY_FORMAT)
