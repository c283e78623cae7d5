"""The result file: a JSON object with the result and all its evidence.

The headline figures have flat names, each with `_interval`, `_per_seed` and `_t_interval` beside
it:

    condition_a_production_auroc, condition_b_architecture_only_auroc, learning_contribution,
    condition_c_without_benchmark_auroc, memorisation, transfer

with another metric's name in place of `auroc` if another was requested. A figure without a result
is null. The rest is `DualEvidence` unchanged.

`reproducibility_checksum` is the SHA-256 of these lines, each ended by a line feed, in this order:
`benchmark DIGEST`; for each seed `items SEED DIGEST`; for each condition `state NAME DIGEST`; `spec
DIGEST`; for each file of code, in order of name, `code DIGEST NAME`; `ids DIGEST`, of the items'
ids as a JSON list without spaces; and for each condition and seed `scores NAME SEED DIGEST`, of its
scores as big-endian 64-bit floats in the order of the ids, a missing score as NaN. Making the same
runs again gives the same checksum.

`artifact_digest` is the SHA-256 of the rest of the file without `scores`, which the checksum
covers: keys in order, no white space, as Python's json writes it. It reveals later edits, even of
the date or the name of the corpus.
"""

import json
import math
import re
import sys
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from assay._version import __version__
from assay.digests import digest, manifest_digest
from assay.dual_condition.answered import AnsweredEvidence
from assay.dual_condition.evidence import DualEvidence
from assay.dual_condition.judge.coherence import check_coherence
from assay.dual_condition.result import DualResult, Quantity
from assay.errors import IntegrityError

FORMAT = "assay-dual/4"
EARLIER = {
    "assay-dual/1": "of before C was searched for items",
    "assay-dual/2": "whose C may lack more of a nested JSON file than came from items",
    "assay-dual/3": "of before it was looked at how answers are written",
}
"""Formats of which B is still what it was and the judgement is not, each with the reason."""
DIGEST = "artifact_digest"
CONDITION = re.compile(r"condition_(?:(a)_production|(b)_architecture_only)_(\w+)")
_BEFORE = (
    *("corpus", "system", "services", "metric", "threshold", "thresholds", "seeds", "conditions"),
)
_AFTER = ("history", "inputs", "state", "code", "runs", "items", "scores", "failed")
_ANSWERS = ("answers",)
"""What evidence has besides if items are answered."""
TAILS = ("_interval", "_per_seed", "_t_interval")


def headline_keys(metric: str) -> dict[str, str]:
    """The flat names of the headline, by field of the result."""
    name = metric.replace("-", "_")
    return {
        "a": f"condition_a_production_{name}",
        "b": f"condition_b_architecture_only_{name}",
        "learning_contribution": "learning_contribution",
        "c": f"condition_c_without_benchmark_{name}",
        "memorisation": "memorisation",
        "transfer": "transfer",
    }


def result_record(
    evidence: DualEvidence, result: DualResult, *, made: str, mark: str | None = None
) -> dict[str, Any]:
    """Everything as one JSON object; `mark` is the checksum of the evidence, if known."""
    rest = msgspec.structs.replace(evidence, scores={})  # they are many, and plain already
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(rest))
    plain["scores"] = {name: dict(by_seed) for name, by_seed in evidence.scores.items()}
    record: dict[str, Any] = {"format": FORMAT, "assay": __version__, "made": made}
    record |= {name: plain[name] for name in _BEFORE}
    record |= result_keys(evidence.metric, result)
    record |= {name: plain[name] for name in (*_AFTER, *_ANSWERS) if name in plain}
    record["reproducibility_checksum"] = mark or checksum(evidence)
    return record | {DIGEST: result_digest(record)}


def result_digest(record: Mapping[str, Any]) -> str:
    """One digest over a result file without the digest itself and the scores."""
    rest = {key: value for key, value in record.items() if key not in (DIGEST, "scores")}
    plain = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return digest(plain.encode())


def result_keys(metric: str, result: DualResult) -> dict[str, Any]:
    """The part of a result file that judging gives."""
    keys: dict[str, Any] = {"row": result.row, "reasons": list(result.reasons)}
    for field, key in headline_keys(metric).items():
        keys |= _flat(key, getattr(result, field))
    more = msgspec.to_builtins(result)
    for name in (
        "regime",
        "split",
        "left_out",
        "seen",
        "unseen",
        "layers",
        "placebo",
        "caveats",
        "level",
        "how",
    ):
        keys[name] = more[name]
    keys["preconditions_checked"] = more["preconditions"]
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(keys))
    return plain


def _flat(key: str, quantity: Quantity | None) -> dict[str, Any]:
    fields = ("value", *(tail[1:] for tail in TAILS))
    return {
        key if name == "value" else f"{key}_{name}": getattr(quantity, name, None)
        for name in fields
    }


def evidence_of(record: Mapping[str, Any], *, where: str) -> DualEvidence:
    """The evidence in a result file, if its parts are consistent."""
    missing = [name for name in (*_BEFORE, *_AFTER) if name not in record]
    if missing:
        raise IntegrityError(f"{where}: a dual-condition result needs {missing[0]}")
    items = record["items"]
    answered = isinstance(items, dict) and items.get("commonest") is not None
    try:
        evidence: DualEvidence = msgspec.convert(
            dict(record), AnsweredEvidence if answered else DualEvidence
        )
    except (msgspec.ValidationError, OverflowError) as error:
        raise IntegrityError(f"{where}: not a valid dual-condition result: {error}") from None
    check_coherence(evidence, where=where)
    return evidence


def checksum(evidence: DualEvidence) -> str:
    """One digest over inputs, state, code, seeds and scores."""
    lines = [f"benchmark {evidence.inputs.benchmark_digest}"]
    lines += [f"items {seed} {evidence.inputs.items.get(str(seed))}" for seed in evidence.seeds]
    states = {name: evidence.state.manifests.get(name, ()) for name in evidence.conditions}
    lines += [f"state {name} {manifest_digest(tuple(state))}" for name, state in states.items()]
    lines.append(f"spec {evidence.code.spec}")
    lines += [f"code {content} {name}" for name, content in sorted(evidence.code.files.items())]
    lines.append(f"ids {digest(msgspec.json.encode(evidence.items.id))}")
    for condition in evidence.conditions:
        for seed in evidence.seeds:
            scores = evidence.scores.get(condition, {}).get(str(seed), ())
            lines.append(f"scores {condition} {seed} {digest(_as_bytes(scores))}")
    return digest("".join(f"{line}\n" for line in lines).encode())


def _as_bytes(scores: Sequence[float | None]) -> bytes:
    values = array("d", [math.nan if score is None else score for score in scores])
    if sys.byteorder == "little":
        values.byteswap()
    return values.tobytes()


def result_bytes(record: Mapping[str, Any]) -> bytes:
    """The text of a result file: one key a line, readable for people and git."""
    lines = [
        f"  {json.dumps(key)}: {msgspec.json.encode(value).decode()}"
        for key, value in record.items()
    ]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()
