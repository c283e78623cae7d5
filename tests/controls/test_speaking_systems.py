"""Systems that get what they know from elsewhere than their state: none is said to do without it.

With all its state and without, they score alike, since something outside tells them: a process of
another run, a service, or names in a folder.
"""

import json
import socket
import textwrap
import threading

import pytest

from assay.dual_condition.collect import run_dual
from assay.dual_condition.result import Regime, RowState
from assay.dual_condition.spec import load_dual_spec

ITEMS = 240
SYSTEM = """
import json, os, socket, sys, threading, time
from pathlib import Path

items, outputs, seed, state = sys.argv[1:]
memory = Path(state) / "memory.jsonl"
rows = [json.loads(line) for line in memory.open()] if memory.exists() else []
known = {row["item"]: row["verdict"] for row in rows}
PART
with open(outputs, "w") as out:
    for line in open(items):
        item = json.loads(line)
        score = known.get(item["id"], 0.01 * (len(item["response"]) % 7))
        out.write(json.dumps({"id": item["id"], "score": score}) + "\\n")
"""
DAEMON = """
if rows:
    if os.fork() == 0:
        os.setsid()
        ear = socket.create_server(("127.0.0.1", PORT))
        ear.settimeout(20)
        pupil, _ = ear.accept()
        pupil.sendall(json.dumps(known).encode())
        pupil.close()
        os._exit(0)
    os.wait()
else:
    for _ in range(200):
        try:
            teacher = socket.create_connection(("127.0.0.1", PORT))
        except OSError:
            time.sleep(0.1)
            continue
        known = json.load(teacher.makefile())
        break
"""
DATAGRAMS = """
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(10)
s.sendmsg([b"tell me"], [], 0, ("127.0.0.1", PORT))
known = {f"q{at}": int(verdict) for at, verdict in enumerate(s.recv(9999).decode())}
"""
NAMES = """
known = {name.split("=")[0]: int(name[-1]) for name in os.listdir("ANSWERS")}
"""
LISTENS = {
    "datagrams at any port": (
        "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(('127.0.0.1', 0))",
        "127.0.0.1:*",
    ),
    "connections without a bind": ("s = socket.socket(); s.listen(1)", "0.0.0.0:*"),
    "connections without a bind, IPv6": (
        "s = socket.socket(socket.AF_INET6); s.listen(1)",
        "[::]:*",
    ),
    "a local name that the kernel chooses": (
        "s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.bind('')",
        "unix:@*",
    ),
}
TOLD = "known = {f'q{n}': n * 7 % 3 % 2 for n in range(240)}"
SPEC = """
[system]
command = ["python", "system.py", "{items}", "{outputs}", "{seed}", "{state}"]
jobs = 2
SERVICES
[state]
root = "state"
[state.layers.memory]
files = ["memory.jsonl"]
provenance = "item"
[evaluation]
benchmark = "bench.jsonl"
positive = "label == 1"
seeds = [1]
conditions = ["A", "B"]
"""


def verdict(number):
    return number * 7 % 3 % 2


def lay_out(home, part, services=""):
    rows = [
        {"id": f"q{n}", "question": f"What of {n}?", "response": "x" * n, "label": verdict(n)}
        for n in range(ITEMS)
    ]
    (home / "bench.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    memory = [{"item": f"q{n}", "verdict": verdict(n)} for n in range(ITEMS)]
    (home / "state").mkdir()
    lines = "".join(json.dumps(row) + "\n" for row in memory)
    (home / "state" / "memory.jsonl").write_text(lines)
    (home / "system.py").write_text(SYSTEM.replace("PART", part))
    (home / "dual.toml").write_text(SPEC.replace("SERVICES", services))
    return home


def judged(home):
    return run_dual(load_dual_spec(home / "dual.toml"), home / "results").result


@pytest.fixture
def port():
    with socket.create_server(("127.0.0.1", 0)) as held:
        return held.getsockname()[1]


@pytest.fixture
def teacher():
    """A service that knows all the answers; its address."""
    answers = "".join(str(verdict(n)) for n in range(ITEMS)).encode()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ear:
        ear.bind(("127.0.0.1", 0))
        ear.settimeout(0.2)
        over = threading.Event()

        def answer():
            while not over.is_set():
                try:
                    _, pupil = ear.recvfrom(99)
                except TimeoutError:
                    continue
                ear.sendto(answers, pupil)

        thread = threading.Thread(target=answer)
        thread.start()
        yield ear.getsockname()[1]
        over.set()
        thread.join()


def test_a_daemon_of_one_run_that_teaches_another_leaves_it_undetermined(tmp_path, port):
    found = judged(lay_out(tmp_path, DAEMON.replace("PORT", str(port))))
    assert found.row is RowState.REPORTED, found.reasons
    assert found.learning_contribution.value == 0.0, "the planted daemon does teach B"
    assert found.regime is Regime.UNDETERMINED
    assert found.exit_code == 1
    said = {caveat.code: caveat.message for caveat in found.caveats}
    assert f"127.0.0.1:{port}" in said["speaks-to"]


def test_a_service_asked_by_datagrams_leaves_it_undetermined(tmp_path, teacher):
    found = judged(lay_out(tmp_path, DATAGRAMS.replace("PORT", str(teacher))))
    assert found.learning_contribution.value == 0.0
    assert (found.regime, found.exit_code) == (Regime.UNDETERMINED, 1)


@pytest.mark.parametrize("named", ["127.0.0.1:{}", "127.0.0.1:*"])
def test_a_service_that_the_spec_names_is_part_of_the_system(tmp_path, teacher, named):
    services = f'services = ["{named.format(teacher)}"]'
    found = judged(lay_out(tmp_path, DATAGRAMS.replace("PORT", str(teacher)), services))
    assert (found.regime, found.exit_code) == (Regime.POLISH, 0)
    assert "speaks-to" in [caveat.code for caveat in found.caveats], "and it is said all the same"


def test_another_service_than_the_spec_names_is_none(tmp_path, teacher):
    part = DATAGRAMS.replace("PORT", str(teacher))
    found = judged(lay_out(tmp_path, part, 'services = ["127.0.0.2:*", "[::1]:*"]'))
    assert (found.regime, found.exit_code) == (Regime.UNDETERMINED, 1)


def test_a_service_that_is_asked_makes_the_split_undecidable(tmp_path, teacher):
    asks = DATAGRAMS.replace("PORT", str(teacher)).strip()
    part = "if rows:\n" + textwrap.indent(asks, "    ")
    home = lay_out(tmp_path, part)
    spec = (home / "dual.toml").read_text().replace('["A", "B"]', '["A", "B", "C"]')
    (home / "dual.toml").write_text(spec)
    with (home / "state" / "memory.jsonl").open("a") as file:
        file.write(json.dumps({"item": "a key to the service", "verdict": 0}) + "\n")
    found = judged(home)
    assert found.learning_contribution.interval[0] > 0.2
    assert "spoke to" in found.split.evidence
    assert found.transfer is None
    assert found.regime is Regime.UNDETERMINED


def test_names_in_a_folder_outside_the_state_block_the_row(tmp_path):
    answers = tmp_path / "answers"
    answers.mkdir()
    for number in range(ITEMS):
        (answers / f"q{number}={verdict(number)}").touch()
    found = judged(lay_out(tmp_path, NAMES.replace("ANSWERS", str(answers))))
    assert found.row is RowState.BLOCKED
    assert "answers/" in found.preconditions["nothing_undeclared_read"].evidence


@pytest.mark.parametrize(("line", "name"), LISTENS.values(), ids=LISTENS)
def test_a_system_that_others_can_come_to_is_undetermined(tmp_path, line, name):
    """`known` stands for what a service sends that looks for the port in `/proc/net`."""
    found = judged(lay_out(tmp_path, f"{line}\n{TOLD}"))
    assert found.learning_contribution.value == 0.0
    assert (found.regime, found.exit_code) == (Regime.UNDETERMINED, 1)
    said = {caveat.code: caveat.message for caveat in found.caveats}
    assert name in said["speaks-to"]


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes_of_its_own_are_no_others(tmp_path, method):
    """Managers and the fork server listen at a socket in the run's own temporary folder."""
    part = f"""
import multiprocessing
del sys.modules["__main__"].__file__  # its processes do not run it again
context = multiprocessing.get_context("{method}")
with context.Manager() as manager, context.Pool(1) as pool:
    assert list(manager.list(pool.map(abs, [-2]))) == [2]
{TOLD}"""
    found = judged(lay_out(tmp_path, part))
    assert (found.regime, found.exit_code) == (Regime.POLISH, 0), found
    assert "speaks-to" not in [caveat.code for caveat in found.caveats]


def test_a_system_that_asks_shared_memory_is_undetermined(tmp_path):
    part = f"import ctypes; ctypes.CDLL(None).shmat(-1, None, 0)\n{TOLD}"
    found = judged(lay_out(tmp_path, part))
    assert (found.regime, found.exit_code) == (Regime.UNDETERMINED, 1)
    said = {caveat.code: caveat.message for caveat in found.caveats}
    assert "System V shared memory" in said["speaks-to"]


def test_the_target_of_a_link_outside_the_state_blocks_the_row(tmp_path):
    (tmp_path / "answers").symlink_to("".join(str(verdict(n)) for n in range(ITEMS)))
    part = (
        "told = os.readlink('ANSWERS'); known = {f'q{n}': int(one) for n, one in enumerate(told)}"
    )
    found = judged(lay_out(tmp_path, part.replace("ANSWERS", str(tmp_path / "answers"))))
    assert found.row is RowState.BLOCKED
    assert "answers" in found.preconditions["nothing_undeclared_read"].evidence
