"""Figures in words, the same wherever they are said."""


def counted(number: int, what: str) -> str:
    """1 seal, 2 seals; 1 entry, 2 entries; 1 miss, 2 misses."""
    many = f"{what}s"
    if what.endswith("y"):
        many = f"{what[:-1]}ies"
    elif what.endswith("s"):
        many = f"{what}es"
    return f"{number:,} {what if number == 1 else many}"


def percent(share: float) -> str:
    """A share in per cent, as finely as it was stated."""
    return f"{share * 100.0:.3g} %"
