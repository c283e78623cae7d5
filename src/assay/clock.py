"""The time, as records store it."""

from datetime import UTC, datetime


def now() -> str:
    """The time in UTC, to the millisecond, as ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def utc(seconds: float) -> str:
    """Seconds since 1970 as a time in UTC, to the second, in ISO 8601."""
    moment = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    return moment.replace("+00:00", "Z")
