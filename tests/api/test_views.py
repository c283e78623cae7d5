"""Every result can be printed, tabulated and shown; nothing is too long, nothing is code."""

import json
from pathlib import Path

import pytest
from helpers.dual_cases import lay_out
from helpers.inspect_logs import samples, write_eval
from helpers.studies import PREDICTION, a_study
from helpers.trial_systems import plan

import assay
from assay.api.trial_sources import TrialSet
from assay.confounding.balanced import Surfaces
from assay.critic.asymmetry.judge import asymmetry
from assay.critic.asymmetry.result import Misconception, Stance
from assay.critic.asymmetry.spec import AsymmetrySetting
from assay.critic.faithfulness.judge import HowAsked, audit_faithfulness
from assay.critic.faithfulness.spec import (
    AuditPlan,
    AuditThresholds,
    ControlKind,
    SourcedClaim,
)
from assay.critic.judge import CritiqueSetting, JudgedAnswer, Labelled, critique
from assay.critic.tokens import TokenJudgement
from assay.critic.wordings import wordings
from assay.result import Result, Viewed, html_table
from assay.study.predictions.falsified import AllFalsified, Falsified

ROOT = Path(__file__).parents[2]
HOSTILE = "<script>print(1)</script>\x1b[31m"
LONGEST = 2_100
EXAMPLE = ROOT / "examples/compare-two-versions"


def of_data():
    audit = assay.confounds("darkcore", joint=False)
    run = assay.run("oracle:word_length", "darkcore")
    surfaces = Surfaces(joint=0.7, low=0.6, high=0.8, worst="word_length", worst_auc=0.7)
    counts = {"n": 9, "kept": 4, "positives": 5, "kept_positives": 2}
    balanced = assay.Balanced(
        achieved=False, surface="declared", records=(), before=surfaces, after=surfaces, lost={},
        **counts,
    )  # fmt: skip
    yield from (audit, run, balanced, assay.load_benchmark("darkcore"), assay.load_bars("v3"))
    yield from (assay.score(run, "darkcore", bars="v3"), assay.methods())


def of_comparisons(home):
    sides = [EXAMPLE / "before.csv", EXAMPLE / "after.csv"]
    yield assay.compare(*sides, gate="cited")
    rows = [[{"instance": f"q{n}", "ok": n % k == 0} for n in range(12)] for k in (2, 3, 4)]
    yield assay.compare(*rows)
    yield assay.compare([{"instance": "q", "recall": 1}], [{"instance": "q", "recall": 0}],
                        rule="adr-0031")  # fmt: skip
    yield from (assay.power(0.6, 0.8), assay.power(pilot=tuple(sides)), assay.load_trials(sides[0]))
    write_eval(home / "a.eval", samples([1, 0, 1]))
    yield assay.export(home / "a.eval", out=home / "datastore")
    yield assay.trials(plan(home / "trials"), out=home / "trials" / "results")


def of_memory(home):
    yield assay.dual(lay_out(home / "dual"))
    yield assay.matrix(home / "dual" / "results")
    yield assay.gate(home / "dual" / "results")


def of_study(home):
    study = assay.Study(a_study(home / "studies", "finished"))
    folder = study.draft("002", "token-overlap")
    (folder / "prediction.toml").write_text(PREDICTION, encoding="utf-8")
    yield study.seal("002")
    yield study.run("002", unwitnessed=True)
    (study.draft("003", "token-overlap") / "prediction.toml").write_text(PREDICTION)
    study.seal("003")
    yield study.withdraw("003", "the wrong file was copied")
    yield from (study, study.board(), study.frontier(), study.calibration())
    yield from (study.verify(), study.score())
    yield study.audit("001")


def of_claims(home):
    (home / "rows.csv").write_text("id\n1\n2\n")
    comment = '<!-- claim: aggregate_equals path="rows.csv" statistic="count" -->'
    (home / "README.md").write_text(f"There are three {comment} rows, and 0.75 of something.")
    yield assay.claims(home / "README.md", root=home)
    yield assay.scan_claims(home / "README.md", root=home)
    yield assay.fix_claims(home / "README.md", root=home)
    predicted = comment.replace(" -->", ' predicted="fails" -->')
    (home / "sealed.md").write_text(f"There are three {predicted} rows.")
    study = assay.Study.create(home / "claimed", "darkcore", bars="v1", task="detection")
    yield study.seal_claims(home / "sealed.md", name="rows")
    claim = {"id": HOSTILE, "claim": HOSTILE, "passage": "p", "predicted": [0.0, 0.2]}
    control = {**claim, "id": "c", "claim": "c", "kind": "fabrication"}
    yield study.seal_faithfulness(
        [claim], controls=[control], name="claims", model="http://127.0.0.1:9/v1#m"
    )


def of_gauntlet():
    study = assay.Study.open(ROOT / "examples/gauntlet")
    found = study.falsified()
    yield from (study, study.board(), study.calibration(), found, found.entries[0])


def of_critiques():
    judged = TokenJudgement(p_no=0.7, low=0.6, high=0.8, mass=0.9, unseen=0.05)
    asked = wordings()
    answers = [JudgedAnswer(id=f"a{i}", judgements=(judged,) * len(asked)) for i in range(40)]
    setting = CritiqueSetting(
        model="m", wordings=asked, data="d", digest="sha256:0", min_mass=0.2, top=20, toy=True
    )
    labels = Labelled(wrong={f"a{i}": i % 2 == 0 for i in range(40)})
    yield critique(answers, setting, labels)
    claims = [
        SourcedClaim(id=f"c{i}", claim=HOSTILE * 9, passage=f"p{i}", kind=kind)
        for i, kind in enumerate([None, *ControlKind] * 5)
    ]
    plan = AuditPlan(
        format=1, reference="m", model="m", wordings=wordings(mode="faithfulness"), min_mass=0.2,
        top=20, thresholds=AuditThresholds(), author=(), claims=tuple(claims),
    )  # fmt: skip
    shown = [JudgedAnswer(id=each.id, judgements=(judged,) * 3) for each in claims]
    yield audit_faithfulness(plan, shown, HowAsked(toy=True))
    shown = Misconception(
        id="a", answer="No.", similarity=0.8, p_no=0.9, v2=Stance.UNCLEAR, v3=Stance.REFUTES
    )
    yield asymmetry(
        [shown] * 3,
        AsymmetrySetting(model="m", encoder="e", prompt="p", data="d", digest="sha256:0"),
    )


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    home = tmp_path_factory.mktemp("views")
    made = [*of_data(), *of_comparisons(home), *of_memory(home), *of_study(home), *of_gauntlet()]
    return [*made, *of_claims(home), *of_critiques()]


def kinds(base):
    return {kind for each in base.__subclasses__() for kind in (each, *kinds(each))}


def test_every_kind_of_result_is_looked_at(results):
    known = {kind for kind in kinds(Viewed) if kind.__module__.startswith("assay.")} - {Result}
    assert {kind.__name__ for kind in known} == {type(result).__name__ for result in results}


def test_nothing_that_is_printed_is_long(results):
    for result in results:
        lines = str(result).splitlines()
        assert len(str(result)) <= LONGEST, type(result)
        assert 1 <= len(lines) <= 18, type(result)
        assert len(repr(result)) < 250, type(result)
        assert "\n" not in repr(result)


def test_rows_are_flat_and_json(results):
    for result in results:
        rows = result.to_rows()
        json.dumps(rows, allow_nan=False)
        for row in rows:
            for name, value in row.items():
                assert not isinstance(value, dict), (type(result), name)


def test_a_dictionary_is_json(results):
    for result in results:
        assert isinstance(result.to_dict(), dict)
        json.dumps(result.to_dict(), allow_nan=False)


def test_a_view_is_html(results):
    for result in results:
        html = result._repr_html_()
        assert html.startswith("<div><p><strong>")
        assert html.endswith("</div>")


def hostile():
    rows = [
        {"instance": f"{HOSTILE}{n}", HOSTILE: n % 2, "harness.model": HOSTILE} for n in range(12)
    ]
    yield assay.load_trials(rows)
    yield assay.compare(rows, [{**row, HOSTILE: 1} for row in rows], gate=HOSTILE)
    items = [{"id": f"{HOSTILE}{n}", "question": HOSTILE, "class": HOSTILE, "label": n % 2,
              "response": f"{HOSTILE} {n}"} for n in range(40)]  # fmt: skip
    benchmark = assay.load_benchmark(items)
    yield benchmark
    yield assay.confounds(benchmark, joint=False, scores={HOSTILE: [n % 7 for n in range(40)]})
    yield assay.run("oracle:word_length", benchmark)
    entry = Falsified(number=1, submission=HOSTILE, kind=HOSTILE, predicted=HOSTILE, came=HOSTILE,
                      graded_by=None, revised=())  # fmt: skip
    yield AllFalsified(entries=(entry,))


def test_names_from_other_peoples_files_are_no_code():
    for result in hostile():
        html = result._repr_html_()
        assert "<script" not in html, type(result)
        assert "&lt;script&gt;" in html, type(result)
        for text in (str(result), repr(result)):
            assert "\x1b" not in text, type(result)


def graded(k):
    return [{"instance": f"q{n}", "ok": n % k > 0, "tokens": 100 + n * k, "refusal": n % 2}
            for n in range(60)]  # fmt: skip


def test_a_printed_comparison_says_what_it_assumed_and_what_it_only_reports():
    lines = str(assay.compare(graded(2), graded(3))).splitlines()
    assert "assumed: higher is better in ok" in lines
    assert (
        "reported only: tokens 159 -> 188, +30 [+25, +34] (lower is better); refusal 0.500 ->"
        " 0.500, +0.000 (direction unknown)" in lines
    )
    lines = str(assay.compare(graded(2), graded(3), graded(4))).splitlines()
    assert "assumed: higher is better in ok" in lines
    assert "reported only: tokens (lower is better), refusal (direction unknown)" in lines


def test_a_planned_comparison_assumes_nothing():
    said = str(assay.compare(graded(2), graded(3), config={"dimensions": {"ok": {}}}))
    assert "assumed" not in said
    assert "reported only" not in said
    assert "assumed" not in str(assay.compare(*([{"instance": "q", "recall": n}] for n in (0, 1))))


def test_a_notebook_shows_a_small_p_as_under_a_thousandth():
    found = assay.compare([0] * 60, [1] * 60)
    assert found.dimensions[0].p < 0.001
    assert "<td>&lt;.001</td>" in found._repr_html_()
    assert html_table([{"p": 0.0425, "q": 0.0425, "r": -0.0001}]).endswith(
        "<tr><td>.043</td><td>0.043</td><td>0.000</td></tr></tbody></table>"
    )


class Long(Result, frozen=True, kw_only=True):
    """A result that says too much."""

    def to_rows(self):
        return [{"a": "x" * 10_000, "b": None, "c": 0.12345}] * 100

    def lines(self):
        return ["first " + "x" * 5_000, *["y" * 5_000] * 50]


def test_a_result_that_says_too_much_is_cut():
    made = Long()
    assert len(str(made)) <= LONGEST
    assert str(made).startswith("first x")
    assert len(repr(made)) < 250
    html = made._repr_html_()
    assert "and 40 more rows" in html
    assert "<details><summary>table of 100 rows</summary>" in html
    assert "<td></td><td>0.123</td>" in html
    assert len(html) < 60_000


def test_rows_of_different_names_share_a_table():
    assert html_table([]) == ""
    html = html_table([{"a": 1}, {"b": True}])
    assert "<tr><td>1</td><td></td></tr><tr><td></td><td>True</td></tr>" in html


def test_loaded_trials_are_viewed_like_results():
    assert issubclass(TrialSet, Viewed)
