"""What is said of a gate is what is decided: passing without being shown is said."""

import assay
from assay.comparison.judge.caveats import CODES
from assay.comparison.result import Change, DimensionResult, Gate


def result(**more):
    known = {
        "name": "acc", "gated": True, "counts": True, "better": "higher", "ideal": 1.0,
        "margin": 0.05, "baseline": 0.9, "candidate": 0.88, "delta": -0.02, "low": -0.05,
        "high": 0.01, "p": 0.2, "cls": Change.UNCLEAR, "gate": Gate.SHOWN, "n": 30,
    }  # fmt: skip
    return DimensionResult(**{**known, **more})


def test_a_gate_that_passes_unshown_says_so():
    said = {gate: result(gate=gate).said().rpartition(", gate: ")[2] for gate in Gate}
    assert said == {
        Gate.SHOWN: "shown",
        Gate.SPOTLESS: "spotless, not shown",
        Gate.NARROW: "narrow, not shown",
        Gate.DOUBT: "in doubt",
    }


def test_the_caveats_of_such_gates_say_that_nothing_is_shown_and_how_to_be_strict():
    for code in ("narrow-gate", "spotless-gate"):
        assert CODES[code].startswith("It is not shown that a gate lost less than its margin")
        assert "`strict_gates=True`" in CODES[code]


def test_a_change_at_the_best_value_says_what_its_word_means():
    assert "repair: it reaches its best value" in result(cls=Change.REPAIR).said()
    assert "regression: it leaves its best value" in result(cls=Change.REGRESSION).said()
    assert result(cls=Change.DECLINE, gate=None).said().endswith(", decline")


def test_a_loss_inside_the_margin_is_said_in_either_direction():
    inside = {"cls": Change.EQUIVALENT, "gate": None}
    assert result(low=-0.04, high=-0.01, **inside).said().endswith("worse, inside its margin")
    assert result(low=0.01, high=0.04, better="lower", **inside).said().endswith("its margin")
    assert result(low=-0.01, high=0.04, **inside).said().endswith("equivalent")
    assert result(low=0.01, high=0.04, **inside).said().endswith("equivalent")


def test_a_narrow_gate_says_how_many_runs_may_lose_more():
    before = [{"instance": f"q{n}", "ok": n % 3 == 0, "cover": 0.9 + n % 2 / 10} for n in range(10)]
    after = [{**row, "ok": True, "cover": 0.9 + (n // 2) % 2 / 10} for n, row in enumerate(before)]
    found = assay.compare(before, after, gate="cover")
    gate = next(each for each in found.dimensions if each.name == "cover")
    assert gate.gate is Gate.NARROW
    [caveat] = [each for each in found.caveats if each.code == "narrow-gate"]
    said = "cover: 10 runs show that at most 26 % of all runs lose more than any of these did"
    assert f"{said}; 59 would show 5 %." in caveat.message
    strict = assay.compare(before, after, gate="cover", strict_gates=True)
    assert (found.verdict, strict.verdict) == ("ratify", "inconclusive")
