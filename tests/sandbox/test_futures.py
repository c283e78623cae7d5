import subprocess
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from assay.sandbox.futures import first_done

# The signal is given to another thread while the main one waits: nothing wakes it.
UNHEARD = """
import os, signal, threading, time
from concurrent.futures import FIRST_COMPLETED, Future, wait
from assay.sandbox.futures import first_done

def interrupt():
    time.sleep(0.5)
    signal.pthread_kill(threading.get_ident(), signal.SIGINT)
    time.sleep(60)

signal.signal(signal.SIGINT, signal.default_int_handler)
threading.Thread(target=interrupt, daemon=True).start()
try:
    {waiting}
except KeyboardInterrupt:
    os._exit(7)
"""


def run(waiting):
    command = [sys.executable, "-c", UNHEARD.format(waiting=waiting)]
    return subprocess.run(command, timeout=6, check=False).returncode


def test_an_interrupt_given_to_another_thread_is_heard():
    assert run("first_done([Future()])") == 7


def test_a_plain_wait_does_not_hear_it():
    with pytest.raises(subprocess.TimeoutExpired):
        run("wait([Future()], return_when=FIRST_COMPLETED)")


def test_those_that_are_done_are_given_as_soon_as_one_is():
    never: Future[int] = Future()
    with ThreadPoolExecutor(1) as pool:
        soon = pool.submit(time.sleep, 0.6)
        assert first_done([never, soon]) == {soon}
