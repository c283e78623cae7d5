"""Values on which readers stumble, as they stand in a file of each language.

The common ones are drawn often. The heavy ones (deep, long) cost time and are drawn seldom.
"""

from collections.abc import Mapping, Sequence

NUMBERS = (
    *(b"0", b"1", b"-1", b"-0", b"-0.0", b"0.5", b"1.0", b"1e0", b"2", b"1e-400", b"5e-324"),
    *(b"1e308", b"-1e308", b"1.7976931348623157e308", b"1e309", b"9e119", b"-9e119", b"1e16"),
    *(b"9007199254740993", b"9223372036854775807", b"9223372036854775808", b"-9223372036854775809"),
    *(b"18446744073709551616", b"1" + b"0" * 30, b"1" + b"0" * 400, b"0.1" + b"1" * 40),
    *(b"NaN", b"nan", b"Infinity", b"-Infinity", b"inf", b"-inf", b"01", b"1.", b".5", b"+1"),
    *(b"1_000", b"0x10", b"1e", b"--1", b"4294967296", b"2147483648", b"1000000000000"),
)
_TEXTS = (
    *("", " ", "\t", "null", "none", "nan", "true", "0", "1", "-1", "1e400", "a", "A", "é"),
    *("\ufeff", "\u202etxt.exe", "e\u0301" * 8, "\U0001f600", "\u0000", "\x1b[2J", "\x7f", "\x85"),
    *("\u2028", "ﬁ", "İ", "ß", "٣", "²", "½", "../../etc/passwd", "/", ".", "..", "a/b", "con"),
    *("==", "class != truth", "label == 1 and", "{items}", "{", "}", "%s", "{0}", "`x=y`", "=1+1"),
    *("sha256:", "sha256:" + "0" * 64, "second/1", "x" * 65, "9" * 20, "a,b", "a\nb", "a\r\nb"),
    *("<script>", "|", "'", "\\", ";", "#", "--", "1979-05-27", "v10", "K" * 300),
)


def _json_text(text: str) -> bytes:
    import json

    return json.dumps(text, ensure_ascii=False).encode()


_HALVES = (b'"\\ud800"', b'"\\udfff x"', b'"\\ud83d"', b'"\\ud83d\\ud83d"', b'"\\u0000"', b'"\xff"')
JSON = (
    *NUMBERS,
    *map(_json_text, _TEXTS),
    *_HALVES,
    *(b"null", b"true", b"false", b"[]", b"{}", b"[null]", b"[[]]", b'{"":{}}', b'{"a":1,"a":2}'),
    *(b"[1,2]", b'["a","b"]', b'{"a":[]}', b"[" * 40 + b"]" * 40, b'{"a":' * 34 + b"1" + b"}" * 34),
    *(
        b"",
        b",",
        b"[",
        b"{",
        b'"',
        b":",
        b"undefined",
        b"1 2",
        b"/*x*/1",
        b"\xc3\x28",
        b"\xed\xa0\x80",
    ),
)
TOML = (
    *JSON,
    *(b"1979-05-27", b"07:32:00", b"1979-05-27T07:32:00Z", b"0o17", b"0b1", b"0xDEADBEEF"),
    *(
        b"'''x'''",
        b'"""\nx"""',
        b"'\\'",
        b"{a = 1}",
        b"{a = {b = [1]}}",
        b"[{a=1},{a=2}]",
        b"[1, 'a']",
    ),
    *(b"+inf", b"+nan", b"\n[x]", b"\n[[x]]", b"\na.b.c = 1", b"\n[a.b]\nc = 1", b"# x", b"a = 1"),
)
CSV = (
    *NUMBERS,
    *(text.encode() for text in _TEXTS),
    *(
        b'""',
        b'"a,b"',
        b'"a""b"',
        b'"a\nb"',
        b'"',
        b"a\x00b",
        b",,,,",
        b"\r",
        b"\n\n",
        b"\xff",
        b"TRUE",
    ),
)
TEXT = (
    *CSV,
    *(
        b"\xed\xa0\x80",
        b"\xed\xbf\xbf",
        b"==",
        b"!=",
        b" and ",
        b" or ",
        b"'a b'",
        b'"a',
        b"+",
        b"++",
    ),
    *(
        b"-- ",
        b"\xe2\x80\x94 ",
        b"AAAA",
        b"====",
        b"\n\n",
        b"\n",
        b"import x",
        b"(" * 40,
        b"lambda:0",
    ),
)
LANGUAGES: Mapping[str, Sequence[bytes]] = {
    "json": JSON,
    "toml": TOML,
    "csv": CSV,
    "text": TEXT,
    "numbers": (*NUMBERS, b"null", b"true", b"false", b'""', b'"0.5"'),  # for what is computed
}
HEAVY = (
    b"[" * 1_100 + b"]" * 1_100,
    b'{"a":' * 1_100 + b"1" + b"}" * 1_100,
    b"[" * 100_000,
    b'"' + b"w " * 20_000 + b'"',
    b"x" * 70_000,
    b'"' + "e\u0301".encode() * 10_000 + b'"',
    b"9" * 5_000,
    b'"' + b"9" * 5_000 + b'"',
    b"a.b." * 2_000,
    b"(" * 5_000,
    b'"' + b"\\u0041" * 5_000 + b'"',
    b'"' + b"y" * (1 << 20) + b'"',
    b"\n" * 20_000,
    b"," * 20_000,
)
MARKS = (
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\x00",
    b"\x1f\x8b",
    b"\r",
    b"\xff",
    b"\xc0\x80",
    b"#",
    b'"',
)
