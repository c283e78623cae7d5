import pytest

from assay.wording import as_flags, as_python


def test_a_parameter_is_spelled_as_its_flag():
    assert as_flags("Say it: `item_seconds=5`.") == "Say it: --item-seconds 5."
    assert as_flags("`class_=COLUMN`, `label=`") == "--class COLUMN, --label"
    assert as_flags("`joint=False` `all=True`") == "--no-joint --all"


@pytest.mark.parametrize(
    ("said", "python"),
    [
        ("Number them (`ids=none`).", 'Number them (`ids="none"`).'),
        ("`class_=COLUMN`, `label=`", '`class_="COLUMN"`, `label=`'),
        ("`joint=False` `batch=1` `effect=E`", "`joint=False` `batch=1` `effect=...`"),
        ("`positive='class != truth'`", '`positive="class != truth"`'),
        ("`pilot=a.csv` `pilot=b.csv`.", '`pilot=("a.csv", "b.csv")`.'),
        ("See it: assay board. Again: assay verify `rerun=001`",
         'See it: `Study.board()`. Again: `Study.verify(rerun="001")`'),
        ("assay verify here `rerun=True`", '`Study.open("here").verify(rerun=True)`'),
        ("Name both: assay compare BASELINE CANDIDATE.",
         'Name both: `assay.compare("BASELINE", "CANDIDATE")`.'),
        ("`assay methods` lists them.", "`assay.methods()` lists them."),
        ("Judge it first: assay score `all=True`", "Judge it first: `Study.score()`"),
        ("assay ledger checkpoint `keep=True`", "`assay ledger checkpoint --keep`"),
        ("nothing to change; assay 0.3", "nothing to change; assay 0.3"),
    ],
)  # fmt: skip
def test_a_parameter_and_a_command_are_spelled_as_python(said, python):
    assert as_python(said) == python
