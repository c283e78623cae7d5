"""Whatever is done to a ledger that a checkpoint covers is seen; what the chain alone sees is less.

Each tampering goes to the same two questions: does the chain see it, and does the chain together
with a checkpoint of the whole ledger. Nothing but an error of exit code 4 counts as seen, and any
other exception fails the test.
"""

import itertools
from collections.abc import Callable, Iterable

import pytest
from helpers.ledgers import joined, ledger_lines
from helpers.scale import scale
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay.digests import digest
from assay.errors import IntegrityError
from assay.ledger.chain import Chain, read_chain
from assay.ledger.checkpoint import check_extends, checkpoint_of
from assay.ledger.entry import Entry, decode_lines, encode_line

LINES = ledger_lines(5)
WHOLE = joined(LINES)
LAST = len(joined(LINES[:-1]))  # where the last line begins
SEEN = checkpoint_of(read_chain(WHOLE, where="x"), origin="here")

Tampered = dict[str, bytes]


def chain_alone(data: bytes) -> None:
    read_chain(data, where="x")


def with_checkpoint(data: bytes) -> None:
    check_extends(read_chain(data, where="x"), [SEEN], origin="here")


def unseen(tampered: Tampered, look: Callable[[bytes], None]) -> set[str]:
    """The names of those that pass."""
    found = set()
    for name, data in tampered.items():
        try:
            look(data)
        except IntegrityError as error:
            assert error.exit_code == 4
        else:
            found.add(name)
    return found


def flips() -> Tampered:
    found = {}
    for place, bit in itertools.product(range(len(WHOLE)), range(8)):
        changed = bytearray(WHOLE)
        changed[place] ^= 1 << bit
        found[f"{place}.{bit}"] = bytes(changed)
    return found


def cuts() -> Tampered:
    return {f"{length}": WHOLE[:length] for length in range(len(WHOLE))}


def of_lines(name: str, changed: Iterable[tuple[object, list[bytes]]]) -> Tampered:
    return {f"{name} {what}": joined(lines) for what, lines in changed}


def swaps() -> Tampered:
    def swapped(one: int, other: int) -> list[bytes]:
        lines = list(LINES)
        lines[one], lines[other] = lines[other], lines[one]
        return lines

    pairs = itertools.combinations(range(len(LINES)), 2)
    return of_lines("swap", ((pair, swapped(*pair)) for pair in pairs))


def orders() -> Tampered:
    others = (list(order) for order in itertools.permutations(LINES) if list(order) != LINES)
    return of_lines("order", enumerate(others))


def deletions() -> Tampered:
    return of_lines("without", ((n, LINES[:n] + LINES[n + 1 :]) for n in range(len(LINES))))


def duplications() -> Tampered:
    places = itertools.product(range(len(LINES)), range(len(LINES) + 1))
    return of_lines("again", (((n, at), [*LINES[:at], LINES[n], *LINES[at:]]) for n, at in places))


FOREIGN = ledger_lines(6, about="other")


def insertions() -> Tampered:
    places = itertools.product(range(len(FOREIGN)), range(len(LINES) + 1))
    return of_lines(
        "foreign", (((n, at), [*LINES[:at], FOREIGN[n], *LINES[at:]]) for n, at in places)
    )


def replacements() -> Tampered:
    return of_lines(
        "instead", ((n, [*LINES[:n], FOREIGN[n], *LINES[n + 1 :]]) for n in range(len(LINES)))
    )


def rewritings() -> Tampered:
    """Whole ledgers with one subject changed and every digest after it computed anew."""
    found = {}
    for changed in range(len(LINES)):
        lines: list[bytes] = []
        for entry in decode_lines(WHOLE, where="x"):
            subject = "something else" if entry.n == changed else entry.subject
            previous = digest(lines[-1]) if lines else entry.previous
            new = Entry(
                n=entry.n,
                previous=previous,
                time=entry.time,
                kind=entry.kind,
                subject=subject,
                files=entry.files,
                said=entry.said,
            )
            lines.append(encode_line(new))
        found[f"rewritten {changed}"] = joined(lines)
    return {**found, "another": joined(FOREIGN[:5]), "another, longer": joined(FOREIGN)}


FAMILIES = {
    "flips": (flips, 8 * len(WHOLE)),
    "cuts": (cuts, len(WHOLE)),
    "swaps": (swaps, 10),
    "orders": (orders, 119),
    "deletions": (deletions, 5),
    "duplications": (duplications, 30),
    "insertions": (insertions, 36),
    "replacements": (replacements, 5),
    "rewritings": (rewritings, 7),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_every_tampering_is_seen_with_a_checkpoint(family):
    make, count = FAMILIES[family]
    tampered = make()
    assert len(tampered) == count
    assert WHOLE not in tampered.values()
    assert unseen(tampered, with_checkpoint) == set()


def test_the_untouched_ledger_and_one_that_grew_pass():
    grown = joined(ledger_lines(9))
    assert grown.startswith(WHOLE)
    honest = {"same": WHOLE, "grown": grown, "torn": WHOLE + b"{"}
    assert unseen(honest, with_checkpoint) == set(honest)


def test_the_chain_alone_sees_every_flip_before_the_last_line_and_not_all_in_it():
    missed = {int(name.split(".")[0]) for name in unseen(flips(), chain_alone)}
    assert min(missed) > LAST
    fixed = len(b'{"n":4,"previous":"sha256:') + 64  # what the chain says about the last line
    assert min(missed) > LAST + fixed
    assert max(missed) == len(WHOLE) - 1  # no newline: a line that was never ended
    assert len(missed) > 100


def test_the_chain_alone_takes_every_cut_for_an_earlier_ledger():
    assert unseen(cuts(), chain_alone) == set(cuts())


@pytest.mark.parametrize("family", ["swaps", "orders", "duplications", "insertions"])
def test_the_chain_alone_sees_lines_that_were_moved_or_added(family):
    assert unseen(FAMILIES[family][0](), chain_alone) == set()


def test_the_chain_alone_does_not_see_that_the_last_line_was_taken_away():
    assert unseen(deletions(), chain_alone) == {"without 4"}


def test_the_chain_alone_sees_a_foreign_line():
    assert unseen(replacements(), chain_alone) == set()


def test_the_chain_alone_believes_a_ledger_that_was_rewritten_with_all_its_digests():
    assert unseen(rewritings(), chain_alone) == set(rewritings())


def test_an_older_checkpoint_guards_what_it_saw_and_no_more():
    older = checkpoint_of(read_chain(joined(LINES[:3]), where="x"), origin="here")

    def look(data: bytes) -> None:
        check_extends(read_chain(data, where="x"), [older], origin="here")

    assert unseen(rewritings(), look) == {"rewritten 3", "rewritten 4"}
    assert unseen(deletions(), look) == {"without 4"}
    assert unseen(cuts(), look) == {f"{n}" for n in range(len(joined(LINES[:3])), len(WHOLE))}


def test_a_reader_that_ignores_the_links_is_caught(monkeypatch):
    def careless(self, data, lines, first, last):
        decode_lines(data, where=self.where, first=first)
        return digest(lines[-1])

    monkeypatch.setattr(Chain, "_check", careless)
    for family in ("swaps", "orders", "deletions", "duplications", "insertions", "replacements"):
        tampered = FAMILIES[family][0]()
        assert unseen(tampered, chain_alone) == set(tampered)
    missed = {int(name.split(".")[0]) for name in unseen(flips(), chain_alone)}
    assert min(missed) < LAST


def test_a_checkpoint_that_only_counts_is_caught():
    def count(data: bytes) -> None:
        if len(read_chain(data, where="x").lines) < SEEN.size:
            raise IntegrityError("too few")

    assert unseen(rewritings(), count) == set(rewritings())
    assert len(unseen(flips(), count)) > 500


edits = st.tuples(st.integers(0, len(WHOLE)), st.integers(0, 400), st.binary(max_size=40))


@settings(max_examples=scale(300, 20_000), deadline=None)
@given(st.lists(edits, min_size=1, max_size=4))
@example([(0, 0, b"\xff")])
@example([(len(WHOLE), 0, b"\n")])
@example([(len(WHOLE) - 1, 1, b"")])
def test_any_splices_are_seen_unless_the_old_lines_still_stand(changes):
    data = WHOLE
    for start, length, new in changes:
        data = data[:start] + new + data[start + length :]
    passed = unseen({"it": data}, with_checkpoint)
    assert bool(passed) == (data.startswith(WHOLE) and b"\n" not in data[len(WHOLE) :])
