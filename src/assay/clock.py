"""The time that records carry."""

from datetime import UTC, datetime


def now() -> str:
    """The time in UTC, to the millisecond, as ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
