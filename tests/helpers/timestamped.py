"""Checkpoints of a study that is under attack, and the authority's answers beside them."""

from assay.ledger.checkpoint import checkpoint_of
from assay.study.timestamps import add_timestamp, pin, request_timestamp
from helpers.authorities import answered, nonce_of, root


def kept(study):
    """A checkpoint of the ledger as it is, kept in the study."""
    made = checkpoint_of(study.chain(), origin=study.config.origin)
    path = study.root / "checkpoints" / f"{made.size:06d}.txt"
    path.parent.mkdir(exist_ok=True)
    path.write_text(str(made))
    return path


def pinned(study, authority=None):
    return pin(study, (authority or root()).pem, where="root.pem")


def answer(checkpoint, *, text=None, **more):
    """The authority's response, laid beside a checkpoint whose request was made."""
    request = checkpoint.with_suffix(".tsq").read_bytes()
    made = answered(text or checkpoint.read_bytes(), nonce_of(request), **more)
    checkpoint.with_suffix(".tsr").write_bytes(made)
    return made


def timestamped(study, checkpoint=None, **more):
    checkpoint = checkpoint or kept(study)
    request_timestamp(study, checkpoint)
    answer(checkpoint, **more)
    return add_timestamp(study, checkpoint)
