"""Find groups without one of the classes, in a benchmark whose groups mostly have both."""

from assay.confounding.lint.labelled_records import Records, has_both, quoted
from assay.confounding.result import Finding
from assay.stats.arrays import coded


def one_class_groups(records: Records) -> Finding | None:
    """A finding on groups of one class among groups of both, such as an incomplete pair.

    If most groups have one class, or one record, the benchmark is not paired: groups then only mark
    dependent records, and nothing is missing.
    """
    places = [i for i, item in enumerate(records.items) if item.group is not None]
    if not places:
        return None
    codes = coded([records.items[i].group for i in places])
    mixed = has_both(codes, records.positive[places])
    lacking = int((~mixed).sum())
    if not lacking or lacking >= int(mixed.sum()):
        return None
    touched = [i for i, code in zip(places, codes.tolist(), strict=True) if not mixed[code]]
    return records.finding(
        "one-class-groups",
        touched,
        message=f"{lacking} of {mixed.size} groups have one label only, such as "
        f"{quoted(records.items[touched[0]].group or '')}; the others have both.",
        remedy="Add the missing records, or drop these groups.",
    )
