import subprocess
import sys

from assay.benchmark.benchmark import BUNDLED
from assay.method.registry import REGISTERED, listed


def test_every_bundled_benchmark_is_listed_with_its_classes_and_digest(assay_cmd):
    found = assay_cmd("benchmark", "list", "--json").json
    assert [entry["name"] for entry in found] == list(BUNDLED)
    assert found[0]["classes"]["truth"] == 55
    assert all(entry["digest"].startswith("sha256:") for entry in found)
    listed = assay_cmd("benchmark", "list")
    assert all(name in listed.out for name in BUNDLED)
    assert assay_cmd("benchmark").out == listed.out


def test_every_registered_method_is_listed(assay_cmd):
    found = assay_cmd("methods", "--json").json
    assert [entry["name"] for entry in found] == list(listed())
    classes = {entry["name"]: entry["method_class"] for entry in found}
    assert classes["tfidf:word"] == "lexical"
    assert classes["likelihood-difference:MODEL,MODEL"] == "likelihood"
    shown = assay_cmd("methods").out
    assert all(name in shown for name in listed() if not name.endswith(":inverse"))


def test_the_source_systems_methods_are_there():
    features = (
        "word_length",
        "char_length",
        "sentence_count",
        "question_mark_count",
        "exclamation_count",
        "capitalized_token_ratio",
        "hedge_density",
        "type_token_ratio",
        "numeric_token_ratio",
        "single_token_flag",
        "uppercase_ratio",
    )
    for name in (
        *(f"oracle:{feature}" for feature in features),
        "majority",
        "constant",
        "hash-random",
        "question-length",
        "tfidf:word",
        "tfidf:char",
        "token-overlap",
    ):
        assert name in REGISTERED


def test_the_demo_shows_a_pass_under_v1_turn_into_what_it_is(assay_cmd):
    done = assay_cmd("demo", "--json")
    assert done.code == 0
    verdicts = {(card["method"], card["bars_version"]): card["verdict"] for card in done.json}
    assert verdicts["oracle:word_length", "v1"] == "pass"
    assert verdicts["oracle:word_length", "v2"] == "fail"
    assert "pass" not in {verdicts[method, "v3"] for method, _ in verdicts}
    shown = assay_cmd("demo").out
    assert "oracle:word_length" in shown
    assert "PASS 2/2" in shown
    assert "FAIL 2/3" in shown


def test_a_reader_who_goes_away_is_no_error(tmp_path):
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m assay methods --json | head -c 10"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.stderr == ""
