"""Which columns are read, and that none is lost without a word."""

import io
import json
from pathlib import Path

import pytest

import assay
from assay.logs.columns.cells import PAIRS
from assay.logs.trial_rows import TrialColumns, read_rows
from assay.report.comparison import draw_comparison
from assay.report.terminal import console
from assay.tables.source import TableSource


def read(name, text, *, planned=(), by=None, **columns):
    source = TableSource(place=name, name=name, files=((name, text.encode()),))
    return read_rows(source, TrialColumns(**columns), planned=planned, by=by)


def rows(*cells, name="acc"):
    return [{"instance": f"q{i}", name: cell, "b": 1} for i, cell in enumerate(cells)]


def jsonl(found):
    return "".join(json.dumps(row) + "\n" for row in found)


def both(cells, other, **how):
    return assay.compare(rows(*cells), rows(*other), **how)


def drawn(found):
    out = io.StringIO()
    draw_comparison(found, console(out))
    return out.getvalue()


def caveat(result, code):
    return next((one.message for one in result.caveats if one.code == code), None)


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("write", [str.upper, str.lower, str.title])
def test_a_pair_of_words_is_1_and_0(pair, write):
    found = read("a.csv", f"instance,acc\nq,{write(pair[0])}\nr,{write(pair[1])}\ns,\nt,n/a\n")
    values = [one.dimensions["acc"] for one in found.sides[None]]
    assert values == [1.0, 0.0, None, None]


def test_the_words_are_named_and_compare_like_numbers():
    ups, downs = ["PASS"] * 30 + ["FAIL"] * 10, ["FAIL"] * 30 + ["PASS"] * 10
    words = both(downs, ups)
    numbers = both([0] * 30 + [1] * 10, [1] * 30 + [0] * 10)
    assert words.dimensions == numbers.dimensions
    assert caveat(words, "read-as").endswith("acc: pass is 1, fail is 0.")
    assert caveat(numbers, "read-as") is None


def test_a_side_that_passes_everything_is_read_like_the_other():
    found = both(["pass", "fail"] * 20, ["pass"] * 40)
    assert found.dimensions[0].candidate == 1.0


def test_a_word_that_is_the_same_everywhere_is_no_score():
    before, after = rows(*[0, 1] * 10), rows(*[1] * 20)
    found = assay.compare([{**r, "cached": "no"} for r in before],
                          [{**r, "cached": "no"} for r in after])  # fmt: skip
    assert "cached" not in {one.name for one in found.dimensions}
    assert "cached (the same word everywhere)" in caveat(found, "columns-not-read")


@pytest.mark.parametrize("name", ["answer", "prediction", "expected", "label", "target"])
def test_an_answer_of_yes_and_no_is_no_score(name):
    before = [{**row, name: "yes" if i % 2 else "no"} for i, row in enumerate(rows(*[0, 1] * 10))]
    after = [{**row, name: "yes"} for row in rows(*[1] * 20)]
    found = assay.compare(before, after)
    assert name not in {one.name for one in found.dimensions}
    assert name in caveat(found, "columns-not-read")


@pytest.mark.parametrize("name", ["label", "gold", "ground_truth"])
def test_a_label_of_0_and_1_is_named_as_left_out(name):
    before = [{"instance": i, name: 1, "ok": i % 2} for i in range(40)]
    after = [{"instance": i, name: i % 2, "ok": i % 2} for i in range(40)]
    found = assay.compare(before, after)
    assert [one.name for one in found.dimensions] == ["ok"]
    assert name in caveat(found, "columns-not-read")
    with pytest.raises(assay.SpecError, match="no column is known to be a score"):
        assay.compare(before, after, dimension=name)


def test_a_planned_column_of_words_is_refused_in_one_line(tmp_path):
    plan = tmp_path / "dims.toml"
    plan.write_text("[dimensions.acc]\n[dimensions.b]\n")
    with pytest.raises(assay.SpecError) as error:
        both(["A", "B"] * 5, ["B", "C"] * 5, config=plan)
    assert "column 'acc': expected numbers, got 'A'; 10 of 10 cells hold no number" in str(
        error.value
    )
    assert not error.value.details
    assert "pass and fail" in error.value.hint


def test_an_asked_column_of_words_is_refused_in_one_line():
    with pytest.raises(assay.SpecError, match="1 of 3 cells holds no number") as error:
        read("a.jsonl", jsonl(rows(1, "maybe", 0)), dimensions=("acc",))
    assert not error.value.details


def test_a_planned_column_of_a_pair_of_words_is_read(tmp_path):
    plan = tmp_path / "dims.toml"
    plan.write_text("[dimensions.acc]\n")
    found = both(["FAIL"] * 20, ["PASS"] * 20, config=plan)
    assert found.favourable
    assert caveat(found, "absent") is None


def test_decimal_commas_are_read_between_semicolons():
    found = read("a.csv", "instance;acc;cost\nq;1;0,25\nr;0;1\ns;1;\n")
    assert [one.dimensions["cost"] for one in found.sides[None]] == [0.25, 1.0, None]
    assert found.scores.forms["cost"].comma


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.tsv", "instance\tacc\tcost\nq\t1\t0,25\nr\t0\t1,5\n"),
        ("a.csv", 'instance,acc,cost\nq,1,"0,25"\nr,0,"1,500"\n'),
        ("a.jsonl", jsonl([{"instance": "q", "acc": 1, "cost": "0,25"}])),
    ],
)
def test_other_commas_are_named_and_not_read(name, text):
    found = read(name, text)
    assert found.scores.names == ["acc"]
    assert found.scores.unread == {"cost": "numbers with a comma: such as '0,25'"}


def test_percentages_are_read_as_shares_and_said():
    cells, other = ["52.4%", "9 %", "n/a", ""] * 3, ["60%", "19.5 %", "", "70%"] * 3
    found = both(cells, other)
    assert "acc: percentages, 60% is 0.6." in caveat(found, "read-as")
    values = [one.dimensions["acc"] for one in read("a.jsonl", jsonl(rows(*cells))).sides[None]]
    assert values[:4] == [0.524, 0.09, None, None]


def test_percentages_with_decimal_commas_are_read_between_semicolons():
    found = read("a.csv", "instance;acc\nq;52,4 %\nr;100%\n")
    assert [one.dimensions["acc"] for one in found.sides[None]] == [0.524, 1.0]
    with pytest.raises(assay.SpecError, match="numbers with a comma"):
        read("a.jsonl", jsonl([{"instance": "q", "acc": "52,4 %"}]))


@pytest.mark.parametrize("other", [0.5, "0.5", "1", True])
def test_percentages_beside_other_numbers_are_refused(other):
    with pytest.raises(assay.SpecError, match=r"holds both percentages, such as '52.4%'"):
        read("a.jsonl", jsonl(rows("52.4%", other, "50%")))


def test_percentages_on_one_side_and_numbers_on_the_other_are_refused():
    with pytest.raises(assay.SpecError, match="holds percentages in"):
        both(["52.4%"] * 10, [0.6] * 10)


def test_a_range_up_to_100_for_percentages_is_refused():
    plan = {"dimensions": {"acc": {"range": [0, 100]}}}
    with pytest.raises(assay.SpecError, match="its range ends at 100, but its values"):
        both(["52.4%"] * 10, ["60%"] * 10, config=plan)
    found = both(["52.4%"] * 10, ["60%"] * 10, config={"dimensions": {"acc": {}}})
    assert found.dimensions[0].delta == pytest.approx(0.076)


def test_words_that_are_not_read_are_named_with_what_to_do():
    before = [{**row, "Bestanden": "ja" if n % 2 else "nein"}
              for n, row in enumerate(rows(*[0, 1] * 5))]  # fmt: skip
    said = caveat(assay.compare(before, [dict(row) for row in before]), "columns-not-read")
    assert "Bestanden (words: nein, ja)" in said
    assert "words are scores only in pairs such as pass and fail" in said


def test_every_column_is_read_or_named():
    row = {"instance": "q", "acc": 1, "note": "a long text about this", "grade": "A", "tags": ["x"]}
    row |= {"void": None, "task_id": 7, "label": 1, "model": "m", "harness.k": "v", "scorer": "s"}
    found = read("a.jsonl", jsonl([row, {**row, "instance": "r"}]))
    assert set(found.scores.names) == {"acc"}
    assert set(found.scores.unread) == {"note", "grade", "tags", "void", "task_id", "label"}


def repeated(name, order=(0, 1), count=12):
    return [{"Task": f"t{i}", "agent": side, name: k, "success": int(side == "b" or i % 2 == k)}
            for side in "ab" for i in range(count) for k in order]  # fmt: skip


@pytest.mark.parametrize("name", ["rep", "attempt", "epoch", "column_seven"])
@pytest.mark.parametrize("order", [(0, 1), (1, 2, 3), (1, 0)])
def test_a_repeat_counter_is_no_score_and_is_named(name, order):
    found = assay.compare(repeated(name, order), by="agent", instance="Task")
    assert [one.name for one in found.dimensions] == ["success"]
    assert f"{name} (numbers the runs of an instance; `trial={name}`" in caveat(
        found, "columns-not-read"
    )
    named = assay.compare(repeated(name, order), by="agent", instance="Task", trial=name)
    assert found.dimensions[0].delta == named.dimensions[0].delta


def test_scores_of_repeated_runs_are_no_counters():
    cells = [(i * 7 + k * 3) % 5 % 2 for i in range(12) for k in range(2)]
    found = read("a.jsonl", jsonl([{"instance": f"t{n // 2}", "odd": c, "b": 1}
                                   for n, c in enumerate(cells)]))  # fmt: skip
    assert "odd" in found.scores.names


def test_few_instances_do_not_make_a_counter_of_a_score():
    found = read("a.jsonl", jsonl([{"instance": f"t{n // 2}", "odd": n % 2} for n in range(6)]))
    assert found.scores.names == ["odd"]


def test_a_counter_of_one_file_is_none_in_the_other():
    before = [{"instance": f"t{i}", "k7": k, "ok": k} for i in range(12) for k in (0, 1)]
    after = [{"instance": f"t{i}", "k7": 0, "ok": 1} for i in range(12)]
    before = [{**row, "ok": int(row["instance"] > "t4")} for row in before]
    found = assay.compare(before, after)
    assert [one.name for one in found.dimensions] == ["ok"]


@pytest.mark.parametrize("name", ["", "Unnamed: 0", "Unnamed: 0.1", "row", "n"])
@pytest.mark.parametrize("first", [0, 1])
def test_the_number_of_a_row_is_no_score_and_is_named(name, first):
    text = f"{name},instance,acc\n" + "".join(f"{n + first},q{n},{n % 2}\n" for n in range(12))
    found = read("a.csv", text)
    assert found.scores.names == ["acc"]
    assert found.scores.unread == {name: "numbers the rows"}
    for side, done in (("before", "0"), ("after", "1")):
        Path(f"{side}.csv").write_text(text.replace(",0\n", f",{done}\n"))
    said = caveat(assay.compare("before.csv", "after.csv"), "columns-not-read")
    assert f"{name or 'a column without a name'} (numbers the rows)" in said


@pytest.mark.parametrize("numbers", [range(9), range(2, 14), [*range(11), 10], range(12, 0, -1)])
def test_whole_numbers_that_do_not_count_the_rows_are_scores(numbers):
    text = "instance,n\n" + "".join(f"q{place},{n}\n" for place, n in enumerate(numbers))
    assert read("a.csv", text).scores.names == ["n"]


def test_a_fraction_named_like_a_counter_is_a_value():
    found = read("a.jsonl", jsonl([{"instance": "q", "repetition": 0.25, "acc": 1}]))
    assert "repetition" in found.scores.names


def test_without_any_score_each_column_and_its_fault_is_listed():
    with pytest.raises(assay.SpecError, match="no column holds numbers") as error:
        read("a.jsonl", jsonl([{"instance": "q", "grade": "A", "label": 1}]))
    assert error.value.details == (
        "grade: words: A",
        "label: by its name what was expected or answered",
    )


def test_the_name_is_given_as_the_reason_why_0_and_1_do_not_count():
    before = [{"instance": i, "hallucinated": i % 2, "rating": 1 + i % 5} for i in range(20)]
    after = [{"instance": i, "hallucinated": 0, "rating": 3} for i in range(20)]
    with pytest.raises(assay.SpecError) as error:
        assay.compare(before, after)
    said = error.value.details
    assert said[0] == "hallucinated: 0 and 1; by its name, more may be worse"
    assert said[1] == "rating: 1 to 5; outside 0 to 1, so its range must be stated"
    plan = "\n".join(said[2:])
    assert assay.compare(before, after, config=_file(plan)).favourable


def test_the_caveat_has_a_line_that_can_be_pasted():
    before = [{"instance": i, "hallucinated": i % 2, "ok": i % 2, "tokens": i} for i in range(20)]
    after = [{"instance": i, "hallucinated": 0, "ok": 1, "tokens": i + 9} for i in range(20)]
    guessed = assay.compare(before, after)
    said = caveat(assay.compare(before, after), "undirected")
    assert "hallucinated (0 and 1; by its name, more may be worse)" in said
    line = said.partition("with the line ")[2]
    cost = 'tokens = {counts = false, better = "lower", margin = 0}'
    assert line == f'dimensions = {{ok = {{}}, {cost}, hallucinated = {{better = "lower"}}}}'
    pasted = assay.compare(before, after, config=_file(line))
    assert pasted.favourable and caveat(pasted, "not-in-plan") is None
    assert caveat(pasted, "costs-more") == caveat(guessed, "costs-more") is not None
    as_guessed, as_planned = (
        next(one for one in found.dimensions if one.name == "tokens") for found in (guessed, pasted)
    )
    assert as_guessed == as_planned
    assert f"  {line}" in drawn(guessed).splitlines()


def test_a_gate_without_a_direction_offers_a_plan_that_keeps_the_other_columns():
    before = [{"instance": i, "leaked": i % 2, "ok": i % 2, "style": 1} for i in range(20)]
    after = [{"instance": i, "leaked": 0, "ok": 1, "style": i % 2} for i in range(20)]
    with pytest.raises(assay.SpecError, match="so its gate needs a direction") as error:
        assay.compare(before, after, gate=["leaked", "style"])
    plan = "\n".join(error.value.details)
    pasted = assay.compare(before, after, config=_file(plan))
    assert {one.name for one in pasted.dimensions} == {"leaked", "ok", "style"}
    assert {one.name for one in pasted.settings.plan.dimensions if one.gated} == {"leaked", "style"}
    assert caveat(pasted, "not-in-plan") is None


def test_a_negated_name_leaves_the_direction_to_the_user():
    before = [{"instance": i, "no_secrets_leaked": i % 2, "ok": i % 2} for i in range(20)]
    after = [{"instance": i, "no_secrets_leaked": 1, "ok": 1} for i in range(20)]
    said = caveat(assay.compare(before, after), "undirected")
    assert "its name is negated" in said and '"lower"' not in said
    line = said.partition("with the line ")[2]
    with pytest.raises(assay.SpecError, match="better"):  # until it is filled in
        assay.compare(before, after, config=_file(line))
    filled = line.replace("?", "higher")
    assert assay.compare(before, after, config=_file(filled)).favourable


def test_a_column_that_looks_like_the_number_of_the_repeat_is_proposed():
    before = [{"instance": n // 3, "attempt": n % 3, "ok": n % 2} for n in range(60)]
    after = [{**row, "ok": 1} for row in before]
    found = assay.compare(before, after)
    assert "attempt: `trial=attempt`." in caveat(found, "trial-unnamed")
    assert caveat(assay.compare(before, after, trial="attempt"), "trial-unnamed") is None


def test_columns_that_a_plan_leaves_out_are_named():
    before = [{"instance": i, "ok": i % 2, "style": 1, "tokens": 9} for i in range(20)]
    plan = {"dimensions": {"ok": {}}}
    after = [dict(row) for row in before]
    said = caveat(assay.compare(before, after, config=plan), "not-in-plan")
    assert said.endswith("not compared. style, tokens.")
    assert caveat(assay.compare(before, after), "not-in-plan") is None


def _file(text):
    path = Path("pasted.toml")
    path.write_text(text)
    return path


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
