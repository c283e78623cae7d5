"""Which texts are relative paths that stay inside their folder."""

_LONGEST_RECORD_PATH = 1000


def stays_inside(name: str) -> bool:
    """Whether a relative path, as users write it in a spec, leads nowhere but down."""
    parts = name.split("/")
    return all(part not in ("", ".", "..") for part in parts) and not set(name) & set("\\\0")


def is_record_path(name: str) -> bool:
    """Whether a path in a record stays inside, can be printed and is of bounded length."""
    return stays_inside(name) and name.isprintable() and len(name) <= _LONGEST_RECORD_PATH
