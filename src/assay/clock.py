"""The time that records carry."""

from datetime import UTC, datetime


def now() -> str:
    """The time in UTC, to the millisecond, as ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def utc(seconds: float) -> str:
    """A moment in UTC, to the second, as ISO 8601; given in seconds since 1970."""
    moment = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    return moment.replace("+00:00", "Z")
