"""A traceback ends with the hint, and the hint is Python that can be pasted."""

import ast
import copy
import inspect
import pickle
import re
import traceback
from pathlib import Path

import pytest

import assay
from assay.errors import AssayError, SpecError
from assay.wording import as_python

SOURCE = Path(assay.__file__).parent
PAGE = re.compile(r"docs/[a-z-]+/")
QUOTED = re.compile(r"`([^`]+)`")


def shown(error):
    return "".join(traceback.format_exception(error))


def test_a_traceback_shows_the_hint_and_the_message_stays_alone():
    error = SpecError("a byte is no UTF-8", hint="Name the encoding: `encoding=cp1252`.")
    assert str(error) == "a byte is no UTF-8"
    assert error.hint == "Name the encoding: `encoding=cp1252`."
    assert shown(error).endswith('a byte is no UTF-8\nName the encoding: `encoding="cp1252"`.\n')


def test_a_hint_that_is_replaced_or_taken_away_is_shown_once():
    error = SpecError("no", hint="First.")
    error.add_note("a note of a user")
    error.hint = "Second."
    assert error.__notes__ == ["a note of a user", "Second."]
    error.hint = None
    assert error.__notes__ == ["a note of a user"]


def test_a_hint_survives_a_copy_and_another_process():
    error = SpecError("no", hint="Leave out `second=`.", details=["one", "two"])
    for again in (copy.copy(error), pickle.loads(pickle.dumps(error))):  # noqa: S301 - our own
        assert (again.hint, str(again), shown(again)) == (error.hint, str(error), shown(error))


def error_of(function, *args):
    with pytest.raises(AssayError) as raised:
        function(*args)
    return raised.value


def test_an_uncaught_error_in_a_notebook_shows_its_hint():
    core = pytest.importorskip("IPython.core.ultratb")
    try:
        assay.load_benchmark("darkcroe")
    except AssayError as error:
        text = core.ListTB().text(type(error), error, None)
    assert text.count("Did you mean darkcore?") == 1
    assert str(error_of(assay.load_benchmark, "darkcroe")).endswith("nor a file")


def written_texts(left_out=("cli", "wording.py")):
    """Every text that is no docstring; what is put into it at run time is `x`."""
    for path in sorted(SOURCE.rglob("*.py")):
        if set(left_out) & set(path.relative_to(SOURCE).parts):
            continue
        tree = ast.parse(path.read_text("utf-8"))
        inner = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)
                 for part in ast.walk(node) if part is not node}  # fmt: skip
        documented = {id(node.body[0].value) for node in ast.walk(tree)
                      if isinstance(getattr(node, "body", None), list) and node.body
                      and isinstance(node.body[0], ast.Expr)}  # fmt: skip
        for node in ast.walk(tree):
            if id(node) in inner | documented:
                continue
            if isinstance(node, ast.JoinedStr):
                parts = (v.value if isinstance(v, ast.Constant) else "x" for v in node.values)
                yield f"{path.name}:{node.lineno}", "".join(map(str, parts))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield f"{path.name}:{node.lineno}", node.value


def faults(text):
    """What of a text as Python cannot be pasted."""
    for quoted in QUOTED.findall(as_python(text)):
        code = quoted if "(" in quoted.partition("=")[0] else f"f({quoted})"
        if not re.match(r"[a-z_]+=|(assay|study)\.", quoted) or quoted.endswith("="):
            continue
        try:
            call = ast.parse(code, mode="eval").body
        except SyntaxError:
            yield f"{quoted}: no Python"
            continue
        while isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Call):
            call.func = ast.Attribute(ast.Name("Study"), call.func.attr)
        values = [*call.args, *(keyword.value for keyword in call.keywords)]
        if any(isinstance(node, ast.Name) for value in values for node in ast.walk(value)):
            yield f"{quoted}: a name that is not defined"
        if isinstance(call.func, ast.Attribute):
            home = assay if ast.unparse(call.func.value) == "assay" else assay.Study
            known = inspect.signature(getattr(home, call.func.attr)).parameters
            yield from (f"{quoted}: no {word.arg}" for word in call.keywords
                        if word.arg not in known)  # fmt: skip


def test_no_message_names_a_page_that_an_installed_package_lacks():
    texts = dict(written_texts(left_out=()))
    assert len(texts) > 5_000
    assert [where for where, text in texts.items() if PAGE.search(text)] == []
    assert PAGE.search("docs/how-to/write-bars.md shows every key and its values.")


def test_every_hint_can_be_pasted():
    said = {where: found for where, text in written_texts() if (found := list(faults(text)))}
    assert said == {}


@pytest.mark.parametrize(
    ("planted", "found"),
    [
        ("`assay compare` is meant: assay compare A `artefact=x`", "no artefact"),
        ("`split=(train`", "no Python"),
        ("`seed=one_of_them`", "a name that is not defined"),
    ],
)
def test_a_planted_hint_that_is_no_python_is_caught(planted, found):
    assert any(found in fault for fault in faults(planted))
