from assay.wording import as_flags


def test_a_parameter_is_spelled_as_its_flag():
    assert as_flags("Say it: `item_seconds=5`.") == "Say it: --item-seconds 5."
    assert as_flags("`class_=COLUMN`, `label=`") == "--class COLUMN, --label"
    assert as_flags("`joint=False` `all=True`") == "--no-joint --all"
