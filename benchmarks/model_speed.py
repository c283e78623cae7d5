"""What a call to a model costs beside the model's own time, and what a replay costs.

    python benchmarks/model_speed.py

A server in a process of its own takes a fixed time for each reply and tells how long it really
took. Eight threads ask it through an endpoint, through the standard library alone, and through
urllib3, by turns. What is left of a call's time without the server's is the overhead. On a busy
machine it is mostly the wait for a processor, so processor time is printed too.
"""

import http.client
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import local

from timing import clock

from assay.models.cassette import Cassette, Mode, Recorded, recorded_line
from assay.models.http.endpoint import Endpoint
from assay.models.http.forms import chat_body
from assay.models.model import Model, ask_each
from assay.models.replies import ChatReply, TokenOption, Usage
from assay.models.requests import asked, call_bytes

JOBS, CALLS, TURNS = 8, 240, 3
LISTED = 20
LIMIT_MS, REPLAYED, LIMIT_SECONDS = 2.0, 10_000, 2.0
QUESTION = asked("Is the sky blue? Answer YES or NO.", top=LISTED)
_BODY = chat_body("m", QUESTION, top=LISTED, limit_name="max_tokens")
_PATH = "/v1/chat/completions"
_JSON = {"Content-Type": "application/json"}
_SERVER = """
import json, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
listed = [{"token": f"t{n}", "bytes": [116], "logprob": -0.1 - n} for n in range(20)]
logprobs = {"content": [{**listed[0], "top_logprobs": listed}]}
choice = {"message": {"content": "YES"}, "finish_reason": "stop", "logprobs": logprobs}
usage = {"prompt_tokens": 9, "completion_tokens": 1}
class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True
    def log_message(self, *words): pass
    def do_POST(self):
        begun = time.perf_counter()
        self.rfile.read(int(self.headers["Content-Length"]))
        time.sleep(0.01)
        took = int((time.perf_counter() - begun) * 1e6)
        reply = {"choices": [choice], "usage": {**usage, "prompt_tokens": took}}
        data = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(server.server_address[1], flush=True)
server.serve_forever()
"""
"""It tells the microseconds it took in the place of the tokens of the prompt."""


def models() -> None:
    """Both figures."""
    with _served() as port:
        _overhead(port)
    _replay()


@contextmanager
def _served() -> Iterator[int]:
    server = subprocess.Popen([sys.executable, "-c", _SERVER], stdout=subprocess.PIPE, text=True)
    try:
        yield int(server.stdout.readline() if server.stdout else 0)
    finally:
        server.kill()
        server.communicate()


def _overhead(port: int) -> None:
    import urllib3

    of_thread = local()
    manager = urllib3.PoolManager(maxsize=JOBS)
    endpoint: Model = Endpoint(f"http://127.0.0.1:{port}/v1", "m", seconds=60.0)
    with endpoint:

        def ours() -> int:
            reply = endpoint.ask(QUESTION)
            if len(reply.first or ()) != LISTED:
                raise SystemExit(f"not the reply of the server: {reply}")
            return reply.usage.prompt or 0

        def bare() -> int:
            if not hasattr(of_thread, "connection"):
                of_thread.connection = http.client.HTTPConnection("127.0.0.1", port)
            of_thread.connection.request("POST", _PATH, _BODY, _JSON)
            return _took(of_thread.connection.getresponse().read())

        def peer() -> int:
            url = f"http://127.0.0.1:{port}{_PATH}"
            return _took(manager.request("POST", url, body=_BODY, headers=_JSON).data)

        clients = {"endpoint": ours, "http.client alone": bare, "urllib3": peer}
        found: dict[str, list[tuple[float, float]]] = {name: [] for name in clients}
        for turn in range(TURNS + 1):
            for name, ask in clients.items():
                cost = _costs(ask)
                if turn:  # the first one opens connections
                    found[name].append(cost)
    for name, costs in found.items():
        over = statistics.median(each for each, _ in costs)
        cpu = statistics.median(each for _, each in costs)
        said = ""
        if name == "endpoint":
            said = f"; at most {LIMIT_MS:g}: {'holds' if over <= LIMIT_MS else 'MISSED'}"
        print(f"overhead of a call, {JOBS} at a time, {name}: {over:.2f} ms,"
              f" {cpu:.2f} ms of processor{said}", flush=True)  # fmt: skip


def _took(data: bytes) -> int:
    return int(json.loads(data)["usage"]["prompt_tokens"])


def _costs(ask: Callable[[], int]) -> tuple[float, float]:
    """The median milliseconds of a call beside the server's, and those of this processor."""

    def timed(_: int) -> float:
        begun = time.perf_counter()
        server = ask()
        return (time.perf_counter() - begun) * 1e3 - server / 1e3

    before = time.process_time()
    with ThreadPoolExecutor(JOBS) as pool:
        over = list(pool.map(timed, range(CALLS)))
    return statistics.median(over), (time.process_time() - before) / CALLS * 1e3


def _replay() -> None:
    """Recorded calls, read and replayed."""
    requests = [asked(f"{number}: {'is it so? ' * 20}", top=LISTED) for number in range(REPLAYED)]
    options = tuple(TokenOption(text=f"t{n}", logprob=-0.1 - n, data=b"t") for n in range(20))
    reply = ChatReply(text="YES", finish="stop", first=options, usage=Usage(prompt=9))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "calls.jsonl"
        lines = (recorded_line(call_bytes("m", request), reply) for request in requests)
        path.write_bytes(b"".join(line + b"\n" for line in lines))

        def replay() -> None:
            with Recorded(Cassette(path, Mode.REPLAY), None, name="m", own=True) as model:
                if any(each != reply for each in ask_each(model, requests)):
                    raise SystemExit("a replay differs from what was recorded")

        before = time.process_time()
        seconds = min(clock(replay) for _ in range(3))
        spent = (time.process_time() - before) / 3
    said = "holds" if seconds <= LIMIT_SECONDS else "MISSED"
    print(f"{REPLAYED:,} recorded calls read and replayed: {seconds:.2f} s, {spent:.2f} s of"
          f" processor; at most {LIMIT_SECONDS:g}: {said}", flush=True)  # fmt: skip


if __name__ == "__main__":
    models()
