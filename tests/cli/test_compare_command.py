import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

import assay
from assay.cli.group import assay as group

KEYS = {
    "verdict",
    "because",
    "rule",
    "n_baseline",
    "n_candidate",
    "pairs",
    "instances",
    "unit",
    "balance",
    "dimensions",
    "flips",
    "needed_pairs",
    "looks",
    "caveats",
    "inputs",
    "artifact",
    "harness",
    "settings",
    "signature",
}
DIMENSION_KEYS = {
    "name",
    "gated",
    "counts",
    "better",
    "ideal",
    "margin",
    "baseline",
    "candidate",
    "delta",
    "low",
    "high",
    "p",
    "class",
    "gate",
    "n",
}
SOURCE_KEYS = [
    "verdict",
    "repairs",
    "regressions",
    "net",
    "n_baseline",
    "n_candidate",
    "deltas",
    "caveats",
]
FIVE = ("grounded", "recall", "trajectory", "supporting_fact_f1", "citation_coverage")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows(path, value, n=8, **more):
    """A file with one run of each instance."""
    made = [{"instance": f"q{i}", "trial": 1, "acc": value, **more} for i in range(n)]
    path.write_text("".join(json.dumps(row) + "\n" for row in made), encoding="utf-8")
    return path.name


def folder(place, manifest=None, **scores):
    place.mkdir(parents=True)
    text = json.dumps({"fixture": "f", **dict.fromkeys(FIVE, 1.0), **scores})
    (place / "eval.json").write_text(text, encoding="utf-8")
    if manifest is not None:
        (place / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return str(place)


def call(*arguments):
    """The verb in this process; an error of ours is raised."""
    done = CliRunner().invoke(group, ["compare", *map(str, arguments)])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


@pytest.fixture
def pair(here):
    """A baseline that is always wrong and a candidate that is always right."""
    return ["--baseline", rows(here / "a.jsonl", 0), "--candidate", rows(here / "b.jsonl", 1)]


def test_a_gain_is_ratified_and_exits_0(assay_cmd, tmp_path):
    rows(tmp_path / "a.jsonl", 0)
    rows(tmp_path / "b.jsonl", 1)
    done = assay_cmd("compare", "--baseline", "a.jsonl", "--candidate", "b.jsonl")
    assert done.code == 0
    assert "verdict  RATIFY" in done.out
    assert "8 instances now reach the best value of " in done.out
    assert done.err == ""


def test_a_run_given_twice_is_refused_with_3(assay_cmd, tmp_path):
    rows(tmp_path / "a.jsonl", 0)
    done = assay_cmd("compare", "--baseline", "a.jsonl", "--candidate", "./a.jsonl", "--json")
    assert done.code == 3
    assert done.json["error"]["type"] == "IncomparableRuns"
    assert "IncomparableRuns: the same run is given twice" in done.err


def test_input_that_cannot_be_read_exits_2(assay_cmd, tmp_path):
    rows(tmp_path / "a.jsonl", 0)
    (tmp_path / "b.csv").write_text("instance;acc\nq0;1;1\n", encoding="utf-8")
    done = assay_cmd("compare", "--baseline", "a.jsonl", "--candidate", "b.csv")
    assert done.code == 2
    assert "b.csv, line 2: 3 cells" in done.err


def test_bad_usage_exits_2(assay_cmd):
    for arguments in ([], ["--baseline", "a"], ["--baseline", "a", "--candidate", "b", "--zzz"]):
        assert assay_cmd("compare", *arguments).code == 2


def test_a_full_disk_behind_the_output_brings_no_traceback(tmp_path):
    rows(tmp_path / "a.jsonl", 0)
    rows(tmp_path / "b.jsonl", 1)
    done = subprocess.run(
        [sys.executable, "-c", "import subprocess, sys; subprocess.run([sys.executable, '-m',"
         " 'assay', 'compare', '--baseline', 'a.jsonl', '--candidate', 'b.jsonl', '--json'],"
         " stdout=open('/dev/full', 'w'))"],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("before", "after", "n", "verdict", "code"),
    [
        (0, 1, 8, "ratify", 0),
        (1, 0, 8, "reject", 1),
        (1, 1, 400, "no-effect", 1),
        (0, 1, 2, "inconclusive", 1),
    ],
)
def test_each_verdict_has_its_exit_code(here, before, after, n, verdict, code):
    sides = (rows(here / "a.jsonl", before, n), rows(here / "b.jsonl", after, n))
    done = call("--baseline", sides[0], "--candidate", sides[1], "--json", "--resamples", 999)
    assert json.loads(done.stdout)["verdict"] == verdict
    assert done.exit_code == code


def test_the_json_has_its_keys_and_no_path(here, pair):
    done = call(*pair, "--json")
    found = json.loads(done.stdout)
    assert set(found) == KEYS
    assert set(found["dimensions"][0]) == DIMENSION_KEYS
    assert {one["digest"][:7] for one in found["inputs"]} == {"sha256:"}
    for name in ("a.jsonl", "b.jsonl", str(here), here.name):
        assert name not in done.stdout


def test_folders_have_the_five_and_no_path_in_the_json(here):
    for i in range(6):
        folder(here / "before" / f"r{i}", {"model": "m"}, recall=0.5, tokens=10 + i)
        folder(here / "after" / f"r{i}", {"model": "m"}, tokens=20 + i, trajectory=0.99)
    done = call("--baseline", here / "before", "--candidate", here / "after", "--json")
    found = json.loads(done.stdout)
    assert [one["name"] for one in found["dimensions"]] == [*FIVE, "tokens"]
    assert [one["name"] for one in found["dimensions"] if one["gated"]] == [
        "grounded",
        "citation_coverage",
    ]
    assert not found["dimensions"][-1]["counts"]
    assert found["pairs"] == 6
    assert str(here) not in done.stdout and "before/" not in done.stdout


def test_paths_may_follow_each_other_or_repeat_the_flag(here):
    names = {
        side: [folder(here / f"{side}{i}", recall=i / 10 + (side == "b") / 2) for i in range(4)]
        for side in "ab"
    }
    spread = call("--baseline", *names["a"], "--candidate", *names["b"], "--json").stdout
    repeated = [
        word
        for flag, side in (("--baseline", "a"), ("--candidate", "b"))
        for name in names[side]
        for word in (flag, name)
    ]
    assert call(*repeated, "--json").stdout == spread
    glued = [f"--baseline={name}" for name in names["a"]]
    assert call(*glued, "--candidate", *names["b"], "--json").stdout == spread
    assert json.loads(spread)["n_baseline"] == 4


def test_one_side_may_be_jsonl_and_the_other_csv(here):
    rows(here / "a.jsonl", 0)
    cells = "".join(f"q{i},1,true\r\n" for i in range(8))
    (here / "b.csv").write_bytes(b"\xef\xbb\xbf" + f"instance,trial,acc\r\n{cells}".encode())
    assert call("--baseline", "a.jsonl", "--candidate", "b.csv").exit_code == 0


def test_the_source_rule_writes_its_own_keys_and_no_other(here):
    for i in range(3):
        folder(here / "a" / str(i), recall=0.5)
        folder(here / "b" / str(i))
    sides = ("--baseline", "a", "--candidate", "b", "--rule", "adr-0031")
    done = call(*sides, "--json", "--out", "comparison.json")
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    assert list(found) == SOURCE_KEYS
    assert json.loads((here / "comparison.json").read_text(encoding="utf-8")) == found
    assert found["verdict"] == "ratify" and found["caveats"] == []
    assert "by the rule of ADR-0031: RATIFY" in call(*sides).stdout
    back = call("--baseline", "b", "--candidate", "a", "--rule", "adr-0031")
    assert back.exit_code == 1


def test_the_source_rule_compares_runs_that_name_no_fixture_and_says_so(here):
    for i in range(3):
        folder(here / "a" / str(i), recall=0.5, fixture=None)
        folder(here / "b" / str(i), fixture=None)
    sides = ("--baseline", "a", "--candidate", "b")
    found = json.loads(call(*sides, "--rule", "adr-0031", "--json").stdout)
    assert found["verdict"] == "ratify"
    (said,) = found["caveats"]
    assert said.startswith("no run names its fixture")
    with pytest.raises(assay.SpecError, match="no `fixture`, which names the instance"):
        call(*sides)
    folder(here / "b" / "named")
    with pytest.raises(
        assay.errors.IncomparableRuns, match="runs of one instance, got 2 instances"
    ):
        call(*sides, "--rule", "adr-0031")


def test_the_source_rule_refuses_several_instances_and_the_same_folder(here, pair):
    with pytest.raises(assay.errors.IncomparableRuns):
        call(*pair, "--rule", "adr-0031")
    one = folder(here / "f")
    with pytest.raises(assay.errors.IncomparableRuns, match="given twice"):
        call("--baseline", one, one, "--candidate", one, "--rule", "adr-0031")


@pytest.mark.parametrize(
    "flag",
    [
        ("--gate", "acc"),
        ("--missing", "fail"),
        ("--crashed", "fail"),
        ("--allow", "harness"),
        ("--strict-gates",),
        ("--sequential",),
    ],
    ids=lambda flag: flag[0],
)
def test_the_source_rule_does_not_pass_over_a_flag_it_has_no_use_for(pair, flag):
    name = flag[0].removeprefix("--").replace("-", "_")
    with pytest.raises(assay.SpecError, match=f"does not take `{name}=`"):
        call(*pair, "--rule", "adr-0031", *flag)


def test_another_harness_blocks_until_it_is_allowed(here):
    sides = (
        "--baseline",
        rows(here / "a.jsonl", 0, **{"harness.params": "m"}),
        "--candidate",
        rows(here / "b.jsonl", 1, **{"harness.params": "n"}),
    )
    done = call(*sides)
    assert done.exit_code == 1
    assert "blocked: the harness differs between the sides" in " ".join(done.stdout.split())
    assert "BLOCKS: harness-differs" in done.stdout
    assert call(*sides, "--allow", "harness").exit_code == 0


def test_a_file_of_dimensions_gates_turns_and_scales(here, pair):
    (here / "dims.toml").write_text(
        "[dimensions.acc]\ngated = true\nbetter = 'lower'\nrange = [0, 2]\nmargin = 0.2\n",
        encoding="utf-8",
    )
    found = json.loads(call(*pair, "--config", "dims.toml", "--json").stdout)
    (one,) = found["dimensions"]
    assert (one["gated"], one["better"], one["ideal"], one["margin"]) == (True, "lower", 0.0, 0.2)
    assert found["verdict"] == "reject"


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--config", "nowhere.toml"), "nowhere.toml"),
        (("--config", "."), "a folder, not a file"),
        (("--gate", "other"), "no run has the gated dimension 'other'; the dimensions are "),
        (("--dimension", "other"), "no column 'other'"),
        (("--instance", "case"), "no column 'case'"),
        (("--artifact", "nowhere"), "nowhere"),
        (("--out", "no/such/place.json"), "No such file"),
    ],
    ids=lambda flags: " ".join(flags) if isinstance(flags, tuple) else "",
)
def test_a_flag_that_names_what_is_not_there_is_refused(pair, flags, said):
    with pytest.raises(assay.AssayError) as error:
        call(*pair, *flags)
    assert error.value.exit_code == 2
    assert said in error.value.message


def test_gates_and_a_file_of_them_exclude_each_other(here, pair):
    (here / "dims.toml").write_text("[dimensions.acc]\n", encoding="utf-8")
    with pytest.raises(assay.SpecError, match="exclude each other"):
        call(*pair, "--config", "dims.toml", "--gate", "acc")


def test_what_was_kept_is_what_was_shown(here, pair):
    done = call(*pair, "--json", "--out", "kept.json")
    kept = json.loads((here / "kept.json").read_text(encoding="utf-8"))
    assert kept.pop("format") == "assay-comparison/1"
    assert kept.pop("checksum").startswith("sha256:")
    assert kept == json.loads(done.stdout)
    assert "Wrote kept.json." in call(*pair, "--out", "kept.json").stdout


def test_a_trial_column_that_is_called_run_pairs_and_is_no_id(here):
    for name, value in (("a.csv", 0), ("b.csv", 1)):
        cells = "".join(f"q{i},{k},{value}\n" for i in range(4) for k in range(2))
        (here / name).write_text(f"instance,run,acc\n{cells}", encoding="utf-8")
    sides = ("--baseline", "a.csv", "--candidate", "b.csv")
    with pytest.raises(assay.errors.IncomparableRuns):
        call(*sides)
    found = json.loads(call(*sides, "--trial", "run", "--json").stdout)
    assert (found["pairs"], found["instances"]) == (8, 4)


def test_hostile_names_are_shown_harmlessly(here):
    evil = "\x1b]0;owned\x07\u202e\r\nq"
    for name, value in (("a.jsonl", 1), ("b.jsonl", 0)):
        made = [
            {"instance": f"{evil}{i}{'x' * 3000}", evil: value, "harness.model": f"{evil}{value}"}
            for i in range(8)
        ]
        (here / name).write_text("".join(json.dumps(row) + "\n" for row in made), encoding="utf-8")
    for flags in ((), ("--gate", evil, "--allow", "harness")):
        text = call("--baseline", "a.jsonl", "--candidate", "b.jsonl", *flags).stdout
        assert all(char.isprintable() or char == "\n" for char in text)


@pytest.mark.parametrize("how", [(), ("--json",)])
def test_a_reader_that_goes_away_changes_no_exit_code(tmp_path, how):
    header = "instance,right\n"
    (tmp_path / "a.csv").write_text(header + "".join(f"i{k},0\n" for k in range(2_000)))
    for name, score in (("b", 1), ("c", 0)):
        rows = "".join(f"i{k},{score}\n" for k in range(2_000))
        (tmp_path / f"{name}.csv").write_text(header + rows)
    for name, code in (("b", 0), ("c", 1)):
        words = [*("compare", "--baseline", "a.csv", "--candidate", f"{name}.csv"), *how]
        command = f"{sys.executable} -m assay {' '.join(words)} | true; exit ${{PIPESTATUS[0]}}"
        found = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True)
        assert (found.returncode, found.stderr) == (code, b"")


def test_of_several_sides_each_says_its_pairs_its_means_and_what_would_settle_it(here):
    one, other = ({"harness": {"model": "m", "profile": name}} for name in ("one", "other"))
    few = [{"instance": f"q{i}", "trial": 1, "acc": float(i < 2), **one} for i in range(40)]
    rows(here / "a.jsonl", 0, 40, **one)
    rows(here / "b.jsonl", 1, 40, **one)
    (here / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in few))
    rows(here / "d.jsonl", 1, 40, **other)
    said = " ".join(call("a.jsonl", "b.jsonl", "c.jsonl", "d.jsonl").stdout.split())
    assert "b.jsonl a.jsonl 40 +1.000 " in said
    assert "c.jsonl a.jsonl 40 +0.050 " in said
    assert "b.jsonl against a.jsonl: acc 0.000 -> 1.000" in said
    assert "c.jsonl against a.jsonl: acc 0.000 -> 0.050" in said
    assert "c.jsonl against a.jsonl: about " in said
    assert "b.jsonl against a.jsonl: about " not in said
    assert "d.jsonl against a.jsonl: BLOCKS: harness-differs" in said
    assert "Two sides alone are shown in full." in said
