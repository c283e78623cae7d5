"""The cases that the source published: what its auditor found in its own project's texts.

Each is built in a small folder, is caught with its evidence, and holds once the text is right.
"""

import pytest

from assay.claim_audit.collect import audit_claims


@pytest.fixture
def audited(tmp_path):
    """Write files, and audit the one claim that stands in the last of them."""

    def audit(files):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        made = audit_claims([path])
        (only,) = made.claims
        assert made.favourable is (only.verdict == "holds")
        return only

    return audit


def a_claim(checker, args):
    return f"[[claim]]\nid = 'it'\nchecker = '{checker}'\nargs = {args}\n"


def holds(one):
    return (one.verdict, one.vacuous, one.mutants.killed == one.mutants.made >= 2) == (
        "holds", False, True,
    )  # fmt: skip


def fails(one):
    """The verdict's evidence, of a claim that fails."""
    assert (one.verdict, one.stands) == ("fails", False)
    return one.evidence.got, one.evidence.expected, one.evidence.where


MODULE = '"""A detector. It reaches an AUC of {auc}."""\n__version__ = "{version}"\n'


@pytest.mark.parametrize("comment", [
    'python_attr_equals module="tool" attr="__version__"',
    'package_version_equals path="tool.py"',
])  # fmt: skip
def test_a_version_that_was_never_bumped(audited, comment):
    text = f"This is release 1.1.0 <!-- claim: {comment} -->.\n"
    where = "tool.py" if "path" in comment else "tool.__version__ in tool.py"
    stale = MODULE.format(auc="0.865", version="1.0.0")
    assert fails(audited({"tool.py": stale, "README.md": text})) == ("1.0.0", "1.1.0", where)
    bumped = MODULE.format(auc="0.865", version="1.1.0")
    assert holds(audited({"tool.py": bumped, "README.md": text}))


def test_a_name_that_is_importable_but_missing_from_all(audited):
    module = "__all__ = ['run'{}]\n\n\ndef run():\n    pass\n\n\ndef detect():\n    pass\n"
    public = a_claim(
        "python_attr_in_iterable", "{module = 'tool', attr = 'detect', iterable = '__all__'}"
    )
    importable = a_claim(
        "python_attr_equals", "{module = 'tool', attr = 'detect.__name__', expected = 'detect'}"
    )
    missing, listed = module.format(""), module.format(", 'detect'")
    assert holds(audited({"tool.py": missing, "claims.toml": importable}))
    caught = audited({"tool.py": missing, "claims.toml": public})
    assert fails(caught) == (False, True, "tool.__all__ in tool.py")
    assert holds(audited({"tool.py": listed, "claims.toml": public}))


def test_a_docstring_that_still_carries_a_falsified_figure(audited):
    comment = "regex_capture_equals path='tool.py' pattern='AUC of (0\\.\\d+)'"
    text = f"The docstring gives the AUC as 0.865 <!-- claim: {comment} -->.\n"
    stale = MODULE.format(auc="0.91", version="1.0.0")
    caught = audited({"tool.py": stale, "README.md": text})
    assert fails(caught) == ("0.91", "0.865", "tool.py, line 1")
    right = MODULE.format(auc="0.865", version="1.0.0")
    assert holds(audited({"tool.py": right, "README.md": text}))


def test_ten_findings_when_there_are_thirteen(audited):
    rows = "id,text\n" + "".join(f"F{n},found\n" for n in range(1, 14))
    text = "We report {} <!-- claim: aggregate_equals path='findings.csv' statistic=count -->.\n"
    ten = audited({"findings.csv": rows, "README.md": text.format("ten findings")})
    assert fails(ten) == (13, "ten", "findings.csv, 13 rows")
    for right in ("thirteen findings", "13 findings", "Thirteen"):
        assert holds(audited({"findings.csv": rows, "README.md": text.format(right)}))


def test_nineteen_baselines_when_there_are_eighteen(audited):
    files = {f"baselines/b{n:02d}.py": "" for n in range(18)}
    text = "{} <!-- claim: directory_file_count_equals glob='baselines/*.py' --> baselines.\n"
    nineteen = audited(files | {"README.md": text.format("Nineteen")})
    assert fails(nineteen) == (18, "Nineteen", "baselines/*.py")
    assert holds(audited(files | {"README.md": text.format("Eighteen")}))


def test_a_count_repeated_in_five_places_of_which_one_was_corrected(audited):
    places = ["paper.md", "notes.md", "docs/index.md", "docs/faq.md", "docs/method.md"]
    claim = a_claim(
        "same_value", f"{{paths = {places}, pattern = 'reports (\\w+) findings', value = 13}}"
    )

    def five(first, others):
        texts = dict.fromkeys(places, f"# A page\n\nIt reports {others} findings.\n")
        texts["paper.md"] = f"It reports {first} findings.\n"
        return audited(texts | {"claims.toml": claim})

    one_corrected = five("thirteen", "ten")
    assert one_corrected.verdict == "fails"
    assert one_corrected.evidence.why == (
        "the places differ: 'thirteen' in paper.md, line 1; 'ten' in notes.md, line 3 and"
        " docs/index.md, line 3 and docs/faq.md, line 3 and docs/method.md, line 3"
    )
    assert fails(five("ten", "ten")) == ("ten", 13, "paper.md, line 1")
    assert holds(five("thirteen", "thirteen"))
    assert holds(five("13", "thirteen"))
