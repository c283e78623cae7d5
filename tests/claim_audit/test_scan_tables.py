"""Stored tables that a table of a text prints: proposed where heads and keys match, else not."""

import json

import pytest

import assay
from assay.claim_audit.scan.propose import propose_claims
from assay.claim_audit.scan.scan import scan_texts

CSV = """model,split,accuracy,macro_f1,n
small,test,0.8123,0.790,400
large,test,0.8712,0.8544,400
huge,test,0.9012,0.8811,400
small,dev,0.80,0.781,200
large,dev,0.8633,0.8401,200
huge,dev,0.9123,0.8899,200
"""
PRINTED = """| Model | Accuracy | Macro F1 |
| --- | ---: | ---: |
| small | 0.812 | 0.790 |
| large | 0.871 | **0.854** |
| huge | 0.901 | 0.881 |
"""
FENCED = "```csv\nmodel,accuracy\nsmall,0.812\nlarge,0.871\nhuge,0.901\n```\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "results").mkdir()
    (tmp_path / "results/models.csv").write_text(CSV)
    return tmp_path


def scanned(folder, text):
    page = folder / "page.md"
    page.write_text(f"# Page\n\n{text}\nMore.\n")
    return scan_texts([page], folder)


def written(folder, text):
    scan = scanned(folder, text)
    propose_claims(scan, [folder / "page.md"], write=True)
    return (folder / "page.md").read_text()


@pytest.mark.parametrize("table", [PRINTED, PRINTED.replace("0.854", "0.8544"), FENCED])
def test_a_table_that_a_file_holds_is_proposed_as_a_claim_that_holds(folder, table):
    text = written(folder, table)
    audit = assay.claims(folder / "page.md", root=folder)
    assert [(one.checker, one.stands) for one in audit.claims] == [("table_equals", True)]
    assert 'where="split == test"' in text
    assert scan_texts([folder / "page.md"], folder).tables == ()


def test_a_dash_is_a_missing_cell(folder):
    (folder / "results/models.csv").write_text(CSV.replace("large,test,0.8712", "large,test,"))
    text = written(folder, PRINTED.replace("0.871", "\u2014"))
    assert "table_equals" in text
    assert assay.claims(folder / "page.md", root=folder).verdict == "holds"
    page = folder / "page.md"
    page.write_text(text.replace("0.812", "0.821"))
    assay.fix_claims(page, root=folder, write=True)
    assert page.read_text() == text


def test_cells_that_differ_are_named_and_nothing_is_written(folder):
    stale = PRINTED.replace("0.854", "0.855").replace("0.812", "0.821")
    scan = scanned(folder, stale)
    (table,) = scan.tables
    (found,) = table.candidates
    assert (found.match, found.cells) == ("near", 9)
    assert [(one.row, one.column, one.says, one.found) for one in found.differs] == [
        (1, "Accuracy", "0.821", "0.8123"),
        (2, "Macro F1", "0.855", "0.8544"),
    ]
    assert "nearly prints results/models.csv: row 1, Accuracy: 0.821" in str(scan)
    assert "table_equals" not in written(folder, stale)


@pytest.mark.parametrize("old", ["0.812", "0.790", "0.871", "0.854", "0.901", "0.881"])
def test_any_one_cell_that_is_off_by_one_is_found(folder, old):
    new = f"{float(old) + 0.001:.3f}"
    (table,) = scanned(folder, PRINTED.replace(old, new)).tables
    ((cell,),) = [one.differs for one in table.candidates]
    assert (cell.says, cell.found.startswith(old[:4])) == (new, True)


@pytest.mark.parametrize(
    "table",
    [
        PRINTED.replace("huge", "tiny"),  # another row
        PRINTED.replace("| Macro F1", "| Micro F1"),  # another column
        PRINTED.replace("| huge | 0.901 | 0.881 |\n", ""),  # a row less
        PRINTED + "| tiny | 0.701 | 0.681 |\n",  # a row more
        PRINTED.replace("small", "x").replace("large", "small").replace("x", "large"),
        PRINTED.replace("0.812", "0.5").replace("0.871", "0.6").replace("0.901", "0.7").replace(
            "0.790", "0.4"),  # most cells differ
        "| Model |\n| --- |\n| small |\n| large |\n| huge |\n",  # names alone
        "| n | split |\n| --- | --- |\n| 400 | test |\n| 400 | test |\n| 400 | test |\n",
        "    | Model | Accuracy |\n    | --- | --- |\n    | small | 0.812 |\n",  # code
        "```\nmodel,accuracy\nsmall,0.812\nlarge,0.871\nhuge,0.901\n```\n",  # not called CSV
    ],
)  # fmt: skip
def test_a_table_whose_heads_rows_or_numbers_are_others_is_not_proposed(folder, table):
    assert scanned(folder, table).tables == ()


def test_cells_that_agree_by_chance_are_not_enough(folder):
    (folder / "results/models.csv").write_text("step,wins\n1,5\n2,7\n3,9\n4,3\n")
    table = "| step | wins |\n| --- | --- |\n| 1 | 5 |\n| 2 | 7 |\n| 3 | 9 |\n| 4 | 8 |\n"
    assert scanned(folder, table).tables == ()
    assert len(scanned(folder, table.replace("8 |", "3 |")).tables) == 1


def test_of_two_files_that_differ_as_much_none_is_proposed(folder):
    head, rows = "model,auc\n", "a,0.811\nb,0.722\nc,0.933\n"
    (folder / "results/one.csv").write_text(head + rows.replace("0.811", "0.911"))
    (folder / "results/two.csv").write_text(head + rows.replace("0.722", "0.922"))
    table = "| model | auc |\n|---|---|\n| a | 0.811 |\n| b | 0.722 |\n| c | 0.933 |\n"
    assert scanned(folder, table).tables == ()
    (folder / "results/two.csv").unlink()
    assert len(scanned(folder, table).tables) == 1


def test_records_of_json_by_list_and_by_name(folder):
    (folder / "results/models.csv").unlink()
    records = [{"model": "a", "auc": 0.8111}, {"model": "b", "auc": 0.722}]
    table = "| Model | AUC |\n|---|---|\n| a | 0.811 |\n| b | 0.722 |\n"
    by_name = {one["model"]: {"auc": one["auc"]} for one in records}
    for stored, key in (({"x": {"rows": records}}, "x.rows"), ({"all": by_name}, "all"),
                        (by_name, None), (records, None)):  # fmt: skip
        (folder / "r.json").write_text(json.dumps(stored))
        (found,) = scanned(folder, table).tables[0].candidates
        assert found.args.get("key_path") == key
        written(folder, table)
        assert assay.claims(folder / "page.md", root=folder).verdict == "holds"


def test_a_page_of_results_holds_a_table_and_another_page_does_not(folder):
    (folder / "results/models.csv").rename(folder / "results/models.txt")
    (folder / "results/table.md").write_text(f"## Test\n\n{PRINTED}\n## More\n\n| a |\n|---|\n")
    assert [one.args["path"] for one in scanned(folder, PRINTED).tables[0].candidates] == [
        "results/table.md"
    ]
    written(folder, PRINTED)
    assert assay.claims(folder / "page.md", root=folder).verdict == "holds"
    (folder / "results/table.md").rename(folder / "notes.md")
    assert scanned(folder, PRINTED).tables == ()


def test_a_claimed_table_is_not_proposed_and_a_text_is_no_evidence_of_itself(folder):
    (folder / "results/models.csv").unlink()
    page = folder / "results/page.md"
    page.write_text(PRINTED)
    assert scan_texts([page], folder).tables == ()


def test_a_stale_fenced_table_is_mended_in_its_layout(folder):
    page = folder / "page.md"
    page.write_text(
        FENCED.replace("0.871", "0.872")
        + '\n<!-- claim: table_equals path="results/models.csv" columns=["model", "accuracy"]'
        ' where="split == test" -->\n'
    )
    assert assay.claims(page, root=folder).verdict == "fails"
    fixed = assay.fix_claims(page, root=folder, write=True)
    assert fixed.changed == 1 and page.read_text().startswith(FENCED)


def test_the_command_shows_the_table_the_cells_and_the_claim(folder, assay_cmd):
    scanned(folder, PRINTED.replace("0.854", "0.855"))
    told = assay_cmd("claims", "scan", "page.md").out
    assert "page.md, line 3  table" in told
    assert "8 of 9 cells as in results/models.csv" in told
    assert "row 2, Macro F1: 0.855, and 0.8544 is there" in told
