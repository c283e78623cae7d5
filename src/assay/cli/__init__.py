"""The command: one verb a file, each imported only when it is called."""

import sys

from assay.cli.verbs import HELP


def main() -> None:
    """Run the command."""
    if sys.argv[1:] in ([], ["-h"], ["--help"]):
        sys.stdout.write(HELP)
        return
    import gc

    from assay.cli.group import run_command

    gc.set_threshold(50_000)  # a short-lived command makes little garbage and many objects
    run_command()
