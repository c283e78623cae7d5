"""A faithfulness audit trusts a judge only as far as its false controls allow."""

import json
import math

import pytest

import assay
from assay.critic.faithfulness.read import read_claims
from assay.errors import SpecError
from tests.helpers.command import command
from tests.helpers.model_server import said, serving

PASSAGE = "The rate fell from 91 % to 5.88 % in dark-core. In TruthfulQA it is 17 %."
TRUE = {
    "v3": "In dark-core the rate is 5.88 %.",
    "fell": "The rate fell in dark-core.",
}
FALSE = {
    "invented": ("The rate was measured by a panel of doctors.", "fabrication"),
    "rose": ("The rate rose from 5.88 % to 91 %.", "wrong-sign"),
    "swapped": ("In TruthfulQA the rate is 5.88 %.", "wrong-referent"),
}


def options(**shares):
    listed = [
        {"token": text, "logprob": math.log(share), "bytes": None} for text, share in shares.items()
    ]
    return {"content": [{**listed[0], "top_logprobs": listed}]}


def judge(rejects, *, sure=0.97):
    """A judge that rejects what a function of the prompt says, in each wording's own word."""

    def answer(path, body):
        prompt = body["messages"][-1]["content"]
        found = rejects(prompt)
        if isinstance(found, dict):
            return said("x", logprobs=options(**found))
        yes = found == ("does not say" in prompt)
        first, other = ("YES", "NO") if yes else ("NO", "YES")
        return said(first, logprobs=options(**{first: sure, other: 1.0 - sure - 0.001}))

    return answer


def is_false(prompt):
    return any(claim in prompt for claim, _ in FALSE.values())


def blind_to(kind):
    return lambda prompt: any(c in prompt for c, k in FALSE.values() if k != kind)


PARAPHRASES = [
    {"id": name, "claim": claim, "passage": PASSAGE, "predicted": [0.0, 0.2], "confidence": 0.9}
    for name, claim in TRUE.items()
]
CONTROLS = [
    {"id": name, "claim": claim, "passage": PASSAGE, "kind": kind, "predicted": [0.8, 1.0]}
    for name, (claim, kind) in FALSE.items()
]


def audit(answer, **words):
    words = {"controls": CONTROLS, **words}
    with serving(answer) as server:
        return assay.faithfulness(PARAPHRASES, model=f"{server.url}#m", **words)


def states(made):
    return {gate.name: gate.state.value for gate in made.gates}


def codes(made):
    return {caveat.code for caveat in made.caveats}


def test_a_judge_that_is_right_makes_the_text_faithful():
    made = audit(judge(is_false))
    assert made.verdict == "faithful" and made.favourable
    assert states(made) == {"paper": "not fired", "instrument": "not fired"}
    assert [each.verdict for each in made.claims] == ["faithful", "faithful", None, None, None]
    assert [each.said == each.expected for each in made.claims] == [True] * 5
    assert (made.grades.inside, made.grades.total) == (5, 5)
    assert made.grades.score == pytest.approx(0.2)
    assert {rate.kind: rate.rejected for rate in made.controls} == {
        "fabrication": 1,
        "wrong-sign": 1,
        "wrong-referent": 1,
    }
    assert made.saturation.at_ends == 0
    assert {"few-controls", "unsealed"} <= codes(made)
    assert "easy-controls" not in codes(made)
    first = made.claims[0].score
    assert first.low <= first.p_no <= first.high
    assert set(first.by_wording) == {"supported", "follows", "contradicts"}


def test_a_judge_that_always_says_no_fires_the_paper_gate():
    made = audit(judge(lambda prompt: True))
    assert made.verdict == "unfaithful" and not made.favourable
    assert states(made) == {"paper": "fired", "instrument": "not fired"}
    assert made.gates[0].fired_by == ("v3", "fell")
    assert made.claims[0].verdict == "unfaithful"
    assert (made.grades.inside, made.grades.total) == (3, 5)
    assert made.grades.ranges[0].where == "above"


def test_a_judge_that_always_says_yes_fires_the_instrument_gate_and_nothing_counts():
    made = audit(judge(lambda prompt: False))
    assert made.verdict == "instrument-failed"
    assert states(made) == {"paper": "not fired", "instrument": "fired"}
    assert {each.verdict for each in made.claims} == {"instrument-failed", None}
    assert "nothing it says counts" in str(made)


def test_a_judge_that_cannot_tell_a_wrong_sign_is_named_by_the_kind_of_control():
    made = audit(judge(blind_to("wrong-sign")))
    assert made.verdict == "instrument-failed"
    assert made.gates[1].fired_by == ("rose",)
    rates = {rate.kind.value: (rate.rejected, rate.accepted) for rate in made.controls}
    assert rates == {"fabrication": (1, 0), "wrong-sign": (0, 1), "wrong-referent": (1, 0)}
    easy = audit(judge(blind_to("wrong-sign")), controls=CONTROLS[:1])
    assert easy.verdict == "faithful"
    assert "easy-controls" in codes(easy)


@pytest.mark.parametrize(
    ("silent", "gate"),
    [
        (lambda prompt: TRUE["v3"] in prompt, "paper"),
        (lambda prompt: "rose" in prompt, "instrument"),
    ],
)
def test_a_judge_that_abstains_leaves_its_gate_undecided(silent, gate):
    made = audit(judge(lambda prompt: {"Well": 0.97} if silent(prompt) else is_false(prompt)))
    assert made.verdict == "undecided" and not made.favourable
    assert states(made)[gate] == "undecided"
    assert made.abstained == 1
    odd = next(each for each in made.claims if each.score.abstained)
    assert (odd.said, odd.score.p_no, odd.predicted.where) == ("undecided", None, None)
    assert made.grades.total == 4


def test_a_judge_that_may_miss_a_control_says_nothing_of_a_paraphrase_that_it_rejects():
    def unsure(prompt):
        return {"Well": 0.97} if "rose" in prompt else True

    made = audit(judge(unsure))
    assert states(made) == {"paper": "fired", "instrument": "undecided"}
    assert made.verdict == "undecided"
    assert {each.verdict for each in made.claims} == {"undecided", None}


def test_bounds_on_both_sides_of_a_threshold_leave_a_gate_undecided():
    def unsure(prompt):
        return {"NO": 0.4, "YES": 0.3, "The": 0.05} if "fell in" in prompt else is_false(prompt)

    made = audit(judge(unsure))
    odd = next(each for each in made.claims if each.id == "fell")
    assert odd.score.low < 0.5 < odd.score.high
    assert states(made) == {"paper": "undecided", "instrument": "not fired"}
    assert made.verdict == "undecided"


def test_a_missing_word_saturates_and_is_said():
    def cut_off(prompt):
        return {"NO": 0.9995} if is_false(prompt) != ("does not say" in prompt) else {"YES": 0.9995}

    made = audit(judge(cut_off))
    assert made.saturation.scored == made.saturation.at_ends == made.saturation.unlisted == 5
    assert "saturated" in codes(made)
    assert all(each.score.high - each.score.low > 0.0 for each in made.claims)


def test_a_prediction_is_not_graded_where_bounds_reach_across_its_end():
    def near(prompt):
        return {"NO": 0.2, "YES": 0.55, "The": 0.05} if "fell in" in prompt else is_false(prompt)

    made = audit(judge(lambda p: near(p) if "does not say" not in p else is_false(p)))
    odd = next(each for each in made.claims if each.id == "fell")
    assert odd.score.low < 0.2 < odd.score.high
    assert odd.predicted.where is None
    assert (made.grades.total, len(made.grades.ranges)) == (4, 5)


def test_thresholds_are_recorded_and_one_that_lets_all_pass_is_refused():
    made = audit(judge(is_false), paraphrase_at_most=0.02, control_at_least=0.9)
    assert made.verdict == "unfaithful"
    assert made.thresholds.control_at_least == 0.9
    with pytest.raises(SpecError, match="over") as refused:
        audit(judge(is_false), paraphrase_at_most=0.6, control_at_least=0.4)
    assert "would pass both gates" in refused.value.hint
    with pytest.raises(SpecError, match="0 to 1"):
        audit(judge(is_false), control_at_least=1.5)


def test_without_controls_nothing_is_asked():
    with serving(judge(is_false)) as server:
        for controls in ((), []):
            with pytest.raises(SpecError, match="an audit that cannot fail shows nothing"):
                assay.faithfulness(PARAPHRASES, controls=controls, model=f"{server.url}#m")
        assert server.asked == []


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


TOML = """
[[claim]]
id = "v3"
claim = "In dark-core the rate is 5.88 %."
path = "texts/source.txt"
predicted = [0.0, 0.2]
"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts/source.txt").write_text(PASSAGE)
    (tmp_path / "true.toml").write_text(TOML)
    write(tmp_path / "false.jsonl", CONTROLS)
    return tmp_path


def test_the_command_reads_files_and_a_claim_can_cite_its_verdict(files):
    words = ("critique", "--passages", "true.toml", "--controls", "false.jsonl", "--model")
    with serving(judge(is_false)) as server:
        shown = command(files, *words, f"{server.url}#m", "--all")
        told = command(files, *words, f"{server.url}#m", "--json", "--out", "scores.jsonl")
    assert shown.returncode == told.returncode == 0, shown.stderr
    assert "instrument gate (a control is accepted, p_no under 0.5): not fired" in shown.stdout
    assert "FAITHFUL" in shown.stdout
    assert len((files / "scores.jsonl").read_text().splitlines()) == 4
    (files / "audit.json").write_text(told.stdout)
    comment = (
        'json_path_equals path="audit.json" key_path="claims[id=v3].verdict" expected="faithful"'
    )
    (files / "README.md").write_text(f"The rate is low <!-- claim: {comment} -->.")
    assert assay.claims(files / "README.md", root=files).verdict == "holds"
    (files / "audit.json").write_text(told.stdout.replace('"faithful"', '"unfaithful"'))
    assert assay.claims(files / "README.md", root=files).verdict == "fails"


def test_the_command_ends_with_1_on_any_other_verdict(files):
    words = ("critique", "--passages", "true.toml", "--controls", "false.jsonl", "--model")
    with serving(judge(lambda prompt: False)) as server:
        done = command(files, *words, f"{server.url}#m")
    assert done.returncode == 1
    assert "INSTRUMENT-FAILED" in done.stdout
    refused = command(files, *words[:3], "--model", f"{server.url}#m")
    assert refused.returncode == 2
    assert "an audit that cannot fail shows nothing" in refused.stderr


def test_a_json_file_holds_the_same(files):
    (files / "true.json").write_text(json.dumps(PARAPHRASES))
    assert read_claims(files / "true.json", "paraphrases") == read_claims(
        PARAPHRASES, "paraphrases"
    )
    assert read_claims(files / "true.toml", "paraphrases")[0].passage == PASSAGE


WRONG = {
    "no kind": ({"kind": None}, "a control without a `kind`"),
    "another kind": ({"kind": "lie"}, "lie"),
    "no passage": ({"passage": None}, "expected `passage` or `path`, one of them"),
    "both": ({"path": "a.txt"}, "expected `passage` or `path`, one of them"),
    "empty": ({"passage": " "}, "an empty passage"),
    "out": ({"passage": None, "path": "../a.txt"}, "leads out of the folder"),
    "absolute": ({"passage": None, "path": "/etc/passwd"}, "leads out of the folder"),
    "link": ({"passage": None, "path": "link.txt"}, "symbolic link"),
    "missing file": ({"passage": None, "path": "none.txt"}, "none.txt"),
    "turned": ({"predicted": [0.9, 0.1]}, "expected the lower limit first"),
    "too far": ({"predicted": [0.9, 1.1]}, "only be from 0 to 1"),
    "confidence": ({"confidence": 1.5}, "expected a number between 0 and 1"),
    "confidence alone": ({"predicted": None, "confidence": 0.5}, "without `predicted`"),
    "key": ({"clam": "x"}, "clam"),
    "blank": ({"claim": ""}, "an empty claim"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_record_that_cannot_be_audited_is_refused_with_its_place(files, case):
    change, what = WRONG[case]
    (files / "link.txt").symlink_to(files / "texts/source.txt")
    row = {name: value for name, value in (CONTROLS[0] | change).items() if value is not None}
    write(files / "false.jsonl", [CONTROLS[1], row])
    with pytest.raises(assay.AssayError) as refused:
        read_claims(files / "false.jsonl", "controls")
    assert what in str(refused.value)
    if case not in ("missing file",):
        assert "line 2" in str(refused.value) or case == "link"


def test_records_that_contradict_each_other_are_refused():
    with serving(judge(is_false)) as server:
        for controls, what in (
            ([CONTROLS[0], CONTROLS[0]], "occurs twice"),
            ([CONTROLS[0] | {"claim": TRUE["v3"]}], "the same claim on the same passage"),
        ):
            with pytest.raises(SpecError, match=what):
                assay.faithfulness(PARAPHRASES, controls=controls, model=f"{server.url}#m")
        with pytest.raises(SpecError, match="a paraphrase, which is to be true, has the kind"):
            assay.faithfulness(CONTROLS, controls=CONTROLS, model=f"{server.url}#m")
        with pytest.raises(SpecError, match="no paraphrases"):
            assay.faithfulness([], controls=CONTROLS, model=f"{server.url}#m")


def test_a_judge_that_wrote_the_text_is_a_caveat():
    with serving(judge(is_false)) as server:
        made = assay.faithfulness(
            PARAPHRASES, controls=CONTROLS, model=f"{server.url}#gpt-4o-mini", author="GPT 4o mini"
        )
    assert "same-author-model" in codes(made)
