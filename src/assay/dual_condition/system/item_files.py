"""The files exchanged with a system: items in, scores out."""

import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from assay.benchmark.benchmark import Benchmark, Item
from assay.digests import derive, digest, json_lines
from assay.dual_condition.answered import AnswerForms
from assay.dual_condition.evidence import Scores
from assay.dual_condition.system.answer_forms import forms_of, plain_answer
from assay.errors import MethodError, SpecError
from assay.files import read_bounded
from assay.runs.answers import score_of
from assay.tables.nested import as_word, kind_of

T = TypeVar("T")
_MOST_OUTPUT = 1 << 30
_FORM = 'Each line of {outputs} is {"id": ..., "score": a number}.'
_ANSWER_FORM = 'Each line of {outputs} is {"id": ..., "answer": a text or a number}.'


class _Output(msgspec.Struct):
    id: str
    score: float


_DECODER = msgspec.json.Decoder(_Output)


class AskedItems:
    """The items as a system sees them, without labels, in a different order for each seed."""

    def __init__(self, benchmark: Benchmark, *, solved: bool = False) -> None:
        self.benchmark = benchmark
        self.targets: dict[str, str] | None = None
        """The right answers, if items are solved."""
        if solved:
            self.targets = {item.id: item.cls or "" for item in benchmark.items}
        self.ids = [item.id for item in benchmark.items]
        self.known = frozenset(self.ids)
        self._lines = [line + b"\n" for line in items_bytes(benchmark.items).split(b"\n")[:-1]]
        self._digests: dict[int, str] = {}
        self._last: dict[int, bytes] = {}

    def file(self, seed: int) -> bytes:
        """The file of one seed."""
        data = self._last.get(seed)
        if data is None:
            # As good as shuffling, and many times faster.
            drawn = random.Random(derive(seed, "order", self.benchmark.digest)).random  # noqa: S311
            keys = [drawn() for _ in self._lines]
            order = sorted(range(len(keys)), key=keys.__getitem__)
            data = b"".join([self._lines[place] for place in order])
            self._last = {seed: data}
        return data

    def digest(self, seed: int) -> str:
        """The digest of one seed's file."""
        if seed not in self._digests:
            self._digests[seed] = digest(self.file(seed))
        return self._digests[seed]

    def outputs(self, path: Path, where: str) -> tuple[Scores, AnswerForms | None]:
        """The scores that a run wrote, in the benchmark's order; None for a missing score.

        An answer has a score of 1 if it is right, else 0; how the wrong ones are written is told.
        """
        forms = None
        try:
            if path.is_symlink() or not path.is_file():
                raise SpecError("it did not write {outputs}")
            data = read_bounded(path, _MOST_OUTPUT)
            if self.targets is None:
                scores = _parsed_scores(data)
            else:
                answers = _parsed(data, "answer", _answer_of)
                scores, forms = _marked(answers, self.targets), forms_of(answers, self.targets)
        except SpecError as error:
            form = _FORM if self.targets is None else _ANSWER_FORM
            raise MethodError(f"condition {where}: {error.message}", hint=form) from None
        if not scores.keys() <= self.known:
            unknown = next(name for name in scores if name not in self.known)
            raise MethodError(
                f"condition {where}: a score for {unknown!r:.60}, which is not an item"
            )
        return list(map(scores.get, self.ids)), forms


def items_bytes(items: Sequence[Item]) -> bytes:
    """Items as a system sees them: one object a line, without labels."""
    rows = [{"id": item.id, "question": item.question, "response": item.response} for item in items]
    return msgspec.json.Encoder().encode_lines(rows)


def _marked(answers: Mapping[str, str], targets: Mapping[str, str]) -> dict[str, float]:
    """1 for each answer that is right, else 0, by item."""
    return {
        name: float(name in targets and plain_answer(answer) == plain_answer(targets[name]))
        for name, answer in answers.items()
    }


def _parsed_scores(data: bytes) -> dict[str, float]:
    """Scores by id: decoded at once if that is safe, otherwise line by line."""
    lines = data.count(b"\n") + (not data.endswith(b"\n") and bool(data))
    if data.count(b'"id"') == lines == data.count(b'"score"') and b"\\" not in data:
        try:
            outputs = _DECODER.decode_lines(data)
            quick = {output.id: output.score for output in outputs}
            if len(quick) == len(outputs):
                return quick
        except (ValueError, RecursionError):  # msgspec's errors are ValueErrors
            pass  # reading line by line tells what is wrong, and where
    return _parsed(data, "score", _score_of)


def _parsed(data: bytes, key: str, read: Callable[[object, str], T]) -> dict[str, T]:
    """The value of each line under a key, by id."""
    found: dict[str, T] = {}
    for number, row in json_lines(data, where="{outputs}"):
        here = f"{{outputs}}, line {number}"
        if not isinstance(row, dict) or "id" not in row or key not in row:
            got = ", ".join(map(str, row))[:80] if isinstance(row, dict) else kind_of(row)
            raise SpecError(f"{here}: expected an object with id and {key}, got {got}")
        if not isinstance(row["id"], str | int) or isinstance(row["id"], bool):
            raise SpecError(f"{here}: an id is not text: {row['id']!r:.60}")
        value = read(row[key], here)
        if str(row["id"]) in found:
            raise SpecError(f"{here}: a second {key} for {row['id']!r:.60}")
        found[str(row["id"])] = value
    return found


def _score_of(value: object, here: str) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise SpecError(f"{here}: expected a number, got {value!r:.60}")
    try:
        return score_of(float(value))
    except OverflowError:
        raise SpecError(f"{here}: the number is too large") from None


def _answer_of(value: object, here: str) -> str:
    if not isinstance(value, str | int | float):
        raise SpecError(f"{here}: expected a text or a number, got {value!r:.60}")
    return as_word(value)
