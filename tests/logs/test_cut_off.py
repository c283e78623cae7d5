import json

import pytest
from helpers.inspect_logs import samples, write_eval

from assay import SpecError
from assay.comparison.collect import Request, compare_sides, sides_from
from assay.comparison.sides.read import read_sides
from assay.comparison.sides.reader import SideReading
from assay.logs.lenient_json import loads

LINES = [{"instance": f"q{at}", "trial": 1, "acc": 0.5, "note": "said so"} for at in range(9)]


def refusal(path):
    with pytest.raises(SpecError) as error:
        read_sides([("a", [path])], SideReading())
    return error.value


@pytest.mark.parametrize("cut", [3, 20, 45])
def test_a_json_file_without_its_end_seems_cut_off(tmp_path, cut):
    (tmp_path / "a.json").write_text(json.dumps(LINES, indent=1)[:-cut])
    assert "seems cut off" in str(refusal(tmp_path / "a.json").hint)


def test_a_line_of_a_log_without_its_end_seems_cut_off():
    for text in (b'{"a": "b', b'{"a": 1', b"[1, 2,"):
        with pytest.raises(SpecError, match="not JSON") as error:
            loads(text, where="a.jsonl, line 3")
        assert "seems cut off" in str(error.value.hint)
    with pytest.raises(SpecError, match="not JSON") as error:
        loads(b'{"a": b}', where="a.jsonl, line 3")
    assert error.value.hint is None


def test_a_task_is_found_without_its_number_of_examples(tmp_path):
    paths = [
        write_eval(tmp_path / f"{name}.eval", samples(["C"] * 20), model=name, task="facts|0")
        for name in "ab"
    ]
    named = [(path.name, [path]) for path in paths]
    request = Request(plan=None, policies={}, task="facts")
    assert compare_sides(sides_from(named, request), request).pairs == 20
    other = Request(plan=None, policies={}, task="fact")
    with pytest.raises(SpecError, match="no run of a task 'fact'"):
        compare_sides(sides_from(named, other), other)
