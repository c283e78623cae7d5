"""How messages write counts, lists, percentages and parameters; texts that are safe to print.

Figures have the format option `z`: what rounds to zero is written without a minus.
"""

import json
import re
import shlex
from collections.abc import Iterable, Sequence

from assay.messages.plans import line_as_python

PARAMETER = re.compile(r"`([a-z_]+)=([^`]*)`")
"""A parameter in a message, such as `task=detection`; `out=` names one without a value."""
_LONGEST_WORD = 200
_CALLS = {
    **{verb: f"assay.{verb}" for verb in ("balance", "claims", "compare", "confounds", "dual")},
    **{verb: f"assay.{verb}" for verb in ("export", "gate", "matrix", "methods", "power")},
    **{verb: f"study.{verb}" for verb in ("board", "calibration", "draft", "falsified", "run")},
    **{verb: f"study.{verb}" for verb in ("seal", "verify", "withdraw")},
    "asymmetry grade": "study.grade_asymmetry",
    "asymmetry seal": "study.seal_asymmetry",
    "bars show": "assay.load_bars",
    "critique grade": "study.grade_faithfulness",
    "critique seal": "study.seal_faithfulness",
    "claims grade": "study.grade_claims",
    "claims scan": "assay.scan_claims",
    "claims seal": "study.seal_claims",
    "new": "assay.Study.create",
    "score `all=True`": "study.score",
    "trials": "assay.trials",
    "try": "assay.try_method",
}
"""The functions that do what a verb of the command does; other verbs are the command's alone.

`study` is a Study, `assay.Study.open(...)`.
"""
_COMMAND_ALONE = ("bars", "benchmark", "key", "ledger", "ratify", "score")
_VERBS = "|".join(sorted((*_CALLS, *_COMMAND_ALONE), key=len, reverse=True))
_WORD = r"(?:`[a-z_]+=[^`]*`|[^\s`]*[^\s`.,;:)])"
_COMMAND = re.compile(
    rf"`assay (?P<in_quotes>(?:{_VERBS})\b[^`]*)`|\bassay (?P<verb>{_VERBS})(?P<rest>(?: {_WORD})*)"
)
"""A command in a message, in backquotes or up to the end of its sentence."""
_NUMBERS = {
    *("batch", "effect", "from_", "item_seconds", "jobs", "load_seconds", "margin", "pairs"),
    *("resamples", "seed", "spread", "to"),
}
"""Parameters that take numbers; all others take texts."""
_A_PLAN = ("config", "PLAN")
"""A plan of dimensions: a file for the command, a dictionary in Python."""
_FLAGS = {"overwrite": "force"}
"""Parameters with another name on the command line."""
_AGAIN = re.compile(r"`(?P<name>[a-z_]+)=(?P<one>[^`]+)` `(?P=name)=(?P<other>[^`]+)`")
_LONGEST_COLUMN = 60
_SAFE_WORD = re.compile(r"[^\s'\"$`\\;&<>()#*?!|~{}\[\]]+|'[^']*'|[A-Z]+(?:[ |][A-Z]+)*")
"""A value that a shell takes as one word, one in quotes, or a placeholder."""


_PATH = re.compile(r"(?<![\w.:/=`\"'])/(?:[^\s/:,;`]+/){2,}([^\s/:,;`]+/[^\s/:,;`]+)")
"""An absolute path of four parts or more that is no value of a parameter and no address."""


def counted(number: int, what: str) -> str:
    """1 seal, 2 seals; 1 entry, 2 entries; 1 miss, 2 misses."""
    many = f"{what}s"
    if what.endswith("y"):
        many = f"{what[:-1]}ies"
    elif what.endswith("s"):
        many = f"{what}es"
    return f"{number:,} {what if number == 1 else many}"


def some(words: Sequence[str], most: int = 5, *, between: str = ", ") -> str:
    """The first few words, shortened, and how many more there are."""
    shown = between.join(f"{word:.120}" for word in words[:most])
    left = len(words) - most
    return shown if left <= 0 else f"{shown} and {counted(left, 'other')}"


def as_column(name: str) -> str:
    """A column's name in quotes; the middle of a long one is left out, so that its end tells."""
    text = repr(name)
    if len(text) <= _LONGEST_COLUMN:
        return text
    half = (_LONGEST_COLUMN - len("...")) // 2
    return f"{text[:half]}...{text[-half:]}"


def did_you_mean(
    word: str, known: Iterable[str], *, most: int = 2, parameter: str | None = None
) -> str | None:
    """A question that names the words nearest to a word; None if no word is near.

    With a parameter, each is its value.
    """
    from difflib import get_close_matches

    near = get_close_matches(word[:_LONGEST_WORD], known, n=most, cutoff=0.7)
    if parameter is not None:
        near = [f"`{parameter}={each:.60}`" for each in near]
    return f"Did you mean {' or '.join(near)}?" if near else None


def percent(share: float) -> str:
    """A share in per cent, with the digits that it was given with."""
    return f"{share * 100.0:.3g} %"


def interval(low: float, high: float) -> str:
    """Both ends of an interval."""
    return f"[{low:z.3f}, {high:z.3f}]"


def number(value: float, whole: bool = False) -> str:
    """A figure, without decimals where it is large."""
    return f"{value:z,.0f}" if whole else f"{value:z.3f}"


def p_value(p: float) -> str:
    """A p-value without its leading zero; a small one is under a thousandth."""
    return "<.001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def signed(value: float, whole: bool = False) -> str:
    """A difference with its sign."""
    return f"{value:+z,.0f}" if whole else f"{value:+z.3f}"


def signed_interval(low: float | None, high: float | None, whole: bool = False) -> str:
    """An interval of differences; empty if there is none."""
    if low is None or high is None:
        return ""
    return f"[{signed(low, whole)}, {signed(high, whole)}]"


def printable(text: str) -> str:
    """A text that cannot move the cursor or colour the screen: it may come from untrusted files."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)


def with_short_paths(text: str) -> str:
    """A text with the last two parts of long absolute paths; in code they stay whole."""
    return _PATH.sub(r".../\1", text)


def as_flags(text: str) -> str:
    """A message with each parameter written as a flag, for the command line."""
    return PARAMETER.sub(_flag, text)


def _flag(match: re.Match[str]) -> str:
    name, value = _FLAGS.get(match[1], match[1]).rstrip("_").replace("_", "-"), match[2]
    if value == "False":
        return f"--no-{name}"
    if (name, value) == _A_PLAN:
        return "--config dims.toml"
    if value in ("", "True"):
        return f"--{name}"
    return f"--{name} {value if _SAFE_WORD.fullmatch(value) else shlex.quote(value)}"


def as_python(text: str) -> str:
    """A message with each parameter and command written as Python, to be pasted into a call.

    A value is a text in quotes, also where it is a placeholder; a placeholder of a number is an
    ellipsis. A verb of the command that no function has stays a command. A plan of dimensions that
    the command reads from a line of a file is a dictionary.
    """
    text = line_as_python(text)
    if "`" not in text and "assay " not in text:
        return text
    parts, end = [], 0
    for match in _COMMAND.finditer(text):
        parts += [_as_arguments(text[end : match.start()]), _called(match)]
        end = match.end()
    return "".join([*parts, _as_arguments(text[end:])])


def _as_arguments(text: str) -> str:
    pairs = _AGAIN.sub(
        lambda m: f"`{m['name']}=({_quoted(m['one'])}, {_quoted(m['other'])})`", text
    )
    return PARAMETER.sub(lambda match: f"`{_argument(match)}`", pairs)


def _argument(match: re.Match[str]) -> str:
    name, value = match[1], match[2]
    if value in ("", "...", "True", "False", "None") or value.startswith(("(", "{")):
        return f"{name}={value}"
    if (name, value) == _A_PLAN:
        return "config={...}"
    if name in _NUMBERS:
        return f"{name}=..." if value.isupper() else f"{name}={value}"
    return f"{name}={_quoted(value)}"


def _quoted(value: str) -> str:
    bare = value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"" else value
    return json.dumps(bare, ensure_ascii=False)


def _called(match: re.Match[str]) -> str:
    """A command as a call; as a command in backquotes where there is no such function."""
    whole = match["in_quotes"] or f"{match['verb']}{match['rest']}"
    verb = next(verb for verb in _VERBS.split("|") if whole.startswith(verb))
    if verb not in _CALLS or " --" in whole:  # no parameter: the command's own flag, as --init
        return f"`assay {as_flags(whole)}`"
    words = re.findall(_WORD, whole.removeprefix(verb))
    named = [parameter for word in words if (parameter := PARAMETER.fullmatch(word))]
    places = [_quoted(word) for word in words if not PARAMETER.fullmatch(word)]
    function = _CALLS[verb]
    if verb == "verify" and places:  # the study is what it is called on
        function, places = f"assay.Study.open({places[0]}).verify", []
    given = [_argument(parameter) for parameter in named]
    given = [f"{each}..." if each.endswith("=") else each for each in given]
    return f"`{function}({', '.join([*places, *given])})`"
