"""The verbs, and the text of `assay --help`, which is printed without importing anything else.

The one-line descriptions are the first lines of the verbs' own help; a test compares them, and
checks that every verb is in one group.
"""

VERBS = {
    "asymmetry": "Find out whether a model says the misconceptions that it rejects.",
    "balance": "Take a subset whose surface does not predict the label.",
    "board": "Show the leaderboard, from records alone.",
    "calibration": "Show how good the predictions of a study are.",
    "bars": "Show, compare and revise the pass conditions.",
    "benchmark": "List the bundled benchmarks, or import a published corpus.",
    "claims": "Check what a text claims against the artifacts.",
    "completion": "Print the script that completes words in your shell.",
    "compare": "Find out whether a change helps more than it hurts.",
    "confounds": "Find out what the surface of a benchmark gives away.",
    "critique": "Ask a model whether answers are right.",
    "demo": "Watch a PASS turn into a FAIL, in a few seconds.",
    "draft": "Begin a submission: a copy of the method, and a prediction.",
    "dual": "Find out whether it is capability or memory.",
    "export": "Write logs in the form of Every Eval Ever.",
    "falsified": "List what was predicted and turned out otherwise.",
    "gate": "Refuse a result with one condition, or one that was edited.",
    "key": "Make a key that signs checkpoints, or show its public half.",
    "ledger": "Show the ledger, take a checkpoint of it, prove what is in it.",
    "matrix": "Draw the cross-corpus matrix from results alone.",
    "methods": "List the bundled methods.",
    "new": "Open a study: one benchmark, its bars, and an empty record.",
    "power": "Find out how many pairs show an effect, or how small an effect.",
    "ratify": "Freeze an artifact that was shown to help, or take it back.",
    "run": "Run a sealed submission, once, and publish whatever comes out.",
    "score": "Judge a stored run, or scores, under any bars.",
    "seal": "Seal a submission: nothing of it can change, and it can run once.",
    "trials": "Run a system with and without an artifact, and compare.",
    "try": "Run a method on a benchmark and judge it.",
    "withdraw": "Withdraw a sealed submission that was never started, in public.",
    "verify": "Verify a study: chain, seals, outputs, scorecards, views.",
}
GROUPS = {
    "Is it the task, or the surface of the data?": "confounds balance try score bars",
    "Does a model tell right answers from wrong ones?": "critique asymmetry",
    "Did my change help?": "compare power trials ratify",
    "Is it capability, or memory?": "dual matrix gate",
    "Was it predicted before it was seen? (a study)": (
        "new draft seal run verify board calibration falsified withdraw ledger"
    ),
    "Does the text match the artifacts?": "claims",
    "What comes with it, and files": "demo benchmark methods export key completion",
}
"""The verbs by the question they answer, in the order of use."""
HELP = """\
Usage: assay [OPTIONS] COMMAND [ARGS]...

  Find out what a number about an AI system is made of, before you believe it.

  Start here:
    assay demo                                        what it does, in seconds
    assay confounds answers.jsonl                     a file of yours
    assay try my_method.py:detect                     a function of yours
    assay compare baseline.eval candidate.eval        two runs of yours
    assay dual --init                                 a system that learns
    assay claims README.md                            a text of yours
    assay new my-study --benchmark answers.jsonl      predict, then run

  `assay COMMAND --help` shows examples, flags and exit codes.

""" + "".join(
    f"{question}\n" + "".join(f"  {verb:<13}{VERBS[verb]}\n" for verb in verbs.split()) + "\n"
    for question, verbs in GROUPS.items()
)
HELP += """\
Options:
  --version   Show the version and exit.
  -h, --help  Show this message and exit.
"""
