"""Small made-up things that several tests plant."""


def detection_bars(
    *,
    positive: str = "class != truth",
    negative: str = "class == truth",
    at_least: str = "0.1",
    more: str = "",
) -> str:
    """A bars file with one bar, B1, on one partition."""
    return f"""
task = "detection"
version = "mine"
because = "it matters"
[partition.p]
positive = "{positive}"
negative = "{negative}"
[[bar]]
id = "B1"
metric = "auc"
partitions = ["p"]
at_least = {at_least}
{more}
"""
