import copy
import json
import string

import pytest
from helpers.dual_cases import evaluate, gate_file, lay_out
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.dual_condition.commit_gate import check_result, is_result
from assay.dual_condition.judge.judge import judge_dual
from assay.dual_condition.judge.preconditions import CHECKS
from assay.dual_condition.result_file import (
    DIGEST,
    checksum,
    evidence_of,
    result_bytes,
    result_digest,
    result_keys,
)
from assay.errors import IntegrityError

SOURCE = {"condition_a_production_auroc": 0.9131, "condition_b_architecture_only_auroc": 0.8947}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("gate")


def stored(found):
    """An artifact as it is read back from the disk."""
    return json.loads(found.path.read_bytes())


@pytest.fixture(scope="module")
def genuine(home):
    path = lay_out(home / "genuine", conditions='["A", "B", "C", "layers", "placebo"]',
                   more='[placebo]\nshuffle = ["verdict"]')  # fmt: skip
    return stored(evaluate(path))


@pytest.fixture(scope="module")
def blocked(home):
    path = lay_out(home / "blocked")
    (home / "blocked" / "state" / "strange.txt").write_text("x")
    return stored(evaluate(path))


def faults(record):
    return check_result(record, where="x.json")


def kinds(record):
    return [fault.kind for fault in faults(record)]


def resealed(record):
    """The same with its checksums computed again, as a forger would who knows how."""
    record = dict(record)
    record["reproducibility_checksum"] = checksum(evidence_of(record, where="x.json"))
    record[DIGEST] = result_digest(record)
    return record


def rejudged(record):
    """The same with everything that is judged from it judged again."""
    evidence = evidence_of(record, where="x.json")
    return resealed({**record, **result_keys(evidence.metric, judge_dual(evidence))})


def changed(value):
    """A value of the same type that is another."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 0.01
        case str():
            return value + "x"
        case list() if value:
            return [changed(value[0]), *value[1:]]
        case dict() if value:
            first = next(iter(value))
            return {**value, first: changed(value[first])}
    return "something"


def other_type(value):
    return [value] if not isinstance(value, list) else {"0": value}


def test_a_genuine_result_passes(genuine):
    assert faults(genuine) == []
    assert genuine["row"] == "reported"


def test_a_result_may_be_laid_out_otherwise(genuine, tmp_path):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(dict(sorted(genuine.items())), indent=4))
    assert gate_file(path).faults == ()


def test_a_blocked_result_passes_and_has_no_numbers(blocked):
    assert faults(blocked) == []
    assert blocked["row"] == "blocked"
    assert blocked["condition_a_production_auroc"] is None


@pytest.mark.parametrize("which", ["genuine", "blocked"])
def test_no_key_can_be_taken_away_or_changed(which, request):
    record = request.getfixturevalue(which)
    for key in record:
        versions = {
            "removed": {name: value for name, value in record.items() if name != key},
            "changed": {**record, key: changed(record[key])},
            "of another type": {**record, key: other_type(record[key])},
        }
        if record[key] is not None:
            versions["null"] = {**record, key: None}
        for how, edited in versions.items():
            assert faults(edited), f"{key} {how}"


UNKNOWABLE = {
    "assay": "who wrote the file",
    "made": "when",
    "corpus": "what the benchmark is called",
    "system": "what the command was",
    "threshold": "no part of an AUC",
    "inputs": "the benchmark is not in the artifact, only its digest",
    "code": "nor is the code",
    "scores": "one score by so little that no rank changes",
}
"""What can be changed by whoever computes all checksums again: not told by the artifact alone."""


def test_a_forger_who_computes_the_checksums_again_is_seen_wherever_it_contradicts(genuine):
    passed = set()
    for key in set(genuine) - {"reproducibility_checksum", DIGEST}:
        for edited in (changed(genuine[key]), other_type(genuine[key]), None):
            if edited == genuine[key]:
                continue
            try:
                record = resealed({**genuine, key: edited})
            except IntegrityError:  # no evidence any more, whatever its checksums say
                continue
            passed |= {key} if not faults(record) else set()
    assert passed == set(UNKNOWABLE)


def deep(record, *path):
    """A copy, and the holder of what lies at a path in it."""
    made = copy.deepcopy(record)
    at = made
    for name in path[:-1]:
        at = at[name]
    return made, at, path[-1]


FORGED = {
    "a better regime": (("regime",), "polish"),
    "no caveats": (("caveats",), [{"code": "no-c", "message": "x"}]),
    "a narrower interval": (("learning_contribution_interval", 0), 0.19),
    "a better A": (("condition_a_production_auroc",), 0.99),
    "a seed's better value": (("condition_a_production_auroc_per_seed", "1"), 0.99),
    "a smaller memorisation": (("memorisation",), 0.0),
    "another row": (("row",), "pilot-only"),
    "a layer worth more": (("layers", "memory", "contribution", "value"), 0.9),
    "a placebo that gains nothing": (("placebo", "gain", "value"), 0.0),
    "fewer items seen": (("seen", "items"), 1),
    "a precondition's evidence": (("preconditions_checked", "isolation", "evidence"), "fine"),
    "another level": (("level",), 0.5),
    "a key that no result has": (("condition_a_production_f1",), 0.99),
    "a comment": (("comment",), "the best result so far"),
    "a key in the evidence that none has": (("state", "comment"), "x"),
    "a score": (("scores", "A", "1", 0), 9.0),
    "a label": (("items", "positive", 0), True),
    "an item twice": (("items", "id", 1), "q0"),
    "a condition twice": (("conditions", 1), "A"),
    "a seed twice": (("seeds", 1), 1),
    "an item without a score": (("scores", "A", "1", 0), None),
    "another state": (("state", "manifests", "C", 0, "digest"), "sha256:" + "0" * 64),
    "an A that is no snapshot": (("state", "snapshot"), "sha256:" + "0" * 64),
    "a run in another condition": (("runs", 0, "condition"), "B"),
    "a run that wrote outside": (("runs", 0, "outside"), ["/tmp/x"]),  # noqa: S108
    "an undeclared file": (("state", "undeclared"), ["x"]),
    "a mention of no item": (("state", "layers", "memory", "mentions"), ["zzz"]),
    "a past after the present": (
        ("history",),
        [{"made": "9999", "checksum": "x", "value": 0.6, "low": 0.5, "high": 0.7}],
    ),
    "a past out of its interval": (
        ("history",),
        [{"made": "2000", "checksum": "x", "value": 0.6, "low": 0.7, "high": 0.9}],
    ),
}


@pytest.mark.parametrize("kind", FORGED)
def test_forgeries_that_contradict_the_rest_are_refused(genuine, kind):
    path, value = FORGED[kind]
    record, holder, last = deep(genuine, *path)
    assert not isinstance(holder, dict) or holder.get(last, "nothing") != value
    holder[last] = value
    try:
        record = resealed(record)
    except IntegrityError:  # what cannot be read is refused without it
        record[DIGEST] = result_digest(record)
    assert faults(record)


def test_another_version_s_result_is_judged_all_the_same(genuine):
    assert kinds(resealed({**genuine, "assay": "0.0.1"})) == []
    assert kinds(resealed({**genuine, "assay": "0.0.1", "regime": "polish"})) == ["numbers"]


def test_a_result_from_other_scores_is_another_result(genuine):
    """Scores made up whole agree with themselves; only running again tells. The file says which."""
    record, scores, seed = deep(genuine, "scores", "A", "1")
    scores[seed] = [float(label) for label in genuine["items"]["positive"]]
    assert kinds(record) == ["checksum"]
    assert faults(rejudged(record)) == []


def test_one_condition_without_the_other(genuine):
    for side, key in (("B", "condition_a_production_auroc"),
                      ("A", "condition_b_architecture_only_auroc")):  # fmt: skip
        found = faults({key: 0.9})
        assert found[0].kind == "one-sided"
        assert found[0].message == f"it has {key} and nothing of condition {side}"
        assert kinds({**SOURCE, (set(SOURCE) - {key}).pop(): None})[0] == "one-sided"
    for key in ("condition_a_production_auroc", "condition_b_architecture_only_auroc"):
        assert "one-sided" in kinds({k: v for k, v in genuine.items() if k != key})
        assert "one-sided" in kinds({**genuine, key: None})


def test_two_conditions_of_two_metrics_are_one_sided_each():
    mixed = {"condition_a_production_auroc": 0.9, "condition_b_architecture_only_f1": 0.8}
    assert faults(mixed)[0].kind == "one-sided"
    said = faults({**SOURCE, "condition_a_production_f1": 0.9})[0].message
    assert said == "it has condition_a_production_f1 and no condition_b_architecture_only_f1"


def test_neither_condition(genuine):
    bare = {key: value for key, value in genuine.items() if not key.startswith("condition_")}
    assert faults(bare)[0].message == "it has neither condition A nor B"


def test_two_numbers_alone_say_nothing_of_preconditions():
    found = faults({**SOURCE, "learning_contribution": 0.0184})
    assert [fault.kind for fault in found] == ["preconditions"]
    assert "preconditions_checked" in found[0].message


def test_preconditions_of_ones_own_making():
    record = {**SOURCE, "learning_contribution": 0.0184}
    held = {name: {"holds": True, "evidence": "yes"} for name in CHECKS}
    some = dict(list(held.items())[3:])
    assert "has no state_declared" in faults({**record, "preconditions_checked": some})[0].message
    broken = held | {"isolation": {"holds": False, "evidence": "no"}}
    said = faults({**record, "preconditions_checked": broken})[0].message
    assert said == "isolation does not hold, but the row is not blocked"
    for odd in ({}, [], "all", 1, {"isolation": True}, dict.fromkeys(held, True)):
        assert kinds({**record, "preconditions_checked": odd}) == ["preconditions"]
    assert kinds({**record, "preconditions_checked": held}) == ["checksum"]


def test_a_difference_that_is_none():
    held = {name: {"holds": True, "evidence": "yes"} for name in CHECKS}
    for claimed in (0.02, None, "0.0184", True, 10**400, [0.0184]):
        record = {**SOURCE, "learning_contribution": claimed, "preconditions_checked": held}
        assert kinds(record) == ["difference"]
    record = {**SOURCE, "learning_contribution": 0.0184, "preconditions_checked": held}
    for odd in ("high", 10**400, True, [0.9]):
        assert "difference" in kinds({**record, "condition_a_production_auroc": odd})


def test_only_results_are_results():
    assert is_result({"format": "assay-dual/1"})
    assert is_result({"format": "assay-dual/2"})
    assert is_result({"format": "assay-dual/3"})
    assert is_result({"condition_b_architecture_only_recall": 1})
    assert not is_result({"condition_a_mean": 1, "condition_b_mean": 2})
    assert not is_result({"format": "assay-plan/1", "condition": "A"})
    assert not is_result({"condition_c_without_benchmark_auroc": 1})
    assert not is_result({"condition_a_production_auroc_interval": [0, 1]})


@pytest.mark.parametrize(
    ("version", "why"), [("assay-dual/1", "searched for items"), ("assay-dual/2", "may lack more")]
)
def test_a_result_of_an_earlier_format_is_refused_and_said_to_be_of_it(genuine, version, why):
    old = {key: value for key, value in genuine.items() if key not in ("left_out", "services")}
    old["format"] = version
    (fault,) = check_result(old, where="x")
    assert fault.kind == "unreadable"
    assert f"it has the format {version}" in fault.message
    assert why in fault.message
    assert "make it again: assay dual" in fault.message


def test_a_split_that_was_typed_in_is_not_what_the_evidence_gives(genuine):
    assert genuine["split"]["holds"] is True
    trace = {"file": "memory.jsonl", "items": 40, "example": "q1"}
    state = {**genuine["state"], "remains": {"files": 1, "traces": [trace], "unreadable": []}}
    record = {**genuine, "state": state}
    record["artifact_digest"] = result_digest(record)
    (fault,) = check_result(record, where="x")
    assert fault.kind == "numbers"
    state["remains"] = None
    record["artifact_digest"] = result_digest(record)
    (fault,) = check_result(record, where="x")
    assert "C was not searched for items" in fault.message


def gated(folder, name, data):
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return gate_file(path)


def test_results_are_found_wherever_in_a_file_they_are(tmp_path, genuine):
    lone = {"condition_a_production_auroc": 0.9}
    for name, data in {
        "list.json": json.dumps([lone]),
        "deep.json": json.dumps({"results": {"fover": [1, lone]}}),
        "lines.jsonl": json.dumps({"x": 1}) + "\n" + json.dumps(lone) + "\n",
        "UPPER.JSON": json.dumps(lone),
    }.items():
        found = gated(tmp_path, name, data)
        assert found.kind == "result"
        assert found.faults[0].kind == "one-sided"
    assert (
        gated(tmp_path, "deep.json", json.dumps({"a": [lone]}))
        .faults[0]
        .message.startswith("a[0]: it has")
    )
    both = gated(tmp_path, "both.json", json.dumps([genuine, genuine]))
    assert (both.kind, both.faults) == ("result", ())
    assert gated(tmp_path, "bytes.json", result_bytes(genuine)).faults == ()


UNREADABLE = {
    "cut off": '{"condition_a_production_auroc": 0.9',
    "a conflict": '<<<<<<< a\n{"condition_a_production_auroc": 0.9}\n=======\n{}\n>>>>>>> b',
    "a key twice": '{"condition_a_production_auroc": 0.9, "condition_a_production_auroc": 0.8}',
    "no number": '{"condition_a_production_auroc": NaN}',
    "not UTF-8": b'{"condition_a_production_auroc": 0.9, "x": "\xff"}',
}


@pytest.mark.parametrize("kind", UNREADABLE)
def test_a_result_that_cannot_be_read_is_refused(tmp_path, kind):
    found = gated(tmp_path, "x.json", UNREADABLE[kind])
    assert [fault.kind for fault in found.faults] == ["unreadable"]


def test_files_of_others_are_not_ours_to_judge(tmp_path):
    for name, data in {
        "a.json": "not JSON at all",
        "b.json": b"\xff\xfe",
        "c.json": "[1, 2]",
        "d.md": "# A page\n\n| corpus | A |\n| --- | --- |\n",
        "e.csv": "corpus,metric,n\nx,y,1\n",
        "f.csv": b"\xff\xfe\x00",
        "g.md": b"\xff",
        "h.jsonl": "{\n",
        "i.txt": '{"condition_a_production_auroc": 0.9}',
        "j.csv": "",
        "k.md": "",
        "l.json": "",
    }.items():
        assert gated(tmp_path, name, data).kind is None, name


PIECES = st.sampled_from(
    ["condition_a_production_auroc", "condition_b_architecture_only_auroc", "format",
     "assay-dual/1", "assay-matrix/1", "matrix_of", "rows", "preconditions_checked", "scores",
     "learning_contribution", "row", "blocked", "artifact", *CHECKS]
)  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(string.printable, max_size=8) | PIECES | st.just(10**400),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(PIECES | st.text(max_size=5), inner, max_size=6),
    max_leaves=12,
)  # fmt: skip
QUICK = settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@QUICK
@given(VALUES)
def test_no_json_brings_the_gate_down(home, value):
    found = gated(home, "any.json", json.dumps(value))
    assert found.kind in (None, "result", "matrix")


@QUICK
@given(st.data())
def test_no_change_of_a_genuine_result_brings_the_gate_down_or_gets_through(home, genuine, data):
    record = copy.deepcopy(genuine)
    at = record
    while True:
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        key = data.draw(st.sampled_from(keys))
        if isinstance(at[key], dict | list) and at[key] and data.draw(st.booleans()):
            at = at[key]
            continue
        break
    old = at[key]
    at[key] = data.draw(VALUES)
    found = gated(home, "any.json", json.dumps(record))
    assert found.faults or json.dumps(at[key]) == json.dumps(old) or at[key] == old


@QUICK
@given(
    st.lists(
        st.sampled_from(
            ["<!-- assay matrix of ", "results", " --history", " -->", "\n", "| corpus | metric |",
             "```", "\0", "..", "/", "%2e", "é", ",", '"', "corpus,system,metric,state,a,a_low"]
        )
        | st.text(max_size=4)
    )
)  # fmt: skip
def test_no_markdown_or_csv_brings_the_gate_down(home, parts):
    text = "".join(parts).encode("utf-8", "replace")
    for name in ("any.md", "any.csv"):
        found = gated(home, name, text)
        assert found.kind is None or found.faults
