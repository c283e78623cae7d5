"""What a study is verified against, from files and options that a user names."""

from collections.abc import Sequence
from pathlib import Path

from assay.bounds import MAX_LINE_BYTES
from assay.errors import SpecError
from assay.files import read_bounded
from assay.ledger.certificate import MAX_BYTES, read_certificate
from assay.ledger.checkpoint import Checkpoint, parse_checkpoint
from assay.ledger.note import parse_verifier
from assay.runs.collect import Listener
from assay.study.locate import FILE
from assay.study.verify.context import Shown


def checkpoint_in(path: Path) -> Checkpoint:
    """The checkpoint in a file."""
    return parse_checkpoint(read_bounded(path, MAX_LINE_BYTES), where=str(path))


def shown_from(
    *,
    checkpoint: str | Path | Sequence[str | Path] = (),
    key: str | Sequence[str] = (),
    authority: str | Path | Sequence[str | Path] = (),
    since: str | None = None,
    rerun: bool | str | Sequence[str] = False,
    listener: Listener | None = None,
) -> Shown:
    """Checkpoints, keys, authorities, a revision, and the submissions to run again."""
    return Shown(
        checkpoints=tuple(checkpoint_in(path) for path in _paths(checkpoint)),
        keys=tuple(parse_verifier(text) for text in ((key,) if isinstance(key, str) else key)),
        authorities=tuple(
            read_certificate(read_bounded(path, MAX_BYTES), where=str(path))
            for path in _paths(authority)
        ),
        since=since,
        rerun=_submissions(rerun),
        listener=listener,
    )


def _paths(given: str | Path | Sequence[str | Path]) -> list[Path]:
    return [Path(given)] if isinstance(given, (str, Path)) else [Path(each) for each in given]


def _submissions(rerun: bool | str | Sequence[str]) -> tuple[str, ...] | None:
    """The submissions to run again: None for none, empty for all."""
    if isinstance(rerun, bool):
        return () if rerun else None
    ids = (rerun,) if isinstance(rerun, str) else tuple(dict.fromkeys(rerun))
    for name in ids:
        if (Path(name) / FILE).is_file():
            raise SpecError(
                f"{name} is a study, and `rerun=` takes the ID of a submission",
                hint=f"Name the study first: assay verify {name} `rerun=True`",
            )
    return ids or None
