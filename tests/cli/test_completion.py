"""Completion, by the protocol that shells speak; bash by its own script."""

import subprocess
import sys
from pathlib import Path

import pytest

from assay.cli.completion import SHELLS

BASH = """\
eval "$(assay completion bash)"
compopt() { :; }
COMP_LINE=$1 COMP_POINT=${#1}
read -ra COMP_WORDS <<< "${1//:/ : }"
[[ $1 == *[[:space:]:] ]] && COMP_WORDS+=("")
COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))
_assay_completion assay
printf '%s\\n' "${COMPREPLY[@]}"
"""
COMPLETED = {
    "assay conf": ["confounds"],
    "assay confounds dark": ["darkcore", "dark.csv"],
    "assay try oracle:word_len": ["word_length", "word_length:inverse"],
    "assay try x --bars v": ["v1", "v2", "v3", "v4"],
    "assay try x --tas": ["--task"],
    "assay try x --task d": ["detection"],
    "assay bars ": ["diff", "revise", "show"],
    "assay benchmark import fe": ["fever"],
    "assay compare da": ["dark.csv"],
}


@pytest.mark.parametrize("typed", COMPLETED)
def test_bash_completes(typed, tmp_path, monkeypatch):
    (tmp_path / "dark.csv").write_text("")
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=":")
    words = ["bash", "--norc", "-c", BASH, "bash", typed]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.splitlines() == COMPLETED[typed]


def test_zsh_and_fish_are_told_the_same(assay_cmd):
    asked = {"COMP_WORDS": "assay try oracle:word_len", "COMP_CWORD": "2"}
    zsh = assay_cmd(_ASSAY_COMPLETE="zsh_complete", **asked).out.splitlines()
    assert zsh[1::3][:2] == ["oracle:word_length", "oracle:word_length:inverse"]
    asked["COMP_CWORD"] = "oracle:word_len"
    fish = assay_cmd(_ASSAY_COMPLETE="fish_complete", **asked).out.splitlines()
    assert fish[:2] == ["plain,oracle:word_length", "plain,oracle:word_length:inverse"]


def test_completing_a_verb_imports_no_verb(tmp_path):
    code = (
        "import sys, os\n"
        "os.environ |= {'_ASSAY_COMPLETE': 'bash_complete', 'COMP_LINE': 'assay c'}\n"
        "sys.argv = ['assay']\n"
        "from assay.cli import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "loaded = [n for n in sys.modules if n.endswith('_') or n in ('numpy', 'rich')]\n"
        "print([n for n in loaded if n.startswith(('assay.cli.', 'numpy', 'rich'))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    lines = done.stdout.splitlines()
    assert "plain,compare" in lines
    assert lines[-1] == "[]"


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_has_a_script(shell, assay_cmd):
    script = assay_cmd("completion", shell)
    assert script.code == 0
    assert "_ASSAY_COMPLETE" in script.out
    assert assay_cmd("completion", shell, "--json").json == {"shell": shell, "script": script.out}
