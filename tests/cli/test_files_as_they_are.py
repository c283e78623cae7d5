"""The command reads files as they are, and standard input."""

import json
import subprocess
import sys

import pytest
from helpers.command import command

ROWS = [
    {"id": f"r{i}", "doc": {"q": f"Is it so, {i}?", "a": "yes " * (i % 7)}, "label": i % 2}
    for i in range(40)
]
FLAT = [
    {"id": row["id"], "question": row["doc"]["q"], "response": "so", "label": row["label"]}
    for row in ROWS
]


def piped(folder, data, *words):
    """The command with something on its standard input."""
    done = subprocess.run(
        [sys.executable, "-m", "assay", *words],
        cwd=folder,
        input=data,
        capture_output=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_nested_columns_by_flags(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(ROWS))
    flags = ("--question", "doc.q", "--response", "doc.a", "--no-joint")
    done = command(tmp_path, "confounds", "a.json", *flags)
    assert "a.json: 40 records, 20 positive" in done.stdout


def test_an_encoding_is_named_and_used(tmp_path):
    text = "id;question;label\n" + "".join(f"{i};é {i}?;{i % 2}\n" for i in range(30))
    (tmp_path / "a.csv").write_bytes(text.encode("cp1252"))
    done = command(tmp_path, "confounds", "a.csv", "--no-joint")
    assert done.returncode == 2
    assert "Name the encoding: --encoding cp1252." in done.stderr
    done = command(tmp_path, "confounds", "a.csv", "--no-joint", "--encoding", "cp1252")
    assert "30 records" in done.stdout
    done = command(tmp_path, "confounds", "a.csv", "--encoding", "nope")
    assert done.stderr.startswith("SpecError: --encoding nope: unknown text encoding")


def test_scores_have_an_encoding_of_their_own(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(FLAT))
    scores = "id,score\n" + "".join(f"{row['id']},0.{n}\n" for n, row in enumerate(FLAT))
    (tmp_path / "s.csv").write_bytes(scores.encode("utf-16"))
    words = ("confounds", "a.json", "--no-joint", "--scores", "s.csv")
    assert "--scores-encoding utf-16" in command(tmp_path, *words).stderr
    done = command(tmp_path, *words, "--scores-encoding", "utf-16", "--json")
    assert "s" in json.dumps(json.loads(done.stdout)["methods"])


def test_a_split_is_chosen_by_a_flag(tmp_path):
    (tmp_path / "set").mkdir()
    for name in ("train", "test"):
        text = "".join(json.dumps(row) + "\n" for row in FLAT)
        (tmp_path / "set" / f"{name}.jsonl").write_text(text)
    done = command(tmp_path, "confounds", "set")
    assert "expected one split, got 2: test, train" in done.stderr
    assert "Choose one: --split test." in done.stderr
    done = command(tmp_path, "confounds", "set", "--split", "train", "--no-joint")
    assert "set: 40 records" in done.stdout


def test_standard_input_of_confounds_balance_and_try(tmp_path):
    data = json.dumps(FLAT).encode()
    code, out, _ = piped(tmp_path, data, "confounds", "-", "--no-joint")
    assert "standard input: 40 records" in out
    code, out, _ = piped(
        tmp_path, data, "try", "token-overlap", "--benchmark", "-", "--save", "run"
    )
    assert "on standard input" in out
    done = command(tmp_path, "score", "run")
    assert "standard input was read from a pipe and cannot be read again" in done.stderr
    (tmp_path / "same.json").write_bytes(data)
    assert command(tmp_path, "score", "run", "--benchmark", "same.json").stdout
    code, _, err = piped(tmp_path, data, "balance", "-", "--out", "new.csv")
    assert (code, "the records are in .json" in err) == (2, True)
    code, _, err = piped(tmp_path, data, "new", "study", "--benchmark", "-")
    assert (code, "a study keeps its benchmark as one file" in err) == (2, True)


@pytest.mark.parametrize("data", [b"", b"\0\1\2", b"<html></html>", b"{"])
def test_what_is_wrong_with_standard_input_is_said(tmp_path, data):
    code, out, err = piped(tmp_path, data, "confounds", "-")
    assert (code, out) == (2, "")
    assert "SpecError: standard input" in err
    assert "Traceback" not in err


def test_standard_input_of_compare_and_of_scores(tmp_path):
    table = "instance;acc\n" + "".join(f"q{i};{i % 2}\n" for i in range(12))
    (tmp_path / "b.csv").write_text(table.replace(";0", ";1"))
    code, out, _ = piped(
        tmp_path, table.encode(), "compare", "--baseline", "-", "--candidate", "b.csv"
    )
    assert "12 runs against 12" in out
    code, _, err = piped(tmp_path, table.encode(), "compare", "--baseline", "-", "--candidate", "-")
    assert (code, "named twice" in err) == (2, True)
    (tmp_path / "a.json").write_text(json.dumps(FLAT))
    scores = "".join(json.dumps({"id": row["id"], "score": 1}) + "\n" for row in FLAT).encode()
    code, out, _ = piped(tmp_path, scores, "confounds", "a.json", "--no-joint", "--scores", "-")
    assert "standard input" in out
