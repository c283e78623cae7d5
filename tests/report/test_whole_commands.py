"""Prose is wrapped between words; a command or a line to paste stays one line."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from assay.report.terminal import WIDTH, console, styled
from assay.report.whole_commands import whole_lines

LONG = "--question Frage --response Antwort --label Falsch --group 'Unnamed: 0' --positive ja"
COMMANDS = (
    f"assay confounds mild2-balanced.csv {LONG}",
    "assay bars revise v1 --add D3 --control feature:word_length --margin .10 --because 'why not'",
    "assay claims fix README.md --write",
    LONG,
    "git checkout e3ca9b68e84e -- 'cards/001@plain-2.json' && git diff -- ledger.jsonl",
    '<!-- claim: aggregate_equals path="models.csv" statistic="mean" column="acc" scale=0.001 -->',
    '  dimensions = {resolved = {}, cost_usd = {better = "lower", range = [0, 0.05]}}',
    "`Study.verify(rerun='001', checkpoint='kept-elsewhere.txt', since='origin/main')`",
)


def lines(text, width, **settings):
    return [line.plain for line in whole_lines(Text(text), width, **settings)]


@pytest.mark.parametrize("width", [20, 40, 60, 80])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_is_one_line_at_every_width(command, width):
    before = "Some words that explain what the reader should type next, and why: "
    own = command.startswith("  ")
    found = lines(f"{before}\n{command}" if own else f"{before}{command}", width)
    assert any(command.strip() in line for line in found)
    assert all(len(line) <= width for line in found if command.strip() not in line)


def test_prose_around_a_command_is_wrapped_as_ever():
    text = "It failed. Make it again: assay dual SPEC.toml, then remove this file and go on."
    assert lines(text, 40) == [
        "It failed. Make it again:",
        "assay dual SPEC.toml, then remove this",
        "file and go on.",
    ]


def test_a_verb_in_prose_holds_no_prose_together():
    text = "What assay verify says of a study is what the records show and nothing else at all"
    assert max(map(len, lines(text, 30))) <= 30


def test_lines_below_the_first_hang():
    text = (
        "6. cards  breach  it has changed. Restore it: git checkout e3ca9b68e84e -- cards/001.json"
    )
    found = lines(text, 50, hanging=18)
    assert found[0] == "6. cards  breach  it has changed. Restore it:"
    assert found[1:] == [f"{'':18}git checkout e3ca9b68e84e -- cards/001.json"]


@given(st.text(alphabet="ab -.`'\n", max_size=200), st.integers(5, 40))
def test_no_letter_is_lost_or_added(text, width):
    joined = "".join("".join(lines(text, width)).split())
    assert joined == "".join(text.split())


@pytest.mark.parametrize("command", COMMANDS[:2])
def test_a_console_prints_a_command_as_one_line(command):
    drawn = io.StringIO()
    text = f"{'word ' * 15}Audit it so: {command}"
    console(drawn).print(styled(text, style="dim"))
    console(drawn).print(text)
    printed = drawn.getvalue().splitlines()
    assert sum(command in line for line in printed) == 2
    assert all(len(line) <= WIDTH for line in printed if command not in line)


def test_untrusted_text_is_no_markup():
    drawn = io.StringIO()
    console(drawn).print("[bold]not bold[/bold]")
    assert drawn.getvalue() == "[bold]not bold[/bold]\n"
