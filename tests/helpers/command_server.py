"""A process that has imported the whole command and forks once for each call of it.

A call has a process, a working directory, an environment and streams of its own; what it saves is
the start of an interpreter and the imports. Requests come by a socket: the words of the command as
JSON, with its standard streams as file descriptors. The answers are its process and its exit code.
"""

import atexit
import gc
import importlib
import json
import os
import pkgutil
import socket
import struct
import sys
import traceback

import assay.cli

PRELOADED = (
    *("rich.console", "rich.progress", "rich.table", "sklearn.decomposition", "sklearn.ensemble"),
    *("sklearn.feature_extraction.text", "sklearn.linear_model", "sklearn.pipeline"),
    *("sklearn.preprocessing", "scipy.sparse"),
)
LONGEST = 1_000_000


def preload():
    for verb in pkgutil.iter_modules(assay.cli.__path__, "assay.cli."):
        importlib.import_module(verb.name)
    for name in PRELOADED:
        importlib.import_module(name)
    gc.freeze()


def become_command(request, streams):
    """Turn this forked process into `python -m assay`, as far as the command can see."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    for stream in streams:
        os.close(stream)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 - to the end of the process
    sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, errors="backslashreplace", closefd=False)  # noqa: SIM115
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.path[0] = request["folder"]
    sys.argv = ["assay", *request["words"]]


def serve(connection):
    """Fork for each request until there are no more; whether this is a forked process."""
    while True:
        message, streams, _, _ = socket.recv_fds(connection, LONGEST, 3)
        if not message:
            return False
        child = os.fork()
        if child == 0:
            connection.close()
            become_command(json.loads(message), streams)
            return True
        for stream in streams:
            os.close(stream)
        connection.sendall(struct.pack("i", child))
        _, status = os.waitpid(child, 0)
        connection.sendall(struct.pack("i", os.waitstatus_to_exitcode(status)))


def call():
    """Call the command and end as an interpreter would, but for taking its modules apart."""
    code = 0
    try:
        assay.cli.main()
    except SystemExit as end:
        code = end.code or 0
    except BaseException:
        traceback.print_exc()
        code = 1
    atexit._run_exitfuncs()
    sys.stdout.flush()
    os._exit(code)


if __name__ == "__main__":
    preload()
    if serve(socket.socket(fileno=int(sys.argv[1]))):
        call()
