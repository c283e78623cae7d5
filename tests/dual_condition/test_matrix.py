import csv
import io
import json
from functools import cache

import pytest
from helpers.dual_cases import evaluate, gate_file, lay_out, remade, store, with_scores

from assay.dual_condition.matrix import Matrix, MatrixRow
from assay.dual_condition.result import Quantity, Regime, RowState
from assay.dual_condition.result_file import evidence_of, result_bytes, result_digest
from assay.dual_condition.store import matrix_in, past_results
from assay.errors import DigestMismatch, IntegrityError, SpecError
from assay.report.matrix import WRITERS, draw_matrix, matrix_markdown
from assay.report.terminal import console

FIRST, SECOND, THIRD = (f"2030-01-0{day}T00:00:00.000+00:00" for day in (1, 2, 3))


@pytest.fixture(scope="module")
def genuine(tmp_path_factory):
    path = lay_out(tmp_path_factory.mktemp("matrix"))
    return json.loads(evaluate(path).path.read_bytes())


@pytest.fixture(scope="module")
def pilot(genuine, tmp_path_factory):
    path = lay_out(tmp_path_factory.mktemp("pilot"), count=12)
    return json.loads(evaluate(path).path.read_bytes())


@pytest.fixture(scope="module")
def blocked(tmp_path_factory):
    home = tmp_path_factory.mktemp("blocked")
    path = lay_out(home)
    (home / "state" / "strange.txt").write_text("x")
    return json.loads(evaluate(path).path.read_bytes())


@pytest.fixture
def every(tmp_path, genuine, pilot, blocked):
    """A folder with a row of every kind."""
    folder = tmp_path / "results"
    store(folder, "good", remade(genuine, corpus="fover"))
    store(folder, "stuck", remade(blocked, corpus="fever"))
    store(folder, "small", remade(pilot, corpus="mbpp"))
    store(folder, "lone", {"corpus": "halueval", "condition_a_production_auroc": 0.99})
    store(folder, "bare", {"condition_a_production_auroc": 0.9,
                           "condition_b_architecture_only_auroc": 0.8,
                           "learning_contribution": 0.1})  # fmt: skip
    store(folder, "notes", {"not": "a result"})
    return folder


def drawn(matrix, **more):
    out = io.StringIO()
    draw_matrix(matrix, console(out), **more)
    return out.getvalue()


def test_each_row_says_what_it_is_worth(every):
    found = {row.corpus: row for row in matrix_in(every).rows}
    assert {name: row.state for name, row in found.items()} == {
        "fover": RowState.REPORTED,
        "fever": RowState.BLOCKED,
        "mbpp": RowState.PILOT_ONLY,
        "halueval": RowState.ONE_SIDED,
        "bare": RowState.BLOCKED,
    }
    assert list(found) == sorted(found)
    assert found["fover"].learning_contribution.value > 0.1
    assert found["halueval"].a is found["halueval"].b is None
    assert "nothing of condition B" in found["halueval"].reasons[0]
    assert "no evidence" in found["bare"].reasons[0]
    assert "strange.txt" in found["fever"].reasons[0]


def test_a_result_of_the_first_format_is_blocked_and_still_a_past_of_b(tmp_path, genuine):
    folder = tmp_path / "results"
    old = {**genuine, "format": "assay-dual/1", "made": FIRST, "reproducibility_checksum": "old"}
    old["artifact_digest"] = result_digest(old)
    store(folder, "old", old)
    (row,) = matrix_in(folder).rows
    assert row.state is RowState.BLOCKED
    assert "assay-dual/1" in row.reasons[0]
    evidence = evidence_of(genuine, where="x")
    (past,) = past_results(folder, evidence, before=SECOND, mark="new", but=folder / "new.json")
    assert past.value == genuine["condition_b_architecture_only_auroc"]


def test_what_is_not_reported_shows_no_number(every):
    matrix = matrix_in(every)
    shown = drawn(matrix)
    text = WRITERS[".md"](matrix, of="results")
    for word in ("pilot only", "blocked", "one-sided"):
        assert word in shown
        assert word in text
    for lone in ("0.99", "0.9 ", "0.8 ", "1.0000"):
        assert lone not in shown + text
    assert max(map(len, shown.splitlines())) <= 110
    rows = list(csv.DictReader(WRITERS[".csv"](matrix, of="results").splitlines()))
    assert {row["corpus"]: row["a"] for row in rows if row["state"] == "one-sided"} == {
        "halueval": ""
    }


def test_an_edited_result_brings_no_matrix(every):
    path = every / "good.json"
    record = json.loads(path.read_bytes())
    for key, value in (("corpus", "fever"), ("made", "9999"), ("regime", "polish"),
                       ("learning_contribution", 0.9)):  # fmt: skip
        path.write_bytes(result_bytes({**record, key: value}))
        with pytest.raises(DigestMismatch, match=r"good\.json: its artifact_digest does not match"):
            matrix_in(every)
    scores = with_scores(record, {"A": 1.0})
    path.write_bytes(result_bytes({**record, "scores": scores}))
    with pytest.raises(DigestMismatch, match=r"good\.json: its reproducibility_checksum"):
        matrix_in(every)
    path.write_bytes(result_bytes({**record, "items": {"id": []}}))
    with pytest.raises(IntegrityError, match=r"good\.json"):
        matrix_in(every)


def test_one_side_taken_away_never_makes_a_row(every):
    record = json.loads((every / "good.json").read_bytes())
    del record["condition_b_architecture_only_auroc"]
    store(every, "good", record)
    row = next(row for row in matrix_in(every).rows if row.corpus == "fover")
    assert (row.state, row.a) == (RowState.ONE_SIDED, None)


def test_evidence_taken_away_leaves_a_blocked_row(every):
    for key in ("scores", "preconditions_checked"):
        record = json.loads((every / "good.json").read_bytes())
        del record[key]
        store(every, "good", record)
        row = next(row for row in matrix_in(every).rows if row.corpus == "fover")
        assert (row.state, row.a) == (RowState.BLOCKED, None)


def test_the_newest_is_the_row_and_the_others_its_history(tmp_path, genuine):
    store(tmp_path, "b", remade(genuine, made=FIRST))
    store(tmp_path, "a", remade(genuine, made=SECOND, scores=with_scores(genuine, {"B": 0.01})))
    (row,) = matrix_in(tmp_path).rows
    assert (row.file, row.made) == ("a.json", SECOND)
    assert [past.made for past in row.history] == [FIRST]
    assert FIRST[:10] not in drawn(matrix_in(tmp_path))
    shown = drawn(matrix_in(tmp_path), history=True)
    assert FIRST[:10] in shown
    assert SECOND[:10] in shown


def fallen(genuine):
    """Three results: B was good, then fell, then fell again, A the same all the time."""
    return [
        remade(genuine, made=made, scores=with_scores(genuine, {"A": 3.0, "B": by, "C": by}))
        for made, by in ((FIRST, 2.0), (SECOND, 0.02), (THIRD, 0.01))
    ]


def test_dependence_is_told_by_the_results_beside_it(tmp_path, genuine):
    old, new, _ = fallen(genuine)
    store(tmp_path, "new", new)
    (alone,) = matrix_in(tmp_path).rows
    store(tmp_path, "old", old)
    (row,) = matrix_in(tmp_path).rows
    assert alone.regime != "dependent"
    assert row.regime == "dependent"


def test_dependence_is_remembered_by_the_newest_where_the_old_is_gone(tmp_path):
    path = lay_out(tmp_path, body=FORGETFUL)
    (tmp_path / "skill.txt").write_text("2.0")
    (tmp_path / "dual.toml").write_text(
        (tmp_path / "dual.toml").read_text().replace("[state]", 'reads = ["skill.txt"]\n[state]')
    )
    first = evaluate(path)
    (tmp_path / "skill.txt").write_text("0.0")
    second = evaluate(path)
    assert first.path != second.path
    assert second.result.regime == "dependent"
    first.path.unlink()
    (row,) = matrix_in(second.path.parent).rows
    assert row.regime == "dependent"
    assert len(row.history) == 1
    assert evaluate(path).result.regime == "dependent"
    assert gate_file(second.path).faults == ()


FORGETFUL = """
import json, pathlib, random, sys
items, outputs, seed, state = sys.argv[1:5]
skill = float(pathlib.Path("skill.txt").read_text())
memory = pathlib.Path(state, "memory.jsonl")
known = memory.exists() and bool(memory.read_text())
chance = random.Random(int(seed))
with open(outputs, "w") as out:
    for line in open(items):
        item = json.loads(line)
        wrong = int(item["id"][1:]) % 2
        score = chance.random() + wrong * (3 if known else skill)
        out.write(json.dumps({"id": item["id"], "score": score}) + "\\n")
"""


def test_records_left_out_are_a_caveat_of_the_row_and_absent_where_there_are_none(genuine):
    old, _, _ = fallen(genuine)
    from assay.dual_condition.evidence import Inputs

    assert "changes" not in old["inputs"]
    said = {"left-out": "3 of 83: 3 with no label (line 2, line 5, line 9)."}
    made = remade(old, inputs=Inputs(**old["inputs"], changes=said))
    assert made["inputs"]["changes"] == said
    (caveat,) = (one for one in made["caveats"] if one["code"] == "left-out")
    assert caveat["message"].endswith(said["left-out"])


def test_another_benchmark_or_system_or_metric_is_no_history(tmp_path, genuine):
    old, new, third = fallen(genuine)
    store(tmp_path, "new", new)
    store(tmp_path, "system", {**remade(old, system="another")})
    store(tmp_path, "metric", remade(old, metric="accuracy"))
    inputs = {**old["inputs"], "benchmark_digest": "sha256:" + "1" * 64}
    from assay.dual_condition.evidence import Inputs

    store(tmp_path, "bench", remade(third, made=FIRST, inputs=Inputs(**inputs)))
    rows = matrix_in(tmp_path).rows
    assert [row.file for row in rows] == ["metric.json", "system.json", "new.json"]
    assert all(not row.history for row in rows)


def test_systems_on_one_corpus_are_told_apart(tmp_path, genuine):
    store(tmp_path, "a", remade(genuine, system="python a.py"))
    store(tmp_path, "b", remade(genuine, system="python b.py"))
    matrix = matrix_in(tmp_path)
    shown, text = drawn(matrix), WRITERS[".md"](matrix, of=".")
    for found in (shown, text):
        assert "bench #1" in found
        assert "bench #2: python b.py" in found
    assert max(map(len, shown.splitlines())) <= 110


HOSTILE = [
    "|x|y", "<script>alert(1)</script>", "[x](http://example.org)", "`code`", "a\nb\r\nc",
    "\x1b[31mred", '=HYPERLINK("http://example.org")', "+1", "@x", 'a","b', "# head", "-->", "'",
    "‮abc", "*bold*", "&lt;",
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_shown_harmlessly(tmp_path, genuine, name):
    folder = tmp_path / "results"
    store(folder, "a", remade(genuine, corpus=name, system=name))
    store(folder, "b", remade(genuine, corpus=name, system="other"))
    store(folder, "c", {"corpus": name, "system": name, "condition_a_production_auroc": 1})
    matrix = matrix_in(folder)
    shown = drawn(matrix)
    assert "\x1b" not in shown
    for ending, write in WRITERS.items():
        text = write(matrix, of="results")
        path = tmp_path / f"M{ending}"
        path.write_text(text)
        assert gate_file(path).faults == ()
        assert "\x1b" not in text
        assert "<script" not in text or ending != ".md"
    rows = list(csv.reader(WRITERS[".csv"](matrix, of="results").splitlines()))
    assert len({len(row) for row in rows}) == 1
    assert len(rows) == 4
    assert all(not cell.startswith(("=", "@")) for row in rows for cell in row)
    lines = [line for line in WRITERS[".md"](matrix, of="x").splitlines() if line.startswith("| ")]
    assert len({line.replace("\\|", "").count("|") for line in lines}) == 1


FOLDERS = [
    "results",
    "my results",
    "results --history",
    "a-->b",
    "-x",
    "=x",
    "é",
    'q"x',
    "%20",
    "a,b",
]


@pytest.mark.parametrize("name", FOLDERS)
def test_folders_with_odd_names_are_found_again(tmp_path, genuine, name):
    store(tmp_path / name, "a", genuine)
    matrix = matrix_in(tmp_path / name)
    for history in (False, True):
        for ending, write in WRITERS.items():
            path = tmp_path / f"M{ending}"
            path.write_text(write(matrix, of=name, history=history))
            assert gate_file(path).faults == (), path


@pytest.mark.parametrize("ending", WRITERS)
def test_no_character_of_a_matrix_can_be_edited(tmp_path, monkeypatch, genuine, ending):
    monkeypatch.setattr(
        "assay.dual_condition.store.matrix_in", cache(matrix_in)
    )  # the same results each time
    folder = tmp_path / "results"
    store(folder, "a", remade(genuine, corpus="fover"))
    store(folder, "b", {"corpus": "x", "condition_a_production_auroc": 1})
    text = WRITERS[ending](matrix_in(folder), of="results")
    path = tmp_path / f"M{ending}"
    path.write_text(text)
    assert gate_file(path).faults == ()
    places = sorted({*range(0, len(text), 1 + len(text) // 120), *range(60), len(text) - 1})
    for at in places:
        other = "x" if text[at] != "x" else "y"
        before, after = text[:at], text[at + 1 :]
        for edited in (before + after, f"{before}7{text[at:]}", before + other + after):
            path.write_text(edited)
            if edited == text:
                continue
            found = gate_file(path)
            assert found.kind is not None, (at, edited[max(at - 20, 0) : at + 20])
            assert found.faults, (at, edited[max(at - 20, 0) : at + 20])


def test_a_matrix_out_of_date_is_refused(tmp_path, genuine, pilot):
    store(tmp_path / "results", "a", remade(genuine, corpus="fover"))
    paths = []
    for ending, write in WRITERS.items():
        paths.append(tmp_path / f"M{ending}")
        paths[-1].write_text(write(matrix_in(tmp_path / "results"), of="results"))
    store(tmp_path / "results", "b", remade(pilot, corpus="mbpp"))
    for path in paths:
        assert "out of date" in gate_file(path).faults[0].message
    for name in "ab":
        (tmp_path / "results" / f"{name}.json").unlink()
    for path in paths:
        assert "it cannot be made again from 'results'" in gate_file(path).faults[0].message


def test_a_matrix_of_results_elsewhere_is_refused(tmp_path, genuine):
    store(tmp_path / "elsewhere", "a", genuine)
    repository = tmp_path / "repository"
    repository.mkdir()
    matrix = matrix_in(tmp_path / "elsewhere")
    for ending, write in WRITERS.items():
        path = repository / f"M{ending}"
        path.write_text(write(matrix, of=str(tmp_path / "elsewhere")))
        assert "is not beside it" in gate_file(path).faults[0].message
        path.write_text(write(matrix, of="../elsewhere"))
        assert gate_file(path).faults == ()
        assert "is not beside it" in gate_file(path, within=repository).faults[0].message


def test_a_matrix_without_its_mark_is_refused_and_an_example_is_not(tmp_path, genuine):
    store(tmp_path / "results", "a", genuine)
    text = WRITERS[".md"](matrix_in(tmp_path / "results"), of="results")
    bare = text.partition("\n")[2]
    path = tmp_path / "README.md"
    for typed in (bare, f"# Results\n\n{bare}", f"# Results\n\n{text}"):
        path.write_text(typed)
        assert "does not name its folder of results" in gate_file(path).faults[0].message
    path.write_text(f"# How to read it\n\n```\n{text}\n```\n")
    assert gate_file(path).kind is None


def test_an_empty_folder_and_none_at_all(tmp_path):
    with pytest.raises(SpecError, match="no dual-condition results"):
        matrix_in(tmp_path)
    with pytest.raises(SpecError, match="there is no folder"):
        matrix_in(tmp_path / "gone")


@pytest.mark.parametrize(
    ("memorisation", "transfer", "said"),
    [(0.3, 0.1, "learning, mostly memory"), (0.1, 0.3, "learning"), (None, None, "learning")],
)
def test_a_gain_that_is_mostly_memory_is_called_so(memorisation, transfer, said):
    def quantity(value):
        return value and Quantity(value=value, interval=(value - 0.05, value + 0.05), per_seed={})

    row = MatrixRow(
        corpus="c",
        system="s",
        metric="auroc",
        state=RowState.REPORTED,
        memorisation=quantity(memorisation),
        transfer=quantity(transfer),
        regime=Regime.LEARNING,
        made="2026",
        file="c.json",
        reasons=(),
    )
    matrix = Matrix(format="assay-matrix/1", rows=(row,))
    assert f"| {said} |" in matrix_markdown(matrix, of="results")
