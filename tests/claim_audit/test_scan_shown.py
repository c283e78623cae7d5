"""What a scan finds is shown at its place."""

import json

import pytest

from assay.api.claims import claims, scan_claims
from assay.report.claims import draw_claims, draw_scan, pointed
from assay.report.terminal import console

MODELS = "model,split,acc\nsmall,dev,0.8955\nsmall,test,0.7043\n"
EVAL = {
    "metrics": {
        "auc": {"value": 0.9134, "ci": [0.884, 0.9378]},
        "latency_ms": {"p50": 812.4, "p95": 2310.2},
    }
}


@pytest.fixture
def root(tmp_path):
    (tmp_path / "models.csv").write_text(MODELS)
    (tmp_path / "eval.json").write_text(json.dumps(EVAL))
    (tmp_path / "items.csv").write_text("id,ok\n" + "".join(f"{n},{n % 4 > 0}\n" for n in range(8)))
    return tmp_path


def scanned(root, text):
    (root / "t.md").write_text(text)
    return {one.number: one for one in scan_claims(root / "t.md", root=root).uncovered}


def drawn(draw, found, **settings):
    out = console()
    with out.capture() as captured:
        draw(found, out, **settings)
    return captured.get()


def test_a_share_of_truth_values_is_found(root):
    (found,) = scanned(root, "75 % of items were ok.")["75 %"].candidates
    assert (found.args["statistic"], found.args["column"]) == ("mean", "ok")


def test_the_mean_of_a_column_is_doubted_in_a_row_of_a_table(root):
    table = "| model | split | accuracy |\n|---|---|---|\n| small | test | 0.80 |\n"
    (doubted,) = scanned(root, table)["0.80"].candidates
    assert (doubted.args["statistic"], doubted.related) == ("mean", False)
    (meant,) = scanned(root, "The mean accuracy is 0.800 .")["0.800"].candidates
    assert meant.related, "acc begins the word accuracy"
    (elsewhere,) = scanned(root, "One of our models has 0.800 .")["0.800"].candidates
    assert not elsewhere.related, "the name of the file alone names no column"


def test_a_value_in_another_unit_of_time_is_found_and_its_claim_holds(root):
    (found,) = scanned(root, "The slowest take 2.3 s.")["2.3"].candidates
    assert (found.value, found.args["scale"]) == (2310.2, 0.001)
    (root / "t.md").write_text(f"The slowest take 2.3 s {found.comment}.")
    assert claims(root / "t.md", root=root).favourable
    assert not scanned(root, "The slowest take 2.3 m.")["2.3"].candidates
    (same,) = scanned(root, "It takes 812 ms.")["812"].candidates
    assert same.related, "the unit is in the name of the value"


def test_an_arrow_points_at_the_number_that_is_meant(root):
    text = "It answers in 812 ms and 2.3 s.\nNothing else.\n"
    (root / "t.md").write_text(text)
    shown = drawn(draw_scan, scan_claims(root / "t.md", root=root))
    assert "It answers in 812 \u2190 ms and 2.3 s." in shown
    assert "It answers in 812 ms and 2.3 \u2190 s." in shown
    assert "Nothing" not in shown, "the sentence ends at the line's end too"


def test_a_number_of_a_table_is_shown_with_its_heads_and_its_row_alone(root):
    rows = "".join(f"| m{n} | 0.1{n} |\n" for n in range(3))
    shown = scanned(root, f"| model | acc |\n|---|---|\n{rows}")["0.12"]
    assert shown.sentence == "| model | acc | | m2 | 0.12 |"
    assert pointed(shown.sentence, shown.at + len(shown.number)).endswith("0.12 \u2190 |")


def test_of_several_claims_in_a_line_an_arrow_shows_which_fails(root):
    comment = '<!-- claim: aggregate_equals path="items.csv" statistic="{}" {} -->'
    count = comment.format("count", "")
    share = comment.format("share", 'of="ok == 1"')
    (root / "t.md").write_text(f"Of 8 {count} items 75 % {share}, or 74 % {share} are ok.\n")
    shown = drawn(draw_claims, claims(root / "t.md", root=root))
    assert "Of 8 items 75 % , or 74 % \u2190 are ok." in shown


def test_a_differing_cell_is_named_by_its_row_of_the_table(root):
    claim = '<!-- claim: table_equals path="models.csv" where="split == test" -->'
    (root / "t.md").write_text(
        f"| model | split | acc |\n|---|---|---|\n| small | test | 0.81 |\n\n{claim}\n"
    )
    assert "row 1 of the table, column 'acc'" in drawn(
        draw_claims, claims(root / "t.md", root=root)
    )
