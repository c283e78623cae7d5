"""Checkers of code, packages, documents and commands, all of which a confined process looks at."""

import os
import re
import shlex
from itertools import pairwise

from assay.claim_audit.checkers.checker import Args, Checker, text_arg, texts_arg
from assay.claim_audit.claim import Observed, Unverifiable
from assay.claim_audit.confined import Attribute
from assay.claim_audit.evidence import EvidenceReader, NotThere
from assay.errors import AssayError
from assay.toml import read_toml

_VERSION = re.compile(
    r"""^__version__\s*(?::[^=\n]{1,40})?=\s*(?:\w+\s*=\s*)?["']([^"']+)["']""", re.MULTILINE
)
_STATED = re.compile(r"""^[Vv]ersion\s*[:=]\s*["']?([^\s"']+)""", re.MULTILINE)
_ALONE = re.compile(r"\s*(v?\d\S*)\s*")
_LINES = (".cfg", ".cff", ".yaml", ".yml", "PKG-INFO", "METADATA")
_DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")


def _attr_equals(args: Args, evidence: EvidenceReader) -> Observed:
    module, attr = _dotted(args, "module"), _dotted(args, "attr")
    found = evidence.attribute(module, attr)
    exact = isinstance(found.value, str) and "version" in attr.lower()
    where = _where(f"{module}.{attr}", found, evidence)
    return Observed(value=found.value, where=where, exact=exact)


def _attr_in_iterable(args: Args, evidence: EvidenceReader) -> Observed:
    """Whether a name is one of those that a list of the module holds, such as `__all__`."""
    module, attr = _dotted(args, "module"), text_arg(args, "attr")
    found = evidence.attribute(module, _dotted(args, "iterable"))
    held = found.value
    if not isinstance(held, (list, dict)):
        raise NotThere(f"{module}.{args['iterable']} is {held!r:.40}, which holds nothing")
    where = _where(f"{module}.{args['iterable']}", found, evidence)
    return Observed(value=attr in held, where=where)


def _where(name: str, found: Attribute, evidence: EvidenceReader) -> str:
    """A name, and the file of the module that has it."""
    return f"{name} in {os.path.relpath(os.path.realpath(found.file), evidence.root)}"


def _dotted(args: Args, name: str) -> str:
    value = text_arg(args, name)
    if not _DOTTED.fullmatch(value):
        raise Unverifiable(f"{name}: {value!r:.60} is no dotted name")
    return value


def _package_version(args: Args, evidence: EvidenceReader) -> Observed:
    """The version that a pyproject.toml, package.json, CITATION.cff, module or VERSION states."""
    path = text_arg(args, "path")
    text = evidence.text(path)
    found: object = None
    if path.endswith(".toml"):
        try:
            tables = read_toml(text.encode(), where=path)
        except AssayError as error:
            raise Unverifiable(error.message) from None
        places = (("project",), ("package",), ("tool", "poetry"))
        stated = [_inside(tables, *place, "version") for place in places]
        found = next((one for one in stated if one is not None), None)
    elif path.endswith(".json"):
        value = evidence.json(path)
        found = value.get("version") if isinstance(value, dict) else None
    else:
        line = _STATED.search(text) if path.endswith(_LINES) else _VERSION.search(text)
        line = line or _ALONE.fullmatch(text)
        found = None if line is None else line[1]
    if not isinstance(found, str):
        raise NotThere(f"{path} states no version")
    return Observed(value=found, where=path, exact=True)


def _inside(value: object, *names: str) -> object:
    """What stands in tables inside one another; None where one is no table, or lacks the name."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _pdf_pages(args: Args, evidence: EvidenceReader) -> Observed:
    path = text_arg(args, "path")
    return Observed(value=evidence.pdf(path).pages, where=path)


def _pdf_section(args: Args, evidence: EvidenceReader) -> Observed:
    """Whether a title is in the outline, or stands on a line of its own, without a full stop."""
    path, title = text_arg(args, "path"), _squeezed(text_arg(args, "section_title"))
    pdf = evidence.pdf(path)
    titles = {_squeezed(one) for one in pdf.titles}
    shown = [_squeezed(line) for text in pdf.texts for line in text.splitlines()]
    lines = {*shown, *(f"{first} {second}" for first, second in pairwise(shown))}
    lines = {line for line in lines if not line.endswith((".", ",", ";"))}
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
    pattern = text_arg(args, "pattern") if "pattern" in args else None
    output = evidence.output(*command)
    if pattern is None:
        return Observed(value=output.strip(), where=" ".join(command)[:80])
    found = sorted({text for text, _ in evidence.matches_in(output, pattern)})
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
        about="a PDF has so many pages",
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
        about="what a command prints, run without a network on read-only files",
        observe=_command_output,
        required=("command",),
        optional=("pattern",),
        value="value",
        runs=True,
    ),
)
