import json
import shutil

import pytest
from helpers.sides import read_two

import assay
from assay.comparison.collect import Request, compare_paths
from assay.comparison.judge.compare import compare
from assay.comparison.stored_run import _order, is_stored_run, read_stored_run
from assay.digests import digest
from assay.gauntlet.store import keep_scorecard


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """Two judged runs as the command keeps them."""
    place = tmp_path_factory.mktemp("runs")
    bench, bars = assay.load_benchmark("darkcore"), assay.load_bars("v3")
    for name, method in (("a", "oracle:word_length"), ("b", "oracle:question_overlap")):
        run = assay.run(method, bench)
        assay.save_run(run, place / name)
        keep_scorecard(place / name, assay.score(run, bench, bars))
    return place


@pytest.fixture
def saved(kept, tmp_path):
    """The same two, to be spoilt."""
    return shutil.copytree(kept, tmp_path / "runs")


def rewrite(path, change):
    found = json.loads(path.read_text(encoding="utf-8"))
    change(found)
    path.write_text(json.dumps(found), encoding="utf-8")


def card(folder):
    (path,) = (folder / "scorecards").glob("*.json")
    return path


def test_the_bars_are_the_dimensions_and_the_scorer(saved):
    stored = read_stored_run(saved / "a")
    one = stored.trial
    assert set(one.dimensions) == {"D1", "D2", "D3", "D4"}
    assert one.instance.startswith("darkcore@")
    assert one.scorer is not None and one.scorer.startswith("bars v3@")
    assert one.trial == "0"
    assert one.run == digest(stored.head)
    assert {"assay", "python"} <= set(one.harness)


def test_two_stored_runs_are_compared_and_one_with_itself_is_not(saved):
    sides = read_two([saved / "a"], [saved / "b"])
    assert [one.kind for side in sides for one in side] == ["stored-run"] * 2
    found = compare(baseline=sides[0][0].trials, candidate=sides[1][0].trials)
    assert (found.pairs, found.instances) == (1, 1)
    with pytest.raises(assay.errors.IncomparableRuns, match="given twice"):
        read_two([saved / "a"], [saved / "a" / ".." / "a"])


def test_a_copy_of_a_stored_run_is_known_by_its_id(saved):
    shutil.copytree(saved / "a", saved / "c")
    sides = read_two([saved / "a"], [saved / "c"])
    with pytest.raises(assay.errors.IncomparableRuns, match="the same run is given twice"):
        compare(baseline=sides[0][0].trials, candidate=sides[1][0].trials)


def judged(folder, version):
    """Judge a kept run under another version of the bars, as the command does."""
    run = assay.load_run(folder)
    made = assay.score(run, assay.load_benchmark("darkcore"), assay.load_bars(version))
    keep_scorecard(folder, made)


def test_runs_judged_by_other_bars_are_not_compared(saved):
    card(saved / "b").unlink()
    judged(saved / "b", "v2")
    sides = read_two([saved / "a"], [saved / "b"])
    with pytest.raises(assay.errors.IncomparableRuns, match="2 scorers"):
        compare(baseline=sides[0][0].trials, candidate=sides[1][0].trials)


def test_of_several_scorecards_the_one_under_the_newest_bars_is_used_and_named(saved):
    judged(saved / "a", "v1")  # made last, and under older bars
    stored = read_stored_run(saved / "a")
    assert stored.trial.scorer is not None and stored.trial.scorer.startswith("bars v3@")
    (caveat,) = stored.caveats
    assert (caveat.code, caveat.message) == ("several-bars", "oracle:word_length: v3, of v1, v3.")
    judged(saved / "b", "v1")
    request = Request(plan=None, policies={})
    comparison = compare_paths([saved / "a"], [saved / "b"], request)
    (told,) = [one for one in comparison.caveats if one.code == "several-bars"]
    assert "oracle:word_length: v3" in told.message
    assert "oracle:question_overlap: v3" in told.message
    assert str(saved) not in told.message


@pytest.mark.parametrize(
    "edit",
    [
        lambda it: it["bars"][0].update(value=0.99),
        lambda it: it["bars"][0].update(id="D9"),
        lambda it: it["bars"].pop(),
        lambda it: it.update(bars_version="v9"),
        lambda it: it["digests"].update(method="sha256:" + "0" * 64),
    ],
    ids=["value", "id", "bar", "version", "method"],
)
def test_an_edited_scorecard_is_refused(saved, edit):
    rewrite(card(saved / "a"), lambda it: edit(it["scorecard"]))
    with pytest.raises(assay.IntegrityError, match="does not match its outputs"):
        read_stored_run(saved / "a")


def test_edited_outputs_are_refused(saved):
    path = saved / "a" / "outputs.jsonl"
    path.write_bytes(path.read_bytes().replace(b"1", b"2", 1))
    with pytest.raises(assay.errors.DigestMismatch):
        read_stored_run(saved / "a")


def test_a_scorecard_that_cannot_be_made_again_is_taken_and_said_to_be_unverified(saved):
    rewrite(card(saved / "a"), lambda it: it["scorecard"]["digests"].update(bars="sha256:own"))
    (caveat,) = read_stored_run(saved / "a").caveats
    assert caveat.code == "unverified-scorecard"
    assert not read_stored_run(saved / "b").caveats


def test_versions_are_ordered_as_a_reader_does():
    assert sorted(["v10", "v2", "plain", "v2-2"], key=_order) == ["plain", "v2", "v2-2", "v10"]


def test_a_run_that_nobody_judged_is_refused_and_says_what_to_do(saved):
    shutil.rmtree(saved / "a" / "scorecards")
    with pytest.raises(assay.SpecError, match="this run has no scorecard") as error:
        read_stored_run(saved / "a")
    assert "assay score" in (error.value.hint or "")


def test_a_run_with_unscored_items_is_refused(saved):
    rewrite(card(saved / "a"), lambda it: it["scorecard"].update(unscored=1))
    with pytest.raises(assay.SpecError, match="unscored"):
        read_stored_run(saved / "a")


def test_a_run_that_did_not_end_is_refused(saved):
    rewrite(saved / "a" / "run.json", lambda it: it.update(complete=False))
    with pytest.raises(assay.SpecError, match="unscored"):
        read_stored_run(saved / "a")


NO_OBJECT = [None, 7, "x", [1]]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *[(key, value) for key in ("benchmark", "harness") for value in NO_OBJECT],
        ("complete", None),
    ],
)
def test_a_head_that_makes_no_sense_is_refused(saved, key, value):
    rewrite(saved / "a" / "run.json", lambda it: it.update({key: value}))
    with pytest.raises(assay.SpecError) as error:
        read_stored_run(saved / "a")
    assert str(saved / "a") in error.value.message


@pytest.mark.parametrize("seed", [None, "x", [1]])
def test_a_head_with_a_seed_that_is_no_number_is_refused(saved, seed):
    rewrite(saved / "a" / "run.json", lambda it: it.update(seed=seed))
    with pytest.raises((assay.SpecError, assay.IntegrityError)):
        read_stored_run(saved / "a")


NO_BARS = [*NO_OBJECT, [{"id": "D1", "value": "x"}]]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *[(key, value) for key in ("bars", "digests") for value in NO_BARS],
        *[("unscored", value) for value in NO_BARS if value is not None],
    ],
)
def test_a_scorecard_that_makes_no_sense_is_refused(saved, key, value):
    rewrite(card(saved / "a"), lambda it: it["scorecard"].update({key: value}))
    with pytest.raises(assay.SpecError):
        read_stored_run(saved / "a")


@pytest.mark.parametrize("version", [7, "x", None, "9" * 5_000, "v²"])
def test_a_scorecard_under_a_version_that_its_bars_do_not_have_is_refused(saved, version):
    rewrite(card(saved / "a"), lambda it: it["scorecard"].update(bars_version=version))
    with pytest.raises((assay.SpecError, assay.IntegrityError)):
        read_stored_run(saved / "a")


@pytest.mark.parametrize("text", ["", "[]", "{", '{"scorecard": 1}', "{}"])
def test_files_that_are_no_records_are_refused(saved, text):
    card(saved / "a").write_text(text, encoding="utf-8")
    with pytest.raises(assay.SpecError):
        read_stored_run(saved / "a")
    (saved / "b" / "run.json").write_text(text, encoding="utf-8")
    with pytest.raises(assay.SpecError):
        read_stored_run(saved / "b")


def test_a_folder_without_a_head_is_no_stored_run(saved):
    assert is_stored_run(saved / "a")
    assert not is_stored_run(saved)
