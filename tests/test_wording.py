import pytest

from assay.wording import (
    as_column,
    as_flags,
    as_python,
    interval,
    number,
    signed,
    signed_interval,
    with_short_paths,
)


def test_a_parameter_is_spelled_as_its_flag():
    assert as_flags("Say it: `item_seconds=5`.") == "Say it: --item-seconds 5."
    assert as_flags("`class_=COLUMN`, `label=`") == "--class COLUMN, --label"
    assert as_flags("`joint=False` `all=True`") == "--no-joint --all"


def test_a_value_of_several_words_is_quoted_for_the_shell():
    assert as_flags("`response=Model Output`") == "--response 'Model Output'"
    assert as_flags("`label=Halluc?`") == "--label 'Halluc?'"
    assert as_flags("`positive='class != truth'`") == "--positive 'class != truth'"
    assert as_flags("`pilot=a.csv` `label=doc.a.0`") == "--pilot a.csv --label doc.a.0"


@pytest.mark.parametrize(
    ("said", "python"),
    [
        ("Number them (`ids=none`).", 'Number them (`ids="none"`).'),
        ("`class_=COLUMN`, `label=`", '`class_="COLUMN"`, `label=`'),
        ("`joint=False` `batch=1` `effect=E`", "`joint=False` `batch=1` `effect=...`"),
        ("`positive='class != truth'`", '`positive="class != truth"`'),
        ("`pilot=a.csv` `pilot=b.csv`.", '`pilot=("a.csv", "b.csv")`.'),
        ("See it: assay board. Again: assay verify `rerun=001`",
         'See it: `study.board()`. Again: `study.verify(rerun="001")`'),
        ("assay verify here `rerun=True`", '`assay.Study.open("here").verify(rerun=True)`'),
        ("Name both: assay compare BASELINE CANDIDATE.",
         'Name both: `assay.compare("BASELINE", "CANDIDATE")`.'),
        ("`assay methods` lists them.", "`assay.methods()` lists them."),
        ("Judge it first: assay score `all=True`", "Judge it first: `study.score()`"),
        ("`assay claims scan DOC` proposes some", '`assay.scan_claims("DOC")` proposes some'),
        ("`assay bars show v3` shows them", '`assay.load_bars("v3")` shows them'),
        ("Make one: assay new DIR", 'Make one: `assay.Study.create("DIR")`'),
        ("assay ledger checkpoint `keep=True`", "`assay ledger checkpoint --keep`"),
        ("nothing to change; assay 0.3", "nothing to change; assay 0.3"),
    ],
)  # fmt: skip
def test_a_parameter_and_a_command_are_spelled_as_python(said, python):
    assert as_python(said) == python


def test_what_rounds_to_zero_has_no_minus():
    assert number(-0.0001) == "0.000" and number(-0.4, whole=True) == "0"
    assert signed(-0.0001) == "+0.000" and signed(-0.4, whole=True) == "+0"
    assert interval(-0.0001, 1.0) == "[0.000, 1.000]"
    assert signed_interval(-0.4, 0.4, whole=True) == "[+0, +0]"
    assert signed(-0.001) == "-0.001"


def test_a_long_column_keeps_its_beginning_its_end_and_its_quotes():
    assert as_column("short") == "'short'"
    long = as_column(f"first {'x' * 100} last")
    assert long.startswith("'first ") and long.endswith(" last'") and len(long) <= 60


def test_a_long_path_keeps_its_last_two_parts_where_it_is_no_code():
    assert with_short_paths("in /home/me/runs/old/a.jsonl, twice") == "in .../old/a.jsonl, twice"
    for kept in (
        "https://host/a/b/c/d",
        "`scores=/home/me/runs/a.jsonl`",
        "/data/a.jsonl",
        "a/b/c/d/e",
    ):
        assert with_short_paths(kept) == kept
