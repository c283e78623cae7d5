"""Records as JSON with stable keys (docs/reference/json.md)."""

from typing import Any

from assay.digests import pretty_json
from assay.errors import AssayError


def as_json(record: object) -> str:
    """A record as indented JSON, its keys in the order of its fields."""
    return pretty_json(record).decode().removesuffix("\n")


def error_as_json(error: AssayError) -> str:
    """An error in the same channel as the result it replaces."""
    fields: dict[str, Any] = {
        "type": type(error).__name__,
        "message": error.message,
        "hint": error.hint,
        "exit_code": error.exit_code,
    }
    return as_json({"error": fields})
