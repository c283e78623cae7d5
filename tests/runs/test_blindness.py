"""What a method can and cannot find out about the items it is asked about."""

import assay

HONEST = "def detect(question, response):\n    return 0.5\n"

WALK_FRAMES = """
import gc, sys

WORDS = ("folklore", "factual-error", "pseudoscience")

def looks_labelled(value):
    if isinstance(value, str):
        return value in WORDS
    if isinstance(value, dict):
        return any(isinstance(v, str) and v in WORDS for v in value.values())
    return any(getattr(value, name, None) in WORDS for name in ("cls", "label", "target"))

def detect(question, response):
    frame = sys._getframe()
    while frame is not None:
        for value in list(frame.f_locals.values()) + list(frame.f_globals.values()):
            try:
                if looks_labelled(value):
                    return 1.0
            except Exception:
                pass
        frame = frame.f_back
    return float(any(looks_labelled(v) for v in gc.get_objects() if type(v).__name__ == "Item"))
"""

ASK_ASSAY = """
def detect(question, response):
    try:
        import assay
        items = assay.load_benchmark("darkcore").items
    except OSError:
        return 0.5
    return float(next(item.cls != "truth" for item in items if item.question == question))
"""

ASK_ANOTHER_PROCESS = """
import subprocess, sys

CODE = '''
import assay
for item in assay.load_benchmark("darkcore").items:
    if item.cls != "truth":
        print(item.question)
'''
DONE = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True)
KNOWN = set(DONE.stdout.splitlines())

def detect(question, response):
    return float(question in KNOWN)
"""

REMEMBER_ORDER = """
seen = []
def detect(question, response):
    seen.append(question)
    return float(len(seen))
"""


def auc(assay_cmd, reference):
    done = assay_cmd("try", reference, "--bars", "v1", "--json")
    return done.json["bars"][0]["value"]


def test_walking_the_callers_frames_scores_no_better_than_nothing(assay_cmd, method_file):
    assert auc(assay_cmd, method_file(HONEST)) == 0.5
    assert auc(assay_cmd, method_file(WALK_FRAMES)) == 0.5


def test_asking_assay_for_the_bundled_labels_scores_no_better_than_nothing(assay_cmd, method_file):
    assert auc(assay_cmd, method_file(ASK_ASSAY)) == 0.5


def test_the_same_attack_wins_in_a_trusted_run_so_the_control_can_fail():
    def detect(question: str, response: str) -> float:
        items = assay.load_benchmark("darkcore").items
        return float(next(item.cls != "truth" for item in items if item.question == question))

    benchmark = assay.load_benchmark("darkcore")
    card = assay.score(assay.run(detect, benchmark), benchmark, assay.load_bars("v1"))
    assert card.bars[0].value == 1.0
    assert card.isolation == "trusted"
    assert "trusted-code" in [caveat.code for caveat in card.caveats]


def test_l1_does_not_stop_another_process_and_the_docs_say_so(assay_cmd, method_file):
    """Stated in docs/explanation/trust.md; when confinement stops this, both must change."""
    assert auc(assay_cmd, method_file(ASK_ANOTHER_PROCESS)) == 1.0


def test_the_order_of_asking_tells_nothing_and_depends_on_the_seed(assay_cmd, method_file):
    reference = method_file(REMEMBER_ORDER)
    first = assay_cmd("try", reference, "--json", "--seed", "1").json["bars"][0]["value"]
    again = assay_cmd("try", reference, "--json", "--seed", "1").json["bars"][0]["value"]
    other = assay_cmd("try", reference, "--json", "--seed", "2").json["bars"][0]["value"]
    assert first == again != other
    assert abs(first - 0.5) < 0.2


def test_a_learner_is_never_asked_about_what_it_was_told(assay_cmd, method_file):
    body = """
class Memory:
    def fit(self, examples):
        known = {e["question"]: e["target"] for e in examples}
        return lambda question, response: float(known.get(question, 0.5))
"""
    reference = method_file(body, "Memory")
    done = assay_cmd("try", reference, "--task", "detection", "--bars", "v1", "--json")
    assert done.json["bars"][0]["value"] == 0.5


def test_what_a_copy_was_told_is_gone_in_the_next_copy(assay_cmd, method_file):
    body = """
SEEN = {}
class Hoarder:
    def fit(self, examples):
        SEEN.update({e["question"]: e["target"] for e in examples})
        return lambda question, response: float(SEEN.get(question, 0.5))
"""
    reference = method_file(body, "Hoarder")
    done = assay_cmd("try", reference, "--task", "detection", "--bars", "v1", "--json")
    assert done.json["bars"][0]["value"] == 0.5


REPLAY_THE_SHUFFLE = """
import random, sys

FOUND = {0, 1, 7}
frame = sys._getframe()
while frame is not None:
    for value in list(frame.f_locals.values()):
        for one in value if type(value) is list else [value]:
            if type(one) is int and one >= 0:
                FOUND.add(one)
    frame = frame.f_back

def places(seed):
    order = list(range(200))
    random.Random(seed).shuffle(order)
    return order

GUESSES = [places(seed) for seed in sorted(FOUND)]
asked = -1

def detect(question, response):
    global asked
    asked += 1
    return {best}
"""


def test_knowing_every_seed_in_the_worker_does_not_give_back_the_order(method_file, tmp_path):
    rows = [f'{{"question": "q{i}", "response": "r", "label": {int(i < 100)}}}' for i in range(200)]
    (tmp_path / "sorted.jsonl").write_text("\n".join(rows))
    benchmark = assay.load_benchmark(tmp_path / "sorted.jsonl")
    for guess in range(12):
        best = f"-GUESSES[min({guess}, len(GUESSES) - 1)][asked]"
        method_file(REPLAY_THE_SHUFFLE.replace("{best}", best))
        run = assay.run(f"{tmp_path}/method.py:detect", benchmark, task="detection", seed=7)
        card = assay.score(run, benchmark, assay.load_bars("plain"))
        assert abs(card.bars[0].value - 0.5) < 0.2


SYMLINK = """
import os, pathlib
import assay.benchmark.bundled
place = pathlib.Path(assay.benchmark.bundled.__file__).with_name("darkcore.jsonl")
link = pathlib.Path(__file__).with_name("innocent.txt")

def detect(question, response):
    try:
        if not link.exists():
            {link}
        return float('"truth"' not in next(li for li in link.open() if question in li))
    except PermissionError:
        return 0.5
"""


def test_another_name_for_a_bundled_file_opens_it_no_more(assay_cmd, method_file):
    for link in ("link.symlink_to(place)", "os.link(place, link)"):
        assert auc(assay_cmd, method_file(SYMLINK.replace("{link}", link))) == 0.5


FORGE = """
import os
ANSWERS = max(int(name) for name in os.listdir("/proc/self/fd") if int(name) < 30)

def detect(question, response):
    for descriptor in range(3, 12):
        try:
            os.write(descriptor, {line})
        except OSError:
            pass
    return len(response)
"""


def test_an_answer_that_comes_late_is_not_taken_for_the_next(assay_cmd, method_file):
    """The forged line is read alone, and the true one only when the next item has been asked."""
    body = FORGE.replace(
        "    return len(response)", "    time.sleep(0.05)\n    return len(response)"
    )
    line = 'b\'{"n": 2, "ok": 1.0}\\n\''
    done = assay_cmd("try", method_file("import time" + body.replace("{line}", line)))
    assert done.code == 5
    assert "not in the protocol's form" in done.err


def test_writing_to_the_private_pipes_is_seen(assay_cmd, method_file):
    for line in (
        'b\'{"n": 2, "ok": 1}\\n\'',
        "b'{\"failed\": 1}\\n'",
        "b'[]\\n'",
        "b'rubbish'",
        'b\'{"n": 2, "ok": 1}\\n\' * 3',
    ):
        done = assay_cmd("try", method_file(FORGE.replace("{line}", line)))
        assert done.code == 5, done.err
        assert "BadOutput" in done.err or "MethodCrashed" in done.err


def test_the_method_cannot_choose_its_digest_or_make_us_wait(assay_cmd, method_file, tmp_path):
    import os

    os.mkfifo(tmp_path / "pipe")
    honest = "def detect(question, response): return len(response)\n"
    first = assay_cmd("try", method_file(honest), "--json").json["digests"]["method"]
    for claimed in ("/etc/hostname", "pipe", "/dev/zero"):
        body = f"__file__ = {claimed!r}\n{honest}"
        found = assay_cmd("try", method_file(body), "--json").json["digests"]["method"]
        assert found != first
        from assay.digests import digest

        assert found == digest(body.encode())


def test_arguments_are_handed_over_by_name(assay_cmd, method_file):
    forms = {
        "def detect(question, response): return len(response)": 0.784,
        "def detect(response, question): return len(response)": 0.784,
        "def detect(response): return len(response)": 0.784,
        "def detect(q, r): return len(r)": 0.784,
        "def detect(*both): return len(both[1])": 0.784,
        "def detect(response, temperature=0.7): return len(response) + 0 * temperature": 0.784,
        "def detect(response, prompt): return len(response)": 0.784,
        "def detect(answer, question): return len(answer)": 0.784,
        "def detect(question, temperature=0.7, response=None): return len(response)": 0.784,
        "def detect(question, *, response): return len(response)": 0.784,
        "def detect(*, response, question): return len(response)": 0.784,
        "def detect(question, response, /): return len(response)": 0.784,
        "def detect(q, /, response): return len(response)": 0.784,
    }
    for body, value in forms.items():
        done = assay_cmd("try", method_file(body), "--bars", "v1", "--json")
        assert abs(done.json["bars"][0]["value"] - value) < 0.01, body
        assert done.json["task"] == "detection"
