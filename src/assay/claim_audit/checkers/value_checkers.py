"""Checkers of values: in JSON, over the rows of a table, from a log, in a test report."""

from assay.claim_audit.checkers.aggregates import aggregate
from assay.claim_audit.checkers.checker import Args, Checker, text_arg
from assay.claim_audit.checkers.junit import OUTCOMES, outcomes_of
from assay.claim_audit.checkers.key_path import value_at
from assay.claim_audit.checkers.log_metric import LOG_METRIC
from assay.claim_audit.claim import Observed, Unverifiable
from assay.claim_audit.evidence import MEMORY_OF_A_BYTE, EvidenceReader, NotThere


def _json_value(args: Args, evidence: EvidenceReader) -> Observed:
    path, key = text_arg(args, "path"), text_arg(args, "key_path")
    value = value_at(evidence.json(path), key, path)
    exact = isinstance(value, str) and "version" in key.lower()
    return Observed(value=value, where=f"{path}: {key}", exact=exact)


def _junit(args: Args, evidence: EvidenceReader) -> Observed:
    path = text_arg(args, "path")
    if "test" in args and "outcome" in args:
        raise Unverifiable(
            "say `test`, whose outcome is the value, or `outcome`, to count: not both"
        )
    test = text_arg(args, "test") if "test" in args else None
    outcome = args.get("outcome", "passed")
    if outcome not in (*OUTCOMES, "all"):
        known = ", ".join((*OUTCOMES, "all"))
        raise Unverifiable(f"outcome {outcome!r:.40}: expected one of {known}")
    outcomes = evidence.once(("junit", path), lambda: outcomes_of(evidence.data(path), path),
                             size=MEMORY_OF_A_BYTE * evidence.size(path))  # fmt: skip
    if test is None:
        chosen = [one for _, one in outcomes if outcome in (one, "all")]
        return Observed(value=len(chosen), where=f"{path}: {outcome}")
    found = {one for name, one in outcomes if name == test or name.endswith(f"::{test}")}
    if not found:
        raise NotThere(f"{path} has no test {test!r:.80}")
    if len(found) > 1:
        several = ", ".join(sorted(found))
        raise Unverifiable(f"{path}: several tests are called {test!r:.80}: {several}")
    return Observed(value=found.pop(), where=f"{path}: {test}")


CHECKERS = (
    Checker(
        name="json_path_equals",
        about="a value in a JSON file",
        observe=_json_value,
        required=("path", "key_path"),
        value="expected",
    ),
    Checker(
        name="aggregate_equals",
        about="a statistic over the rows of a CSV, JSONL or Parquet file",
        observe=aggregate,
        required=("path", "statistic"),
        optional=("column", "where", "of", "key_path"),
        value="value",
    ),
    LOG_METRIC,
    Checker(
        name="junit_equals",
        about="how many tests of a JUnit report have an outcome, or the outcome of one",
        observe=_junit,
        required=("path",),
        optional=("outcome", "test"),
        value="value",
    ),
)
