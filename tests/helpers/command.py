"""The command as a user would call it from a folder."""

import atexit
import json
import os
import signal
import socket
import struct
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from threading import Lock, Timer

SERVER = Path(__file__).with_name("command_server.py")
TIMEOUT = 120
ONE_AT_A_TIME = Lock()


def command(folder, *words, **environment):
    """The command with these words; its exit code, output and errors.

    It runs in a process that a warm server forks. Variables that an interpreter reads when it
    starts get a new interpreter.
    """
    fresh = any(name.startswith("PYTHON") for name in environment)
    done = (_in_new_interpreter if fresh else _in_forked)(
        Path(folder), words, {**os.environ, **environment}
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


def _in_new_interpreter(folder, words, environment):
    return subprocess.run(
        [sys.executable, "-m", "assay", *words],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=TIMEOUT,
        env=environment,
        check=False,
    )


def _in_forked(folder, words, environment):
    request = {"folder": str(folder.resolve()), "words": words, "environment": environment}
    nothing = os.open(os.devnull, os.O_RDONLY)
    (output, output_end), (errors, errors_end) = os.pipe(), os.pipe()
    with ONE_AT_A_TIME, ThreadPoolExecutor(1) as other:
        server = _server()
        streams = [nothing, output_end, errors_end]
        socket.send_fds(server, [json.dumps(request).encode()], streams)
        for stream in streams:
            os.close(stream)
        (child,) = struct.unpack("i", server.recv(4))
        limit = Timer(TIMEOUT, os.kill, (child, signal.SIGKILL))
        limit.start()
        errors_text = other.submit(_read, errors)
        text = _read(output), errors_text.result()
        (code,) = struct.unpack("i", server.recv(4))
        limit.cancel()
    return subprocess.CompletedProcess(words, code, *text)


def _read(end):
    with os.fdopen(end, encoding="utf-8", errors="replace") as pipe:
        return pipe.read()


@cache
def _server():
    """The server of this process, which ends when this process does."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        server = subprocess.Popen(
            [sys.executable, SERVER, str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
    atexit.register(server.wait)
    atexit.register(server.terminate)
    return ours
