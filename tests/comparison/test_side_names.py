"""The names of the sides stand in the first line, and in the record if the user gave them."""

import json

import pytest

import assay
from assay.comparison.collect import check_again
from assay.comparison.store import read_comparison

OLD = [{"instance": f"q{n}", "ok": n % 3 == 0, "safe": n % 9 > 0} for n in range(60)]
NEW = [{"instance": f"q{n}", "ok": n % 3 != 1, "safe": n % 9 > 0} for n in range(60)]


def written(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_a_column_that_tells_sides_apart_names_them():
    both = [{"agent": name, **row} for name, rows in (("v2", NEW), ("v1", OLD)) for row in rows]
    found = assay.compare(both, by="agent", dimension="ok")
    first, second = str(found).splitlines()[:2]
    assert first.startswith("REJECT v1 against v2: ")
    assert second == "candidate v1 against baseline v2: 60 runs against 60, 60 instances, 60 pairs"
    assert repr(found).startswith("<Comparison REJECT v1 against v2: ")
    assert "REJECT v1 against v2" in found._repr_html_()


def test_a_dictionary_of_sides_names_them_also_in_the_record():
    found = assay.compare({"old": OLD, "new": NEW}, dimension="ok")
    assert str(found).startswith("RATIFY new against old: ")
    assert [read["name"] for read in found.to_dict()["inputs"]] == ["old", "new"]


def test_paths_name_their_sides_but_not_in_the_record(tmp_path):
    paths = [written(tmp_path / name, rows) for name, rows in (("b.jsonl", OLD), ("a.jsonl", NEW))]
    found = assay.compare(*paths, dimension="ok")
    assert str(found).startswith("RATIFY a.jsonl against b.jsonl: ")
    assert "jsonl" not in json.dumps(found.to_dict())
    assert found == assay.compare(OLD, NEW, dimension="ok")


def test_sides_without_names_are_baseline_and_candidate():
    found = assay.compare(OLD, NEW, dimension="ok")
    assert str(found).startswith("RATIFY: ")
    assert "\ncandidate against baseline: 60 runs" in str(found)


def test_a_stored_comparison_of_named_sides_is_found_again(tmp_path):
    paths = [written(tmp_path / f"{n}.jsonl", rows) for n, rows in enumerate((OLD, NEW))]
    out = tmp_path / "comparison.json"
    assay.compare({"old": paths[0], "new": paths[1]}, out=out)
    check_again(read_comparison(out)[0], [paths[0]], [paths[1]])
    with pytest.raises(assay.IntegrityError, match="their digests differ"):
        check_again(read_comparison(out)[0], [paths[1]], [paths[0]])


def test_several_comparisons_show_gates_and_how_many_more_would_decide():
    few = [rows[:12] for rows in (OLD, NEW)]
    other = [{**row, "safe": 0} for row in few[1]]
    lines = str(assay.compare(*few, other, gate="safe")).splitlines()
    assert any("gates: safe" in line and "would settle it" in line for line in lines[1:3])
    assert not any("; gates:" in line for line in str(assay.compare(*few, other)).splitlines())


def test_costs_are_shown_with_their_intervals():
    before, after = ([{**row, "usd": 1.0 + n % 5 + 2 * (rows is NEW)} for n, row in enumerate(rows)]
                     for rows in (OLD, NEW))  # fmt: skip
    line = next(each for each in str(assay.compare(before, after)).splitlines()
                if each.startswith("reported only"))  # fmt: skip
    assert line == "reported only: usd 3.000 -> 5.000, +2.000 (lower is better)"
    after[0]["usd"] += 1.0
    assert "+2.017 [+1.983, +2.050] (lower is better)" in str(assay.compare(before, after))
