import pytest

import assay

KEYS = {
    "task",
    "version",
    "supersedes",
    "drops",
    "because",
    "digest",
    "partitions",
    "bars",
    "regressions",
    "second",
}
REVISE = ("bars", "revise", "v1", "--add", "D3", "--control", "feature:word_length")
COUNTS = ("--margin", ".10", "--because", "counting words passes")


def test_every_bundled_version_is_listed_with_its_reason(assay_cmd):
    done = assay_cmd("bars", "show")
    assert done.code == 0
    for words in ("plain-2", "v4", "classification", "The number of words in the answer alone"):
        assert words in done.out
    listed = assay_cmd("bars", "show", "--task", "detection", "--json").json
    assert [one["version"] for one in listed] == ["plain", "plain-2", "v1", "v2", "v3", "v4"]
    assert all(set(one) == KEYS for one in listed)


def test_a_version_is_shown_whole(assay_cmd):
    shown = assay_cmd("bars", "show", "v4").out
    for words in (
        "D3    AUC at least 0.10 over word_length, in either direction",
        "D5    AUC beyond all surface features at least 0.65",
        "D6    AUC at least 0.65 within sources, where there are several",
        "folklore: class == folklore  against  class == truth",
        "surface-model meets D1, D2 and must miss D5",
        "supersedes v3",
    ):
        assert words in shown
    found = assay_cmd("bars", "show", "v4", "--json").json
    bars = assay.load_bars("v4")
    assert set(found) == KEYS
    assert [bar["id"] for bar in found["bars"]] == [bar.id for bar in bars.bars]
    assert found["digest"] == bars.digest
    assert found["partitions"]["folklore"]["positive"] == "class == folklore"


def test_the_difference_of_two_versions_is_what_was_added_changed_and_dropped(assay_cmd):
    found = assay_cmd("bars", "diff", "v3", "v4", "--json").json
    assert set(found) == {"old", "new", "because", "changes"}
    assert (found["old"], found["new"]) == ("detection-v3", "detection-v4")
    assert found["because"] == assay.load_bars("v4").because
    assert [(one["bar"], one["change"]) for one in found["changes"]] == [
        ("D3", "changed"),
        ("D5", "added"),
        ("D6", "added"),
    ]
    d3 = found["changes"][0]
    assert [d3[side]["minus"]["direction"] for side in ("old", "new")] == ["raw", "better"]
    back = assay_cmd("bars", "diff", "v4", "v3", "--json").json["changes"]
    assert [one["change"] for one in back] == ["changed", "dropped", "dropped"]
    shown = assay_cmd("bars", "diff", "v3", "v4").out
    assert "detection-v3 -> detection-v4" in shown
    assert "AUC beyond all surface features at least 0.65" in shown
    assert "The bars are the same." in assay_cmd("bars", "diff", "v1", "v1").out


def test_bars_that_are_not_there_are_bad_usage(assay_cmd):
    for arguments in (
        ["show", "v99"],
        ["diff", "v1"],
        ["diff", "v1", "v99"],
        ["show", "v4", "--task", "poetry"],
        ["mend"],
    ):
        assert assay_cmd("bars", *arguments).code == 2, arguments


def test_a_revision_is_the_old_bars_and_one_more(assay_cmd, tmp_path):
    done = assay_cmd(*REVISE, *COUNTS)
    assert done.code == 0, done.err
    for words in (
        "oracle:word_length under v1: 2/2",
        "oracle:word_length under v1-2: 2/3",
        "D3 0.000",
        "assay score --all --bars v1-2.toml",
    ):
        assert words in done.out
    base, made = assay.load_bars("v1"), assay.load_bars(tmp_path / "v1-2.toml")
    assert made.bars[:-1] == base.bars
    assert made.partitions == base.partitions
    new = made.bars[-1]
    assert (new.id, new.at_least, new.metric) == ("D3", 0.10, "auc")
    assert (new.minus.feature, new.minus.direction) == ("word_length", "better")
    assert new.partitions == ("misconception", "folklore")
    assert made.regressions[:-1] == base.regressions
    cheat = made.regressions[-1]
    assert (cheat.method, cheat.passes, cheat.fails) == (
        "oracle:word_length",
        ("D1", "D2"),
        ("D3",),
    )
    assert (made.version, made.supersedes, made.because) == ("v1-2", "v1", "counting words passes")
    judged = assay_cmd("try", "oracle:word_length", "--bars", "v1-2.toml", "--json").json
    assert judged["point"] == {"passed": 2, "total": 3, "verdict": "fail"}


def test_a_revision_in_json_carries_the_cheat_under_both_versions(assay_cmd, tmp_path):
    done = assay_cmd(*REVISE, *COUNTS, "--version", "mine-7", "--out", "deep/mine.toml", "--json")
    assert done.code == 0, done.err
    assert set(done.json) == {"out", "bars", "before", "after"}
    assert done.json["before"]["point"]["verdict"] == "pass"
    assert done.json["after"]["point"]["verdict"] == "fail"
    made = assay.load_bars(tmp_path / "deep/mine.toml")
    assert done.json["bars"]["digest"] == made.digest
    assert made.version == "mine-7"


def test_a_feature_that_points_the_other_way_is_its_own_cheat_too(assay_cmd, tmp_path):
    done = assay_cmd(
        "bars", "revise", "v1", "--add", "D4", "--control", "feature:capitalized_token_ratio",
        "--margin", "0.1", "--because", "capitals, inverted, pass", "--out", "mine.toml",
    )  # fmt: skip
    assert done.code == 0, done.err
    cheat = assay.load_bars(tmp_path / "mine.toml").regressions[-1]
    assert cheat.method == "oracle:capitalized_token_ratio:inverse"


@pytest.mark.parametrize("because", [(), ("--because", ""), ("--because", " \t\n ")])
def test_a_revision_without_a_reason_is_refused(assay_cmd, tmp_path, because):
    done = assay_cmd(*REVISE, "--margin", ".10", *because)
    assert done.code == 2
    assert "a revision needs a reason" in done.err
    assert list(tmp_path.iterdir()) == []


REFUSED = {
    "a cheat that does not pass": (
        ("v1", "--control", "feature:hedge_density", "--margin", ".1"),
        "does not pass detection-v1",
    ),
    "a cheat that was stopped before": (
        ("v3", "--control", "feature:word_length", "--margin", ".1"),
        "oracle:word_length does not pass detection-v3 (it misses D3",
    ),
    "a cheat that also passes the new bar": (
        ("v1", "--control", "feature:word_length", "--margin", "-0.5"),
        "also passes the new bar (D7 0.000, at least -0.50)",
    ),
    "another cheat that does not pass": (
        ("v1", "--control", "feature:word_length", "--margin", ".1", "--regression", "constant"),
        "constant does not pass detection-v1",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_revision_without_pressure_is_refused(assay_cmd, tmp_path, name):
    (base, *flags), words = REFUSED[name]
    done = assay_cmd("bars", "revise", base, "--add", "D7", *flags, "--because", "it seems better")
    assert done.code == 3
    assert done.err.startswith("ProtocolError: ")
    assert words in done.err
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_written_over(assay_cmd, tmp_path):
    (tmp_path / "v1-2.toml").write_text("mine")
    for out in ((), ("--out", "v1-2.toml"), ("--out", ".")):
        done = assay_cmd(*REVISE, *COUNTS, *out)
        assert done.code == 2
        assert "already exists" in done.err
    assert (tmp_path / "v1-2.toml").read_text() == "mine"


def test_what_makes_no_bar_is_bad_usage(assay_cmd, tmp_path):
    def revise(*, base="v1", add="D3", control="feature:word_length", margin=".1", more=()):
        return assay_cmd(
            "bars", "revise", base, "--add", add, "--control", control, "--margin", margin,
            "--because", "so", *more,
        )  # fmt: skip

    for done in (
        revise(control="feature:charm"),
        revise(control="charm"),
        revise(margin="nan"),
        revise(margin="much"),
        revise(add="D1"),
        revise(base="v99"),
        revise(more=("--version", "../up")),
        revise(more=("--regression", "nothing")),
        revise(base="v3", more=("--task", "classification")),
    ):
        assert done.code == 2, done.err
    assert list(tmp_path.iterdir()) == []


def test_the_cheat_is_really_run(assay_cmd, method_file, tmp_path):
    reference = method_file(
        "from pathlib import Path\n"
        "def detect(question, response):\n"
        "    Path(__file__).with_name('ran').touch()\n"
        "    return len(response.split())\n"
    )
    done = assay_cmd(*REVISE, *COUNTS, "--regression", reference)
    assert done.code == 0, done.err
    assert (tmp_path / "ran").exists()
    assert assay.load_bars(tmp_path / "v1-2.toml").regressions[-1].method == reference
    reference = method_file("def detect(question, response):\n    raise ValueError('no')\n")
    done = assay_cmd(*REVISE, *COUNTS, "--regression", reference, "--out", "other.toml")
    assert done.code == 5
    assert "ValueError: no" in done.err
    assert not (tmp_path / "other.toml").exists()


def test_a_reason_of_odd_characters_survives_and_cannot_drive_the_terminal(assay_cmd, tmp_path):
    reason = "it's \"so\" \\ \t\n\x1b[31m é 🜨 \u202e\x7f''' # [bar] = end"
    done = assay_cmd(*REVISE, "--margin", ".1", "--because", reason)
    assert done.code == 0, done.err
    text = (tmp_path / "v1-2.toml").read_text(encoding="utf-8")
    assert assay.load_bars(tmp_path / "v1-2.toml").because == reason
    shown = assay_cmd("bars", "show", "v1-2.toml")
    difference = assay_cmd("bars", "diff", "v1", "v1-2.toml")
    for out in (text, shown.out, difference.out):
        assert not set("\x1b\u202e\x7f\r") & set(out)
    again = assay_cmd("bars", "diff", "v1", "v1-2.toml", "--json").json
    assert again["because"] == reason
