"""Parts of results by their names, and as rows of a frame."""

import pandas as pd
import pytest

import assay

BEFORE = [{"instance": f"q{n}", "correct": n % 3 == 0, "safe": n % 5 > 1} for n in range(40)]
AFTER = [{**row, "correct": True, "safe": n % 5 > 0} for n, row in enumerate(BEFORE)]


def test_a_dimension_and_a_comparison_are_found_by_name():
    names = {"v1": BEFORE, "v2": AFTER, "v3": [{**row, "safe": 1} for row in BEFORE]}
    several = assay.compare(names, dimension=["correct", "safe"])
    assert several["v2"] is several.pairs[0].comparison
    assert several["v3 against v1"] is several["v3"]
    assert several["v2"]["correct"].delta == several.pairs[0].comparison.dimensions[0].delta
    with pytest.raises(
        assay.SpecError, match="no dimension 'corect'; there are 'correct', 'safe'"
    ) as error:
        several["v2"]["corect"]
    assert error.value.hint == "Did you mean correct?"
    with pytest.raises(assay.SpecError, match=r"no comparison 'v4'; there are 'v2 against v1', "):
        several["v4"]
    both = assay.compare(names, dimension="correct", all_pairs=True)
    with pytest.raises(assay.SpecError, match="no comparison 'v3'"):
        both["v3"]
    assert both["v3 against v2"].pairs == 40


def test_the_parts_of_a_result_are_rows_of_a_frame():
    rows = [{"question": f"Is {n // 4} odd?", "label": n % 2} for n in range(40)]
    audit = assay.confounds(rows, joint=False)
    frame = pd.DataFrame(audit.rows_of("lint"))
    assert list(frame["code"]) == [finding.code for finding in audit.lint]
    assert {"count", "message", "remedy", "records"} <= set(frame.columns)
    assert len(audit.rows_of("features")) == len(audit.features)
    with pytest.raises(
        assay.SpecError, match="ConfoundAudit has no part 'lints' with rows"
    ) as error:
        audit.rows_of("lints")
    assert "features, methods, lint, caveats" in error.value.hint
    made = assay.compare(BEFORE, AFTER, dimension=["correct", "safe"])
    assert pd.DataFrame(made.rows_of("dimensions"))["name"].to_list() == ["correct", "safe"]


def test_numbered_records_are_found_by_their_places():
    rows = [{"question": f"Is {n // 4} odd?", "label": n % 2} for n in range(40)]
    audit = assay.confounds(pd.DataFrame(rows), joint=False)
    [finding] = [one for one in audit.lint if one.code == "conflicting-labels"]
    places = audit.positions_of(finding.records)
    assert [place + 1 for place in places] == [int(record) for record in finding.records]
    assert f"record {finding.records[0]} is frame.iloc[{places[0]}]" in str(audit)
    named = assay.confounds([{"id": f"r{n}", **row} for n, row in enumerate(rows)], joint=False)
    assert "frame.iloc" not in str(named)
    with pytest.raises(assay.SpecError, match="the records have ids"):
        named.positions_of(named.lint[0].records)


def test_the_records_of_a_balanced_subset_choose_rows_of_a_frame():
    rows = [
        {
            "id": f"r{n}",
            "question": f"q {n}?",
            "label": n % 2,
            "response": "Yes." if n % 4 < 2 else "No.",
        }
        for n in range(60)
    ]
    frame = pd.DataFrame(rows).set_index("id")
    balanced = assay.balance(rows)
    assert len(frame.loc[balanced.records]) == balanced.kept
