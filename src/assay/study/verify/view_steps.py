"""Steps 8 and 9: pages made from the records, and submissions run again."""

from assay.errors import IntegrityError, NotHere
from assay.files import read_inside
from assay.study.submissions.rerun import rerun
from assay.study.verify.context import StepFinding, Verifying
from assay.wording import counted


def check_views(at: Verifying) -> StepFinding:
    """Step 8."""
    present = [name for name in at.views if (at.study.root / name).exists()]
    stale = [
        name
        for name in present
        if read_inside(at.study.root, name) != at.views[name](at.study, at.records).encode()
    ]
    if stale:
        again = " && ".join(
            f"assay {name.removesuffix('.md').lower()} `write=True`" for name in stale
        )
        raise IntegrityError(
            f"{' and '.join(stale)} are not what the records give"
            if len(stale) > 1
            else f"{stale[0]} is not what the records give",
            hint=f"Pages are made from records, never by hand: {again}",
        )
    return StepFinding(f"{', '.join(present)}: as the records give" if present else "none written")


def check_again(at: Verifying) -> StepFinding:
    """Step 9."""
    submissions = at.shown.rerun or tuple(at.runs)
    for name in submissions:
        if name not in at.runs:
            raise NotHere(f"there is no result of {name} to compare with")
        again = rerun(at.study, name, listener=at.shown.listener)
        at.reruns.append(again)
        if again.differ:
            most = again.largest
            by = f", by up to {most:.3g} on item {again.item}" if most else ""
            installed = "" if again.same_installed else ", other code is installed than was sealed"
            raise IntegrityError(
                f"{name}: {again.differ} of {again.items} outputs came out differently{by}:"
                f" it is not deterministic{installed}, or its outputs were changed"
            )
    return StepFinding(
        f"{counted(len(submissions), 'submission')} run again, every output the same"
    )
