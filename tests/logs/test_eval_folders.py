import json
import os
from pathlib import Path

import pytest
from helpers.sides import read_two

import assay
from assay.comparison.judge.compare import compare
from assay.comparison.sides.side import have_repeats
from assay.logs.eval_folder import read_run, run_folders

FIVE = dict.fromkeys(
    ("grounded", "recall", "trajectory", "supporting_fact_f1", "citation_coverage"), 1.0
)
MANIFEST = {"model": "m", "profile": "p", "params": {"b": 2, "a": [1, {"c": None}]}}


def write(folder, manifest=MANIFEST, **scores):
    """A run's folder."""
    folder.mkdir(parents=True)
    text = json.dumps({"fixture": "f1", **FIVE, **scores})
    (folder / "eval.json").write_text(text, encoding="utf-8")
    if manifest is not None:
        (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder


def read(folder, **how):
    return read_run(folder, **{"all_scores": False, **how})[0]


def trials(*paths, **how):
    return [one for got in read_two(paths, [], **how)[0] for one in got.trials]


def test_the_five_and_the_harness_are_read_from_a_folder(tmp_path):
    one = read(write(tmp_path / "r"))
    assert one.instance == "f1"
    assert one.dimensions == FIVE
    assert one.harness == {"model": "m", "profile": "p", "params": "{a: [1, {c: None}], b: 2}"}
    assert (one.scorer, one.run, one.crashed) == (None, None, False)


def test_the_order_of_parameters_makes_no_other_harness(tmp_path):
    other = {**MANIFEST, "params": dict(reversed(MANIFEST["params"].items()))}
    assert (
        read(write(tmp_path / "a")).harness == read(write(tmp_path / "b", manifest=other)).harness
    )


def test_a_folder_without_a_manifest_says_nothing_of_its_harness(tmp_path):
    assert read(write(tmp_path / "r", manifest=None)).harness == {}


def test_ids_scorers_and_ends_are_read_from_either_file(tmp_path):
    inside = read(write(tmp_path / "a", run_id="x", scorer="s", trial=3, status="crashed"))
    beside = {"run": "x", "scorer": "s", "trial": 3, "status": "Timed_out", "artifact": "sha256:1"}
    outside = read(write(tmp_path / "b", manifest=beside))
    for one in (inside, outside):
        assert (one.run, one.scorer, one.trial, one.crashed) == ("x", "s", "3", True)
    assert outside.artifact == "sha256:1"


def test_costs_are_read_and_other_numbers_only_when_asked(tmp_path):
    folder = write(tmp_path / "r", tokens=120, cost_usd=0.5, judge_score=7, note="x", ok=True)
    assert set(read(folder).dimensions) == {*FIVE, "tokens", "cost_usd"}
    assert set(read(folder, all_scores=True).dimensions) == {
        *FIVE,
        "tokens",
        "cost_usd",
        "judge_score",
        "ok",
    }


def test_a_null_stays_a_gap(tmp_path):
    assert read(write(tmp_path / "r", grounded=None)).dimensions["grounded"] is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[]", "expected a JSON object"),
        ('{"grounded": 1}', "no `fixture`"),
        ('{"fixture": null}', "no `fixture`"),
        ('{"fixture": true}', "no `fixture`"),
        ('{"fixture": "f", "grounded": NaN}', "NaN is not JSON"),
        ('{"fixture": "f", "grounded": Infinity}', "Infinity is not JSON"),
        ('{"fixture": "f", "grounded": 1e400}', "too large to hold"),
        ('{"fixture": "f", "grounded": 1' + "0" * 400 + "}", "too large to hold"),
        ('{"fixture": "f", "grounded": 1' + "0" * 5000 + "}", "too many digits"),
        ('{"fixture": "f", "grounded": "1.0"}', "grounded is '1.0', expected a number"),
        ('{"fixture": "f", "grounded": 1, "grounded": 0}', "occurs twice"),
        ('{"fixture": "f", "grounded": ' + "[" * 40 + "]" * 40 + "}", "nested deeper"),
        ('{"fixture": "\\ud800", "grounded": 1}', "surrogate"),
    ],
    ids=lambda text: text[:40],
)
def test_scores_that_cannot_be_read_are_refused_and_say_where(tmp_path, text, said):
    (tmp_path / "eval.json").write_text(text, encoding="utf-8")
    with pytest.raises(assay.SpecError, match=r"eval\.json") as error:
        read(tmp_path)
    assert said in error.value.message


@pytest.mark.parametrize("text", ["[]", "{", '{"params": ' + "[" * 40 + "]" * 40 + "}"])
def test_a_manifest_that_cannot_be_read_is_refused(tmp_path, text):
    folder = write(tmp_path / "r")
    (folder / "manifest.json").write_text(text, encoding="utf-8")
    with pytest.raises(assay.SpecError, match=r"manifest\.json"):
        read(folder)


def test_a_byte_order_mark_is_read_over(tmp_path):
    folder = write(tmp_path / "r")
    for name in ("eval.json", "manifest.json"):
        path = folder / name
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert read(folder).dimensions == FIVE


def test_a_file_that_is_too_large_is_refused_unread(tmp_path):
    folder = write(tmp_path / "r")
    with (folder / "eval.json").open("ab") as file:
        file.truncate(17 << 20)
    with pytest.raises(assay.SpecError, match="more than 16,777,216 bytes"):
        read(folder)


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "eval.json")
    with pytest.raises(assay.SpecError, match="not a regular file"):
        read(tmp_path)


def test_runs_below_a_folder_are_named_by_their_way(tmp_path):
    for name in ("b/2", "b/10", "a"):
        write(tmp_path / name)
    assert [name for name, _ in run_folders(tmp_path)] == ["a", "b/10", "b/2"]
    assert [one.trial for one in trials(tmp_path)] == ["a", "b/10", "b/2"]


def test_a_folder_inside_a_run_is_no_other_run(tmp_path):
    write(tmp_path / "r" / "inner")
    (tmp_path / "r" / "eval.json").write_text('{"fixture": "f1"}', encoding="utf-8")
    assert [name for name, _ in run_folders(tmp_path)] == ["r"]


def test_a_folder_without_runs_is_refused(tmp_path):
    (tmp_path / "notes").mkdir()
    with pytest.raises(assay.SpecError, match=r"no eval\.json in this folder or below it"):
        list(run_folders(tmp_path))


def test_linked_runs_are_read_and_links_in_a_circle_end(tmp_path):
    write(tmp_path / "elsewhere" / "r")
    held = tmp_path / "held"
    write(held / "a")
    (held / "b").symlink_to(tmp_path / "elsewhere" / "r")
    (held / "deep").mkdir()
    (held / "deep" / "up").symlink_to(held)
    assert [name for name, _ in run_folders(held)][:2] == ["a", "b"]
    assert len(trials(held)) == 2


def test_a_link_to_a_run_beside_it_is_the_same_run(tmp_path):
    write(tmp_path / "a")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(assay.errors.IncomparableRuns, match="given twice"):
        trials(tmp_path)


@pytest.mark.parametrize(
    "spelt", ["r", "r/", "./r", "r/../r", "other/../r", "link", "link/", "up/r"]
)
def test_the_same_folder_is_the_same_run_however_it_is_spelt(tmp_path, monkeypatch, spelt):
    write(tmp_path / "r")
    (tmp_path / "other").mkdir()
    (tmp_path / "link").symlink_to("r")
    (tmp_path / "up").symlink_to(".")
    monkeypatch.chdir(tmp_path)
    for sides in (([Path("r"), Path(spelt)], []), ([Path("r")], [Path(spelt)])):
        with pytest.raises(assay.errors.IncomparableRuns, match="the same run is given twice"):
            read_two(*sides)


def test_a_folder_and_one_of_its_runs_are_the_same_run(tmp_path):
    write(tmp_path / "all" / "r")
    with pytest.raises(assay.errors.IncomparableRuns):
        read_two([tmp_path / "all"], [tmp_path / "all" / "r"])


def test_copies_without_ids_are_noticed_and_other_runs_are_not(tmp_path):
    paths = [write(tmp_path / name) for name in ("a", "b")]
    assert have_repeats(*read_two(paths[:1], paths[1:]))
    other = write(tmp_path / "c", recall=0.5)
    assert not have_repeats(*read_two(paths[:1], [other]))
    named = [write(tmp_path / f"n{i}", run_id="x") for i in range(2)]
    assert not have_repeats(*read_two(named[:1], named[1:]))  # refused by its id instead


def test_folders_that_share_a_name_are_not_taken_for_one_trial(tmp_path):
    sides = [
        [write(tmp_path / f"day{i}" / side, recall=0.1 * i) for i in range(3)]
        for side in ("before", "after")
    ]
    assert [one.trial for one in trials(*sides[0])] == [None] * 3
    found = compare(baseline=trials(*sides[0]), candidate=trials(*sides[1]))
    assert found.unit == "run"


def test_trials_that_are_named_keep_their_names(tmp_path):
    paths = [write(tmp_path / f"d{i}" / "r", trial=i, recall=0.1 * i) for i in range(3)]
    assert [one.trial for one in trials(*paths)] == ["0", "1", "2"]


def test_the_file_instead_of_its_folder_is_told_apart(tmp_path):
    with pytest.raises(assay.SpecError, match="name its folder"):
        trials(write(tmp_path / "r") / "eval.json")


def test_a_path_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(assay.SpecError, match="there is no"):
        trials(tmp_path / "nowhere")
