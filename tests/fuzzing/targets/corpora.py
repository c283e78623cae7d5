"""Published corpora: each format, gzip, and samples of programs."""

import gzip
import json
import re
from collections.abc import Sequence
from pathlib import Path

from helpers.corpora import HALUEVAL_QA, HUMANEVAL, MBPP

from assay.benchmark.corpora.collected_items import written
from assay.benchmark.corpora.corpus_files import read_source, read_sources
from assay.benchmark.corpora.format import Wishes
from assay.benchmark.corpora.programming_tasks import known_outcomes, labelled, match
from assay.benchmark.corpora.table import FORMATS, read_items, read_tasks
from fuzzing.campaign import Reader
from fuzzing.files import ScratchFile, ScratchFiles, joined, lines
from fuzzing.targets import target

_STEPS = ["First a.", "Then b.", "So c."]
_TURNS = [
    {"role": role, "content": content}
    for label in ("correct", "incorrect", "?")
    for role, content in (("user", "step"), ("assistant", label))
]
_EVIDENCE = [[[1, 2, "Page", 0], [1, 3, None, None]]]
_BEST = {"Best Answer": "Yes", "Best Incorrect Answer": "No"}
SEEDS: dict[str, list[list[dict[str, object]]]] = {
    "fover": [
        [
            {
                "id": "p1",
                "problem": "Show c.",
                "solution_steps": _STEPS,
                "error_labels": [True, False, None],
                "messages": _TURNS,
                "base_dataset": "folio",
            }
        ],
        [{"problem": "Show c.", "steps": _STEPS, "label": 1, "generator": "m"}],
        [{"id": 7, "problem": "Show c.", "steps": _STEPS, "label": -1}],
    ],
    "halueval-qa": [HALUEVAL_QA[:2]],
    "halueval-dialogue": [
        [
            {
                "knowledge": "k",
                "dialogue_history": "[Human]: Hi",
                "right_response": "Hello",
                "hallucinated_response": "Bye",
            }
        ]
    ],
    "halueval-summarization": [
        [{"document": "Long.", "right_summary": "Short.", "hallucinated_summary": "Other."}]
    ],
    "halueval-general": [
        [
            {"ID": 1, "user_query": "q", "chatgpt_response": "r", "hallucination": "yes"},
            {"ID": "2", "user_query": "p", "chatgpt_response": "s", "hallucination_label": "No"},
        ]
    ],
    "fever": [
        [
            {"id": 1, "claim": "It is.", "label": "SUPPORTS", "evidence": _EVIDENCE},
            {"id": 2, "claim": "It was.", "label": "REFUTES", "evidence": _EVIDENCE[0]},
            {"id": 3, "claim": "Perhaps.", "label": "NOT ENOUGH INFO", "evidence_wiki_url": "P"},
        ]
    ],
    "truthfulqa": [
        [
            {
                "Question": "Is it?",
                "Category": "Myths",
                "Correct Answers": "Yes; It is",
                "Incorrect Answers": "No; It is not",
                **_BEST,
            }
        ],
        [{"question": "Is it?", "correct_answers": ["Yes"], "incorrect_answers": ["No", "Nay"]}],
        [{"question": "Is it?", "mc1_targets": {"Yes": 1, "No": 0}, "category": "Myths"}],
        [{"question": "Is it?", "mc2_targets": {"choices": ["Yes", "No"], "labels": [1, 0]}}],
    ],
}


def _reads_items(name: str, rows: Sequence[Sequence[object]], scratch: Path) -> Reader:
    file = ScratchFile(scratch / "corpus.json")
    wishes = [Wishes(**dict.fromkeys(FORMATS[name].takes, state)) for state in (False, True)]

    def read(data: bytes) -> object:
        source = read_source(file.put(data))
        wish = wishes[data[:1] == b"["]
        return written(read_items(name, [source], wish).items)

    seeds = [lines(each) for each in rows]
    seeds += [json.dumps(each).encode() for each in rows if name != "truthfulqa"]
    return Reader(read=read, seeds=seeds)


def _enter(name: str, rows: Sequence[Sequence[object]]) -> None:
    target(f"corpus: {name}", thousands=50)(lambda scratch: _reads_items(name, rows, scratch))


for _name, _rows in SEEDS.items():
    _enter(_name, _rows)


def _reads_samples(name: str, tasks: list[dict[str, object]], scratch: Path) -> Reader:
    files = ScratchFiles(scratch, "tasks.jsonl", "samples.jsonl")

    def read(data: bytes) -> object:
        folder = files.put(data)
        known = read_tasks(name, read_sources([folder / "tasks.jsonl"]), Wishes())
        attempts = match(known, read_source(folder / "samples.jsonl").records)
        return written(labelled(known, attempts, known_outcomes(attempts)).items)

    def sample(task: dict[str, object], key: str) -> dict[str, object]:
        return {"task_id": task["task_id"], key: "return 1", "passed": False, "result": "timed out"}

    return Reader(
        read=read,
        seeds=[
            joined(lines(tasks[:2]), lines([sample(task, key) for task in tasks[:2]]))
            for key in ("completion", "solution")
        ],
    )


@target("corpus: mbpp", thousands=20)
def _mbpp(scratch: Path) -> Reader:
    return _reads_samples("mbpp", MBPP, scratch)


@target("corpus: humaneval", thousands=20)
def _humaneval(scratch: Path) -> Reader:
    return _reads_samples("humaneval", HUMANEVAL, scratch)


@target("corpus: gzip", thousands=50)
def _gzip(scratch: Path) -> Reader:
    file = ScratchFile(scratch / "corpus.jsonl.gz")
    rows = lines(HALUEVAL_QA[:2])
    packed = gzip.compress(rows, mtime=0)
    return Reader(
        read=lambda data: read_source(file.put(data)),
        seeds=[packed, packed + packed],
        language="text",
    )


@target("corpus: CSV", thousands=50)
def _csv(scratch: Path) -> Reader:
    file = ScratchFile(scratch / "TruthfulQA.csv")

    def read(data: bytes) -> object:
        return read_items("truthfulqa", [read_source(file.put(data))], Wishes())

    head = "Type,Category,Question,Best Answer,Correct Answers,Incorrect Answers,Source"
    row = 'A,Myths,Is it?,Yes,"Yes; It is","No; It is not",https://example.org'
    text = re.sub(r"\n", "\r\n", f"{head}\n{row}\n")
    return Reader(read=read, seeds=[text.encode(), f"{head}\n{row}\n".encode()], language="csv")
