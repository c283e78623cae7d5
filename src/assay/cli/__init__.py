"""The command: one verb a file, each imported only when it is called."""

import os
import sys

from assay.cli.verbs import HELP


def main() -> None:
    """Run the command."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115, PTH123 - for good
    completing = "_ASSAY_COMPLETE" in os.environ  # by a script of `assay completion`
    if not completing and sys.argv[1:] in ([], ["-h"], ["--help"], ["help"]):
        _print_help()
        return
    import gc

    gc.set_threshold(200_000)  # a short-lived command makes little garbage and many objects
    # Threads of linear algebra wait by spinning: on arrays as small as ours that is all they do.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if completing:
        import assay.cli.completion  # noqa: F401 - click asks it which words fit
    from assay.cli.group import run_command

    run_command()


def _print_help() -> None:
    try:
        sys.stdout.write(HELP)
        sys.stdout.flush()
    except OSError as error:
        sys.stderr.write(f"standard output: {error.strerror}\n")
        os._exit(2)  # without the interpreter's own attempt to flush
