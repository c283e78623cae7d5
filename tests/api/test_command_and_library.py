"""The command and the library give the same JSON for the same inputs."""

import csv
import json

import pytest
from helpers.command import command
from helpers.dual_cases import lay_out

import assay
from assay.report.matrix import matrix_json

COMPARISONS = {
    "plain": ((), {}),
    "gate": (("--gate", "correct"), {"gate": "correct"}),
    "policies": (
        ("--missing", "fail", "--crashed", "exclude", "--allow", "harness", "--strict-gates"),
        {"missing": "fail", "crashed": "exclude", "allow": "harness", "strict_gates": True},
    ),
    "unit": (("--unit", "run", "--seed", "3"), {"unit": "run", "seed": 3}),
    "sequential": (("--sequential",), {"sequential": True}),
    "dimension": (("--dimension", "correct"), {"dimension": "correct"}),
    "where": (("--where", "instance != q1"), {"where": "instance != q1"}),
}
PLANS = {
    "rates": (("--from", "0.6", "--to", "0.8"), {"from_": 0.6, "to": 0.8}),
    "pairs": (("--pairs", "30", "--dimensions", "2"), {"pairs": 30, "dimensions": 2}),
    "scores": (("--effect", "0.05", "--spread", "0.3"), {"effect": 0.05, "spread": 0.3}),
    "gate": (("--from", "0.95", "--margin", "0.05"), {"from_": 0.95, "margin": 0.05}),
    "pilot": (
        ("--pilot", "a.csv", "--pilot", "b.csv", "--power", "0.9"),
        {"pilot": ("a.csv", "b.csv"), "power": 0.9},
    ),
}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("both")
    for name, right in (("a", 0), ("b", 1), ("c", 2)):
        with (folder / f"{name}.csv").open("w", newline="") as file:
            lines = csv.writer(file)
            lines.writerow(["instance", "correct", "tokens"])
            lines.writerows([f"q{n}", int(n % 3 <= right), 100 + n] for n in range(40))
    return folder


@pytest.fixture
def here(home, monkeypatch):
    monkeypatch.chdir(home)
    return home


def said(home, *words):
    return json.loads(command(home, *words, "--json").stdout)


def plain(result):
    return json.loads(json.dumps(result.to_dict()))


@pytest.mark.parametrize("case", COMPARISONS)
def test_compare(here, case):
    flags, words = COMPARISONS[case]
    assert said(here, "compare", "a.csv", "b.csv", *flags) == plain(
        assay.compare("a.csv", "b.csv", **words)
    )


def test_compare_several_sides(here):
    found = assay.compare("a.csv", "b.csv", "c.csv", all_pairs=True)
    assert said(here, "compare", "a.csv", "b.csv", "c.csv", "--all-pairs") == plain(found)
    assert found.sides == ("a.csv", "b.csv", "c.csv")


def test_compare_by_flags_and_by_lists(here):
    words = ("--baseline", "a.csv", "--candidate", "b.csv", "c.csv")
    assert said(here, "compare", *words) == plain(assay.compare(["a.csv"], ["b.csv", "c.csv"]))


def test_a_comparison_is_written_the_same(here):
    command(here, "compare", "a.csv", "b.csv", "--out", "by-command.json")
    assay.compare("a.csv", "b.csv", out="by-library.json")
    written = [here / f"by-{name}.json" for name in ("command", "library")]
    assert written[0].read_bytes() == written[1].read_bytes()


@pytest.mark.parametrize("case", PLANS)
def test_power(here, case):
    flags, words = PLANS[case]
    assert said(here, "power", *flags) == plain(assay.power(**words))


def test_a_message_names_the_parameter_and_the_command_the_flag(here):
    done = command(here, "power", "--from", "0.5", "--pilot", "a.csv")
    assert "--pilot takes the baseline's runs and the candidate's, and no --from" in done.stderr
    done = command(here, "compare", "a.csv", "b.csv", "--rule", "adr-0031", "--strict-gates")
    assert "--rule adr-0031 does not take --strict-gates" in done.stderr


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory):
    """One evaluation by the library, and the folder of its results."""
    spec = lay_out(tmp_path_factory.mktemp("dual"))
    return spec, assay.dual(spec)


def test_dual(evaluated):
    """The runs are kept, so the command judges the very runs that the library made."""
    spec, result = evaluated
    [file] = (spec.parent / "results").glob("*.json")
    record = said(spec.parent, "dual", spec.name)
    assert record == json.loads(file.read_bytes())
    again = assay.dual(str(spec), out=spec.parent / "results")
    assert plain(again) == plain(result)
    assert record["regime"] == result.regime
    assert str(result).startswith("MEMORISED: the gain is memory of these very items")


def test_matrix(evaluated, monkeypatch):
    spec, result = evaluated
    monkeypatch.chdir(spec.parent)
    made = assay.matrix("results", out="MATRIX.md")
    assert said(spec.parent, "matrix", "results") == json.loads(matrix_json(made, of="results"))
    assert made.to_rows()[0]["a"] == result.a.value
    assert [row["corpus"] for row in assay.matrix("results", "results").to_rows()]
    with pytest.raises(assay.SpecError, match="needs a single folder"):
        assay.matrix("results", "results", out="MATRIX.md")


def test_gate(evaluated, monkeypatch):
    spec, _ = evaluated
    monkeypatch.chdir(spec.parent)
    assay.matrix("results", out="MATRIX.md")
    report = assay.gate("results", "MATRIX.md")
    assert (report.exit_code, str(report)) == (0, "2 files in order")
    found = said(spec.parent, "gate", "results", "MATRIX.md")
    assert [file["file"] for file in found] == [row["file"] for row in report.to_rows()]
    [file] = (spec.parent / "results").glob("*.json")
    edited = spec.parent / "edited.json"
    edited.write_text(file.read_text().replace('"corpus": "bench"', '"corpus": "other"'))
    refused = assay.gate(edited)
    assert refused.exit_code == 4
    assert str(refused).startswith("0 files in order, 1 refused\n")
