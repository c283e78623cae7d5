import json

import numpy as np
import pytest

import assay
from assay.confounding.balance import balance
from assay.confounding.balanced import HIGHEST, Balanced, Surfaces
from assay.errors import SpecError
from assay.report.confounding import draw_balanced
from assay.report.terminal import console

KEYS = {
    "achieved",
    "surface",
    "records",
    "n",
    "kept",
    "positives",
    "kept_positives",
    "before",
    "after",
    "lost",
    "caveats",
    "new_ids",
    "positions",
    "verdict",
    "because",
    "needed_records",
    "splits_groups",
    "separated_by",
}
SURFACE_KEYS = {"joint", "low", "high", "worst", "worst_auc"}
WORDS = [f"w{i:03d}" for i in range(300)]


def records(n, seed, *, longer, share, more=lambda i: {}):
    """Records of which a share of the positives is some words longer."""
    rng = np.random.default_rng(seed)
    return [
        {
            "id": f"r{i}",
            "question": f"What {' '.join(rng.choice(WORDS, 6))}?",
            "response": " ".join(
                rng.choice(WORDS, rng.integers(4, 12) + longer * (i % 2 and rng.random() < share))
            ),
            "label": i % 2,
            **more(i),
        }
        for i in range(n)
    ]


@pytest.fixture
def written(tmp_path):
    def write(rows, name="mine.jsonl"):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return write


def test_records_left_out_are_counted_and_not_written(assay_cmd, written, tmp_path):
    rows = records(120, 3, longer=0, share=0.0)
    rows[4]["response"], rows[9]["label"], rows[11]["id"] = "", "N/A", "r10"
    written(rows)
    flags = ("--missing", "exclude", "--unknown", "exclude", "--ids", "repair")
    assert assay_cmd("balance", "mine.jsonl", "--out", "b.jsonl").code == 2
    done = assay_cmd("balance", "mine.jsonl", "--out", "b.jsonl", *flags)
    assert done.code == 0, done.err
    assert "left-out: Records of the file were left out. 2 of 120" in done.out
    assert "new-ids: Ids of the file were replaced. 1 of 118 records." in done.out
    kept = [json.loads(line) for line in (tmp_path / "b.jsonl").read_text().splitlines()]
    assert rows[4] not in kept and rows[9] not in kept
    assert all(row in rows for row in kept) and len(kept) > 60


def test_a_confounded_file_is_balanced_and_the_audit_agrees(assay_cmd, written, tmp_path):
    rows = records(320, 1, longer=3, share=0.7, more=lambda i: {"source": f"s{i % 3}"})
    path = written(rows)
    done = assay_cmd("balance", "mine.jsonl", "--out", "new/balanced.jsonl", "--json")
    assert done.code == 0, done.err
    found = done.json
    assert set(found) == KEYS
    assert set(found["before"]) == set(found["after"]) == SURFACE_KEYS
    assert found["achieved"] is True
    assert found["before"]["worst_auc"] > 0.65 > HIGHEST >= found["after"]["worst_auc"]
    assert found["n"] == 320 > found["kept"] > 160
    assert found["kept"] - found["kept_positives"] > 60 < found["kept_positives"]
    assert sum(found["lost"]["source"].values()) == 320 - found["kept"]
    output = tmp_path / "new/balanced.jsonl"
    kept = set(found["records"])
    assert output.read_bytes() == b"".join(
        line + b"\n" for line in path.read_bytes().splitlines() if json.loads(line)["id"] in kept
    )
    audit = assay_cmd("confounds", "new/balanced.jsonl", "--json")
    assert audit.json["n"] == found["kept"]
    assert audit.json["verdict"] in ("clean", "undecided")
    assert max(one["auc"] for one in audit.json["features"]) <= HIGHEST
    assert audit.json["joint"]["low"] <= 0.5 <= audit.json["joint"]["high"]
    assert audit.json["joint"]["auc"] == found["after"]["joint"]
    assert audit.json["verdict"] == found["verdict"]
    assert audit.json["because"] == found["because"]
    assert audit.json["needed_records"] == found["needed_records"]
    assert [rows[place]["id"] for place in found["positions"]] == found["records"]


def test_records_that_share_a_question_are_grouped_with_a_word_on_single_ones(assay_cmd, written):
    rows = records(120, 1, longer=0, share=0.0)
    written([{**row, "question": f"What is {n // 10}?"} for n, row in enumerate(rows)])
    done = assay_cmd("balance", "mine.jsonl", "--out", "b.jsonl", "--negative", "0")
    assert "grouped-by-question: " in done.out
    assert "To balance single records: --group id." in " ".join(done.out.split())
    alone = assay_cmd("balance", "mine.jsonl", "--out", "c.jsonl", "--group", "id")
    assert "grouped-by-question" not in alone.out


@pytest.mark.parametrize(
    ("kind", "hint"),
    [
        ("ids", "To balance single records: --group id."),
        ("repeated ids", "To balance single records: --group row."),
        ("another column", "To balance single records: --group row."),
        ("an index without a name", "To balance single records: --group ''."),
        ("no such column", "such as the record's number, and name it: --group COLUMN."),
    ],
)
def test_the_column_that_is_named_for_single_records_tells_them_apart(
    assay_cmd, tmp_path, kind, hint
):
    rows = [{**row, "question": f"What is {n // 10}?"}
            for n, row in enumerate(records(200, 1, longer=0, share=0.0))]  # fmt: skip
    for number, row in enumerate(rows):
        name = row.pop("id")
        row |= {"id": name} if kind == "ids" else {}
        row |= {"id": f"r{number // 2}"} if kind == "repeated ids" else {}
        row |= {"row": number} if kind in ("repeated ids", "another column") else {}
        row |= {"": number} if kind == "an index without a name" else {}
        row["same"] = "x"
    head = list(rows[0])
    text = [",".join(head)]
    text += [",".join(str(row[name]) for name in head) for row in rows]
    (tmp_path / "mine.csv").write_text("\n".join(text) + "\n")
    more = ["--ids", "repair"] if kind == "repeated ids" else []
    done = assay_cmd("balance", "mine.csv", "--out", "b.csv", *more)
    assert hint in " ".join(done.out.split())
    if "COLUMN" in hint:
        return
    column = hint.split("--group ")[1].rstrip(".").strip("'")
    alone = assay_cmd("balance", "mine.csv", "--out", "c.csv", "--group", column, *more)
    assert alone.code in (0, 1), alone.err
    assert "grouped-by-question" not in alone.out


def test_an_auc_surely_under_a_half_is_explained():
    under = Surfaces(joint=0.17, low=0.08, high=0.36, worst="words", worst_auc=0.52)
    over = Surfaces(joint=0.57, low=0.48, high=0.66, worst="words", worst_auc=0.52)
    for after, is_said in ((under, True), (over, False)):
        made = Balanced(
            achieved=True,
            surface="declared",
            records=("a",),
            n=1,
            kept=1,
            positives=1,
            kept_positives=1,
            before=over,
            after=after,
            lost={},
        )
        out = console()
        with out.capture() as drawn:
            draw_balanced(made, "b.csv", "assay confounds b.csv", out)
        assert ("under 0.5 is no surface that predicts" in drawn.get()) is is_said


def test_where_a_feature_separates_no_other_draw_is_advised(assay_cmd, written):
    path = written([{**row, "response": "Yes, it is so." if row["label"] else "No."}
             for row in records(120, 1, longer=0, share=0.0)])  # fmt: skip
    done = assay_cmd("balance", "mine.jsonl", "--out", "b.jsonl")
    assert done.code == 1
    said = " ".join(done.out.split())
    assert "There is no balanced subset" in said and "Collect records" in said
    assert "--seed" not in said
    found = assay.balance(path)
    assert found.separated_by == "word_length (response)"
    assert found.remedy in str(found)
    for part in (lambda: found.positions, found.rows):
        with pytest.raises(
            SpecError, match=r"there are no (positions|rows)\. There is no balanced"
        ):
            part()


def test_the_command_that_audits_the_subset_has_the_same_columns(assay_cmd, written):
    rows = records(120, 3, longer=0, share=0.0)
    written([{**row, "User Prompt": row.pop("question")} for row in rows])
    done = assay_cmd("balance", "mine.jsonl", "--out", "b.jsonl", "--question", "User Prompt",
                     "--group", "id")  # fmt: skip
    said = " ".join(done.out.split())
    assert "Audit it so: assay confounds b.jsonl --question 'User Prompt' --group id" in said


def test_groups_of_one_class_are_kept_or_dropped_whole(written):
    rows = records(320, 2, longer=3, share=0.7, more=lambda i: {"group": f"g{i % 2}-{i // 8}"})
    found = balance(assay.load_benchmark(written(rows)))
    assert found.achieved
    assert found.kept < 320
    kept = set(found.records)
    for row in rows:
        mates = {other["id"] for other in rows if other["group"] == row["group"]}
        assert mates <= kept or not mates & kept


def test_what_is_balanced_already_is_kept_whole_and_never_written_over(assay_cmd, written):
    rows = records(30, 0, longer=0, share=0.0)
    path = written(
        [{**row, "id": f"{row['id']}-{label}", "label": label} for row in rows for label in (0, 1)]
    )
    done = assay_cmd("balance", "mine.jsonl", "--out", "out.jsonl")
    assert done.code == 0, done.err
    assert "Nothing had to be dropped. out.jsonl has all 60 records." in done.out
    output = path.with_name("out.jsonl")
    assert output.read_bytes() == path.read_bytes()
    for name in ("out.jsonl", "mine.jsonl"):
        refused = assay_cmd("balance", "mine.jsonl", "--out", name)
        assert refused.code == 2
        said = "already exists" if name == "out.jsonl" else "that the subset is taken from"
        assert said in refused.err
    assert output.read_bytes() == path.read_bytes()


def test_a_csv_file_stays_one(assay_cmd, tmp_path):
    rows = records(30, 0, longer=0, share=0.0)
    cells = [
        '{id}-{wrong},"{question}","{response}, ""so""",{wrong}'.format(**row, wrong=wrong)
        for row in rows
        for wrong in (0, 1)
    ]
    (tmp_path / "mine.csv").write_text("nr,question,answer,wrong\r\n" + "\r\n".join(cells))
    named = ("--id", "nr", "--response", "answer", "--label", "wrong")
    done = assay_cmd("balance", "mine.csv", *named, "--out", "out.csv", "--json")
    assert done.code == 0, done.err
    columns = {"id": "nr", "response": "answer", "label": "wrong"}
    before, after = (
        assay.load_benchmark(tmp_path / name, **columns) for name in ("mine.csv", "out.csv")
    )
    kept = set(done.json["records"])
    assert len(kept) == 60
    assert after.items == tuple(item for item in before.items if item.id in kept)


def test_where_nothing_is_left_nothing_is_written(assay_cmd, written, tmp_path):
    written(records(60, 0, longer=20, share=1.0))
    done = assay_cmd("balance", "mine.jsonl", "--out", "out.jsonl")
    assert done.code == 1
    assert "Nothing was written" in done.out
    assert [path.name for path in tmp_path.iterdir()] == ["mine.jsonl"]


def test_what_cannot_be_balanced_is_refused_before_anything_is_fitted(assay_cmd, written):
    written(records(12, 0, longer=0, share=0.0), "few.jsonl")
    written([{**row, "label": 1} for row in records(40, 0, longer=0, share=0.0)])
    for arguments, words in (
        (["few.jsonl", "--out", "out.jsonl"], "6 positives"),
        (["mine.jsonl", "--out", "out.jsonl"], "every record is positive"),
        (["few.jsonl", "--out", "out.csv"], "Give it the ending .jsonl"),
        (["few.jsonl", "--out", "out"], "Give it the ending .jsonl"),
        (["few.jsonl"], "--out"),
        (["nothere.jsonl", "--out", "out.jsonl"], "no benchmark"),
    ):
        done = assay_cmd("balance", *arguments)
        assert done.code == 2, arguments
        assert words in done.err


def telling_ids(n=400):
    """Records whose surface tells nothing, while id, order and a field tell the label."""
    rows = records(n, 5, longer=0, share=0.0)
    for i, row in enumerate(rows):
        row["id"] = f"q{i}-{'wrong' if row['label'] else 'right'}"
    return sorted(rows, key=lambda row: row["label"])


def test_ids_that_still_tell_the_label_are_named_and_can_be_replaced(assay_cmd, written, tmp_path):
    written(telling_ids())
    done = assay_cmd("balance", "mine.jsonl", "--out", "b.jsonl")
    said = " ".join(done.out.split())
    assert done.code == 0
    assert "The ids still give the label away." in said and "--shuffle-ids" in said
    assert assay_cmd("confounds", "b.jsonl").code == 1
    flags = ("--shuffle-ids", "--seed", "7")
    shuffled = assay_cmd("balance", "mine.jsonl", "--out", "c.jsonl", *flags)
    assert "still give" not in shuffled.out and "random ids in random order, seed 7" in shuffled.out
    audit = assay.confounds(tmp_path / "c.jsonl")
    assert audit.favourable and not audit.telling
    made = assay.balance(tmp_path / "mine.jsonl", shuffle_ids=True, seed=7)
    again = [json.loads(line) for line in (tmp_path / "c.jsonl").read_text().splitlines()]
    assert [row["id"] for row in again] == list(made.new_ids.values())
    texts = {row["id"]: row["response"] for row in telling_ids()}
    assert [row["response"] for row in again] == [texts[old] for old in made.new_ids]
    assert list(made.new_ids) != list(made.records)


def test_another_column_that_tells_the_label_is_named(written):
    rows = [
        {**row, "id": f"r{i}", "note": f"{row['label']}!"} for i, row in enumerate(telling_ids())
    ]
    made = assay.balance(written(rows), shuffle_ids=True)
    assert [caveat.code for caveat in made.caveats] == ["columns-tell", "new-ids"]
    assert "'note'" in str(made)


@pytest.mark.parametrize("ending", ["csv", "json", "parquet", "jsonl.gz"])
def test_random_ids_are_written_in_every_form(ending, tmp_path):
    import gzip

    import polars

    rows, path = telling_ids(120), tmp_path / f"mine.{ending}"
    text = "".join(json.dumps(row) + "\n" for row in rows)
    match ending:
        case "csv":
            polars.DataFrame(rows).write_csv(path)
        case "parquet":
            polars.DataFrame(rows).write_parquet(path)
        case "json":
            path.write_text(json.dumps(rows), encoding="utf-8")
        case _:
            path.write_bytes(gzip.compress(text.encode()))
    out = tmp_path / f"out.{ending}"
    made = assay.balance(path, out=out, shuffle_ids=True)
    found = assay.load_benchmark(out).items
    texts = {row["id"]: (row["response"], bool(row["label"])) for row in rows}
    assert [item.id for item in found] == list(made.new_ids.values())
    assert [(item.response, item.label) for item in found] == [texts[old] for old in made.new_ids]


def test_ids_inside_another_column_are_not_replaced_in_silence(written):
    rows = [{**row, "doc": {"key": row.pop("id")}} for row in telling_ids(120)]
    path = written(rows)
    with pytest.raises(assay.SpecError, match="inside another column"):
        assay.balance(path, out=path.with_name("o.jsonl"), shuffle_ids=True, id="doc.key")


def test_a_file_is_replaced_only_by_force_and_the_source_never(assay_cmd, written, tmp_path):
    written(telling_ids())
    first = assay_cmd("balance", "mine.jsonl", "--out", "b.jsonl")
    assert "--shuffle-ids --force" in " ".join(first.out.split())
    before = (tmp_path / "b.jsonl").read_bytes()
    refused = assay_cmd("balance", "mine.jsonl", "--out", "b.jsonl", "--shuffle-ids")
    assert refused.code == 2 and "replace this one: --force" in refused.err
    assert (tmp_path / "b.jsonl").read_bytes() == before
    flags = ("--shuffle-ids", "--force")
    assert assay_cmd("balance", "mine.jsonl", "--out", "b.jsonl", *flags).code == 0
    assert (tmp_path / "b.jsonl").read_bytes() != before
    source = (tmp_path / "mine.jsonl").read_bytes()
    refused = assay_cmd("balance", "mine.jsonl", "--out", "mine.jsonl", *flags)
    assert refused.code == 2 and "the source is never overwritten" in refused.err
    assert (tmp_path / "mine.jsonl").read_bytes() == source


def test_the_screen_says_what_an_audit_says_of_the_new_file(assay_cmd, written):
    written(records(120, 1, longer=3, share=0.7))
    done = assay_cmd("balance", "mine.jsonl", "--out", "b.jsonl")
    said = " ".join(done.out.split())
    assert done.code == 0 and "Balanced for the declared surface." in said
    audit = assay_cmd("confounds", "b.jsonl", "--json").json
    assert f"confounds on it: {audit['verdict']}, {audit['because']}." in said


def test_what_still_tells_is_named_and_nothing_else(assay_cmd, written):
    written(telling_ids())
    said = " ".join(assay_cmd("balance", "mine.jsonl", "--out", "b.jsonl").out.split())
    assert "Balanced for the declared surface, but not for its ids." in said
    assert "other columns" not in said
