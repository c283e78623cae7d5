"""What the command says of gates, of one comparison and of several."""

import pytest
from helpers.command import command


@pytest.fixture
def here(tmp_path):
    for name, right in (("a", 1), ("b", 2), ("c", 0)):
        lines = [f"q{n},{int(n % 3 < right)},{int(n % 3 < 3 - (right == 0))}" for n in range(12)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["instance,ok,safe", *lines]), "utf-8")
    return tmp_path


def test_a_gate_that_passes_unshown_says_so_beside_its_figures(here):
    done = command(here, "compare", "a.csv", "b.csv", "--gate", "safe")
    assert "gate: spotless, not shown" in done.stdout
    assert "* gated: it must not lose more than its margin" in done.stdout
    assert "--strict-gates does not let it pass" in " ".join(done.stdout.split())
    assert "candidate b.csv against baseline a.csv: 12 runs against 12" in done.stdout


def test_several_comparisons_show_their_gates(here):
    done = command(here, "compare", "a.csv", "b.csv", "c.csv", "--gate", "safe")
    assert "b.csv against a.csv: gates: safe spotless, not shown" in done.stdout
    assert "c.csv against a.csv: gates: safe in doubt" in done.stdout
    assert "gates:" not in command(here, "compare", "a.csv", "b.csv").stdout.replace("no-gates", "")
