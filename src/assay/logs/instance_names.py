"""Names for instances without a name in their log, and numbers for repeats.

Without ids, instances pair by content: the same content is the same instance, and every further row
of it is another trial. A name is a readable text, perhaps shortened, and a fingerprint of the whole
content.
"""

from collections import Counter
from collections.abc import Sequence

from assay.digests import digest
from assay.errors import writable
from assay.logs.log_file import canonical, fingerprint, text

_LONGEST, _LONGEST_NAME = 40, 120
_QUESTIONS = ("question", "query", "prompt", "input", "inputs", "user_input", "messages")


def instance_name(label: object, content: object) -> str:
    """The name of an instance: the beginning of its label, and the fingerprint of its content."""
    words = writable(" ".join((text(label) or "").split())[:_LONGEST].strip())
    return f"{words} @ {fingerprint(content)}" if words else fingerprint(content)


def named(value: object) -> str:
    """A name from an input: the text itself, or its beginning and a digest of the whole."""
    full = writable(value) if isinstance(value, str) else canonical(value)
    beginning = " ".join(full.split())
    if beginning == full and 0 < len(full) <= _LONGEST_NAME:
        return full
    return f"{beginning[: _LONGEST_NAME - 40]} @ {digest(full.encode())[7:19]}".strip()


class TrialNumbers:
    """Numbers the trials of every instance in order: 1, 2, ..."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def next(self, instance: str) -> str:
        """The number of the next trial of an instance."""
        self._seen[instance] += 1
        return str(self._seen[instance])


def numbered(names: Sequence[str]) -> list[str]:
    """The trial of each row: "1", "2" and on.

    Also without repeats: another log of the same instances may have repeats, and pairs by number.
    """
    numbers = TrialNumbers()
    return [numbers.next(name) for name in names]


def asked(value: object) -> str | None:
    """The text of an input: its question if it has one, else all of it."""
    if isinstance(value, dict):
        found = next((value[key] for key in _QUESTIONS if value.get(key)), None)
        if found is None:
            found = next(iter(value.values())) if len(value) == 1 else None
        return canonical(value) if found is None else asked(found)
    if isinstance(value, list):
        return text(value)
    return None if value is None else str(value)


def shown(value: object) -> str:
    """A short setting unchanged; a long one as its fingerprint."""
    if isinstance(value, (str, int, float, bool)):
        words = str(value)
        if len(words) <= _LONGEST and words.isprintable():
            return words
    return fingerprint(value)
