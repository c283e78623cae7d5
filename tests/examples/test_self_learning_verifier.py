"""The verifier that learns: its labels are provable, and it does learn.

Every label is worked out again here from the text alone, by another route than the generator's.
"""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

from assay.stats.auc import auc

EXAMPLE = Path(__file__).parents[2] / "examples/self-learning-verifier"
MADE = shutil.ignore_patterns(
    "corpora", "streams", "state", "other-state", "initial", "results", "__pycache__"
)
CORPORA = ("arithmetic", "conversions", "entailment", "fractions", "programs", "programs-pilot")


def python(folder, *words):
    return subprocess.run(
        [sys.executable, *words], cwd=folder, capture_output=True, text=True, check=True, timeout=60
    )


def fresh(folder):
    shutil.copytree(EXAMPLE, folder, ignore=MADE)
    python(folder, "corpora.py")
    python(folder, "history.py", "1")
    return folder


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    """A copy of the example after the first stage of its history."""
    return fresh(tmp_path_factory.mktemp("example") / "copy")


def rows(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def contents(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def judged(example, corpus, state, tmp_path, seed=1):
    """The scores that a run gives, in a copy of the state."""
    copy = tmp_path / "state"
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir()
    if state is not None:
        shutil.copytree(state, copy, dirs_exist_ok=True)
    asked = [
        {name: row[name] for name in ("id", "question", "response")}
        for row in rows(example / f"corpora/{corpus}.jsonl")
    ]
    (tmp_path / "items").write_text("".join(json.dumps(row) + "\n" for row in asked))
    words = [str(tmp_path / "items"), str(tmp_path / "outputs"), str(seed), str(copy)]
    python(example, "verifier.py", "judge", *words)
    return {row["id"]: row["score"] for row in rows(tmp_path / "outputs")}


def ranking(example, corpus, scores):
    labels = {row["id"]: row["label"] for row in rows(example / f"corpora/{corpus}.jsonl")}
    return auc(
        [score for name, score in scores.items() if labels[name] == 1],
        [score for name, score in scores.items() if labels[name] == 0],
    )


def equation_is_wrong(text):
    """Exact integers: each number over a denominator, and the equation multiplied out."""
    left, sign, right, result = re.fullmatch(
        r"\(?([-\d/]+)\)? ([-+*/]) \(?([-\d/]+)\)? = \(?([-\d/]+)\)?", text
    ).groups()
    (a, b), (c, d), (e, f) = (
        (int(top), int(bottom or 1))
        for top, _, bottom in (number.partition("/") for number in (left, right, result))
    )
    top, bottom = {
        "+": (a * d + c * b, b * d),
        "-": (a * d - c * b, b * d),
        "*": (a * c, b * d),
        "/": (a * d, b * c),
    }[sign]
    return top * f != e * bottom


def argument_is_wrong(question, response):
    """Sets of worlds: an argument holds if no world of its premises is outside the conclusion."""
    sentences = [*question[len("Given: ") : -1].split("; "), response[len("It follows that ") : -1]]
    plain = [sentence.replace(" is not ", " is ") for sentence in sentences]
    atoms = sorted({atom for text in plain for atom in re.findall(r"the \w+ is \w+", text)})
    worlds = set(product((False, True), repeat=len(atoms)))

    def models(literal):
        place = atoms.index(literal.replace(" is not ", " is "))
        return {world for world in worlds if world[place] == (" is not " not in literal)}

    def where(sentence):
        parts = [models(literal) for literal in re.findall(r"the \w+ is (?:not )?\w+", sentence)]
        if len(parts) == 1:
            return parts[0]
        if "not both" in sentence:
            return worlds - (parts[0] & parts[1])
        return (parts[0] if " or " in sentence else worlds - parts[0]) | parts[1]

    *premises, conclusion = map(where, sentences)
    return not set.intersection(*premises) <= conclusion


WHOLE = {  # in units small enough for whole numbers
    "millimetres": 10, "centimetres": 100, "metres": 10_000, "kilometres": 10_000_000,
    "inches": 254, "feet": 12 * 254, "yards": 36 * 254, "miles": 63_360 * 254,
    "nautical miles": 18_520_000,
    "grams": 10**9, "kilograms": 10**12, "tonnes": 10**15, "pounds": 453_592_370_000,
    "ounces": 453_592_370_000 // 16, "stones": 453_592_370_000 * 14,
    "millilitres": 10**6, "litres": 10**9, "cubic metres": 10**12, "US gallons": 3_785_411_784,
    "US pints": 3_785_411_784 // 8, "imperial gallons": 4_546_090_000,
    "imperial pints": 4_546_090_000 // 8,
    "square metres": 10_000**2, "hectares": 10**4 * 10_000**2,
    "square kilometres": 10**6 * 10_000**2, "square feet": (12 * 254) ** 2,
    "square yards": (36 * 254) ** 2, "acres": 4840 * (36 * 254) ** 2,
    "seconds": 1, "minutes": 60, "hours": 60**2, "days": 24 * 60**2, "weeks": 7 * 24 * 60**2,
}  # fmt: skip


def conversion_is_wrong(text):
    amount, a, value, b = re.fullmatch(r"([\d.]+) ([\w ]+) = ([\d.]+) ([\w ]+)", text).groups()
    return Fraction(amount) * WHOLE[a] != Fraction(value) * WHOLE[b]


TASKS = {  # by counting, where the generator has a formula
    r"how many whole numbers from 1 to n, both included, are multiples of (\d+)": (
        lambda n, a: len([k for k in range(1, n + 1) if Fraction(k, a).denominator == 1])
    ),
    r"n, but at least (\d+) and at most (\d+)": lambda n, a, b: a if n < a else b if n > b else n,
    r"the sum of the whole numbers from (\d+) up to and including n": (
        lambda n, a: sum(k for k in range(n + 1) if k >= a)
    ),
    r"1 if n is over (\d+) and under (\d+), else 0": lambda n, a, b: int(a < n < b),
    r"the price of n tickets at (\d+) each, with (\d+) off in all from (\d+) tickets on": (
        lambda n, a, off, b: sum([a] * n) - (0 if n < b else off)
    ),
    r"how far n is from (\d+)": lambda n, b: len(range(min(n, b), max(n, b))),
    r"n rounded down to a multiple of (\d+)": lambda n, a: max(
        k for k in range(0, 61, a) if k <= n
    ),
    r"how many boxes of (\d+) it takes to hold n things": lambda n, b: len(range(0, n, b)),
    r"how many of the first n days are working days, if days (\d+) to (\d+) are holidays": (
        lambda n, a, b: len(set(range(1, n + 1)) - set(range(a, b + 1)))
    ),
    r"the fare for n stops: (\d+), and (\d+) more for each stop after the third": (
        lambda n, b, a: b + sum(a for stop in range(1, n + 1) if stop > 3)
    ),
}


def program_is_wrong(question, response):
    task = re.fullmatch(r"f\(n\) is (.*)\. For instance .*", question)[1]
    (wanted,) = (
        (lambda n, known=known, match=match: known(n, *map(int, match.groups())))
        for pattern, known in TASKS.items()
        if (match := re.fullmatch(pattern, task))
    )
    space = {}
    exec(response, space)  # noqa: S102  a program of our own making
    assert all(wanted(int(n)) == int(v) for n, v in re.findall(r"f\((\d+)\) = (-?\d+)", question))
    try:
        return any(space["f"](n) != wanted(n) for n in range(61))
    except ArithmeticError:
        return True


RECHECKS = {
    "arithmetic": lambda question, response: equation_is_wrong(response),
    "fractions": lambda question, response: equation_is_wrong(response),
    "entailment": argument_is_wrong,
    "conversions": lambda question, response: conversion_is_wrong(response),
    "programs": program_is_wrong,
}


@pytest.mark.parametrize("corpus", CORPORA)
def test_every_label_is_what_another_route_finds(example, corpus):
    check = RECHECKS[corpus.removesuffix("-pilot")]
    items = rows(example / f"corpora/{corpus}.jsonl")
    for path in sorted(example.glob(f"streams/{corpus}-?.jsonl")):
        items += rows(path)
    for item in items:
        assert item["label"] == check(item["question"], item["response"]), item


@pytest.mark.parametrize("corpus", CORPORA)
def test_a_benchmark_is_balanced_and_says_nothing_twice(example, corpus):
    items = rows(example / f"corpora/{corpus}.jsonl")
    wrong = sum(item["label"] for item in items)
    if corpus == "programs-pilot":
        assert (len(items), wrong) == (60, 6)
    else:
        assert 250 <= len(items) <= 400
        assert 0.4 <= wrong / len(items) <= 0.6
    assert len({item["id"] for item in items}) == len(items)
    assert len({(item["question"], item["response"]) for item in items}) == len(items)


def test_steps_before_a_step_are_right(example):
    for item in rows(example / "corpora/arithmetic.jsonl"):
        before = item["question"].partition("So far: ")[2].removesuffix(".")
        if before != "nothing":
            assert not any(equation_is_wrong(step) for step in before.split("; "))


def test_of_the_benchmarks_only_arithmetic_and_entailment_are_in_the_streams(example):
    for corpus in CORPORA:
        own = {item["id"]: item for item in rows(example / f"corpora/{corpus}.jsonl")}
        asked = {item["question"] for item in own.values()}
        met = set()
        for path in example.glob("streams/*.jsonl"):
            for item in rows(path):
                assert item["question"] not in asked or item["id"] in own
                met |= {item["id"]} & own.keys()
        share = len(met) / len(own)
        assert round(share, 2) == {"arithmetic": 0.65, "entailment": 0.15}.get(corpus, 0.0)


def test_all_of_it_is_made_again_to_the_byte(example, tmp_path):
    assert contents(fresh(tmp_path / "again")) == contents(example)


def test_it_learns_and_what_it_never_met_stays_as_it_was(example, tmp_path):
    def gain(corpus):
        with_state = judged(example, corpus, example / "state", tmp_path)
        without = judged(example, corpus, example / "initial", tmp_path)
        return ranking(example, corpus, with_state) - ranking(example, corpus, without)

    assert gain("arithmetic") > 0.05
    assert gain("conversions") > 0.2
    assert abs(gain("fractions")) < 0.03


def test_an_empty_state_is_the_initial_one(example, tmp_path):
    empty = judged(example, "arithmetic", None, tmp_path)
    assert empty == judged(example, "arithmetic", example / "initial", tmp_path)
    assert 0.6 < ranking(example, "arithmetic", empty) < 0.95


def test_a_run_depends_on_its_seed_alone_and_writes_nowhere_else(example, tmp_path):
    before = contents(example)
    first = judged(example, "entailment", example / "state", tmp_path, seed=1)
    assert first == judged(example, "entailment", example / "state", tmp_path, seed=1)
    assert first != judged(example, "entailment", example / "state", tmp_path, seed=2)
    assert contents(example) == before


def test_programs_never_open_the_constraints(example, tmp_path):
    """The spec that says they do is blocked: a file that is no database does them no harm."""
    spoilt = tmp_path / "spoilt"
    shutil.copytree(example / "state", spoilt)
    (spoilt / "constraints.db").write_text("no database")
    whole = judged(example, "programs", example / "state", tmp_path)
    assert whole == judged(example, "programs", spoilt, tmp_path)
    for corpus in ("arithmetic", "fractions"):
        with pytest.raises(subprocess.CalledProcessError):
            judged(example, corpus, spoilt, tmp_path)
    declared = tomllib.loads((EXAMPLE / "blocked.toml").read_text())["state"]["layers"]
    assert "constraints" in declared
    assert (
        "constraints" not in tomllib.loads((EXAMPLE / "pilot.toml").read_text())["state"]["layers"]
    )


def test_the_second_stage_knows_more_and_has_cut_its_checks(example, tmp_path):
    later = tmp_path / "later"
    shutil.copytree(example, later)
    python(later, "history.py", "2")
    for name, change in {"state": 1, "initial": -1}.items():
        first = ranking(later, "arithmetic", judged(later, "arithmetic", example / name, tmp_path))
        then = ranking(later, "arithmetic", judged(later, "arithmetic", later / name, tmp_path))
        assert (then - first) * change > 0.02
