"""LaTeX as it is read: what its commands, braces and spaces show."""

import html
import re

from assay.claim_audit.texts.markup.marks import BULLET, OPAQUE, REFERENCE, MarkShown

_INSIDE = r"(?:[^$\\]|\\.)"
MATH = re.compile(
    rf"(?<!\\)\$\$(?P<display>{_INSIDE}{{1,2000}}?)\$\$"
    rf"|(?<![\\$])\$(?=\S)(?P<inline>(?:(?!\n[ \t]*\n){_INSIDE}){{1,600}}?)(?<!\s)\$(?!\d)"
    r"|\\\((?P<round>(?:[^\\]|\\[^)]){1,600}?)\\\)"
    r"|\\\[(?P<square>(?:[^\\]|\\[^\]]){1,2000}?)\\\]"
    r"|:math:`(?P<role>[^`\n]{1,600})`",
    re.DOTALL,
)
"""Mathematics, of which one group is the inside. A price is none: `$5 and $6`."""
_COMMAND = r"\\(?P<name>[A-Za-z]+)\*?(?:[ \t]+|(?=[^A-Za-z]|$))"
_MARK = re.compile(
    r"\{(?P<braced>[,.:])\}"
    r"|\\\\(?:\[[^\]\n]{0,20}\])?(?P<row>)"
    rf"|{_COMMAND}"
    r"|\\(?P<symbol>[^A-Za-z])"
    r"|(?P<between>\}[ \t]*\{)"
    r"|(?P<dash>-{2,3})|(?P<quote>``|'')|(?P<cell>&(?![#\w]+;))|(?P<space>~)|(?P<gone>[{}$])"
    r"|(?P<entity>&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{1,31});)|(?P<tag></?[A-Za-z][^<>]{0,200}>)"
    r"|(?P<sign>[-+])[ \t]+(?=[\d.{\\])"
)
_ARGUMENTS = re.compile(r"(?:\*?\s?\[[^\]\n]{0,200}\]){0,2}\{[^{}]{0,400}\}")
_ONE_OPTION = re.compile(r"\*?\[[^\]\n]{0,200}\]")
_SYMBOLS = {
    **dict.fromkeys(("percent", "textpercent"), "%"),
    **dict.fromkeys(("permil", "permille", "textperthousand", "perthousand"), "\u2030"),
    **dict.fromkeys(("thinspace", "medspace", "enspace", "nobreakspace", "quad", "qquad", "hspace"),
                    "\u202f"),
    **dict.fromkeys(("textminus", "minus"), "\u2212"),
    **dict.fromkeys(("leq", "le", "leqslant"), "\u2264"),
    **dict.fromkeys(("geq", "ge", "geqslant"), "\u2265"),
    **dict.fromkeys(("neq", "ne"), "\u2260"),
    **dict.fromkeys(("sim", "approx", "simeq", "textasciitilde"), "\u2248"),
    **dict.fromkeys(("to", "rightarrow", "Rightarrow"), "\u2192"),
    **dict.fromkeys(("dots", "ldots", "cdots"), "\u2026"),
    **dict.fromkeys(("textsuperscript", "sp"), "^"),
    **dict.fromkeys(("textsubscript", "sb"), "_"),
    **dict.fromkeys(("hline", "toprule", "midrule", "bottomrule", "newline", "linebreak"), "\n"),
    **dict.fromkeys(("par", "bigskip", "medskip", "smallskip", "newpage", "maketitle"), "\n\n"),
    "pm": "\u00b1", "mp": "\u2213", "times": "\u00d7", "cdot": "\u00b7", "div": "\u00f7",
    "lt": "<", "gt": ">", "pounds": "\u00a3", "euro": "\u20ac", "textdollar": "$", "S": "\u00a7",
    "infty": "\u221e", "textendash": "\u2013", "textemdash": "\u2014", "item": BULLET,
    "mu": "\u00b5",
    "tabularnewline": "|",
}  # fmt: skip
_UNSHOWN = frozenset(
    "textbf textit emph textsf textsc textrm textnormal texttt underline mathbf mathit mathrm"
    " mathsf mathtt mathnormal boldsymbol bm text mbox hbox ensuremath num numprint bf it em rm tt"
    " bfseries itshape small footnotesize large normalsize left right big Big bigl bigr"
    " displaystyle"
    " textstyle section subsection subsubsection paragraph title caption centering noindent SI qty"
    " mathord mathbin highlight".split()
)
_WITH_OPTION = ("SI", "qty", "num", "item", "section", "caption")
_WITH_UNIT = re.compile(r"\\(?:SI|qty)(?:\[[^\]\n]{0,40}\])?\{[^{}]{0,60}$")
_UNIT_OF = re.compile(r"\\(?:SI|qty)(?:\[[^\]\n]{0,40}\])?\{[^{}]{0,60}\}\s?\{[^{}]{0,60}\Z")
"""Before a macro in the unit of a quantity, which shows that unit."""
_REFERRING = re.compile(
    r"(?:[a-zA-Z]*cite[a-zA-Z]*|[a-zA-Z]*ref|label|url|includegraphics|vspace|footnotemark|index"
    r"|bibliography|bibliographystyle|usepackage|documentclass|input|cmidrule)"
)


def tex_shown(text: str, start: int, end: int, in_math: bool) -> MarkShown | None:
    """The next mark of LaTeX between two places, and what it shows; None if there is none."""
    found = _MARK.search(text, start, end)
    if found is None:
        return None
    first, last = found.span()
    name = found["name"]
    if name is not None:
        return _command(text, first, last, end, name)
    if found["entity"] or found["tag"]:  # of the page that the mathematics stands in
        decoded = html.unescape(found[0]) if found["entity"] else OPAQUE
        return MarkShown(first, last, decoded if in_math else found[0])
    if found["between"]:
        unit = _WITH_UNIT.search(text[max(0, first - 80) : first])
        return MarkShown(first, last, " " if unit else OPAQUE)
    if found["sign"]:  # in mathematics a space behind a sign is not shown
        before = text[max(0, first - 1) : first]
        is_sign = in_math and not re.match(r"[\w)\]}]", before)
        return MarkShown(first, last, found["sign"] if is_sign else found[0])
    if found["symbol"] is not None:
        spaces = {",": "\u202f", ";": "\u202f", ":": "\u202f", " ": "\u202f", "\n": " "}
        unshown = "!/-()[]"
        symbol = found["symbol"]
        if symbol == "-" and in_math:
            return MarkShown(first, last, OPAQUE)
        return MarkShown(first, last, "" if symbol in unshown else spaces.get(symbol, symbol))
    if found["dash"]:
        return MarkShown(first, last, "\u2013" if len(found["dash"]) == 2 else "\u2014")
    kinds = {"braced": found["braced"], "row": "|\n",  "quote": '"', "cell": "|",
             "space": "\u00a0", "gone": ""}  # fmt: skip
    return MarkShown(first, last, kinds[str(found.lastgroup)])


def _command(text: str, first: int, last: int, end: int, name: str) -> MarkShown:
    if name in ("begin", "end"):
        found = _ARGUMENTS.match(text, last, end)
        return MarkShown(first, found.end() if found else last, "\n\n")
    if name == "multicolumn":
        return MarkShown(first, _behind(text, last, end, 2), "")
    if name in ("href", "textcolor", "color", "colorbox", "cellcolor", "rowcolor", "columncolor"):
        return MarkShown(first, _behind(text, last, end, 1), "")
    if _REFERRING.fullmatch(name):
        found = _ARGUMENTS.match(text, last, end)
        return MarkShown(first, found.end() if found else last, REFERENCE)
    if name == "footnote":
        return MarkShown(first, last, REFERENCE)
    if name not in _SYMBOLS and _UNIT_OF.search(text, max(0, first - 160), first):
        return MarkShown(first, last, name)  # \qty{12.6}{\ms}
    if name in _WITH_OPTION and (option := _ONE_OPTION.match(text, last, end)):
        last = option.end()
    return MarkShown(first, last, "" if name in _UNSHOWN else _SYMBOLS.get(name, OPAQUE))


def _behind(text: str, at: int, end: int, arguments: int) -> int:
    for _ in range(arguments):
        found = _ARGUMENTS.match(text, at, end)
        at = found.end() if found else at
    return at
