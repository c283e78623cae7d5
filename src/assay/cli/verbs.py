"""The verbs, and what `assay --help` prints of them; printing it imports nothing else.

The one-line descriptions are the first lines of the verbs' own help; a test holds them together.
"""

VERBS = {
    "balance": "Take a subset whose surface does not tell the label.",
    "board": "Show the leaderboard, from records alone.",
    "calibration": "Show how good the predictions of a study are.",
    "bars": "Show, compare and revise the pass conditions.",
    "benchmark": "List the bundled benchmarks, or import a published corpus.",
    "completion": "Print the script that completes commands, flags and names in your shell.",
    "compare": "Find out whether a change helps more than it hurts.",
    "confounds": "Find out what the surface of a benchmark gives away.",
    "demo": "Watch a PASS turn into what it is, in a few seconds.",
    "draft": "Begin a submission: a copy of the method, and a prediction to fill in.",
    "dual": "Find out whether it is capability or memory.",
    "export": "Write logs in the form of Every Eval Ever.",
    "falsified": "List what was predicted and turned out otherwise.",
    "gate": "Refuse a result with one condition, or one that was edited.",
    "key": "Make a key that signs checkpoints, or show its public half.",
    "ledger": "Show the ledger, take a checkpoint of it, prove what is in it.",
    "matrix": "Draw the cross-corpus matrix from results alone.",
    "methods": "List the bundled methods.",
    "new": "Open a study: one benchmark, its bars, and an empty record.",
    "power": "Find out how many pairs show an effect, or how small an effect they show.",
    "ratify": "Freeze an artifact that was shown to help, or take it back.",
    "run": "Run a sealed submission, once, and publish whatever comes out.",
    "score": "Judge a stored run again, under any bars.",
    "seal": "Seal a submission: nothing of it can change any more, and it can run once.",
    "trials": "Run a system with and without an artifact, and compare.",
    "try": "Run a method on a benchmark and judge it.",
    "withdraw": "Withdraw a sealed submission that was never started, in public.",
    "verify": "Verify a study, step by step: chain, seals, outputs, scorecards, views.",
}
HELP = """\
Usage: assay [OPTIONS] COMMAND [ARGS]...

  Find out what a number about an AI system is made of, before you believe it.

  Start here:
    assay demo
    assay confounds answers.jsonl
    assay try my_method.py:detect --benchmark answers.jsonl
    assay compare --baseline before/ --candidate after/
    assay dual dual.toml
    assay new my-study --benchmark answers.jsonl

Options:
  --version   Show the version and exit.
  -h, --help  Show this message and exit.

Commands:
""" + "".join(f"  {verb:<13}{about}\n" for verb, about in sorted(VERBS.items()))
