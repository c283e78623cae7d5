"""A hook of inspect_ai: after every task, compare its log with a baseline and print the verdict.

inspect_ai loads what is registered under the entry point `inspect_ai`, so an installed Assay and

    export ASSAY_BASELINE=logs/baseline.eval

are enough. ASSAY_BASELINE is a log or a folder of logs; if new logs are written to that folder, the
new one is left out. A task that the baseline lacks is skipped, with a line of output. The hook
never fails an evaluation: errors are printed.
"""

import io
import os
import shlex
import sys
from pathlib import Path
from typing import Any

BASELINE = "ASSAY_BASELINE"
_LOGS = (".eval", ".json")


def verdict_on(location: str) -> str:
    """The text to print after a task, from its log."""
    from assay.comparison.collect import Request, compare_sides, sides_from
    from assay.comparison.result import Comparison
    from assay.errors import AssayError
    from assay.report.comparison import draw_comparison
    from assay.report.comparisons import draw_comparisons
    from assay.report.terminal import console

    baseline = os.environ[BASELINE]
    request = Request(plan=None, policies={})
    try:
        named = [
            ("baseline", _besides(Path(baseline), Path(location))),
            ("candidate", [Path(location)]),
        ]
        made = compare_sides(sides_from(named, request), request)
    except AssayError as error:
        return f"assay: no verdict against {baseline}: {error}"
    out = io.StringIO()
    if isinstance(made, Comparison):
        draw_comparison(made, console(out), caveats=True)
        all_made = [made]
    else:
        draw_comparisons(made, console(out), caveats=True)
        all_made = [pair.comparison for pair in made.pairs]
    caveats = {one.code for found in all_made for one in found.caveats if one.blocking}
    if "harness-differs" in caveats:
        typed = shlex.join(["assay", "compare", baseline, location, "--allow", "harness"])
        out.write(f"This hook takes no flags. If the difference is intended: {typed}\n")
    return out.getvalue()


def _besides(baseline: Path, candidate: Path) -> list[Path]:
    """The baseline; if it is a folder that holds the candidate, the other logs in it."""
    from assay.errors import SpecError
    from assay.folders import walk
    from assay.logs.format_table import is_log

    if baseline.resolve() not in candidate.resolve().parents:
        return [baseline]
    below = (place / name for place, _, files in walk(baseline) for name in files)
    logs = sorted(path for path in below if path.suffix in _LOGS and is_log(path))
    others = [path for path in logs if not path.samefile(candidate)]
    if not others:
        raise SpecError(f"no other log in {baseline}")
    return others


def register() -> None:
    """Register the hook with inspect_ai."""
    from inspect_ai.hooks import Hooks, TaskEnd, hooks

    @hooks(name="assay", description="Compares every finished task with a baseline.")
    class AssayHooks(Hooks):  # type: ignore[misc]  # inspect_ai is not here when types are checked
        def enabled(self) -> bool:
            return bool(os.environ.get(BASELINE))

        async def on_task_end(self, data: TaskEnd) -> None:
            _report(data.log)


def _report(log: Any) -> None:  # noqa: ANN401 - an EvalLog of inspect_ai
    """Print the verdict on a finished log; an error never stops the evaluation."""
    try:
        print(verdict_on(_path(log.location)), file=sys.stderr)  # noqa: T201 - it is what we do
    except Exception as error:  # the evaluation must not end by us
        print(f"assay: no verdict: {error!r:.300}", file=sys.stderr)  # noqa: T201 - as above


def _path(location: str) -> str:
    """The path in a location, which may be a URL of a file."""
    from urllib.parse import unquote, urlparse

    parsed = urlparse(location)
    return unquote(parsed.path) if parsed.scheme == "file" else location


if "inspect_ai" in sys.modules:
    register()
