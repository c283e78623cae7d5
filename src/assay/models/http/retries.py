"""When a call is made again, and how long to wait before it."""

import random
import re
import threading
import time
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime

MOST_TRIES = 6
AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
"""Statuses that may be another at the next try."""
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 30.0
LONGEST_ASKED = 120.0
"""The longest wait that a server may ask for; over it, the call fails at once and says so."""
_DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?")
_UNITS = (3600.0, 60.0, 1.0, 0.001)


class Clock:
    """Time, as far as waits need it. A test gives one that need not be waited for."""

    def now(self) -> float:
        """Seconds since 1970."""
        return time.time()

    def steady(self) -> float:
        """Seconds of a clock that is never set back."""
        return time.monotonic()

    def pause(self, seconds: float) -> None:
        """Let time pass."""
        time.sleep(seconds)


def backoff(tries: int, chance: Callable[[], float] = random.random) -> float:
    """Seconds before the next try: doubled each time, a random part of it.

    Without the random part, calls that failed together would come back together.
    """
    longest = min(_FIRST_WAIT * 2.0**tries, _LONGEST_WAIT)
    return longest * (0.5 + 0.5 * chance())


def asked_wait(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that a server asks to wait, by its headers; None if it does not say."""
    exact = _number(headers.get("retry-after-ms", ""))
    if exact is not None:
        return exact / 1000.0
    after = headers.get("retry-after", "")
    seconds = _number(after)
    if seconds is not None:
        return seconds
    try:
        return max(parsedate_to_datetime(after).timestamp() - now, 0.0)
    except (TypeError, ValueError, OverflowError):
        return None


def reset_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds until a spent limit is free again; None where no limit is spent."""
    spent = (
        what
        for what in ("requests", "tokens")
        if headers.get(f"x-ratelimit-remaining-{what}", "").strip() == "0"
    )
    waits = (_duration(headers.get(f"x-ratelimit-reset-{what}", "")) for what in spent)
    return max((wait for wait in waits if wait is not None), default=None)


class RateLimit:
    """Holds back every thread's calls until a limit of the server is free again."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._until = 0.0
        self._lock = threading.Lock()

    def shut(self, seconds: float) -> None:
        """Let no call through for so many seconds."""
        with self._lock:
            self._until = max(self._until, self._clock.steady() + min(seconds, LONGEST_ASKED))

    def wait(self) -> None:
        """Wait until calls are let through."""
        while (left := self._until - self._clock.steady()) > 0:
            self._clock.pause(left)


def _number(text: str) -> float | None:
    """A number of seconds that is not negative and not endless."""
    return float(text) if re.fullmatch(r"\s*\d{1,9}(\.\d{1,9})?\s*", text) else None


def _duration(text: str) -> float | None:
    """A duration as servers write it: 1s, 6m0s, 120ms, or a plain number of seconds."""
    plain = _number(text)
    if plain is not None:
        return plain
    match = _DURATION.fullmatch(text.strip()[:40])
    if match is None or not any(match.groups()):
        return None
    return sum(float(n or 0) * unit for n, unit in zip(match.groups(), _UNITS, strict=True))
