"""Checkers that an installed package offers by an entry point."""

import sys

import pytest

from assay.claim_audit.check import check_claim
from assay.claim_audit.checkers.table import plugins
from assay.claim_audit.claim import Claim
from assay.claim_audit.evidence import EvidenceReader

OFFERS = """
from assay.claim_audit.checkers.checker import Checker
from assay.claim_audit.claim import Observed


def lines(args, evidence):
    return Observed(value=evidence.text(args["path"]).count("\\n"), where=args["path"])


def check(name, observe=lines):
    return Checker(name=name, about="lines", observe=observe, required=("path",), value="n")
"""


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Install a distribution of one module that offers checkers: a folder on the path."""
    folder = tmp_path / "site"
    names = []
    plugins.cache_clear()
    monkeypatch.syspath_prepend(str(folder))

    def installed(name, module, *points):
        names.append(name)
        info = folder / f"{name}-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        lines = "".join(f"{point} = {name}:{point}\n" for point in points)
        (info / "entry_points.txt").write_text(f"[assay.checkers]\n{lines}")
        (folder / f"{name}.py").write_text(OFFERS + module)
        return folder

    yield installed
    for name in names:
        sys.modules.pop(name, None)
    plugins.cache_clear()


def checked(folder, checker, **args):
    with EvidenceReader(folder) as evidence:
        return check_claim(Claim(id="it", checker=checker, args=args), evidence)


def test_a_claim_uses_the_checker_of_a_package(install, repository):
    install("counting", 'line_count = check("line_count")\n', "line_count")
    right = checked(repository, "line_count", path="notes.md", n="three")
    assert (right.verdict, right.vacuous, right.mutants.made) == ("holds", False, 3)
    wrong = checked(repository, "line_count", path="notes.md", n=4)
    assert (wrong.verdict, wrong.evidence.got, wrong.evidence.where) == ("fails", 3, "notes.md")
    assert checked(repository, "line_count", path="none.md", n=4).verdict == "fails"


def test_the_command_uses_it_and_goes_on_where_it_breaks(install, assay_cmd, tmp_path):
    site = install(
        "counting",
        'line_count = check("line_count")\nbad_count = check("bad_count", lambda *_: 1 / 0)\n',
        *("line_count", "bad_count"),
    )
    (tmp_path / "text.md").write_text(
        'Three <!-- claim: line_count path="rows.txt" --> lines,'
        ' and 3 <!-- claim: bad_count path="rows.txt" --> again.'
    )
    (tmp_path / "rows.txt").write_text("1\n2\n3\n")
    done = assay_cmd("claims", "text.md", "--json", PYTHONPATH=str(site))
    assert done.code == 1
    assert [one["verdict"] for one in done.json["claims"]] == ["holds", "unverifiable"]
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("module", "why"),
    [
        ("raise RuntimeError('no licence')\n", "odd could not be loaded: RuntimeError: no licence"),
        ("import sys\nsys.exit(3)\n", "odd could not be loaded: SystemExit: 3"),
        ("", "odd could not be loaded: AttributeError"),
        ("odd = 3\n", "broken:odd is not a Checker with a name of its own"),
        ("odd = check('json_path_equals')\n", "broken:odd is not a Checker with a name of its own"),
        ("odd = check('odd', lambda *_: 1 / 0)\n", "odd failed: ZeroDivisionError"),
        ("odd = check('odd', lambda *_: 3)\n", "odd gave 3, expected Observed"),
        ("odd = check('odd', lambda: 3)\n", "odd failed: TypeError"),
    ],
)
def test_a_broken_checker_makes_its_claims_unverifiable_and_no_others(
    module, why, install, repository
):
    install("broken", module, "odd")
    install("counting", 'line_count = check("line_count")\n', "line_count")
    found = checked(repository, "odd", path="notes.md", n=3)
    assert found.verdict == "unverifiable"
    assert why in found.evidence.why
    assert checked(repository, "line_count", path="notes.md", n=3).verdict == "holds"
    near = checked(repository, "line_counts", path="notes.md", n=3)
    assert "did you mean line_count?" in near.evidence.why


def test_two_packages_with_one_name_are_not_told_apart(install, repository):
    install("counting", 'line_count = check("line_count")\n', "line_count")
    install("other", 'line_count = check("line_count")\n', "line_count")
    found = checked(repository, "line_count", path="notes.md", n=3)
    assert found.evidence.why == "several packages offer a checker line_count"
