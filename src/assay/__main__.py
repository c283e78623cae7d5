"""`python -m assay` is `assay`: it imports nothing from the folder that it is started in.

Python puts that folder first on the path. It comes off before anything else is imported; what
Python itself imports before that (`-P` keeps it from doing so) is not in our hands.
"""

import os
import sys

if sys.path[:1] == [os.getcwd()]:  # noqa: PTH109 - pathlib would be imported from there
    del sys.path[0]

from assay.cli import main

main()
