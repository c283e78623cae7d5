from assay.wording import as_column, as_flags, interval, number, signed, signed_interval


def test_a_parameter_is_spelled_as_its_flag():
    assert as_flags("Say it: `item_seconds=5`.") == "Say it: --item-seconds 5."
    assert as_flags("`class_=COLUMN`, `label=`") == "--class COLUMN, --label"
    assert as_flags("`joint=False` `all=True`") == "--no-joint --all"


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
