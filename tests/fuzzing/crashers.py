"""Inputs that were once neither read nor refused, each by the target that found it."""

from helpers.dual_cases import spec_text
from helpers.parquet_files import a_file, closed, page

from fuzzing.files import joined
from fuzzing.targets.duals import PLAN

SPEC = spec_text(conditions="").encode()
LONG = b"K" * 300
COSTS = b'{"instance":"a","score":0,"cost_usd":0}\n{"instance":"b","score":0,"cost_usd":%b}\n'

CRASHERS: tuple[tuple[str, bytes], ...] = (
    # Reading a small file reserved as much memory as the largest may have.
    ("trials: sides", b'{"fixture":"","":1}'),
    # Bytes that are not UTF-8 inside a text: msgspec has another error for them.
    ("dual: scores of a run", b'{"id":"\xed"score"'),
    ("dual: plan and journal", PLAN + b'\n=====\n{"run":{"condition":"\x8d"\n'),
    ("dual: plan and journal", PLAN + b'\n=====\n{"x":' + b"[" * 100_000 + b"\n"),
    # A name that is too long to be looked for.
    ("dual: spec", SPEC.replace(b"bench.jsonl", LONG)),
    ("dual: spec", SPEC + b'[placebo]\nstate = "' + LONG + b'"\n'),
    ("dual: spec", SPEC.replace(b"[system]\n", b'[system]\nreads = ["' + LONG + b'"]\n')),
    (
        "dual: spec",
        SPEC.replace(b'files = ["memory.jsonl"]', b'files = ["m"]\ninitial = "' + LONG + b'"'),
    ),
    # A whole number that no float can hold.
    ("dual: scores of a run", b'{"id":"q0","score":1' + b"0" * 400 + b"}\n"),
    # The square of a number that is nearly too large.
    ("comparison: judged and drawn", joined(COSTS % b"0", COSTS % b"1e308")),
    ("command: compare", joined(COSTS % b"0", COSTS % b"1e308")),
    # A number alone has no rows to shuffle.
    ("dual: state in JSON", b"0"),
    ("claims: numbers printed again", b"\n" * 20_000),
    # Bytes of the command line that are not UTF-8, in a hint.
    ("methods: references", b"\xe2."),
    # Half a surrogate pair has no hash.
    ("texts: baselines", b"\xed\xa0\x80"),
    # Lists in lists, a column whose pages are nowhere, and structs in great number.
    ("benchmark: Parquet", closed(b"PAR1", b"\x19" * 5000)),
    ("benchmark: Parquet", a_file([page(b"", 0)], values=0, column={9: 0})),
    ("benchmark: Parquet", closed(b"PAR1", b"\x19\xfc\x80\x80\x80\x01" + b"\0" * (1 << 21))),
    # An outcome on another scale than the prediction's.
    ("study: grades of forged judgements", b'[outcomes]\n"0/3"=0.5\n"3/3"=0.5'),
    # Half a surrogate pair as bytes, which the standard library's parser of bytes lets through.
    ("logs: deepeval", b'{"testCases":[],"metricsScores":[{"\xed\xa0\x80":"","":0}]}'),
    (
        "logs: Braintrust",
        b'{"summary":{"experiment_name":"","scores":{}},"results":[{"input":"\xed\xa0\x80","":null}]}',
    ),
    (
        "logs: lm-evaluation-harness",
        b'{"doc_id":0,"doc":{},"target":{},"resps":[],"filtered_resps":[],"metrics":["\xed\xa0\x80"],'
        b'"":0}\n=====\n{"results":{},"":{}}',
    ),
    # Comments, fences and links that open and never close took time in the square of a text.
    *(
        (f"claims: {reader}", text)
        for reader in ("in place", "numbers of a text")
        for text in (
            *(b"<!--" * 20_000, b"<!-- claim: " * 10_000, "§".encode() * 20_000, b"](" * 20_000),
            *(b"```\n~~~\n" * 9_000, b"`" * 40_000, b",000" * 10_000, b"123 ab " * 4_000),
        )
    ),
)
