import io
import json
import re
import shlex

import msgspec
import numpy as np
import polars
import pytest
from helpers.studies import write_rows
from msgspec.structs import replace
from scipy.stats import spearmanr
from sklearn.metrics import roc_auc_score

import assay
from assay.benchmark.benchmark import Item
from assay.confounding.judge import confounds
from assay.confounding.own_features import measure_feature
from assay.confounding.result import ConfoundAudit
from assay.report.confounding import draw_audit
from assay.report.terminal import console

KEYS = {
    "verdict",
    "because",
    "needed_records",
    "n",
    "positives",
    "features",
    "joint",
    "methods",
    "lint",
    "caveats",
    "benchmark",
    "surface",
    "digests",
    "signature",
    "own_features",
    "numbered",
}
FEATURE_KEYS = {"name", "on", "auc", "low", "high", "least", "direction", "rho_length", "flag"}
JOINT_KEYS = {"auc", "low", "high", "left", "importance", "given_away"}
METHOD_KEYS = {"name", "auc", "low", "high", "beyond", "surface_share", "unscored"}
LINT_KEYS = {"code", "count", "message", "remedy", "records"}
EIGHT = (
    "word_length",
    "char_length",
    "sentence_count",
    "question_mark_count",
    "exclamation_count",
    "capitalized_token_ratio",
    "hedge_density",
    "type_token_ratio",
)
WORDS = [f"w{i:03d}" for i in range(300)]
OWN = """
def exclaims(response):
    return response.count("!")
def asks(question):
    return len(question)
def gap(question, response):
    return len(question) - len(response)
def anything(text):
    return len(text.split())
def raises(response):
    raise ValueError("no \\x1b[31m way")
def nan(response):
    return float("nan")
def text(response):
    return "high"
def rewrites(response):
    import pathlib
    pathlib.Path(__file__).with_name("mine.jsonl").write_text("{}")
    return 1.0
"""


def records(n=60, *, size=lambda rng, label: rng.integers(3, 9), seed=0):
    """Records whose surface tells nothing but what `size` plants."""
    rng = np.random.default_rng(seed)
    return [
        {
            "id": f"r{i}",
            "question": f"What {' '.join(rng.choice(WORDS, 6))}?",
            "response": " ".join(rng.choice(WORDS, int(size(rng, i % 2)))),
            "label": i % 2,
        }
        for i in range(n)
    ]


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def written(tmp_path):
    def write(rows, name="mine.jsonl"):
        (tmp_path / name).write_text(lines(rows), encoding="utf-8")
        return name

    return write


def in_memory(rows):
    items = tuple(Item(**{**row, "label": bool(row["label"])}) for row in rows)
    return assay.Benchmark(name="mine", digest="sha256:0", items=items)


def alone(audit, name, on="response"):
    (found,) = (one for one in audit["features"] if (one["name"], one["on"]) == (name, on))
    return found


def drawn(audit, **how):
    """What an audit looks like."""
    out = io.StringIO()
    draw_audit(audit, console(out), **how)
    return out.getvalue()


def eight_of(text):
    """The published audit's eight numbers of one text, in its own order."""
    words = text.split()
    many = len(words)
    pieces = [piece for piece in re.split(r"[.!?]+", text) if piece.strip()]
    hedges = (
        "said generally often commonly believed considered widely typically popularly"
        " supposedly reportedly purportedly associated thought"
    ).split()
    hedged = sum(1 for word in words if any(hedge in word.lower() for hedge in hedges))
    capital = sum(1 for word in words if word[0].isupper())
    return (
        many,
        len(text),
        max(len(pieces), 1) if text else 0,
        text.count("?"),
        text.count("!"),
        capital / many if many else 0.0,
        hedged / many if many else 0.0,
        len(set(text.lower().split())) / many if many else 0.0,
    )


def assert_the_eight_are_as_published(benchmark):
    """Each AUC, direction, rho and flag against scipy and scikit-learn on our own loops."""
    table = np.array([eight_of(item.response or "") for item in benchmark.items], dtype=float)
    label = np.array([item.label for item in benchmark.items])
    found = confounds(benchmark, joint=False).features[:8]
    assert tuple(one.name for one in found) == EIGHT
    for one, column in zip(found, table.T, strict=True):
        a = roc_auc_score(label, column)
        assert one.on == "response"
        assert one.auc == pytest.approx(max(a, 1.0 - a), abs=1e-12)
        assert one.low <= one.auc <= one.high
        if abs(a - 0.5) > 1e-9:
            assert one.direction == ("higher" if a > 0.5 else "lower")
        rho = None
        if len(set(column)) > 1 and len(set(table[:, 0])) > 1:
            rho = spearmanr(column, table[:, 0]).statistic
            assert one.rho_length == pytest.approx(rho, abs=1e-12)
        else:
            assert one.rho_length is None
        flag = "inert"
        if max(a, 1.0 - a) >= 0.70:
            flag = "length" if rho is not None and abs(rho) >= 0.5 else "orthogonal"
        assert one.flag == flag


def test_minimal_pairs_is_clean(assay_cmd):
    done = assay_cmd("confounds", "minimal-pairs", "--json")
    assert done.code == 0
    assert done.json["verdict"] == "clean"
    assert done.json["joint"]["low"] <= 0.5 <= done.json["joint"]["high"]
    assert done.json["lint"] == []


def test_darkcore_is_confounded_and_said_to_be_so_under_the_documented_keys(assay_cmd, tmp_path):
    run = assay.run("oracle:word_length", assay.load_benchmark("darkcore"))
    assay.save_run(run, tmp_path / "kept")
    done = assay_cmd("confounds", "darkcore", "--scores", "kept", "--json")
    assert done.code == 1
    found = done.json
    assert set(found) == KEYS
    assert found["verdict"] in ("confounded", "unfit")
    assert (found["n"], found["positives"]) == (108, 53)
    assert all(set(one) == FEATURE_KEYS for one in found["features"])
    assert tuple(one["name"] for one in found["features"][:8]) == EIGHT
    assert {one["on"] for one in found["features"]} == {"response", "question", "both"}
    assert set(found["joint"]) == JOINT_KEYS
    drops = [one["value"] for one in found["joint"]["importance"]]
    assert drops == sorted(drops, reverse=True)
    assert set(found["joint"]["importance"][0]) == {"name", "on", "value"}
    assert set(found["joint"]["given_away"][0]) == {"id", "label", "probability"}
    (method,) = found["methods"]
    assert set(method) == METHOD_KEYS
    assert set(method["beyond"]) == {"value", "low", "high", "unfit", "rests_on_words"}
    assert method["name"] == "oracle:word_length"
    assert method["auc"] == alone(found, "word_length")["auc"]
    assert method["beyond"]["value"] == pytest.approx(0.5, abs=0.01)
    assert method["surface_share"] > 0.99
    assert all(set(one) == LINT_KEYS for one in found["lint"])
    assert found["lint"][0]["code"] == "source-predicts-label"
    shown = drawn(msgspec.convert(found, ConfoundAudit))
    for words in (
        "darkcore: 108 records, 53 positive",
        "question_overlap",
        "All together, out of fold (cross-validated): AUC",
        "most given away (record id and probability of its label): darkcore-",
        "declared surface: features that read no meaning",
        "rho: rank correlation with the number of words.",
        "source-predicts-label",
        "verdict  CONFOUNDED",
        "assay balance FILE --out FILE",
        "n 108 · darkcore@",
    ):
        assert words in shown
    assert "hedge_density" not in shown
    assert max(map(len, shown.splitlines())) <= 110


def test_every_feature_is_shown_when_asked_for(assay_cmd):
    done = assay_cmd("confounds", "darkcore", "--no-joint", "--all")
    for name in (*EIGHT, "question.opens_wh", "question_overlap", "truncated", "source"):
        assert name in done.out
    assert "--all shows" not in done.out


def test_the_eight_features_are_as_published_on_the_flawed_benchmark():
    assert_the_eight_are_as_published(assay.load_benchmark("darkcore"))


@pytest.mark.parametrize("seed", range(6))
def test_the_eight_features_are_as_published_on_any_text(seed):
    rng = np.random.default_rng(seed)
    pieces = [
        "Often", "it is said.", "unsaid", "THOUGHT!", "?", "!!", "...", " ", "\n", "\t", "a", "A",
        "ẞtraße", "Ärger", "ärger", "İ", "ǅ", "日本", "e\u0301", "42", "3.14", "(Widely",
        '"Generally"', "\u00a0", "\u2003", "🜨", "no", "No", "generally-said", "x" * 50,
    ]  # fmt: skip
    rows = [
        {
            "id": str(i),
            "question": "Q?",
            "response": " ".join(rng.choice(pieces, rng.integers(0, 4 + 4 * (i % 2)))),
            "label": i % 2,
        }
        for i in range(80)
    ]
    assert_the_eight_are_as_published(in_memory(rows))


def test_a_feature_at_the_bar_exactly_is_flagged():
    texts = ["a a a a"] * 7 + ["a"] * 3, ["a a"] * 10
    rows = [
        {"id": f"{label}-{i}", "question": "Q?", "response": text, "label": label}
        for label, side in ((1, texts[0]), (0, texts[1]))
        for i, text in enumerate(side)
    ]
    assert_the_eight_are_as_published(in_memory(rows))
    word_length = confounds(in_memory(rows), joint=False).features[0]
    assert (word_length.auc, word_length.flag) == (0.70, "length")


def test_csv_tsv_and_parquet_give_what_jsonl_gives(assay_cmd, written, tmp_path):
    rows = records(30)
    written(rows)
    frame = polars.DataFrame(rows)
    frame.write_csv(tmp_path / "mine.csv")
    frame.write_csv(tmp_path / "mine.tsv", separator="\t")
    frame.write_parquet(tmp_path / "mine.parquet")
    found = [
        confounds(assay.load_benchmark(tmp_path / f"mine.{ending}"), joint=False)
        for ending in ("jsonl", "csv", "tsv", "parquet")
    ]
    assert all(one.features == found[0].features for one in found)
    assert len({one.digests["benchmark"] for one in found}) == 4
    done = assay_cmd("confounds", "mine.parquet", "--no-joint", "--json")
    assert msgspec.convert(done.json, ConfoundAudit) == found[3]


def test_columns_are_named_by_flags(assay_cmd, written):
    rows = [
        {"q": row["question"], "a": row["response"], "verdict": ("ok", "bad")[row["label"]],
         "from": f"s{i % 3}", "doc": f"d{i // 2}", "nr": row["id"]}
        for i, row in enumerate(records(40))
    ]  # fmt: skip
    done = assay_cmd(
        "confounds",
        written(rows),
        *("--question", "q", "--response", "a", "--label", "verdict", "--positive", "bad"),
        *("--source", "from", "--group", "doc", "--id", "nr", "--no-joint", "--json"),
    )
    assert done.code == 1, done.err
    assert (done.json["n"], done.json["positives"]) == (40, 20)
    assert "source" in [one["name"] for one in done.json["features"]]
    for words in ("question=q", "positive=bad", "group=doc"):
        assert words in done.json["signature"]
    classes = assay_cmd(
        "confounds", "mine.jsonl", "--question", "q", "--class", "verdict", "--positive",
        "class != ok", "--no-joint", "--json",
    )  # fmt: skip
    assert classes.json["positives"] == 20


def test_records_that_are_neither_positive_nor_negative_are_left_out(assay_cmd):
    partition = ("--positive", "class == folklore", "--negative", "class == truth")
    refused = assay_cmd("confounds", "darkcore", *partition, "--no-joint")
    assert refused.code == 2
    assert "19 records are neither positive nor negative: 'factual-error' (13)" in refused.err
    assert "--unknown exclude" in refused.err
    exclude = ("--unknown", "exclude")
    done = assay_cmd("confounds", "darkcore", *partition, *exclude, "--no-joint", "--json")
    assert (done.json["n"], done.json["positives"]) == (89, 34)
    assert done.json["verdict"] == "undecided"
    assert done.json["joint"] is None
    assert "negative=class == truth, unknown=exclude" in done.json["signature"]
    assert "left-out" in [caveat["code"] for caveat in done.json["caveats"]]
    for wrong in ("class == nosuch", "colour == red", ""):
        refused = assay_cmd("confounds", "darkcore", *partition[:2], *exclude, "--negative", wrong)
        assert refused.code == 2, wrong


POLICY = ("--missing", "exclude", "--unknown", "exclude", "--ids", "repair", "--no-joint")


def test_faults_of_a_file_are_shown_together_with_the_flags_that_help(assay_cmd, written):
    rows = records(20)
    rows[2]["question"], rows[5]["id"], rows[7]["label"] = " ", "r1", "N/A\x1b[2J"
    name = written(rows)
    done = assay_cmd("confounds", name, "--no-joint")
    assert done.code == 2
    heading, *details, hint = done.err.splitlines()
    assert heading == (
        "SpecError: mine.jsonl, line 3, field 'question': is empty, and 2 more faults"
    )
    assert [detail[:9] for detail in details] == ["  line 8,", "  line 6:"]
    for flag in ("--missing exclude", "--positive VALUE", "--ids none", "--ids repair"):
        assert flag in hint
    assert "\x1b" not in done.err
    as_json = assay_cmd("confounds", name, "--no-joint", "--json").json["error"]
    assert [detail.strip() for detail in details] == as_json["details"]
    done = assay_cmd("confounds", name, *POLICY)
    assert "left-out: Records of the file were left out. 2 of 20: " in done.out
    assert "new-ids: Ids of the file were replaced. 1 of 18 records." in done.out


def test_scores_of_records_that_are_left_out_are_passed_over(assay_cmd, written):
    rows = records(40)
    rows[3]["response"] = " "
    name = written(rows)
    written([{"id": row["id"], "score": i} for i, row in enumerate(rows)], "judge.jsonl")
    done = assay_cmd("confounds", name, *POLICY, "--scores", "judge.jsonl", "--json")
    assert (done.json["n"], done.json["methods"][0]["unscored"]) == (39, 0)
    written([{"id": "other", "score": i} for i in range(40)], "lines.jsonl")
    flags = ("--missing", "exclude", "--no-joint", "--scores", "lines.jsonl", "--json")
    assert assay_cmd("confounds", name, *flags).code == 2
    by_line = assay_cmd("confounds", name, *flags, "--ids", "none").json["methods"]
    assert by_line == [{**done.json["methods"][0], "name": "lines"}]


def test_a_run_on_all_records_serves_an_audit_of_some_and_not_the_reverse(assay_cmd, written):
    rows = [{**row, "class": ("a", "b", "c")[i % 3]} for i, row in enumerate(records(60))]
    name = written(rows)
    part = ("--positive", "class == a", "--negative", "class == b", "--unknown", "exclude")
    run = ("try", "oracle:word_length", "--benchmark", name, "--bars", "plain")
    for folder, flags in (("whole", part[:2]), ("part", part)):
        assert assay_cmd(*run, "--save", folder, *flags).code == 1
    found = [
        assay_cmd("confounds", name, *part, "--no-joint", "--scores", folder, "--json").json
        for folder in ("whole", "part")
    ]
    assert found[0]["methods"] == found[1]["methods"]
    assert found[0]["n"] == 40
    done = assay_cmd("confounds", name, *part[:2], "--no-joint", "--scores", "part")
    assert done.code == 2
    assert "another digest" in done.err


def test_without_the_joint_model_there_is_no_verdict(assay_cmd, written):
    done = assay_cmd("confounds", written(records()), "--no-joint")
    assert done.code == 1
    assert "UNDECIDED  no verdict without the joint surface model" in done.out


def test_six_records_are_too_few_for_a_verdict_but_not_for_a_report(assay_cmd, written):
    done = assay_cmd("confounds", written(records(6)), "--json")
    assert done.code == 1
    assert (done.json["verdict"], done.json["joint"], done.json["n"]) == ("undecided", None, 6)
    assert {"no-surface-model", "small-n"} <= {caveat["code"] for caveat in done.json["caveats"]}


def test_one_class_alone_is_refused(assay_cmd, written):
    for label, word in ((1, "positive"), (0, "negative")):
        done = assay_cmd("confounds", written([{**row, "label": label} for row in records(20)]))
        assert done.code == 2
        assert f"every record is {word}" in done.err


def test_labels_that_are_missing_are_refused_with_the_line(assay_cmd, written):
    rows = records(20)
    done = assay_cmd("confounds", written([*rows[:5], {**rows[5], "label": None}, *rows[6:]]))
    assert done.code == 2
    assert "line 6, field 'label'" in done.err
    without = [{key: row[key] for key in ("question", "response")} for row in rows]
    done = assay_cmd("confounds", written(without), "--json")
    assert done.code == 2
    assert "--label COLUMN" in done.json["error"]["hint"]
    classes = [{**row, "class": "folklore", "label": None} for row in rows]
    done = assay_cmd("confounds", written(classes))
    assert done.code == 2
    assert "--positive" in done.err


def test_questions_alone_are_audited():
    rows = [{**row, "response": None} for row in records()]
    audit = confounds(in_memory(rows))
    assert {one.on for one in audit.features} == {"question"}
    assert audit.joint is not None
    assert audit.lint == confounds(in_memory(rows), joint=False).lint
    assert "empty-response" not in [finding.code for finding in audit.lint]


def test_empty_responses_tell_nothing_and_are_a_fault():
    audit = confounds(in_memory([{**row, "response": ""} for row in records()]))
    assert audit.verdict == "undecided"
    of_responses = [one for one in audit.features if one.on == "response"]
    assert {(one.auc, one.rho_length) for one in of_responses} == {(0.5, None)}
    assert "empty-response" in [finding.code for finding in audit.lint]


def test_a_huge_text_is_read_and_an_endless_one_refused(assay_cmd, written):
    rows = records(20)
    rows[3]["response"] = "word " * 150_000
    done = assay_cmd("confounds", written(rows), "--no-joint", "--json")
    assert done.code == 1
    rows[3]["response"] = "word " * 250_000
    done = assay_cmd("confounds", written(rows), "--no-joint")
    assert done.code == 2
    assert "line 4: " in done.err


def test_words_of_others_cannot_drive_the_terminal(assay_cmd, written, tmp_path):
    bad = "\x1b[31m\x07\r\x9b2J\u202e"
    rows = [
        {
            "id": f"{bad}{row['id']}",
            "question": f"{bad}{row['question']}",
            "response": bad * (1 + 9 * row["label"]),
            "label": row["label"],
            "source": f"{bad}{row['label']}",
            f"column{bad}": f"{bad}{row['label']}",
        }
        for row in records(30)
    ]
    written(rows)
    (tmp_path / f"x{bad[:2]}.jsonl").write_text(
        lines([{"id": row["id"], "score": row["label"]} for row in rows])
    )
    flags = ("--all", "--no-joint", "--scores", f"x{bad[:2]}.jsonl")
    done = assay_cmd("confounds", "mine.jsonl", *flags)
    assert done.code == 1
    assert "source-predicts-label" in done.out
    assert "x\\x1b[" in done.out
    shown = drawn(confounds(assay.load_benchmark(tmp_path / "mine.jsonl")))
    assert "probability of its label): \\x1b[31m" in shown
    wrong = assay_cmd("confounds", "mine.jsonl", "--scores", f"{bad}.jsonl", "--group", bad)
    assert wrong.code == 2
    assert not set("\x1b\x07\r\x9b\u202e") & set(
        done.out + done.err + shown + wrong.out + wrong.err
    )


def test_features_of_ones_own_are_listed_and_join_the_model(
    assay_cmd, method_file, written, tmp_path
):
    rows = records(40)
    for row in rows:
        row["response"] += "!" * (1 + 2 * row["label"])
    method_file(OWN)
    asked = [
        flag
        for name in ("exclaims", "asks", "gap", "anything")
        for flag in ("--feature", f"method.py:{name}")
    ]
    done = assay_cmd("confounds", written(rows), *asked, "--no-joint", "--json")
    assert done.code == 1, done.err
    own = done.json["features"][-4:]
    assert [(one["name"], one["on"]) for one in own] == [
        ("exclaims", "response"),
        ("asks", "question"),
        ("gap", "both"),
        ("anything", "response"),
    ]
    assert own[0]["auc"] == 1.0
    word_length = alone(done.json, "word_length")
    assert (own[3]["auc"], own[3]["rho_length"]) == (word_length["auc"], pytest.approx(1.0))
    benchmark = in_memory(rows)
    feature = measure_feature(f"{tmp_path}/method.py:exclaims", benchmark)
    joint = confounds(benchmark, features=[feature]).joint
    assert joint.auc > 0.95
    assert "exclaims" in [one.name for one in joint.importance]


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("raises", 5, "record r0: ValueError: no"),
        ("nan", 5, "got nan as score"),
        ("text", 5, "got 'high' as score"),
        ("nothere", 5, "has no attribute 'nothere'"),
        ("rewrites", 4, "mine.jsonl has changed since it was read"),
    ],
)
def test_a_feature_that_fails_is_an_error_and_no_verdict(
    assay_cmd, method_file, written, name, code, words
):
    method_file(OWN)
    done = assay_cmd(
        "confounds", written(records(20)), "--feature", f"method.py:{name}", "--no-joint"
    )
    assert done.code == code
    assert words in done.err
    assert "\x1b" not in done.err
    assert done.out == ""


def test_scores_come_as_files_and_as_runs_side_by_side(assay_cmd, method_file, written, tmp_path):
    rows = records(40)
    written(rows)
    written([{"id": row["id"], "score": row["label"]} for row in rows], "right.jsonl")
    (tmp_path / "other").mkdir()
    (tmp_path / "other/right.csv").write_text(
        "id,score\n" + "".join(f"{row['id']},{-row['label']}\n" for row in rows if row["id"] > "r3")
    )
    saved = assay_cmd(
        "try", "oracle:word_length", "--benchmark", "mine.jsonl", "--bars", "plain", "--save", "run"
    )
    assert saved.code in (0, 1)
    flags = [
        flag for place in ("right.jsonl", "other/right.csv", "run") for flag in ("--scores", place)
    ]
    done = assay_cmd("confounds", "mine.jsonl", *flags, "--no-joint", "--json")
    assert done.code == 1, done.err
    first, second, third = done.json["methods"]
    assert (first["name"], first["auc"], first["unscored"]) == ("right", 1.0, 0)
    assert (second["name"], second["auc"]) == ("other/right.csv", 0.0)
    assert second["unscored"] == sum(row["id"] <= "r3" for row in rows)
    word_length = alone(done.json, "word_length")["auc"]
    assert third["name"] == "oracle:word_length"
    assert max(third["auc"], 1.0 - third["auc"]) == word_length
    assert [one["beyond"] for one in done.json["methods"]] == [None] * 3
    assert "unscored" in [caveat["code"] for caveat in done.json["caveats"]]


def test_scores_that_cannot_be_used_are_refused(assay_cmd, written, tmp_path):
    rows = records(20)
    written(rows)
    written([{"id": row["id"], "score": 1} for row in rows if row["label"]], "half.jsonl")
    written([{"id": row["id"], "p": row["label"]} for row in rows], "named.jsonl")
    dark = assay.load_benchmark("darkcore")
    assay.save_run(assay.run("oracle:word_length", dark), tmp_path / "elsewhere")
    assay.save_run(assay.run("question-length", dark), tmp_path / "classes")
    (tmp_path / "empty").mkdir()
    cases = {
        "half.jsonl": "scores for 10 of 20 records, all of one class",
        "named.jsonl": "no column 'score'; the columns are 'id', 'p'",
        "nothere.jsonl": "expected a file or a run folder",
        "elsewhere": "with another digest than mine.jsonl",
        "empty": "it has no run.json",
    }
    for place, words in cases.items():
        done = assay_cmd("confounds", "mine.jsonl", "--scores", place, "--no-joint")
        assert done.code == 2, place
        assert words in done.err
    done = assay_cmd("confounds", "darkcore", "--scores", "classes", "--no-joint")
    assert (done.code, "a run of classification" in done.err) == (2, True)
    done = assay_cmd(
        "confounds", "mine.jsonl", "--scores", "named.jsonl", "--score", "p", "--no-joint", "--json"
    )
    assert done.json["methods"][0]["auc"] == 1.0


def test_a_method_that_is_surface_has_nothing_beyond_it_and_an_independent_one_keeps_its_auc():
    rows = records(
        240, size=lambda rng, label: rng.integers(4, 12) + 4 * (label and rng.random() < 0.6)
    )
    rng = np.random.default_rng(5)
    audit = confounds(
        in_memory(rows),
        scores={
            "surface": {row["id"]: float(len(row["response"].split())) for row in rows},
            "free": {row["id"]: 1.2 * row["label"] + rng.normal() for row in rows},
        },
    )
    surface, free = audit.methods
    assert audit.verdict == "confounded"
    assert surface.auc > 0.70
    assert surface.beyond.value == pytest.approx(0.5, abs=0.01)
    assert surface.surface_share > 0.95
    assert free.auc > 0.75
    assert free.beyond.value == pytest.approx(free.auc, abs=0.04)
    assert free.beyond.low > 0.65
    assert free.surface_share < 0.2


def test_another_column_that_gives_the_label_away_is_found(assay_cmd, written):
    rows = [{**row, "note": ("fine", "wrong")[row["label"]]} for row in records(40)]
    done = assay_cmd("confounds", written(rows), "--no-joint", "--json")
    (leak,) = (one for one in done.json["lint"] if one["code"] == "label-leak")
    assert "'note'" in leak["message"]
    assert leak["count"] == 40


def test_vocabulary_counts_as_surface_when_asked_for(assay_cmd, written):
    rows = records(80, size=lambda rng, label: 6)
    for row in rows:
        row["response"] = ("w900", "w901")[row["label"]] + row["response"][4:]
    done = assay_cmd("confounds", written(rows), "--surface", "lexical", "--json")
    found = done.json
    assert (done.code, done.err, found["surface"]) == (1, "", "lexical")
    assert max(one["auc"] for one in found["features"]) < 0.75 < 0.9 < found["joint"]["auc"]
    assert found["joint"]["importance"][0]["name"] == "lexical"
    assert "lexical surface" in found["signature"]


def test_what_cannot_be_audited_is_bad_usage(assay_cmd, tmp_path):
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "notes.txt").touch()
    (tmp_path / "torn.parquet").write_bytes(b"PAR1")
    for arguments in (
        ["nothere.jsonl"],
        ["."],
        ["empty.jsonl"],
        ["notes.txt"],
        ["torn.parquet"],
        ["darkcore", "--label", "verdict"],
        ["darkcore", "--surface", "deep"],
        ["darkcore", "--feature", "nothere.py:f"],
    ):
        done = assay_cmd("confounds", *arguments, "--json")
        assert done.code == 2, arguments
        assert done.json["error"]["exit_code"] == 2


def test_a_run_under_several_seeds_is_audited_under_each(assay_cmd, tmp_path):
    """The mean of its scores would be another method, and the first seed is the author's choice."""
    benchmark = assay.load_benchmark(write_rows(tmp_path / "data.jsonl"))
    one = assay.run("oracle:word_length", benchmark)
    records = [
        replace(record, seed=seed, output=record.output * (1 - 2 * seed))
        for seed in range(2)
        for record in one.records
    ]
    assay.save_run(replace(one, seeds=2, records=tuple(records)), tmp_path / "kept")
    done = assay_cmd("confounds", "data.jsonl", "--scores", "kept", "--no-joint", "--json")
    found = {method["name"]: method["auc"] for method in done.json["methods"]}
    assert list(found) == ["oracle:word_length, seed 1 of 2", "oracle:word_length, seed 2 of 2"]
    first, second = found.values()
    assert first == pytest.approx(1 - second)


def questions_only(n=400):
    """Records whose response is in a column that is not read by default."""
    return [
        {"Frage": row["question"], "Antwort": row["response"], "Urteil": row["label"], "nr": "x7"}
        for row in records(n)
    ]


def test_a_forgotten_response_is_said_first_and_in_the_verdict(assay_cmd, written):
    named = ("--question", "Frage", "--label", "Urteil")
    done = assay_cmd("confounds", written(questions_only()), *named)
    first, about, *_ = done.out.splitlines()
    assert first == "mine.jsonl: 400 records, questions only, 200 positive"
    said = " ".join(done.out.split())
    assert about.startswith("No response was read")
    assert "This column of text was not read: 'Antwort'. Did you mean --response Antwort?" in said
    assert "verdict UNDECIDED no response was read, and the column 'Antwort' may hold it" in said
    whole = assay_cmd("confounds", "mine.jsonl", *named, "--response", "Antwort").out
    assert "questions only" not in whole and "no response" not in whole


def test_a_benchmark_of_questions_alone_is_not_asked_for_a_response():
    rows = [{"question": row["question"], "label": row["label"]} for row in records(400)]
    audit = assay.confounds(rows)
    assert audit.favourable and "no response was read" in audit.because
    assert "questions only" in str(audit) and "Did you mean" not in str(audit)
    forgot = assay.confounds(questions_only(40), question="Frage", label="Urteil", joint=False)
    assert 'Did you mean `response="Antwort"`?' in str(forgot)


def test_records_without_any_text_are_not_clean():
    rows = [{"question": i, "label": int(np.cos(i) > 0)} for i in range(400)]
    audit = assay.confounds(rows)
    assert audit.verdict == "undecided" and not audit.favourable
    assert audit.because.startswith("there is no text here")
    assert "no-text" in {caveat.code for caveat in audit.caveats}
    texts = assay.confounds([{**row, "response": f"a {i % 7}"} for i, row in enumerate(rows)])
    assert "no text here" not in str(texts)


def test_several_score_columns_are_methods_called_by_their_columns(assay_cmd, written):
    rows = [
        {**row, "judge": row["label"] + i % 3, "coin": i % 5} for i, row in enumerate(records())
    ]
    name = written(rows)
    asked = ("confounds", name, "--no-joint", "--scores", name, "--score", "judge", "--json")
    done = assay_cmd(*asked, "--score", "coin")
    both = json.loads(done.out)["methods"]
    assert [method["name"] for method in both] == ["judge", "coin"]
    (one,) = json.loads(assay_cmd(*asked).out)["methods"]
    assert one["name"] == "mine" and one["auc"] == both[0]["auc"]
    found = assay.confounds(
        rows, joint=False, scores={"x": rows, "y": rows}, score=["judge", "coin"]
    )
    assert [method.name for method in found.methods] == [
        "x, judge",
        "x, coin",
        "y, judge",
        "y, coin",
    ]
    twice = assay_cmd(*asked, "--score", "judge")
    assert twice.code == 2 and "--score judge is given twice" in twice.err


def test_score_takes_a_column_of_the_data_as_confounds_does(assay_cmd, written):
    done = assay_cmd("score", written(records()), "--label", "label", "--score", "judge")
    assert done.code == 2 and "no column 'judge' to take scores from" in done.err


def test_a_column_of_the_file_holds_the_scores(assay_cmd, tmp_path):
    rows = [
        {"question": f"q{i}", "response": "a " * (i % 7), "label": i % 2, "judge": i % 5}
        for i in range(60)
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "mine.jsonl").write_text(text, encoding="utf-8")
    done = assay_cmd("confounds", "mine.jsonl", "--score", "judge", "--no-joint", "--json")
    assert [method["name"] for method in done.json["methods"]] == ["judge"]
    refused = assay_cmd("confounds", "mine.jsonl", "--score", "jugde", "--no-joint")
    assert refused.code == 2 and "no column 'jugde' to take scores from" in refused.err
    refused = assay_cmd("confounds", "mine.jsonl", "--scores", "judge", "--no-joint")
    assert refused.code == 2 and "Name it so: --score judge, without --scores" in refused.err


def test_the_next_command_has_the_flags_that_were_given(assay_cmd, tmp_path):
    rows = [
        f'"Ask, {i}?","{"so " * (1 + i % 5 + 4 * (i % 2))}",{"no way" if i % 2 else "ok"}'
        for i in range(200)
    ]
    text = "\n".join(["The prompt,reply,verdict", *rows])
    (tmp_path / "my bench.csv").write_text(text, encoding="utf-8")
    flags = ["--question", "The prompt", "--response", "reply", "--label", "verdict"]
    flags += ["--positive", "no way"]
    done = assay_cmd("confounds", "my bench.csv", *flags)
    line = next(line for line in done.out.splitlines() if "assay balance" in line)
    command = shlex.split(line[line.index("assay balance") :])
    expected = ["my bench.csv", *flags, "--out", "my bench-balanced.csv"]
    assert command == ["assay", "balance", *expected]
    assert assay_cmd(*command[1:]).code in (0, 1)
    assert "most given away (record number, from 1, and probability of its label): " in done.out


def test_the_rule_of_flags_is_printed_wherever_rho_is(assay_cmd, tmp_path):
    rows = [
        {"question": f"q{i}", "label": i % 2, "response": "so " * (1 + i // 2 % 9 + i % 2)}
        for i in range(600)
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "mine.jsonl").write_text(text, encoding="utf-8")
    said = " ".join(assay_cmd("confounds", "mine.jsonl", "--no-joint").out.split())
    assert re.search(r"word_length 0\.[56]\d\d \[[^]]*\] higher 1\.00 (?!length|orthogonal)", said)
    assert "Flags mark an AUC of at least 0.70: length if |rho| is at least 0.5" in said


def test_without_a_surface_model_methods_have_no_empty_columns(assay_cmd, tmp_path):
    lines = [f"{item.id},{len(item.response)}" for item in assay.load_benchmark("darkcore").items]
    (tmp_path / "length.csv").write_text("\n".join(["id,score", *lines]))
    done = assay_cmd("confounds", "darkcore", "--no-joint", "--scores", "length.csv")
    said = " ".join(done.out.split())
    assert "beyond the surface, surface share: not computed" in said
    assert "the AUC by the part of the score" not in said
