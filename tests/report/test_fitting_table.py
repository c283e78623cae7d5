"""Tables at every width: names whole, figures unbroken, nothing wider than the terminal."""

import io

import pytest
from rich.console import Console

from assay.report.terminal import table

NAMES = ("question.capitalized_token_ratio", "word_length")
ROWS = [(name, "0.849", "[0.758, 0.907]", "A text that may be wrapped anywhere.") for name in NAMES]
HEADERS = ("feature", "AUC", "95 % interval", "what")


def drawn(width, **how):
    out = io.StringIO()
    Console(file=out, width=width).print(table(HEADERS, ROWS, right="lr", **how))
    return out.getvalue()


@pytest.mark.parametrize("width", [40, 50, 60, 70, 80, 110])
@pytest.mark.parametrize("drop", [(), ("what",)])
def test_names_and_figures_are_whole_at_any_width(width, drop):
    shown = drawn(width, drop=drop)
    assert max(map(len, shown.splitlines())) <= width
    for whole in (*NAMES, "0.849", "[0.758, 0.907]"):
        assert whole in shown


def test_the_least_important_column_goes_first():
    assert "what" in drawn(110, drop=("what",))
    assert "what" not in drawn(60, drop=("what",))
    assert "95 % interval" in drawn(60, drop=("what",))


def test_a_row_becomes_lines_where_no_table_fits():
    first = drawn(44).splitlines()[:3]
    assert first[0] == NAMES[0]
    assert first[1].startswith("  AUC 0.849   95 % interval")


def test_words_of_others_cannot_style_or_move_the_cursor():
    out = io.StringIO()
    Console(file=out, width=80).print(table(("[bold]a", "b"), [("[red]x", "\x1b[2J")]))
    assert "[bold]a" in out.getvalue()
    assert "[red]x" in out.getvalue()
    assert "\x1b[2J" not in out.getvalue()
