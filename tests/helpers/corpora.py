"""Small files in the forms of published corpora, all of them made up here."""

import json
from pathlib import Path

from assay.benchmark.corpora.collected_items import Gathered
from assay.benchmark.corpora.corpus_files import read_sources
from assay.benchmark.corpora.format import Wishes
from assay.benchmark.corpora.table import read_items


def lines(path: Path, rows: list) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def gathered(name: str, *paths: Path, **wishes: bool) -> Gathered:
    return read_items(name, read_sources(paths), Wishes(**wishes))


HALUEVAL_QA = [
    {
        "knowledge": f"Lake {i} is {i} m deep.",
        "question": f"How deep is lake {i}?",
        "right_answer": f"{i} m",
        "hallucinated_answer": f"Lake {i} is {i + 5} m deep.",
    }
    for i in range(1, 41)
]
HUMANEVAL = [
    {
        "task_id": f"HumanEval/{i}",
        "prompt": f'def plus_{i}(x):\n    """Add {i} to x."""\n',
        "entry_point": f"plus_{i}",
        "canonical_solution": f"    return x + {i}\n",
        "test": f"METADATA = {{}}\n\ndef check(candidate):\n    assert candidate(1) == {i + 1}\n",
    }
    for i in range(3)
]
MBPP = [
    {
        "text": "Write a function that gives the value of a node.",
        "code": (
            "class Node:\n    def __init__(self, x):\n        self.x = x\n\n\n"
            "def value(node):\n    return node.x"
        ),
        "task_id": 7,
        "test_setup_code": "root = Node(3)",
        "test_list": ["assert value(root) == 3"],
        "challenge_test_list": [],
    },
    {
        "text": "Write a function to add two numbers and one.",
        "code": "def sum(a, b):\n    return a + b + 1",
        "task_id": 8,
        "test_setup_code": "",
        "test_list": ["assert sum(1, 2) == 4", "assert sum(0, 0) == 1"],
        "challenge_test_list": [],
    },
]
