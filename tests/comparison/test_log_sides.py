import io
import json

import msgspec
import pytest
from helpers.inspect_logs import samples, write_eval

from assay import Comparison, Comparisons, SpecError, StorageError, Trial
from assay.api.regression import assert_no_regression
from assay.comparison.collect import (
    Request,
    check_again,
    compare_paths,
    compare_sides,
    sides_from,
)
from assay.comparison.judge.compare import compare
from assay.comparison.result import NetVerdict
from assay.comparison.sides.reader import SideReading
from assay.comparison.store import read_comparison, write_comparison
from assay.errors import IncomparableRuns, IntegrityError
from assay.report.comparison import draw_comparison
from assay.report.terminal import console

BAD, GOOD = ["I"] * 14 + ["C"] * 6, ["I"] * 2 + ["C"] * 18


def request(**how):
    reading = {name: how.pop(name) for name in ("by", "where") if name in how}
    return Request(plan=None, policies={}, reading=SideReading(**reading), **how)


def compared(*paths, **how):
    named = [(path.name, [path]) for path in paths]
    asked = request(**how)
    return compare_sides(sides_from(named, asked), asked)


def drawn(found):
    out = io.StringIO()
    draw_comparison(found, console(out))
    return out.getvalue()


def stored(path, found):
    write_comparison(path, found)
    return read_comparison(path)[0]


def codes(found, *, blocking=False):
    return {one.code for one in found.caveats if one.blocking or not blocking}


@pytest.fixture
def logs(tmp_path):
    def write(name, values=GOOD, *, epochs=1, **more):
        more = {"model": f"m/{name}"} | more
        return write_eval(tmp_path / f"{name}.eval", samples(values, epochs), **more)

    return write


def test_two_logs_are_compared_with_nothing_else_to_type(logs):
    found = compared(logs("a", BAD), logs("b", GOOD))
    assert isinstance(found, Comparison)
    assert found.verdict is NetVerdict.RATIFY and found.pairs == 20
    assert codes(found) == {"models-differ", "no-gates", "assumed"}
    assert [one.name for one in found.dimensions] == ["match", "tokens", "seconds"]
    assert [one.kind for one in found.inputs] == ["log inspect_ai"] * 2
    assert "20 samples of 20 instances · match 0.3000 as reported, the mean over items" in str(
        found.inputs[0].described
    )


def test_what_differs_is_told_with_its_side(logs):
    found = compared(logs("a", BAD), logs("b", GOOD))
    (said,) = (one.message for one in found.caveats if one.code == "models-differ")
    assert said.endswith("baseline m/a, candidate m/b.")
    sides = (
        [Trial(instance="q", dimensions={"a": 1}, harness={"model": name, "profile": name})]
        for name in ("m/a", "m/b")
    )
    found = compare(baseline=next(sides), candidate=next(sides))
    (said,) = (one.message for one in found.caveats if one.code == "harness-differs")
    assert "model (baseline m/a, candidate m/b), profile (baseline m/a" in said


def test_failed_and_unscored_samples_are_counted_and_never_zero(logs):
    values = [None, float("nan"), *GOOD[2:]]
    found = compared(logs("a", BAD), logs("b", values))
    assert {"crashed", "missing", "either-way"} <= codes(found)
    assert found.dimensions[0].candidate == 1.0 and found.pairs == 18
    assert "1 failed, 1 unscored" in str(found.inputs[1].described)


def test_epochs_are_trials_of_an_instance(logs):
    found = compared(logs("a", BAD, epochs=2), logs("b", GOOD, epochs=2))
    assert (found.n_baseline, found.instances, found.unit) == (40, 20, "instance")


def test_runs_of_different_tasks_are_refused_by_name(logs):
    with pytest.raises(IncomparableRuns, match=r"a\.eval: one; b\.eval: two"):
        compared(logs("a", task="one"), logs("b", task="two"))


def test_logs_of_one_task_on_a_side_are_repeats(logs, tmp_path):
    for name, values in (("a1", BAD), ("a2", BAD[::-1])):
        logs(name, values, model="m/a")
    logs("b", GOOD)
    found = compare_paths(
        [tmp_path / "a1.eval", tmp_path / "a2.eval"], [tmp_path / "b.eval"], request()
    )
    assert (found.n_baseline, found.n_candidate) == (40, 20)


def test_a_side_of_two_models_is_refused_unless_they_are_the_sides(logs, tmp_path):
    (tmp_path / "all").mkdir()
    for name, values in (("a", BAD), ("b", GOOD)):
        logs(f"all/{name}", values)
    logs("c", GOOD)
    with pytest.raises(IncomparableRuns, match="holds runs of 2 models: m/all/a, m/all/b") as error:
        compared(tmp_path / "all", tmp_path / "c.eval")
    assert "`by=model`" in error.value.hint
    found = compared(tmp_path / "all", by="model")
    assert found.verdict is NetVerdict.RATIFY
    assert compared(tmp_path / "all", by="model", first="m/all/b").verdict is NetVerdict.REJECT
    with pytest.raises(SpecError, match="no side is named 'x'; there are m/all/a, m/all/b"):
        compared(tmp_path / "all", by="model", first="x")
    with pytest.raises(SpecError, match="nothing to compare it with"):
        compared(tmp_path / "all", by="model", where="model == m/all/a")


def test_one_run_in_two_forms_is_refused(logs, tmp_path):
    (tmp_path / "all").mkdir()
    for name in ("all/x", "all/y"):
        logs(name, GOOD, model="m")
    logs("c", BAD)
    with pytest.raises(IncomparableRuns, match="has the same run twice"):
        compared(tmp_path / "all", tmp_path / "c.eval")


def test_several_sides_are_compared_with_the_first_at_a_level_that_holds_for_all(logs):
    found = compared(logs("a", BAD), logs("b", GOOD), logs("c", BAD[::-1]))
    assert isinstance(found, Comparisons)
    assert [(pair.baseline, pair.candidate) for pair in found.pairs] == [
        *(("a.eval", "b.eval"), ("a.eval", "c.eval")),
    ]
    assert {pair.comparison.settings.level for pair in found.pairs} == {0.975}
    assert [pair.comparison.verdict for pair in found.pairs] == [
        *(NetVerdict.RATIFY, NetVerdict.INCONCLUSIVE),
    ]
    assert not found.favourable


def test_all_pairs_are_each_side_with_each_other(logs):
    paths = [logs(name, GOOD) for name in "abcd"]
    found = compared(*paths, all_pairs=True)
    assert len(found.pairs) == 6
    assert found.pairs[0].comparison.settings.level == pytest.approx(1 - 0.05 / 6)


def test_an_interval_among_several_is_wider_than_alone(logs):
    a, b = logs("a", BAD), logs("b", GOOD)
    alone, among = compared(a, b).balance, compared(a, b, logs("c", GOOD)).pairs[0].comparison
    assert among.balance.low < alone.low and among.balance.high > alone.high


def test_an_unfinished_log_says_so_and_what_it_lacks_is_lost(logs):
    found = compared(logs("a", BAD), logs("b", GOOD[:15], finished=False))
    assert {"unfinished-log", "crashed"} <= codes(found)
    assert "Only the baseline has 5 instances: q15" in str(found.caveats)


def test_rows_of_one_file_are_split_by_a_column_and_filtered(tmp_path):
    rows = [
        {"instance": f"q{n}", "model": model, "split": split, "acc": float(n % 10 < good)}
        for split in ("dev", "test")
        for model, good in (("one", 3), ("two", 9))
        for n in range(20)
    ]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert compared(path, by="model").n_candidate == 40
    found = compared(path, by="model", where='split == "test"')
    assert found.verdict is NetVerdict.RATIFY and found.pairs == 20
    assert [one.name for one in found.dimensions] == ["acc"]
    for how, said in (
        ({"by": "colour"}, "no column 'colour'"),
        ({"by": "model", "where": "colour == red"}, "no column 'colour'"),
        ({"by": "model", "where": "split == none"}, "no row satisfies"),
    ):
        with pytest.raises(SpecError, match=said):
            compared(path, **how)


def test_a_metric_is_chosen_by_its_name(logs):
    from assay.logs.trial_rows import TrialColumns

    a, b = logs("a", BAD), logs("b", GOOD)
    asked = Request(
        plan=None,
        policies={},
        reading=SideReading(columns=TrialColumns(dimensions=("match",))),
    )
    found = compare_paths([a], [b], asked)
    assert [one.name for one in found.dimensions] == ["match"]
    asked = Request(
        plan=None, policies={}, reading=SideReading(columns=TrialColumns(dimensions=("f1",)))
    )
    with pytest.raises(SpecError, match="no metric 'f1'; there are match, tokens, seconds"):
        compare_paths([a], [b], asked)


def test_no_regression_is_asserted_and_a_shown_one_raises(logs):
    a, b, c = logs("a", BAD), logs("b", GOOD), logs("c", BAD[::-1])
    assert assert_no_regression(a, b).verdict is NetVerdict.RATIFY
    assert assert_no_regression(str(a), c).verdict is NetVerdict.INCONCLUSIVE
    with pytest.raises(AssertionError, match=r"match became worse: 0\.900 -> 0\.300"):
        assert_no_regression(b, a)
    with pytest.raises(AssertionError, match="match may have lost more than its margin"):
        assert_no_regression(a, c, gate="match")


def test_what_is_blocked_asserts_nothing(logs):
    a = logs("a", ["C"] * 20)
    b = logs("b", [None] * 8 + ["C"] * 12)
    with pytest.raises(AssertionError, match="lost-runs-decide"):
        assert_no_regression(a, b)
    assert_no_regression(a, b, crashed="exclude")


def test_a_log_that_changes_while_it_is_read_is_not_compared(logs, monkeypatch):
    from assay.comparison.sides import reader

    a, b = logs("a", BAD), logs("b", GOOD)
    read = reader.read_log

    def read_and_change(path):
        runs = read(path)
        logs("b", BAD)
        return runs

    monkeypatch.setattr(reader, "read_log", read_and_change)
    with pytest.raises(StorageError, match="changed while it was read"):
        compared(a, b)


def test_the_hook_prints_a_verdict_and_never_fails(logs, monkeypatch, capsys):
    from assay.cli import inspect_hook

    monkeypatch.setenv("ASSAY_BASELINE", str(logs("a", BAD)))

    class Log:
        location = f"file://{logs('b', GOOD)}"

    inspect_hook._report(Log)
    assert "verdict  RATIFY" in capsys.readouterr().err
    Log.location = "nowhere.eval"
    inspect_hook._report(Log)
    assert "assay: no verdict against" in capsys.readouterr().err
    inspect_hook._report(None)
    assert "assay: no verdict" in capsys.readouterr().err


def test_the_hook_leaves_the_new_log_out_of_the_folder_that_it_compares_with(
    logs, tmp_path, monkeypatch
):
    from assay.cli.inspect_hook import verdict_on

    (tmp_path / "all").mkdir()
    monkeypatch.setenv("ASSAY_BASELINE", str(tmp_path / "all"))
    new = logs("all/b", GOOD, model="m")
    assert "no verdict against" in verdict_on(str(new))
    logs("all/a", BAD, model="m")
    (tmp_path / "all" / "notes.json").write_text("{}")
    found = verdict_on(str(new))
    assert "20 runs against 20" in found and "verdict  RATIFY" in found
    linked = tmp_path / "linked.eval"
    linked.symlink_to(new)
    assert "verdict  RATIFY" in verdict_on(str(linked))


def several(path):
    """One file of TruLens with the records of two versions of an application."""
    path.write_text(
        json.dumps(
            [
                {
                    "app_id": version,
                    "app_name": "facts",
                    "app_version": version,
                    "record_id": f"{version}{n}",
                    "input": f"q{n}",
                    "output": "o",
                    "ts": n,
                    "Exact": float(n % 10 < good),
                    "Exact_calls": [1],
                }
                for version, good in (("one", 3), ("two", 9))
                for n in range(20)
            ]
        )
    )
    return path


def table(path, **more):
    rows = [
        {"instance": f"q{n}", "condition": side, "fold": n % 2, "acc": float(n % 10 < good), **more}
        for side, good in (("old", 3), ("new", 9))
        for n in range(40)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_runs_of_one_file_are_sides_and_the_file_is_read_once(tmp_path):
    path = several(tmp_path / "all.json")
    found = compared(path, by="model")
    assert found.verdict is NetVerdict.RATIFY and found.pairs == 20
    with pytest.raises(IncomparableRuns, match="the same run is given twice"):
        compared(path, path, by="model")


def test_a_side_that_a_column_tells_apart_is_named(tmp_path):
    path = table(tmp_path / "a.jsonl")
    found = compared(path, by="condition")
    assert [(one.side, one.name) for one in found.inputs] == [
        ("baseline", "old"),
        ("candidate", "new"),
    ]
    assert drawn(found).startswith("candidate new against baseline old: 40 runs against 40")
    again = compared(path, by="condition", first="new")
    assert drawn(again).startswith("candidate old against baseline new: ")
    logs = compared(several(tmp_path / "all.json"), by="model")
    assert [one.name for one in logs.inputs] == ["one", "two"]


def test_sides_of_one_file_are_no_copies_and_a_copy_of_it_is(tmp_path):
    path = table(tmp_path / "a.jsonl")
    assert "same-content" not in codes(compared(path, by="condition"))
    copy = tmp_path / "b.jsonl"
    copy.write_bytes(path.read_bytes())
    assert "same-content" in codes(compared(path, copy, by="condition"))


@pytest.mark.parametrize("how", [{}, {"first": "new"}, {"where": "fold == 1"}])
def test_a_comparison_of_sides_in_one_file_is_made_again_from_it(tmp_path, how):
    path = table(tmp_path / "a.jsonl")
    found = stored(tmp_path / "c.json", compared(path, by="condition", **how))
    check_again(found, [path], [path])
    table(path, more=1)
    with pytest.raises(IntegrityError, match="not the runs that were compared"):
        check_again(found, [path], [path])


def test_a_comparison_of_one_log_by_model_is_made_again_from_it(tmp_path):
    path = several(tmp_path / "all.json")
    check_again(stored(tmp_path / "c.json", compared(path, by="model")), [path], [path])


def test_a_comparison_of_filtered_rows_is_made_again(tmp_path):
    both = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for path, side in zip(both, ("old", "new"), strict=True):
        kept = [row for row in table(path).read_text().splitlines() if f'"{side}"' in row]
        path.write_text("\n".join(kept))
    found = stored(tmp_path / "c.json", compared(*both, where="fold == 1"))
    assert found.n_baseline == 20 and {one.where for one in found.inputs} == {"fold == 1"}
    check_again(found, [both[0]], [both[1]])


def test_a_comparison_without_the_columns_that_were_left_out_is_made_again(tmp_path):
    both = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for path, good in zip(both, (3, 9), strict=True):
        rows = [
            {"instance": f"q{n}", "target": n % 2, "acc": float(n % 10 < good)} for n in range(20)
        ]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = stored(tmp_path / "c.json", compared(*both))
    assert [one.name for one in found.dimensions] == ["acc"]
    check_again(found, [both[0]], [both[1]])


def test_a_comparison_that_records_neither_sides_nor_filter_is_still_read(logs, tmp_path):
    a, b = logs("a", BAD), logs("b", GOOD)
    found = stored(tmp_path / "c.json", compared(a, b))
    record = msgspec.to_builtins(found)
    for one in record["inputs"]:
        for name in ("name", "by", "where"):
            one.pop(name)
    check_again(msgspec.convert(record, Comparison), [a], [b])


def test_one_side_alone_names_the_columns_that_could_split_it(tmp_path):
    rows = [
        {
            "instance": f"i{i}",
            "variant": "ab"[i % 2],
            "condition": "x",
            "note": f"n{i}",
            "ok": i % 2,
        }
        for i in range(40)
    ]
    path = tmp_path / "trials.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with pytest.raises(SpecError, match="all of it is one side, x") as error:
        compared(path, by="condition")
    assert error.value.hint == "Columns with 2 to 20 values: 'variant' (2). Name one: `by=COLUMN`."
    path.write_text(json.dumps(rows[0]) + "\n", encoding="utf-8")
    with pytest.raises(SpecError) as error:
        compared(path, by="condition")
    assert error.value.hint.startswith("No other column has 2 to 20 values.")


def test_all_logs_without_the_field_of_the_sides_are_counted(logs, tmp_path):
    (tmp_path / "all").mkdir()
    for name in "abcde":
        logs(f"all/{name}", model="m" if name == "a" else None)
    with pytest.raises(SpecError, match="4 of 5 logs without 'model'") as error:
        compared(tmp_path / "all", by="model")
    assert error.value.message.count(".eval") == 3 and "1 other" in error.value.message
    assert "Name only the logs that have it" in error.value.hint
    with pytest.raises(SpecError, match="5 of 5 logs without 'colour'") as error:
        compared(tmp_path / "all", by="colour")
    assert error.value.hint.startswith("Tell the sides apart by one of ")


def test_several_sides_print_each_caveat_once_as_a_sentence(logs, tmp_path):
    from assay.report.comparisons import draw_comparisons

    for name, values in (("a", BAD), ("b", GOOD), ("c", GOOD)):
        logs(name, values)
    found = compared(*(tmp_path / f"{name}.eval" for name in "abc"))
    assert isinstance(found, Comparisons)
    out = io.StringIO()
    draw_comparisons(found, console(out))
    said = " ".join(out.getvalue().split())
    assert said.count("no-gates: No dimension is gated (--gate), so none is protected") == 1
    assert said.count("assumed: These columns are read as scores") == 1
    assert "caveats: " not in said
