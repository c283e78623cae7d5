"""Checkers of code, packages, documents and commands, all run in a confined process."""

import re
import shlex
from itertools import pairwise

from assay.claim_audit.checkers.checker import Args, Checker, text_arg, texts_arg
from assay.claim_audit.claim import Observed, Unverifiable
from assay.claim_audit.evidence import EvidenceReader, NotThere
from assay.errors import AssayError
from assay.toml import read_toml

_VERSION = re.compile(r"""^__version__\s*(?::\s*str\s*)?=\s*["']([^"']+)["']""", re.MULTILINE)
_DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")


def _attr_equals(args: Args, evidence: EvidenceReader) -> Observed:
    module, attr = _dotted(args, "module"), _dotted(args, "attr")
    return Observed(value=evidence.attribute(module, attr), where=f"{module}.{attr}")


def _attr_in_iterable(args: Args, evidence: EvidenceReader) -> Observed:
    """Whether a name is in a list of the module, such as `__all__`."""
    module, attr = _dotted(args, "module"), text_arg(args, "attr")
    held = evidence.attribute(module, _dotted(args, "iterable"))
    if not isinstance(held, (list, dict, str)):
        raise NotThere(f"{module}.{args['iterable']} is {held!r:.40}, not a collection of names")
    return Observed(value=attr in held, where=f"{module}.{args['iterable']}")


def _dotted(args: Args, name: str) -> str:
    value = text_arg(args, name)
    if not _DOTTED.fullmatch(value):
        raise Unverifiable(f"{name}: {value!r:.60} is not a dotted name")
    return value


def _package_version(args: Args, evidence: EvidenceReader) -> Observed:
    """The version that a pyproject.toml, package.json, PKG-INFO or module states."""
    path = text_arg(args, "path")
    text = evidence.text(path)
    found: object = None
    if path.endswith(".toml"):
        try:
            tables = read_toml(text.encode(), where=path)
        except AssayError as error:
            raise Unverifiable(error.message) from None
        project = tables.get("project") or tables.get("package")
        poetry = tables.get("tool", {}).get("poetry", {})
        found = (project or {}).get("version", poetry.get("version"))
    elif path.endswith(".json"):
        value = evidence.json(path)
        found = value.get("version") if isinstance(value, dict) else None
    elif path.endswith((".cfg", "PKG-INFO", "METADATA")):
        line = re.search(r"^[Vv]ersion\s*[:=]\s*(\S+)", text, re.MULTILINE)
        found = None if line is None else line[1]
    else:
        line = _VERSION.search(text)
        found = None if line is None else line[1]
    if not isinstance(found, str):
        raise NotThere(f"{path} states no version")
    return Observed(value=found, where=path)


def _pdf_pages(args: Args, evidence: EvidenceReader) -> Observed:
    path = text_arg(args, "path")
    return Observed(value=evidence.pdf(path)["pages"], where=path)


def _pdf_section(args: Args, evidence: EvidenceReader) -> Observed:
    """Whether a title is in the outline or on a line of its own."""
    path, title = text_arg(args, "path"), _squeezed(text_arg(args, "section_title"))
    pdf = evidence.pdf(path)
    titles = {_squeezed(one) for one in pdf["titles"]}
    shown = [_squeezed(line) for text in pdf["texts"] for line in text.splitlines()]
    lines = {*shown, *(f"{first} {second}" for first, second in pairwise(shown))}
    numbered = {re.sub(r"^[\d.§]+\s+", "", one) for one in titles | lines}
    return Observed(value=title in titles | lines | numbered, where=path)


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def _command_output(args: Args, evidence: EvidenceReader) -> Observed:
    words = args.get("command")
    try:
        command = shlex.split(words) if isinstance(words, str) else texts_arg(args, "command")
    except ValueError as error:
        raise Unverifiable(f"command: {error}") from None
    if not command:
        raise Unverifiable("command: expected a program and its arguments")
    output = evidence.output(*command)
    pattern = args.get("pattern")
    if pattern is None:
        return Observed(value=output.strip(), where=" ".join(command)[:80])
    found = sorted({text for text, _ in evidence.matches_in(output, str(pattern))})
    if len(found) != 1:
        raise NotThere(f"{command[0]} prints {len(found)} values that match {pattern!r:.60}")
    return Observed(value=found[0], where=" ".join(command)[:80])


CHECKERS = (
    Checker(
        name="python_attr_equals",
        about="an attribute of a module has this value",
        observe=_attr_equals,
        required=("module", "attr"),
        value="expected",
    ),
    Checker(
        name="python_attr_in_iterable",
        about="a name is listed in a module, such as in __all__",
        observe=_attr_in_iterable,
        required=("module", "attr", "iterable"),
        altered=("attr", "iterable"),
    ),
    Checker(
        name="package_version_equals",
        about="the version that a package's file states",
        observe=_package_version,
        required=("path",),
        value="version",
    ),
    Checker(
        name="pdf_page_count_equals",
        about="the number of pages of a PDF",
        observe=_pdf_pages,
        required=("path",),
        value="n",
    ),
    Checker(
        name="pdf_contains_section",
        about="a PDF has a section of this title",
        observe=_pdf_section,
        required=("path", "section_title"),
        altered=("section_title",),
    ),
    Checker(
        name="command_output_equals",
        about="the output of a command, run without a network on read-only files",
        observe=_command_output,
        required=("command",),
        optional=("pattern",),
        value="value",
    ),
)
