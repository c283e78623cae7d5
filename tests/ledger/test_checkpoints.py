"""Checkpoints are read strictly, written as they were read, and believed for one ledger only."""

import base64

import pytest
from helpers.ledgers import joined, ledger_lines
from helpers.scale import scale
from hypothesis import given, settings
from hypothesis import strategies as st

import assay.ledger.checkpoint as checkpoint_module
from assay.errors import AssayError, BrokenChain, SpecError
from assay.ledger.chain import read_chain
from assay.ledger.checkpoint import Checkpoint, check_extends, checkpoint_of, parse_checkpoint
from assay.ledger.note import new_key
from assay.ledger.tree import EMPTY_ROOT

CHAIN = read_chain(joined(ledger_lines(7)), where="ledger.jsonl")
ROOT = "yPbJEOgzTcl9UW8MOCvzZXXKuvrR3w8i8FZH5BbILkE="
PLAIN = f"example.org/study\n7\n{ROOT}\n"


def test_a_checkpoint_says_origin_size_and_root():
    checkpoint = checkpoint_of(CHAIN, origin="example.org/study")
    lines = str(checkpoint).split("\n")
    assert lines == ["example.org/study", "7", base64.b64encode(CHAIN.tree().root()).decode(), ""]


def test_an_empty_ledger_has_a_checkpoint():
    checkpoint = checkpoint_of(read_chain(b"", where="x"), origin="o")
    assert (checkpoint.size, checkpoint.root) == (0, EMPTY_ROOT)
    assert parse_checkpoint(str(checkpoint).encode(), where="x") == checkpoint
    check_extends(CHAIN, [checkpoint], origin="o")


def test_what_is_torn_is_in_no_checkpoint():
    torn = read_chain(joined(ledger_lines(7)) + b'{"n":7', where="x")
    assert checkpoint_of(torn, origin="o") == checkpoint_of(CHAIN, origin="o")


@pytest.mark.parametrize("origin", ["", " ", "a b", " a", "a ", "a+b", "a\nb", "a\tb", "a\u00a0b"])
def test_no_checkpoint_is_made_of_what_cannot_be_an_origin(origin):
    with pytest.raises(SpecError, match="is not a valid origin"):
        checkpoint_of(CHAIN, origin=origin)


lines = st.text(st.characters(exclude_categories=["Cs"], min_codepoint=32), min_size=1)


@settings(max_examples=scale(100, 5_000), deadline=None)
@given(
    lines,
    st.integers(0, (1 << 53) - 1),
    st.binary(min_size=32, max_size=32),
    st.lists(lines, max_size=3),
    st.integers(0, 2),
)
def test_every_checkpoint_comes_back_as_it_was(origin, size, root, extensions, signers):
    checkpoint = Checkpoint(origin=origin, size=size, root=root, extensions=tuple(extensions))
    for number in range(signers):
        checkpoint = checkpoint.signed_by(KEYS[number])
    data = str(checkpoint).encode()
    again = parse_checkpoint(data, where="x")
    assert again == checkpoint
    assert str(again).encode() == data
    for number in range(signers):
        assert KEYS[number].verifier.signed(again.text, again.signatures)


KEYS = [new_key("one"), new_key("two")]


def test_extension_lines_are_kept_and_signed():
    checkpoint = parse_checkpoint(f"{PLAIN}more\neven more\n".encode(), where="x")
    assert checkpoint.extensions == ("more", "even more")
    assert str(checkpoint) == f"{PLAIN}more\neven more\n"
    assert checkpoint.text.endswith("more\n")


# The last character of a root has two bits that mean nothing; they must be zero.
NOT_CANONICAL = ROOT[:-2] + chr(ord(ROOT[-2]) + 1) + "="

REFUSED = {
    "nothing": b"",
    "a newline": b"\n",
    "no final newline": PLAIN[:-1].encode(),
    "an empty line behind": (PLAIN + "\n").encode(),
    "an empty line between": PLAIN.replace("\n7", "\n\n7").encode(),
    "an empty origin": b"\n7\n" + ROOT.encode() + b"\n",
    "no root": b"o\n7\n",
    "CRLF": PLAIN.replace("\n", "\r\n").encode(),
    "one CR": PLAIN.replace("7\n", "7\r\n").encode(),
    "a tab": PLAIN.replace("7", "7\t").encode(),
    "a NUL": PLAIN.replace("study", "st\x00udy").encode(),
    "an escape": PLAIN.replace("study", "st\x1budy").encode(),
    "not UTF-8": b"\xff" + PLAIN.encode(),
    "half a surrogate pair": b"\xed\xa0\x80" + PLAIN.encode(),
    "too long": PLAIN.encode() + b"x" * 70_000 + b"\n",
    **{
        f"size {size!r}": PLAIN.replace("\n7\n", f"\n{size}\n").encode()
        for size in (
            "07",
            "00",
            "+7",
            "-7",
            "-0",
            " 7",
            "7 ",
            "7.0",
            "7e0",
            "0x7",
            "7_0",
            "٧",
            "⁷",
            "seven",
            str(1 << 53),
            "9" * 16,
            "9" * 17,
            "9" * 5000,  # more digits than Python turns into a number
        )
    },
    **{
        f"root {name}": PLAIN.replace(ROOT, root).encode()
        for name, root in {
            "not canonical": NOT_CANONICAL,
            "without padding": ROOT[:-1],
            "padded too much": ROOT + "=",
            "URL-safe": base64.urlsafe_b64encode(b"\xff" * 32).decode(),
            "a space before": f" {ROOT}",
            "a space behind": f"{ROOT} ",
            "a space within": f"{ROOT[:20]} {ROOT[20:]}",
            "31 bytes": base64.b64encode(bytes(31)).decode(),
            "33 bytes": base64.b64encode(bytes(33)).decode(),
            "in hex": bytes(32).hex(),
            "not ASCII": ROOT[:-2] + "é=",
        }.items()
    },
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_checkpoint_that_is_not_exact_is_refused(name):
    with pytest.raises(SpecError, match=r"^kept"):
        parse_checkpoint(REFUSED[name], where="kept")


def test_a_parser_that_lets_them_pass_is_caught(monkeypatch):
    assert parse_checkpoint(PLAIN.encode(), where="x").size == 7
    assert base64.b64decode(NOT_CANONICAL) == base64.b64decode(ROOT)  # lenient readers agree

    def lenient(data, *, where):
        return data.decode("utf-8", "replace").replace("\r", "").replace("\t", ""), []

    monkeypatch.setattr(checkpoint_module, "parse_note", lenient)
    for name in ("CRLF", "one CR", "a tab", "not UTF-8"):
        assert parse_checkpoint(REFUSED[name], where="x").size == 7


@settings(max_examples=scale(300, 20_000), deadline=None)
@given(st.integers(0, len(PLAIN)), st.integers(0, 3), st.binary(max_size=3))
def test_no_bytes_but_ours_are_read_as_this_checkpoint(start, length, new):
    data = PLAIN.encode()
    data = data[:start] + new + data[start + length :]
    try:
        checkpoint = parse_checkpoint(data, where="x")
    except AssayError:
        return
    assert str(checkpoint).encode() == data


def test_a_ledger_goes_on_from_all_its_earlier_checkpoints():
    earlier = [
        checkpoint_of(read_chain(joined(ledger_lines(size)), where="x"), origin="o")
        for size in range(8)
    ]
    check_extends(CHAIN, earlier, origin="o")
    short = read_chain(joined(ledger_lines(5)), where="ledger.jsonl")
    check_extends(short, earlier[:6], origin="o")
    with pytest.raises(BrokenChain, match=r"ledger.jsonl: 5 entries, fewer than .* of 6 entries"):
        check_extends(short, earlier, origin="o")


def test_one_false_checkpoint_among_many_is_enough():
    true = checkpoint_of(CHAIN, origin="o")
    other = read_chain(joined(ledger_lines(7, about="other")), where="x")
    false = checkpoint_of(other, origin="o")
    check_extends(CHAIN, [true, true], origin="o")
    for earlier in ([false, true], [true, false]):
        with pytest.raises(BrokenChain, match="its first 7 entries do not match"):
            check_extends(CHAIN, earlier, origin="o")


def test_a_checkpoint_of_nothing_with_a_root_is_false():
    false = Checkpoint(origin="o", size=0, root=bytes(32))
    with pytest.raises(BrokenChain, match="its first 0 entries"):
        check_extends(CHAIN, [false], origin="o")


def test_a_checkpoint_of_another_ledger_is_refused():
    other = checkpoint_of(CHAIN, origin="example.org/other")
    with pytest.raises(BrokenChain, match=r"is of .*/other', but this ledger is .*/study'"):
        check_extends(CHAIN, [other], origin="example.org/study")
