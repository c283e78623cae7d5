"""Print an observed value in the form in which a text prints another."""

from decimal import ROUND_HALF_EVEN, Decimal

from assay.claim_audit.agreement import interval_of, number_of, with_interval
from assay.claim_audit.printed_numbers import PATTERN, SEPARATOR, Printed, parse_printed, spelled


def reprinted(old: str, observed: object, *, percent: bool = False) -> str | None:
    """An observed value in the form in which the old one is printed; None where it cannot be."""
    interval, numbers = with_interval(old), interval_of(observed)
    if interval is not None:
        if numbers is None:
            return None
        first, low, high = (
            _printed_as(part, number) for part, number in zip(interval, numbers, strict=True)
        )
        return f"{first} [{low}, {high}]"
    printed, number = parse_printed(old), number_of(observed)
    found = None if printed is None else PATTERN.fullmatch(printed.text)
    if found is not None and found["power"]:
        return None
    if printed is None or number is None:
        return observed if isinstance(observed, str) and printed is None else None
    return _printed_as(printed, number / 100 if percent else number)


def _printed_as(printed: Printed, number: Decimal) -> str:
    """A number with the decimals, separators, sign and unit of another."""
    if printed.text.replace("-", "").replace(" ", "").isalpha():
        return spelled(int(number), printed.text) or str(number)
    found = PATTERN.fullmatch(printed.text)
    unit = (found and found["unit"]) or ""
    scale = {"k": 1 / Decimal(1000), "M": 1 / Decimal(1_000_000)}
    shown = number * (Decimal(100) if printed.percent else scale.get(unit.strip(), Decimal(1)))
    digits = printed.text[: len(printed.text) - len(unit)]
    places = len(digits.partition(".")[2])
    value = shown.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_EVEN)
    between = SEPARATOR.search(digits)
    text = f"{value:f}" if between is None else f"{value:,f}".replace(",", between[0])
    if digits.lstrip("+-\u2212").startswith(".") and text.lstrip("-").startswith("0."):
        text = text.replace("0.", ".", 1)
    sign = "+" if digits.startswith("+") and value >= 0 else ""
    return f"{sign}{text}{unit}"
