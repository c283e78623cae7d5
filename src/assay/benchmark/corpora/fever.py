"""FEVER: claims that Wikipedia supports, refutes, or says too little about.

A claim answers no question. A detector judges the claim, so it is the response, to one fixed
question: its words then count as a response's words in every audit, and a constant question reveals
nothing. Claims whose first evidence is on the same page form a group.
"""

from collections.abc import Sequence

from assay.benchmark.benchmark import Item
from assay.benchmark.corpora.collected_items import Gathering
from assay.benchmark.corpora.corpus_files import CorpusRecord
from assay.benchmark.corpora.format import Format, Wishes, fields

QUESTION = "Is this claim true?"
UNVERIFIABLE = "claim with not enough info (--keep-unverifiable keeps them, as positives)"
NO_LABEL = "claim without a label"
_CLASSES = {
    "SUPPORTS": "supported",
    "REFUTES": "refuted",
    "NOT ENOUGH INFO": "not-enough-info",
}
_BLANK = ("", "-1", -1, None)


def _read(records: Sequence[CorpusRecord], wishes: Wishes, out: Gathering) -> None:
    for record in records:
        claim = record.text("claim")
        label = record.fields.get("label")
        if label in _BLANK:
            out.leave_out(NO_LABEL)
            continue
        known = _CLASSES.get(label) if isinstance(label, str) else None
        if known is None:
            raise record.wrong("label", "SUPPORTS, REFUTES or NOT ENOUGH INFO", label)
        if known == "not-enough-info" and not wishes.keep_unverifiable:
            out.leave_out(UNVERIFIABLE)
            continue
        name = out.name(record.key("id") if record.has("id") else record.name)
        out.add(
            Item(
                id=name,
                question=QUESTION,
                response=claim,
                label=known != "supported",
                cls=known,
                group=_page(record),
            )
        )


def _page(record: CorpusRecord) -> str | None:
    """The page of the first piece of evidence, if there is any."""
    if record.has("evidence_wiki_url"):
        return record.text("evidence_wiki_url").strip() or None
    evidence = record.fields.get("evidence")
    if evidence is None:
        return None
    if not isinstance(evidence, list):
        raise record.wrong("evidence", "a list of evidence sets", evidence)
    for evidence_set in evidence:
        pieces = evidence_set if isinstance(evidence_set, list) else None
        if pieces is None:
            raise record.wrong("evidence", "a list of evidence sets", evidence_set)
        # Some releases omit the level of sets: the list holds the pieces themselves.
        for piece in pieces if pieces and isinstance(pieces[0], list) else [pieces]:
            if not isinstance(piece, list) or len(piece) < 4:
                raise record.wrong("evidence", "[annotation, evidence, page, sentence]", piece)
            if isinstance(piece[2], str) and piece[2]:
                return piece[2]
    return None


FORMAT = Format(
    name="fever",
    about="claims that Wikipedia supports or refutes",
    told_by=(fields("claim", "label"), fields("claim", "id")),
    takes=fields("keep_unverifiable"),
    read=_read,
)
