"""The verbs, and what `assay --help` prints of them; printing it imports nothing else.

The one-line descriptions are the first lines of the verbs' own help; a test holds them together.
"""

VERBS = {
    "balance": "Take a subset whose surface does not tell the label.",
    "bars": "Show, compare and revise the pass conditions.",
    "benchmarks": "List the bundled benchmarks.",
    "confounds": "Find out what the surface of a benchmark gives away.",
    "demo": "Watch a PASS turn into what it is, in a few seconds.",
    "methods": "List the bundled methods.",
    "score": "Judge a stored run again, under any bars.",
    "try": "Run a method on a benchmark and judge it.",
}
HELP = """\
Usage: assay [OPTIONS] COMMAND [ARGS]...

  Find out what a number about an AI system is made of, before you believe it.

  Start here:
    assay demo
    assay confounds answers.jsonl
    assay try my_method.py:detect --benchmark answers.jsonl

Options:
  --version   Show the version and exit.
  -h, --help  Show this message and exit.

Commands:
""" + "".join(f"  {verb:<12}{about}\n" for verb, about in sorted(VERBS.items()))
