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
