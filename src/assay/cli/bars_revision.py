"""`assay bars revise`: the next version of some bars, in a file of its own or in a study."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.options import columns_from
from assay.cli.output import print_json
from assay.errors import SpecError
from assay.gauntlet.load import load_bars
from assay.gauntlet.proposal import Proposal, propose
from assay.gauntlet.spec import BarSet

if TYPE_CHECKING:
    from assay.gauntlet.revision import Revision
    from assay.study.study import Study


def proposal_from(flags: dict[str, Any]) -> Proposal:
    """The bar that the flags propose."""
    return Proposal(
        id=flags["identity"],
        control=flags["control"],
        margin=flags["margin"],
        because=flags["because"],
        cheat=flags["regression"],
    )


def revise_file(base: str | None, flags: dict[str, Any]) -> None:
    """Revise bars, and write the new version to a new file."""
    from assay.benchmark.load import load_benchmark
    from assay.files import write_new
    from assay.gauntlet.revision import next_version

    if flags["after"] is not None:
        raise SpecError("--after names a submission, and this is no study")
    bars = load_bars(base or "v4", task=flags["task"])
    version = flags["version"] or next_version(bars.version)
    out = flags["out"] or Path(f"{version}.toml")
    if out.exists():
        raise SpecError(f"{out} is there already", hint="Name another file: --out FILE.")
    benchmark = load_benchmark(flags["benchmark"], columns=columns_from(flags))
    revision = propose(bars, proposal_from(flags), benchmark, version=version)
    write_new(out, revision.text.encode())
    next_step = [
        f"{out} holds {revision.bars.name}. Judge everything again:",
        f"  assay score --all --bars {out}",
    ]
    _show(revision, out, next_step, as_json=flags["as_json"])


def revise_in_study(study: "Study", base: str | None, flags: dict[str, Any]) -> None:
    """Revise the bars in force, and show every result under the new version."""
    from assay.cli.study_commits import how_to_commit
    from assay.report.scorecard import draw_rejudged
    from assay.report.study.views import refresh_views
    from assay.report.terminal import console
    from assay.study.scorecards.rejudge import judge_study
    from assay.study.scorecards.revise import revise_study

    revision = revise_study(
        study,
        proposal_from(flags),
        task=flags["task"],
        base=base,
        version=flags["version"],
        after=flags["after"],
    )
    out = Path(f"bars/{revision.bars.name}.toml")
    next_step = [f"{out} is in force. Every result, judged again:"]
    _show(revision, out, next_step, as_json=flags["as_json"])
    views = refresh_views(study)
    if not flags["as_json"]:
        draw_rejudged(judge_study(study), console(), kept="")
        names = ["bars", "scorecards", *views]
        message = f"Bars {revision.bars.version}"
        click.echo(f"Publish it:\n  {how_to_commit(study, names, message)}")


def _show(revision: "Revision", out: Path, next_step: list[str], *, as_json: bool) -> None:
    from assay.report.terminal import console, styled

    if as_json:
        cards = {"before": revision.before, "after": revision.after}
        print_json({"out": str(out), "bars": bars_record(revision.bars), **cards})
    else:
        shown = console()
        for card in (revision.before, revision.after):
            bars = ", ".join(f"{bar.id} {bar.value:.3f}" for bar in card.bars)
            point = f"{card.point.passed}/{card.point.total}"
            shown.print(styled(f"{card.method} under {card.bars_version}: {point} ({bars})"))
        shown.print()
        for line in next_step:
            shown.print(styled(line))
    sys.stdout.flush()


def bars_record(bars: BarSet) -> dict[str, Any]:
    """Bars as JSON, partitions as they are written."""
    return {
        "task": bars.task,
        "version": bars.version,
        "supersedes": bars.supersedes,
        "because": bars.because,
        "digest": bars.digest,
        "partitions": {
            name: {"positive": part.positive.text, "negative": part.negative.text}
            for name, part in bars.partitions.items()
        },
        "bars": bars.bars,
        "regressions": bars.regressions,
        "second": bars.second,
    }
