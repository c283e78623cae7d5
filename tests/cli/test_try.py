import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from helpers.fakes import detection_bars
from helpers.scale import scale
from helpers.studies import write_rows

KEYS = {
    "verdict",
    "point",
    "bars",
    "items",
    "unscored",
    "sealed",
    "isolation",
    "caveats",
    "signature",
}
BAR_KEYS = {
    "id",
    "metric",
    "partition",
    "value",
    "low",
    "high",
    "threshold",
    "point",
    "outcome",
    "parts",
}


def test_the_length_oracle_passes_v1_at_the_points_and_not_v3(assay_cmd):
    first = assay_cmd("try", "oracle:word_length", "--bars", "v1", "--json").json
    assert first["point"] == {"passed": 2, "total": 2, "verdict": "pass"}
    third = assay_cmd("try", "oracle:word_length", "--bars", "v3", "--json")
    assert third.code == 1
    assert third.json["point"]["verdict"] == "fail"
    (d3,) = (bar for bar in third.json["bars"] if bar["id"] == "D3")
    assert d3["value"] == 0.0
    assert [part["value"] for part in d3["parts"]] == [0.0, 0.0]


def test_json_has_the_documented_keys(assay_cmd):
    found = assay_cmd("try", "token-overlap", "--json").json
    assert set(found) >= KEYS
    for bar in found["bars"]:
        assert set(bar) >= BAR_KEYS
        assert bar["outcome"] in ("pass", "fail", "unresolved")
        assert isinstance(bar["point"], bool)
    assert found["sealed"] is False
    assert found["isolation"] == "L1"
    assert {"code", "message"} == set(found["caveats"][0])
    assert "unsealed" in [caveat["code"] for caveat in found["caveats"]]


def test_the_exit_code_is_the_verdict(assay_cmd):
    assert assay_cmd("try", "oracle:word_length", "--bars", "v1").code == 0
    assert assay_cmd("try", "token-overlap", "--bars", "v2").code == 1
    assert assay_cmd("try", "constant").code == 1


def test_the_table_shows_both_verdicts_the_intervals_and_the_signature(assay_cmd):
    done = assay_cmd("try", "oracle:word_length", "--bars", "v2")
    for words in (
        "D3",
        "word_length",
        "point verdict  FAIL  2/3",
        "verdict        FAIL",
        "unsealed:",
        "not-isolated:",
        "n 108 · darkcore@",
    ):
        assert words in done.out
    assert done.err == ""


def test_a_run_saved_is_judged_again_as_if_it_had_been_judged_then(assay_cmd, tmp_path):
    at_once = assay_cmd("try", "token-overlap", "--bars", "v2", "--save", "kept", "--json")
    again = assay_cmd("score", "kept", "--bars", "v2", "--json")
    assert again.out == at_once.out
    assert again.code == at_once.code
    assert assay_cmd("score", "kept", "--bars", "v1").code == 0
    lines = (tmp_path / "kept/outputs.jsonl").read_text().splitlines()
    assert len(lines) == 108
    assert set(json.loads(lines[0])) == {"item", "output", "error", "ms"}


def test_saving_over_a_run_is_refused(assay_cmd):
    assert assay_cmd("try", "constant", "--save", "kept").code == 1
    done = assay_cmd("try", "constant", "--save", "kept")
    assert done.code == 2
    assert "kept is not empty" in done.err


def test_ones_own_file_with_ones_own_columns(assay_cmd, method_file, tmp_path):
    rows = [f'"Is {i} odd?",{i},{"bad" if i % 2 else "good"}' for i in range(60)]
    (tmp_path / "mine.csv").write_text("q,answer,verdict\n" + "\n".join(rows) + "\n")
    reference = method_file("def detect(question, response): return int(response) % 2")
    done = assay_cmd(
        "try",
        reference,
        "--benchmark",
        "mine.csv",
        "--question",
        "q",
        "--response",
        "answer",
        "--label",
        "verdict",
        "--positive",
        "bad",
        "--bars",
        "plain",
        "--json",
        "--save",
        "kept",
    )
    assert done.code == 0, done.err
    assert done.json["benchmark"] == "mine.csv"
    assert [bar["outcome"] for bar in done.json["bars"]] == ["pass"] * 3
    assert assay_cmd("score", "kept", "--bars", "plain", "--json").out == done.out
    (tmp_path / "mine.csv").rename(tmp_path / "moved.csv")
    assert assay_cmd("score", "kept", "--bars", "plain").code == 2
    moved = assay_cmd("score", "kept", "--bars", "plain", "--benchmark", "moved.csv")
    assert moved.code == 0
    (tmp_path / "moved.csv").write_text(
        (tmp_path / "moved.csv").read_text() + '"Is 1 odd?",1,bad\n'
    )
    changed = assay_cmd("score", "kept", "--bars", "plain", "--benchmark", "moved.csv")
    assert changed.code == 4
    assert changed.err.startswith("DigestMismatch: ")


def test_a_file_with_labels_only_is_judged_by_the_plain_bars(assay_cmd, tmp_path):
    rows = [json.dumps({"question": f"q{i}", "response": "a", "label": i % 2}) for i in range(10)]
    (tmp_path / "mine.jsonl").write_text("\n".join(rows))
    done = assay_cmd("try", "oracle:word_length", "--benchmark", "mine.jsonl", "--json")
    assert done.json["bars_version"] == "plain"
    codes = [caveat["code"] for caveat in done.json["caveats"]]
    assert {"constant-scores", "idle-control", "small-n"} <= set(codes)
    asked = assay_cmd("try", "oracle:word_length", "--benchmark", "mine.jsonl", "--bars", "v3")
    assert asked.code == 2
    assert "has no class" in asked.err
    assert "--bars plain" in asked.err


def test_what_cannot_be_judged_is_refused_before_the_method_is_asked(
    assay_cmd, method_file, tmp_path
):
    reference = method_file(
        "def detect(question, response):\n    open('asked', 'w').close()\n    return 1.0\n"
    )
    for arguments in (["--benchmark", "folklore.jsonl"], ["--bars", "mine.toml"], ["--save", "x"]):
        rows = [
            json.dumps({"question": f"q{i}", "class": "folklore", "response": "a"}) for i in "ab"
        ]
        (tmp_path / "folklore.jsonl").write_text("\n".join(rows))
        (tmp_path / "mine.toml").write_text(
            detection_bars(more='minus = { feature = "vibes", direction = "raw" }')
        )
        (tmp_path / "x").mkdir(exist_ok=True)
        (tmp_path / "x/file").touch()
        bars = [] if "--bars" in arguments else ["--bars", "v1"]
        done = assay_cmd("try", reference, *arguments, *bars)
        assert done.code == 2, done.err
        assert not (tmp_path / "asked").exists()


def test_a_method_that_rewrites_the_bars_or_the_data_changes_nothing(
    assay_cmd, method_file, tmp_path
):
    rows = [json.dumps({"question": f"q{i}", "response": "a", "label": i % 2}) for i in range(40)]
    (tmp_path / "mine.jsonl").write_text("\n".join(rows))
    bars = detection_bars(positive="label == 1", negative="label == 0", at_least="0.9")
    (tmp_path / "mine.toml").write_text(bars)
    reference = method_file(
        "from pathlib import Path\n"
        "for name in ('mine.toml', 'mine.jsonl'):\n"
        "    path = Path(__file__).with_name(name)\n"
        "    path.write_text(path.read_text().replace('0.9', '-1').replace('0}', '1}'))\n"
        "def detect(question, response):\n    return 0.5\n"
    )
    done = assay_cmd("try", reference, "--benchmark", "mine.jsonl", "--bars", "mine.toml", "--json")
    assert done.json["verdict"] == "fail"
    assert done.json["bars"][0]["threshold"] == 0.9


def test_a_one_class_file_is_refused(assay_cmd, tmp_path):
    rows = [json.dumps({"question": "q", "response": "a", "label": 1}) for i in range(10)]
    (tmp_path / "mine.jsonl").write_text("\n".join(rows))
    done = assay_cmd("try", "oracle:word_length", "--benchmark", "mine.jsonl", "--bars", "plain")
    assert done.code == 2
    assert done.err.startswith("OneClassPartition: bar P1: no scored record with label == 0")


def test_classification_uses_the_second_corpus_of_its_bars(assay_cmd):
    done = assay_cmd("try", "question-length", "--json")
    assert done.json["items"] == 188
    assert "folklore-two@" in done.json["signature"]
    assert [bar["id"] for bar in done.json["bars"]] == ["K1", "K2", "K3"]


@pytest.mark.parametrize("name", ["tfidf:word", "tfidf:char"])
def test_tfidf_runs_out_of_fold_in_both_tasks(assay_cmd, name):
    if name in scale(("tfidf:word",), ("tfidf:word", "tfidf:char")):  # the long part of it
        classes = assay_cmd("try", name, "--json").json
        assert classes["task"] == "classification"
    scores = assay_cmd("try", name, "--task", "detection", "--json", "--save", "kept").json
    assert 0.5 < scores["bars"][0]["value"] < 0.95
    assert assay_cmd("score", "kept", "--json").json == scores


def test_errors_in_json_are_json(assay_cmd):
    done = assay_cmd("try", "nothing", "--json")
    assert done.code == 2
    assert done.json["error"]["type"] == "SpecError"
    assert done.json["error"]["exit_code"] == 2


def test_usage_errors_in_json_are_json_too(assay_cmd):
    done = assay_cmd("try", "constant", "--nonsense", "--json")
    assert done.code == 2
    assert "No such option" in done.json["error"]["message"]


def test_a_terminal_without_our_signs_still_gets_a_table(assay_cmd):
    for encoding in ("ascii", "cp1252"):
        done = assay_cmd("try", "oracle:word_length", PYTHONIOENCODING=encoding)
        assert done.code == 1
        assert "D3  AUC - word_length at least 0.10  fail" in done.out


def test_every_line_of_a_scorecard_fits_a_narrow_terminal(assay_cmd):
    done = assay_cmd("try", "oracle:word_length")
    bars = done.out.split("\n\n")[1]
    assert max(map(len, bars.splitlines())) <= 72


def test_a_full_disk_behind_standard_output_is_an_error_of_ours(tmp_path):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "assay", "methods"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
            check=False,
        )
    assert done.returncode == 2
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("redirection", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
def test_closed_streams_are_no_fault(tmp_path, redirection):
    for words in ("try oracle:word_length --bars v1", "--help", "methods"):
        done = subprocess.run(
            ["bash", "-c", f"exec {sys.executable} -m assay {words} {redirection}"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, (words, done.stderr)
        assert "Traceback" not in done.stderr


def test_full_streams_are_an_error_and_never_a_verdict(tmp_path, method_file):
    reference = method_file("def detect(q, r):\n    print('x' * 999)\n    return len(r)\n")
    cases = {
        "--help >/dev/full": 2,
        "try oracle:word_length --bars v1 --json >/dev/full": 2,
        f"try {reference} --bars v2 --save kept 2>/dev/full": 1,  # its verdict
    }
    for words, code in cases.items():
        done = subprocess.run(
            ["bash", "-c", f"exec {sys.executable} -m assay {words}"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, (words, done.stderr)
        assert "Traceback" not in done.stderr
    assert len((tmp_path / "kept/outputs.jsonl").read_text().splitlines()) == 108


def test_a_corrected_command_may_use_the_same_folder(assay_cmd, method_file):
    assert assay_cmd("try", method_file("import nonsense"), "--save", "kept").code == 5
    assert assay_cmd("try", "misspelt.py:detect", "--save", "kept").code == 2
    assert assay_cmd("try", "oracle:word_length", "--bars", "v1", "--save", "kept").code == 0


def test_classes_of_ones_own_with_labels_are_judged_by_scores(assay_cmd, tmp_path):
    rows = [
        json.dumps({"question": f"q{i}", "response": "a " * i, "label": i % 2, "class": "spam"})
        for i in range(40)
    ]
    (tmp_path / "mine.jsonl").write_text("\n".join(rows))
    done = assay_cmd("try", "tfidf:word", "--benchmark", "mine.jsonl", "--json")
    assert (done.json["task"], done.json["bars_version"]) == ("detection", "plain")
    asked = assay_cmd("try", "hash-random", "--task", "classification", "--benchmark", "mine.jsonl")
    assert asked.code == 2
    assert "--task detection" in asked.err


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_run_that_is_interrupted_is_kept_and_can_be_judged(
    sent, code, tmp_path, method_file, assay_cmd
):
    reference = method_file(
        "import time\ndef detect(q, r):\n    time.sleep(0.05)\n    return 1.0\n"
    )
    going = subprocess.Popen(
        [sys.executable, "-m", "assay", "try", reference, "--save", "kept"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while (
        not (tmp_path / "kept/outputs.jsonl").exists()
        or (tmp_path / "kept/outputs.jsonl").read_text().count("\n") < 20
    ):
        time.sleep(0.05)
    going.send_signal(sent)
    _, said = going.communicate(timeout=30)
    assert going.returncode == code
    assert "outputs that were made are kept in kept. Judge them: assay score kept" in said
    done = assay_cmd("score", "kept", "--bars", "v1", "--json")
    assert done.json["verdict"] == "unresolved"
    assert "incomplete-run" in [caveat["code"] for caveat in done.json["caveats"]]


def test_a_worker_dies_with_its_parent(tmp_path, method_file):
    reference = method_file(
        "import os, pathlib\n"
        "def detect(q, r):\n"
        "    pathlib.Path(__file__).with_name('pid').write_text(str(os.getpid()))\n"
        "    while True: pass\n"
    )
    going = subprocess.Popen([sys.executable, "-m", "assay", "try", reference], cwd=tmp_path)
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
        time.sleep(0.05)
    worker = Path("/proc") / (tmp_path / "pid").read_text()
    assert worker.exists()
    going.kill()
    going.wait()
    for _ in range(100):
        if is_gone(worker):
            return
        time.sleep(0.05)
    pytest.fail("the worker outlived its parent")


def is_gone(process):
    try:
        return (process / "stat").read_text().split()[2] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def test_words_of_others_cannot_drive_the_terminal(assay_cmd, tmp_path):
    (tmp_path / "mine.jsonl").write_text('{"question": "q", "label": "\\u001b[31mred"}')
    done = assay_cmd("try", "constant", "--benchmark", "mine.jsonl")
    assert done.code == 2
    assert "\x1b" not in done.err
    assert "red" in done.err


def test_rubbish_arguments_are_bad_usage(assay_cmd):
    for arguments in (
        ["--seed", "x"],
        ["--task", "poetry"],
        ["--bars", "v99"],
        ["--nonsense"],
        ["--item-seconds", "-1"],
        ["--benchmark", "absent.jsonl"],
    ):
        assert assay_cmd("try", "constant", *arguments).code == 2, arguments


def test_the_value_of_a_variable_is_not_shown(assay_cmd):
    done = assay_cmd("try", "constant", "--env", "MY_KEY=abc")
    assert done.code == 2
    assert "give the name only: --env MY_KEY." in done.err
    assert "abc" not in done.err


def test_default_bars_point_to_those_beyond_the_surface(assay_cmd, tmp_path):
    write_rows(tmp_path / "mine.jsonl", 60)
    plain = assay_cmd("try", "token-overlap", "--benchmark", "mine.jsonl")
    assert "beyond the surface" in plain.out and "--bars plain-2" in plain.out
    assert "--bars plain-2" not in assay_cmd("try", "token-overlap", "--bars", "v1").out


def test_three_caveats_are_written_out_and_all_if_asked_for(assay_cmd, tmp_path):
    rows = [f"Why {n // 2}?,{'a ' * (1 + n % 2)},{n % 2}" for n in range(20)]
    (tmp_path / "small.csv").write_text("\n".join(["question,response,label", *rows]))
    words = ("try", "oracle:word_length", "--benchmark", "small.csv", "--bars", "plain")
    short, whole = assay_cmd(*words).out, assay_cmd(*words, "--caveats").out
    assert "same-ranking: " in short and "idle-control: " in short and "small-n: " in short
    others = "unsealed, not-isolated, grouped-by-question"
    assert f"also noted: {others} (--caveats shows them)" in short
    assert "not-isolated: " not in short
    assert "not-isolated: " in whole and "also noted" not in whole
    card = assay_cmd(*words, "--json").json
    assert all(f"{caveat['code']}: " in whole for caveat in card["caveats"])
