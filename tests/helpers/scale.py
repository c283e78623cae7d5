"""How much of a stress test runs: a little in every suite, all of it when one asks for it."""

import os


def scale(short: int, long: int) -> int:
    return long if os.environ.get("ASSAY_STRESS") == "1" else short
