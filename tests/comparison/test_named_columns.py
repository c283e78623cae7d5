"""A column that was named and is not there is refused, wherever it was named."""

import pytest
from helpers.command import command

import assay
from assay.errors import SpecError

ROWS = [
    [{"task_id": f"t{n // 3}", "attempt": n % 3, "success": n % k > 0, "safe": 1}
     for n in range(60)] for k in (2, 3)
]  # fmt: skip
NAMED = {"instance": "task_id", "trial": "attempt", "dimension": "success"}


@pytest.mark.parametrize(
    ("word", "misspelt", "meant"),
    [
        ("trial", "atempt", "attempt"),
        ("instance", "taskid", "task_id"),
        ("dimension", "sucess", "success"),
        ("by", "tsk_id", "task_id"),
    ],
)
def test_a_misspelt_column_is_answered_with_the_one_that_was_meant(word, misspelt, meant):
    with pytest.raises(SpecError, match=f"no column '{misspelt}'") as refused:
        assay.compare(*ROWS, **{**NAMED, word: misspelt})
    assert f'Did you mean `{word}="{meant}"`?' in refused.value.__notes__[0]


def test_the_command_answers_with_the_flag(tmp_path):
    for name, rows in zip("ab", ROWS, strict=True):
        lines = [",".join(rows[0]), *(",".join(str(int(v) if v is True or v is False else v)
                                               for v in row.values()) for row in rows)]  # fmt: skip
        (tmp_path / f"{name}.csv").write_text("\n".join(lines), "utf-8")
    words = ("compare", "a.csv", "b.csv", "--instance", "task_id", "--trial", "atempt")
    done = command(tmp_path, *words)
    assert done.returncode == 2
    assert "Did you mean --trial attempt?" in done.stderr
    assert command(tmp_path, *words[:-1], "attempt", "--trial", "attempt").returncode in (0, 1)


def test_without_a_name_rows_need_no_column_of_trials():
    rows = [[{"instance": f"q{n}", "ok": n % k > 0} for n in range(30)] for k in (2, 3)]
    assert assay.compare(*rows).pairs == 30
    assert assay.compare(*rows, trial="trial").pairs == 30


def loaded(rows):
    return assay.load_trials(rows, instance="task_id", trial="attempt")


@pytest.mark.parametrize("word", ["instance", "trial"])
def test_a_column_is_refused_where_nothing_has_columns(word):
    sides = [loaded(rows) for rows in ROWS]
    with pytest.raises(
        SpecError, match=f"`{word}=attempt`: no side is a file of trials"
    ) as refused:
        assay.compare(*sides, **{word: "attempt"})
    assert "Leave it out" in refused.value.hint
    assert assay.compare(sides[0], ROWS[1], **NAMED).pairs == 60, "one side has columns"


def test_loaded_trials_are_read_by_the_dimension_that_is_named():
    sides = [loaded(rows) for rows in ROWS]
    found = assay.compare(*sides, dimension="success")
    assert [each.name for each in found.dimensions] == ["success"]
    with pytest.raises(SpecError, match="no metric 'sucess'; there are success, safe") as refused:
        assay.compare(*sides, dimension="sucess")
    assert "`dimension=success`" in refused.value.hint


def test_a_folder_of_runs_is_held_to_the_dimensions_that_are_named(tmp_path):
    for side in "ab":
        for n in range(4):
            folder = tmp_path / side / str(n)
            folder.mkdir(parents=True)
            (folder / "eval.json").write_text(f'{{"fixture": "q{n}", "recall": 0.5}}')
            (folder / "manifest.json").write_text('{"model": "m"}')
    sides = [tmp_path / side for side in "ab"]
    assert assay.compare(*sides, dimension="recall").dimensions[0].n == 4
    with pytest.raises(SpecError, match="no metric 'recal'"):
        assay.compare(*sides, dimension="recal")
