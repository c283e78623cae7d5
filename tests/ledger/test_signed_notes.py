"""Signed notes as Go's golang.org/x/mod/sumdb/note writes and reads them."""

import base64
import sys

import pytest
from helpers.scale import scale
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import AssayError, IntegrityError, SpecError
from assay.ledger.note import (
    Signature,
    SignerKey,
    VerifierKey,
    new_key,
    parse_note,
    parse_signer,
    parse_verifier,
)

# The example of the Go package's documentation.
SIGNER = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
VERIFIER = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
TEXT = (
    "If you think cryptography is the answer to your problem,\n"
    "then you don't know what your problem is.\n"
)
BODY = (
    "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM="
)
LINE = f"— PeterNeumann {BODY}\n"
NOTE = f"{TEXT}\n{LINE}".encode()
SECRET = SIGNER.rpartition("+")[2]
WORDS_OF_IT = (SECRET, "AYEKFALVFGyN", "hPJEMzD1QIDr", "hfZx09iUvxdXHKDFz")


def flipped(data: bytes, bit: int) -> bytes:
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def test_the_published_example_is_signed_as_published():
    key = parse_signer(SIGNER)
    assert str(key.sign(TEXT)) == LINE
    assert str(key.verifier) == VERIFIER
    assert key.text() == SIGNER


def test_the_published_example_is_believed():
    text, signatures = parse_note(NOTE, where="x")
    assert text == TEXT
    assert "".join(map(str, signatures)) == LINE
    assert parse_verifier(VERIFIER).signed(text, signatures)


def believed(data: bytes, key: str = VERIFIER) -> bool:
    """Whether a note passes; anything but a typed error fails the test."""
    try:
        text, signatures = parse_note(data, where="x")
        return parse_verifier(key).signed(text, signatures)
    except AssayError:
        return False


def test_a_note_with_any_one_bit_changed_is_not_believed():
    assert believed(NOTE)
    assert [bit for bit in range(8 * len(NOTE)) if believed(flipped(NOTE, bit))] == []


def test_a_note_cut_anywhere_is_not_believed():
    assert [length for length in range(len(NOTE)) if believed(NOTE[:length])] == []


def test_a_key_with_any_one_bit_changed_believes_nothing():
    bits = range(8 * len(VERIFIER))
    changed = [flipped(VERIFIER.encode(), bit).decode("latin-1") for bit in bits]
    assert [key for key in changed if believed(NOTE, key)] == []
    public = parse_verifier(VERIFIER).public
    for bit in range(256):
        other = VerifierKey(name="PeterNeumann", public=flipped(public, bit))
        assert not believed(NOTE, str(other))


def test_a_false_signature_in_the_name_of_a_key_is_a_breach():
    key = parse_verifier(VERIFIER)
    _, (signature,) = parse_note(NOTE, where="x")
    for bit in range(512):
        value = flipped(signature.value, bit)
        false = Signature(name=signature.name, key_id=signature.key_id, value=value)
        with pytest.raises(IntegrityError, match="PeterNeumann does not match this text"):
            key.signed(TEXT, [false])
    with pytest.raises(IntegrityError, match="does not match this text"):
        key.signed(TEXT.replace("problem is", "problem was"), [signature])
    with pytest.raises(IntegrityError, match="two signatures of PeterNeumann"):
        key.signed(TEXT, [signature, signature])


@pytest.mark.parametrize("length", [1, 63, 65, 128])
def test_a_signature_of_another_length_is_false(length):
    key = parse_verifier(VERIFIER)
    false = Signature(name=key.name, key_id=key.key_id, value=bytes(length))
    with pytest.raises(IntegrityError, match="does not match this text"):
        key.signed(TEXT, [false])


def test_a_verifier_that_only_compares_names_is_caught(monkeypatch):
    def trusting(self, text, signatures):
        return any(signature.name == self.name for signature in signatures)

    monkeypatch.setattr(VerifierKey, "signed", trusting)
    assert len([bit for bit in range(8 * len(NOTE)) if believed(flipped(NOTE, bit))]) > 500


def test_lines_of_others_are_kept_and_not_believed():
    mine, other, namesake = new_key("mine"), new_key("other"), new_key("mine")
    below = [other.sign(TEXT), namesake.sign(TEXT)]
    assert not mine.verifier.signed(TEXT, below)
    assert mine.verifier.signed(TEXT, [*below, mine.sign(TEXT)])
    note = f"{TEXT}\n" + "".join(map(str, below))
    assert parse_note(note.encode(), where="x") == (TEXT, below)


@settings(max_examples=scale(50, 2_000), deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"], min_codepoint=32)))
def test_what_is_signed_is_believed_and_nothing_else(words):
    key = parse_signer(SIGNER)
    text = words + "\n"
    signature = key.sign(text)
    data = f"{text}\n{signature}".encode()
    assert parse_note(data, where="x") == (text, [signature])
    assert believed(data)
    assert not believed(f"{words}.\n\n{signature}".encode())


def test_only_the_last_empty_line_ends_the_text():
    text = "one\n\ntwo\n"
    signature = parse_signer(SIGNER).sign(text)
    assert parse_note(f"{text}\n{signature}".encode(), where="x") == (text, [signature])


BAD_LINES = {
    "a hyphen": f"- PeterNeumann {BODY}\n",
    "no dash": f"PeterNeumann {BODY}\n",
    "no name": f"—  {BODY}\n",
    "no space": f"—PeterNeumann {BODY}\n",
    "a space behind": f"— PeterNeumann {BODY} \n",
    "two spaces": f"— PeterNeumann  {BODY}\n",
    "a name with a plus": f"— Peter+Neumann {BODY}\n",
    "a name with a space of another kind": f"— Peter\u00a0Neumann {BODY}\n",
    "no signature": "— PeterNeumann\n",
    "only a key's id": f"— PeterNeumann {base64.b64encode(bytes(4)).decode()}\n",
    "not base64": "— PeterNeumann !!!!\n",
    "base64 without padding": f"— PeterNeumann {BODY[:-1]}\n",
    "base64 that is not canonical": f"— PeterNeumann {BODY[:-2]}N=\n",
    "no final newline": LINE[:-1],
    "CRLF": LINE.replace("\n", "\r\n"),
    "another text behind": f"{LINE}more\n",
    "an empty line behind": f"{LINE}\n",
    "nothing": "",
    "a hundred and one": LINE * 101,
}


@pytest.mark.parametrize("name", BAD_LINES)
def test_a_line_that_is_no_signature_is_refused(name):
    with pytest.raises(SpecError, match=r"^kept"):
        parse_note(f"{TEXT}\n{BAD_LINES[name]}".encode(), where="kept")


@pytest.mark.parametrize("char", ["\x00", "\t", "\r", "\x1b", "\x1f"])
def test_a_control_character_is_refused(char):
    with pytest.raises(SpecError, match="x: holds a control character"):
        parse_note(f"a{char}b\n\n{LINE}".encode(), where="x")


@settings(max_examples=scale(200, 20_000), deadline=None)
@given(st.binary(max_size=200) | st.text(max_size=100).map(str.encode))
def test_no_bytes_raise_anything_but_a_typed_error(data):
    for note in (data, TEXT.encode() + b"\n" + data):
        assert not believed(note)


@pytest.mark.parametrize("name", ["a", "example.org/log", "Jörg", "键", "a-b_c=d"])
def test_a_key_comes_back_as_it_was(name):
    key = new_key(name)
    assert parse_signer(key.text()) == key
    assert parse_signer(key.text() + "\n") == key
    assert parse_verifier(str(key.verifier)) == key.verifier
    text, signatures = parse_note(f"{TEXT}\n{key.sign(TEXT)}".encode(), where="x")
    assert key.verifier.signed(text, signatures)


@pytest.mark.parametrize("name", ["", " ", "a b", " a", "a ", "a+b", "a\n", "a\tb", "a\u2003b"])
def test_a_name_that_would_break_a_note_is_refused(name):
    with pytest.raises(SpecError, match="is not a valid key name"):
        new_key(name)


BAD_KEYS = {
    "nothing": "",
    "one part": "PeterNeumann",
    "two parts": "PeterNeumann+c74f20a3",
    "no name": VERIFIER.removeprefix("PeterNeumann"),
    "a name with a space behind": VERIFIER.replace("PeterNeumann", "PeterNeumann "),
    "an id with spaces": VERIFIER.replace("c74f20a3", "c74f 20a3"),
    "an id in capitals": VERIFIER.replace("c74f20a3", "C74F20A3"),
    "a short id": VERIFIER.replace("c74f20a3", "c74f20"),
    "another id": VERIFIER.replace("c74f20a3", "c74f20a4"),
    "another name": VERIFIER.replace("Peter", "Paul"),
    "another algorithm": VERIFIER.replace("+ARpc", "+Ahpc"),
    "a short key": VERIFIER[:-4],
    "no base64": VERIFIER[:-1] + "!",
    "something behind": VERIFIER + "+",
}


@pytest.mark.parametrize("name", BAD_KEYS)
def test_a_key_that_is_not_exact_is_refused(name):
    with pytest.raises(SpecError):
        parse_verifier(BAD_KEYS[name])
    with pytest.raises(SpecError):
        parse_signer(f"PRIVATE+KEY+{BAD_KEYS[name]}")


MISTAKEN = {
    "as it is": SIGNER,
    "a space before": f" {SIGNER}",
    "a newline before": f"\n{SIGNER}\n",
    "a BOM before": f"\ufeff{SIGNER}",
    "in quotes": f'"{SIGNER}"',
    "without its first words": SIGNER.removeprefix("PRIVATE+KEY+"),
    "half of its first words": SIGNER.removeprefix("PRIVATE+"),
    "only the secret": SECRET,
    "cut at the end": SIGNER[:-1],
    "with something behind": f"{SIGNER}x",
    "with another id": SIGNER.replace("c74f", "c74e"),
    "with another algorithm": SIGNER.replace("+AYEK", "+BYEK"),
    "in small letters": SIGNER.replace("PRIVATE+KEY", "private+key"),
    "with a comment": f"# mine\n{SIGNER}",
}


def shown(error: BaseException) -> str:
    return f"{error!r} {error} {getattr(error, 'hint', None)} {error.__cause__}"


@pytest.mark.parametrize("name", MISTAKEN)
@pytest.mark.parametrize("parse", [parse_signer, parse_verifier])
def test_no_error_repeats_a_private_key(parse, name):
    try:
        parse(MISTAKEN[name])
    except SpecError as error:
        words = shown(error)
        assert not any(part in words for part in WORDS_OF_IT)
    else:
        assert (parse, name) == (parse_signer, "as it is")


@pytest.mark.parametrize("name", [name for name in MISTAKEN if SIGNER in MISTAKEN[name]])
def test_a_private_key_where_a_public_one_belongs_is_called_by_its_name(name):
    with pytest.raises(SpecError, match="got a private key") as caught:
        parse_verifier(MISTAKEN[name])
    assert "Keep it secret" in caught.value.hint


def test_an_error_that_repeats_it_would_be_caught():
    error = SpecError(f"{MISTAKEN['a space before']!r:.80} is no key")
    assert any(part in shown(error) for part in WORDS_OF_IT)


def test_a_private_key_does_not_print_itself():
    from rich.pretty import pretty_repr

    key = parse_signer(SIGNER)
    for words in (repr(key), str(key), f"{key}", f"{[key]}", pretty_repr(key), pretty_repr([key])):
        assert "PeterNeumann" in words
        assert repr(key.seed)[2:-1] not in words
        assert "seed" not in words
    raw = SignerKey(name="PeterNeumann", seed=key.seed)
    assert repr(raw) == "SignerKey('PeterNeumann')"


def test_without_the_extra_the_error_names_it(monkeypatch):
    verifier, (signature,) = parse_verifier(VERIFIER), parse_note(NOTE, where="x")[1]
    key = parse_signer(SIGNER)
    for name in [name for name in sys.modules if name.split(".")[0] == "cryptography"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "cryptography", None)
    for attempt in (
        lambda: new_key("a"),
        lambda: parse_signer(SIGNER),
        lambda: key.sign(TEXT),
        lambda: key.verifier,
        lambda: verifier.signed(TEXT, [signature]),
    ):
        with pytest.raises(SpecError, match="need the extra `sign`") as caught:
            attempt()
        assert caught.value.hint == "Install it: pip install 'assay-eval[sign]'"
    # What needs no signature needs no package.
    assert parse_note(NOTE, where="x")[0] == TEXT
    assert parse_verifier(VERIFIER) == verifier
    assert not verifier.signed(TEXT, [])
