"""Threads that read the first replies at once, in a process that has read none."""

import subprocess
import sys

SCRIPT = '''
import sys
import threading
import types

from assay.models.http.forms import read

FORMS = """
import msgspec

class Inner(msgspec.Struct):
    token: str
    more: list[int] | None = None

class Middle(msgspec.Struct):
    content: list[Inner] | None = None

class Outer(msgspec.Struct):
    choices: list[Middle]
"""
BODY = b'{"choices": [{"content": [{"token": "a"}]}]}'

sys.setswitchinterval(1e-6)
for number in range(100):
    module = sys.modules[f"forms{number}"] = types.ModuleType(f"forms{number}")
    exec(FORMS, module.__dict__)
    start = threading.Barrier(8)

    def ask():
        start.wait()
        assert read(BODY, module.Outer).choices[0].content[0].token == "a"

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
'''


def test_threads_that_read_at_once_do_not_crash_the_process():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
