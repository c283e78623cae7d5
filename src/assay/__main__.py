"""`python -m assay` is `assay`: it imports nothing from the current folder.

Python puts that folder first on the path. It is removed before anything else is imported. What
Python itself imports before that is beyond our control (`-P` prevents it).
"""

import os
import sys

if sys.path[:1] == [os.getcwd()]:  # noqa: PTH109 - pathlib would be imported from there
    del sys.path[0]

from assay.cli import main

main()
