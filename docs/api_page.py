"""The page of the library, made from signatures and docstrings."""

import inspect
import re
import textwrap

import assay

HEAD = """\
One function a verb of the command, with the same words: `--item-seconds` is `item_seconds=`. A
*source* is a path, a list of dictionaries, a dictionary of columns, or a frame of pandas, polars,
Arrow or Hugging Face. Every result has `to_dict()` with the keys of `--json`, `to_rows()` for a
frame, a `str()` of a few lines, and a view for notebooks. Every error is an `AssayError` with a
`message`, a `hint` and an `exit_code`; those that are not listed here are in `assay.errors`.
"""
_WIDE = 96
_COMMON = {"to_dict", "to_rows", "lines"}


def api() -> str:
    """Every public name: its signature, what it does, its parameters, an example."""
    names = [name for name in assay.__all__ if not name.startswith("_")]
    values = {name: getattr(assay, name) for name in names}
    errors = [
        name
        for name, value in values.items()
        if inspect.isclass(value) and issubclass(value, Exception)
    ]
    types = [name for name in names if inspect.isclass(values[name]) and name not in errors]
    functions = [name for name in names if name not in {*errors, *types}]
    parts = ["# The library\n\n<!-- made by docs/generate.py -->\n", HEAD, "## Functions\n"]
    parts += [_function(name, values[name]) for name in functions]
    parts += ["## Types\n", *(_type(name, values[name]) for name in types), "## Errors\n"]
    rows = "\n".join(
        f"| `{name}` | {values[name].exit_code} | {_first(values[name])} |" for name in errors
    )
    return "\n".join([*parts, f"| error | exit code | what |\n|---|---|---|\n{rows}\n"])


def _first(value: object) -> str:
    return (inspect.getdoc(value) or "").split("\n\n")[0].replace("\n", " ")


def _function(name: str, function: object, level: str = "###", shown: str | None = None) -> str:
    signature = _signature(shown or name, inspect.signature(function))  # type: ignore[arg-type]
    return f"{level} {shown or name}\n\n```python\n{signature}\n```\n\n{_text(function)}"


def _type(name: str, kind: type) -> str:
    parts = [f"### {name}\n", _text(kind)]
    fields = getattr(kind, "__struct_fields__", ())
    if fields:
        parts.append(f"Fields: {', '.join(f'`{field}`' for field in fields)}.\n")
    else:
        own = [base for base in kind.__mro__ if base.__module__.startswith("assay.api")]
        for method in [name for base in own for name in vars(base)]:
            if method.startswith("_") or method in _COMMON:
                continue
            found = getattr(kind, method)
            if inspect.isroutine(found):
                parts.append(_function(method, found, "####", f"{name}.{method}"))
    return "\n".join(parts)


def _signature(name: str, signature: inspect.Signature) -> str:
    """A signature in one line, or with a line a parameter."""
    own = [p for p in signature.parameters.values() if p.name not in ("self", "cls")]
    whole = signature.replace(parameters=own)
    text = f"{name}{_plain(str(whole))}"
    if len(text) <= _WIDE:
        return text
    lines, star = [], False
    for parameter in own:
        if parameter.kind is parameter.VAR_POSITIONAL:
            star = True
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            lines.append("    *,")
            star = True
        lines.append(f"    {_plain(str(parameter))},")
    returned = signature.return_annotation
    back = "" if returned is signature.empty else _plain(inspect.formatannotation(returned))
    back = f" -> {back}" if back else ""
    return "\n".join([f"{name}(", *lines, f"){back}"])


def _plain(text: str) -> str:
    """Annotations by their last names."""
    text = re.sub(r"(?:typing\.)?Optional\[((?:typing\.)?Literal\[[^]]*\])\]", r"\1 | None", text)
    text = re.sub(r"\b(?:[a-z_][a-z_0-9]*\.)+([A-Z]\w*)", r"\1", text)
    return re.sub(r"typing\.|pathlib\.|collections\.abc\.", "", text).replace("'Study'", "Study")


def _text(value: object) -> str:
    """A docstring as Markdown: parameters as a list, the example as code."""
    text = inspect.getdoc(value) or ""
    about, _, example = text.partition("\nExample:\n")
    about, args, after = _arguments(about)
    parts = [about.strip(), args, after.strip()]
    if example:
        code = re.sub(r"  # doctest: .*", "", textwrap.dedent(example).strip())
        parts.append(f"```pycon\n{code}\n```")
    return "\n\n".join(part for part in parts if part) + "\n"


def _arguments(about: str) -> tuple[str, str, str]:
    """The text before the parameters, the parameters as a list, and the text after them."""
    before, found, rest = about.partition("\nArgs:\n")
    if not found:
        return about, "", ""
    block, _, after = rest.partition("\n\n")
    listed = re.sub(r"\n\s{8}", " ", textwrap.indent(textwrap.dedent(block), "    "))
    items = [line.strip().partition(": ") for line in listed.splitlines()]
    return before, "\n".join(f"- `{name}`: {what}" for name, _, what in items), after
