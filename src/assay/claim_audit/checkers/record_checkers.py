"""Checkers of Assay's own records: results with their intervals, and ledgers."""

from typing import Any

import msgspec

from assay.claim_audit.agreement import interval_of
from assay.claim_audit.checkers.checker import Args, Checker, text_arg
from assay.claim_audit.checkers.key_path import value_at
from assay.claim_audit.claim import Observed, Unverifiable
from assay.claim_audit.evidence import MEMORY_OF_A_BYTE, EvidenceReader, NotThere
from assay.errors import AssayError
from assay.ledger.chain import read_chain


def _result_number(args: Args, evidence: EvidenceReader) -> Observed:
    """A number of a scorecard, a comparison, an audit or a matrix, with its interval."""
    path, number = text_arg(args, "path"), text_arg(args, "number")
    found = value_at(evidence.json(path), number, path)
    if interval_of(found) is None:
        raise NotThere(
            f"{path}: {number} has no interval: expected a record with value (or estimate, mean,"
            " point, auc, delta) and low and high (or lower and upper, ci_low and ci_high, or a"
            " list of two as interval or ci)"
        )
    return Observed(value=found, where=f"{path}: {number}")


def _ledger_entry(args: Args, evidence: EvidenceReader) -> Observed:
    """How many entries of a ledger are of a kind and a subject; the chain must hold."""
    path = text_arg(args, "path")

    def read() -> list[dict[str, Any]]:
        try:
            chain = read_chain(evidence.data(path), where=path)
        except AssayError as error:
            raise Unverifiable(error.message) from None
        return [msgspec.to_builtins(entry) for entry in chain.entries]

    entries = evidence.once(("ledger", path), read, size=MEMORY_OF_A_BYTE * evidence.size(path))
    asked = {name: args[name] for name in ("kind", "subject") if name in args}
    found = [one for one in entries if all(one[name] == value for name, value in asked.items())]
    told = ", ".join(f"{name} {value}" for name, value in asked.items()) or "all"
    return Observed(value=len(found), where=f"{path}: entries of {told}")


CHECKERS = (
    Checker(
        name="result_number_equals",
        about="a number with its interval in a result that Assay wrote",
        observe=_result_number,
        required=("path", "number"),
        value="value",
    ),
    Checker(
        name="ledger_entries_equal",
        about="how many entries of a ledger are of a kind and a subject",
        observe=_ledger_entry,
        required=("path",),
        optional=("kind", "subject"),
        value="n",
    ),
)
