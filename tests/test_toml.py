"""TOML is refused before it can take long to read."""

import signal
import tomllib

import msgspec
import numpy as np
import pytest
from helpers.studies import a_study, breach, in_child
from hypothesis import given
from hypothesis import strategies as st

from assay.bounds import MAX_DEPTH, MAX_TOML_BYTES
from assay.errors import SpecError
from assay.study.study import open_study
from assay.toml import MAX_KEY_PARTS, key_hint, read_toml, toml_bytes

LONG = ".".join("a" * 50_000)
LONG_KEYS = {
    "bare": f"{LONG} = 1",
    "spaced": f"{LONG.replace('.', ' . ')} = 1",
    "quoted": '"a".' * 50_000 + '"a" = 1',
    "literal": "'a'." * 50_000 + "'a' = 1",
    "of a table": f"[{LONG}]",
    "of an array of tables": f"[[{LONG}]]",
    "in an inline table": f"x = {{ y = 1, {LONG} = 1 }}",
    "behind a text": f'x = """one # "two" \\""" three"""\n{LONG} = 1',
    "behind a text that ends with quotes": f'x = """one"""""\n{LONG} = 1',
    "behind a literal text": f"x = '''it's # \\'''\n{LONG} = 1",
    "behind a quoted sign": f'x = "#" # "\n{LONG} = 1',
    "behind a comment": f"# it's \"so\n{LONG} = 1",
    "without a value": LONG,
}


@pytest.mark.parametrize("kind", LONG_KEYS)
def test_a_key_of_many_parts_is_refused_before_it_is_read(kind, monkeypatch):
    monkeypatch.setattr(tomllib, "loads", lambda text: pytest.fail("it was read"))
    with pytest.raises(SpecError, match=f"of more than {MAX_KEY_PARTS} parts"):
        read_toml(LONG_KEYS[kind].encode(), where="x.toml")


FINE = {
    "dots in a text": f'x = "{"." * 100}"',
    "dots in a long text": f'x = """\n{"." * 100}\n"quoted" \\" {"." * 100}"""""',
    "dots in a literal text": f"x = '{'.' * 100}'\ny = '''{'.' * 100}'it''s{'.' * 100}'''",
    "dots in a comment": f"# {'.' * 100}\nx = 1 # {'.' * 100}",
    "many numbers": f"x = [{', '.join(['1.5'] * 100)}]",
    "numbers on lines": "x = [\n" + "1.5 ,\n" * 100 + "]",
    "many keys": "".join(f"a.b{n} = 1.0\n" for n in range(100)),
    "a key of as many parts as fit": ".".join("a" * MAX_KEY_PARTS) + " = 1",
    "as deep as it goes": "x = " + "[" * MAX_DEPTH + "]" * MAX_DEPTH,
    "times": "x = 1979-05-27T07:32:00.999999-07:00",
    "line ends of Windows": 'x = 1\r\n[a.b]\r\ny = "."\r\n',
}


@pytest.mark.parametrize("kind", FINE)
def test_anything_else_is_read_as_it_is(kind):
    assert read_toml(FINE[kind].encode(), where="x.toml") == tomllib.loads(FINE[kind])


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"#" * (MAX_TOML_BYTES + 1), "more than"),
        (b"x = " + b"[" * 100_000, f"deeper than {MAX_DEPTH}"),
        (b"x = " + b"{a=" * 100_000, f"deeper than {MAX_DEPTH}"),
        (b"x = \xff", "not UTF-8"),
        (b"x = ", "not TOML"),
        (b'x = "unfinished', "not TOML"),
        (b"x = 2024-02-31", "not TOML"),
    ],
)
def test_what_is_no_toml_or_too_much_of_it_is_refused(data, why):
    with pytest.raises(SpecError, match=rf"^x\.toml.*{why}"):
        read_toml(data, where="x.toml")


UNCLOSED = {
    "escaped quotes": b'a = "' + b'\\"' * 500_000,
    "escaped quotes on lines": b'a = """' + b'\\"\n' * 300_000,
    "quotes on lines": b"a = '''" + b"'\n" * 500_000,
    "pairs of quotes": b'a = """' + b'"" ' * 300_000,
    "behind other texts": b'a = ["x", \'y\']\nb = "' + b'\\"' * 500_000,
}


@pytest.mark.parametrize("kind", UNCLOSED)
def test_a_text_that_is_not_closed_is_refused_in_time(kind):
    """What follows its first quote was searched once for every quote in it."""

    def read_in_time():
        signal.alarm(30)
        with pytest.raises(SpecError, match="not TOML"):
            read_toml(UNCLOSED[kind], where="x.toml")

    assert in_child(read_in_time) == 0


def test_a_long_key_before_a_text_that_is_not_closed_is_refused():
    with pytest.raises(SpecError, match="parts"):
        read_toml(f'{LONG} = "'.encode(), where="x.toml")


@pytest.mark.parametrize("stage", ["sealed", "git-sealed"])
def test_a_plan_beside_a_study_does_not_keep_it_from_being_verified(tmp_path, stage):
    study = a_study(tmp_path, stage)
    (tmp_path / "other").mkdir()
    (tmp_path / "other/ledger.jsonl").touch()
    (tmp_path / "other/study.toml").write_text(".".join("a" * 500_000) + " = 1")

    def verify_in_time():
        signal.alarm(60)
        assert breach(open_study(study.root)) == (None, "")

    assert in_child(verify_in_time) == 0


def test_for_an_unknown_key_the_nearest_and_all_of_its_table_are_named():
    class Inner(msgspec.Struct, forbid_unknown_fields=True):
        seeds: int = 1
        jobs: int = 1

    class Outer(msgspec.Struct, forbid_unknown_fields=True):
        evaluation: dict[str, Inner] | None = None

    for table, hint in (
        ({"evaluatoin": {}}, "Did you mean evaluation? The keys here: evaluation."),
        ({"evaluation": {"a": {"seed": 2}}}, "Did you mean seeds? The keys here: seeds, jobs."),
        ({"far_off": 1}, "The keys here: evaluation."),
        ({"evaluation": 1}, None),
    ):
        with pytest.raises(msgspec.ValidationError) as error:
            msgspec.convert(table, Outer)
        assert key_hint(error.value, Outer) == hint


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
VALUES = st.recursive(
    st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(TEXTS, VALUES, max_size=5))
def test_a_dictionary_is_read_back_as_it_was(table):
    assert read_toml(toml_bytes(table, where="x"), where="x") == table


def test_what_python_has_and_toml_has_not_is_written_by_its_meaning(tmp_path):
    table = {
        "path": tmp_path,
        "share": np.float64(0.5),
        "ends": (np.int64(0), 1),
        "flag": np.bool_(1),
        "grid": np.array([[1, 2]]),
        "unset": None,
        "inner": {"unset": None, "rows": [{"a": 1}]},
    }
    assert read_toml(toml_bytes(table, where="x"), where="x") == {
        "path": str(tmp_path),
        "share": 0.5,
        "ends": [0, 1],
        "flag": True,
        "grid": [[1, 2]],
        "inner": {"rows": [{"a": 1}]},
    }


ENDLESS: list[object] = []
ENDLESS.append(ENDLESS)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"a": {"b": object()}}, "^x: a: b: got object, expected text"),
        ({"a": [{"b": {"c": b"1"}}]}, r"^x: a\[0\]: b.c: got bytes"),
        ({"a": {3: 1}}, "^x: a: a key is 3, expected text"),
        ({"a": [None]}, "^x: a: got NoneType"),
        ({"a": ENDLESS}, "^x: a: nested deeper than"),
    ],
)
def test_what_toml_cannot_hold_is_refused_by_its_key(table, said):
    with pytest.raises(SpecError, match=said):
        toml_bytes(table, where="x")
