"""Steps 8 and 9: pages made from the records, and runs made again."""

from assay.errors import IntegrityError
from assay.files import read_inside
from assay.study.submissions.rerun import rerun
from assay.study.verify.steps import Found, Verifying
from assay.wording import counted


def check_views(at: Verifying) -> Found:
    """Step 8."""
    present = [name for name in at.views if (at.study.root / name).exists()]
    stale = [
        name
        for name in present
        if read_inside(at.study.root, name) != at.views[name](at.study, at.records).encode()
    ]
    if stale:
        again = " && ".join(f"assay {name.removesuffix('.md').lower()} --write" for name in stale)
        raise IntegrityError(
            f"{' and '.join(stale)} are not what the records give"
            if len(stale) > 1
            else f"{stale[0]} is not what the records give",
            hint=f"Pages are made from records, never by hand: {again}",
        )
    return Found(f"{', '.join(present)}: as the records give" if present else "none written")


def check_again(at: Verifying) -> Found:
    """Step 9."""
    for name in at.runs:
        audit = rerun(at.study, name)
        if audit.changed or audit.unmatched:
            largest = "" if audit.largest is None else f", by up to {audit.largest:.3g}"
            raise IntegrityError(
                f"{name}: {audit.changed + audit.unmatched} of {audit.items} outputs came out"
                f" differently{largest}: it is not deterministic, or its outputs were changed"
            )
    return Found(f"{counted(len(at.runs), 'submission')} run again, every output the same")
