"""`assay benchmark`: list the bundled benchmarks, or import a published corpus."""

from pathlib import Path
from typing import Any

import click

from assay.benchmark.benchmark import BUNDLED
from assay.benchmark.corpora.collected_items import Gathered, written
from assay.benchmark.corpora.corpus_files import CorpusFile, read_sources
from assay.benchmark.corpora.format import Wishes
from assay.benchmark.corpora.programming_tasks import Attempt, known_outcomes, labelled, match
from assay.benchmark.corpora.result import Execution, Labels, imported
from assay.benchmark.corpora.table import FORMATS, read_items, read_tasks
from assay.benchmark.load import load_benchmark
from assay.benchmark.programs.execute import Bounds, ProgramOutcome, execute
from assay.cli.nouns import Noun
from assay.cli.options import PATH, json_flag
from assay.cli.output import print_json, show
from assay.cli.progress import progress
from assay.digests import digest
from assay.errors import SpecError
from assay.sandbox.levels import Level

_LISTED = "".join(f"      {name:<24}{form.about}\n" for name, form in FORMATS.items())
EXIT_CODES = "Exit codes: 0 a benchmark was written; 2 bad usage or input, and nothing was written."
_ENDINGS = (".jsonl", ".ndjson")


@click.group("benchmark", cls=Noun, alone="list")
def command() -> None:
    """List the bundled benchmarks, or import a published corpus.

    \b
    Examples:
      assay benchmark
      assay benchmark import halueval-qa qa_data.json --out halueval-qa.jsonl
      assay benchmark import humaneval HumanEval.jsonl.gz --samples samples.jsonl \\
        --execute --out humaneval.jsonl
    """


@command.command("list")
@json_flag
def list_(as_json: bool) -> None:
    """List the bundled benchmarks.

    \b
    Examples:
      assay benchmark list
      assay try token-overlap --benchmark minimal-pairs
    """
    from assay.report.terminal import console, table

    bundled = [load_benchmark(name) for name in BUNDLED]
    if as_json:
        rows = [
            {
                "name": benchmark.name,
                "items": len(benchmark.items),
                "classes": benchmark.classes,
                "grouped": benchmark.grouped,
                "digest": benchmark.digest,
                "about": BUNDLED[benchmark.name],
            }
            for benchmark in bundled
        ]
        print_json(rows)
        return
    lines = [
        (
            benchmark.name,
            f"{len(benchmark.items)}",
            ", ".join(f"{name} {count}" for name, count in sorted(benchmark.classes.items())),
            BUNDLED[benchmark.name],
        )
        for benchmark in bundled
    ]
    headers = ("benchmark", "items", "classes", "what")
    console().print(table(headers, lines, right="lr", drop=("classes",)))


@command.command(
    "import",
    epilog=EXIT_CODES,
    help=f"""Convert the downloaded files of a published corpus.

    Writes a benchmark in Assay's format, which `try`, `confounds` and the other commands read
    without flags. Label 1 is what a detector should find: wrong, hallucinated, refuted, failing.
    Records from one question, document or task share a group. Records left out are counted.

    \b
    Formats:
{_LISTED}
    \b
    Examples:
      assay benchmark import halueval-qa qa_data.json --out halueval-qa.jsonl
      assay benchmark import fever train.jsonl paper_dev.jsonl --out fever.jsonl
      assay benchmark import humaneval HumanEval.jsonl.gz --samples samples.jsonl \\
        --execute --out humaneval.jsonl
    """,
)
@click.argument("name", metavar="FORMAT", type=click.Choice(list(FORMATS)))
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=PATH)
@click.option("--out", required=True, type=PATH, help="The new file (.jsonl).")
@click.option(
    "--samples",
    multiple=True,
    type=PATH,
    help="Samples of mbpp or humaneval: {task_id, completion} a line, or results of running them.",
)
@click.option(
    "--execute",
    "run_them",
    is_flag=True,
    help="Run the samples, which are untrusted code, against their tests.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0.1, max=3600.0),
    default=10.0,
    show_default=True,
    help="Seconds that each sample may run.",
)
@click.option(
    "--memory",
    metavar="MIB",
    type=click.IntRange(min=64, max=1 << 20),
    default=1024,
    show_default=True,
    help="Memory limit of each sample.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1, max=256),
    default=1,
    show_default=True,
    help="Samples to run at a time.",
)
@click.option(
    "--keep-unverifiable",
    is_flag=True,
    help="fever: keep claims labelled NOT ENOUGH INFO, as positives (not supported).",
)
@click.option(
    "--knowledge",
    is_flag=True,
    help="halueval-qa, halueval-dialogue: put the given knowledge before the question.",
)
@click.option(
    "--best", is_flag=True, help="truthfulqa: only the best answer and the best incorrect answer."
)
@json_flag
def import_(name: str, files: tuple[Path, ...], out: Path, **flags: Any) -> None:  # noqa: ANN401 - click hands over what was parsed
    """Read a corpus, label it, write the benchmark, and report."""
    from assay.files import write_new
    from assay.report.corpora import draw_imported

    _check_out(out)
    sources = read_sources(files)
    wishes = Wishes(**{name: flags[name] for name in Wishes.__dataclass_fields__})
    labels: Labels = "given"
    if flags["samples"]:
        samples = read_sources(flags["samples"])
        gathered, labels = _from_samples(name, sources, samples, wishes, flags)
        sources += samples
    elif flags["run_them"]:
        raise SpecError("--execute needs samples", hint="Name the samples: --samples FILE.")
    else:
        gathered = read_items(name, sources, wishes)
    data = written(gathered.items)
    report = imported(
        gathered,
        name=name,
        sources=sources,
        labels=labels,
        outcomes=[how.value for how in ProgramOutcome if how is not ProgramOutcome.UNVERIFIABLE],
        run=_run(_bounds(flags)) if labels == "executed" else None,
        out=str(out),
        digest=digest(data),
    )
    write_new(out, data)
    show(report, draw_imported, as_json=flags["as_json"])


def _check_out(out: Path) -> None:
    if out.suffix.lower() not in _ENDINGS:
        raise SpecError(
            f"{out}: expected a name that ends in .jsonl, got {out.suffix or 'no ending'!r}"
        )
    if out.exists():
        raise SpecError(
            f"{out} already exists", hint="Name another file; existing ones are not overwritten."
        )


def _from_samples(
    name: str,
    sources: list[CorpusFile],
    samples: list[CorpusFile],
    wishes: Wishes,
    flags: dict[str, Any],
) -> tuple[Gathered, Labels]:
    tasks = read_tasks(name, sources, wishes)
    attempts = match(tasks, [record for file in samples for record in file.records])
    if flags["run_them"]:
        return labelled(tasks, attempts, _executed(attempts, flags)), "executed"
    return labelled(tasks, attempts, known_outcomes(attempts)), "results"


def _executed(attempts: list[Attempt], flags: dict[str, Any]) -> list[ProgramOutcome]:
    programs = [attempt.program for attempt in attempts]
    with progress("running", len(programs)) as advance:
        return execute(programs, bounds=_bounds(flags), jobs=flags["jobs"], on_done=advance)


def _bounds(flags: dict[str, Any]) -> Bounds:
    return Bounds(seconds=flags["seconds"], memory=flags["memory"] << 20)


def _run(bounds: Bounds) -> Execution:
    import platform

    return Execution(
        isolation=Level.L1.value,
        seconds=bounds.seconds,
        memory=bounds.memory,
        python=platform.python_version(),
    )
