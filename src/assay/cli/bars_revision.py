"""Making the next version of some bars, in a file of its own or in a study."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.options import columns_from
from assay.errors import ProtocolError, SpecError
from assay.gauntlet.spec import Bar, BarSet, load_bars
from assay.surface.features import ORACLES

if TYPE_CHECKING:
    from assay.benchmark.benchmark import Benchmark
    from assay.gauntlet.revise import Revision
    from assay.runs.result import Run
    from assay.study.study import Study


def revise_file(base: str | None, flags: dict[str, Any]) -> None:
    """Revise bars, and write the new version to a new file."""
    from assay.benchmark.load import load_benchmark
    from assay.files import write_new
    from assay.gauntlet.revision import next_version
    from assay.runs.collect import run

    if flags["after"] is not None:
        raise SpecError("--after names a submission, and this is no study")
    bars = load_bars(base or "v4", task=flags["task"])
    version = flags["version"] or next_version(bars.version)
    out = flags["out"] or Path(f"{version}.toml")
    if out.exists():
        raise SpecError(f"{out} is there already", hint="Name another file: --out FILE.")
    benchmark = load_benchmark(flags["benchmark"], columns=columns_from(flags))
    bar = _bar(bars, flags)
    cheats = (
        run(method, benchmark, task=bars.task) for method in _cheats(flags["regression"], bar)
    )
    made = _revised(bars, bar, version, flags["because"], cheats, benchmark)
    write_new(out, made.text.encode())
    _say(made, out, as_json=flags["as_json"])


def revise_study(study: "Study", base: str | None, flags: dict[str, Any]) -> None:
    """Revise the bars in force, enter the new version, and judge every result under it."""
    from assay.cli.study_options import how_to_commit
    from assay.report.rejudged import draw_rejudged
    from assay.report.study.views import refresh_views
    from assay.report.terminal import console
    from assay.runs.collect import run
    from assay.study.scorecards.rejudge import judge_study
    from assay.study.scorecards.revise import adopt, bars_of_study, stored_run, version_after
    from assay.study.submissions.bars_in_force import asks_second

    bars = bars_of_study(study, flags["task"])
    if base is not None and base != bars.version:
        raise SpecError(
            f"{bars.version} is in force, and {base} was to be revised",
            hint="Leave out the version: a study revises what is in force.",
        )
    benchmark = study.benchmark(second=asks_second(bars))
    bar = _bar(bars, flags)
    named = flags["regression"]
    stored = None if named is None else stored_run(study, named)
    cheats = (
        (run(method, benchmark, task=bars.task) for method in _cheats(named, bar))
        if stored is None
        else iter([stored])
    )
    version = flags["version"] or version_after(bars)
    made = _revised(bars, bar, version, flags["because"], cheats, benchmark)
    adopt(study, made, after=flags["after"] or (named if stored is not None else None))
    _say(made, Path(f"bars/{made.bars.name}.toml"), as_json=flags["as_json"], entered=True)
    views = refresh_views(study)
    if not flags["as_json"]:
        draw_rejudged(judge_study(study), console(), kept="")
        names = ["bars", "scorecards", *views]
        click.echo(f"Publish it:\n  {how_to_commit(study, names, f'Bars {version}')}")


def _revised(
    bars: BarSet,
    bar: Bar,
    version: str,
    because: str,
    cheats: "Iterator[Run]",
    benchmark: "Benchmark",
) -> "Revision":
    """The revision that the first fitting cheat shows the need of."""
    from assay.gauntlet.revise import revise as revised

    refusals = []
    for cheat in cheats:
        try:
            return revised(
                bars, bar, version=version, because=because, cheat=cheat, benchmark=benchmark
            )
        except ProtocolError as refused:
            refusals.append(refused)
    raise refusals[0]


def _bar(bars: BarSet, flags: dict[str, Any]) -> Bar:
    from assay.gauntlet.revision import control_bar

    kind, _, name = flags["control"].partition(":")
    if kind == "feature" and name not in ORACLES:
        raise SpecError(f"no feature {name!r}", hint=f"The features are {', '.join(ORACLES)}.")
    if not bars.partitions:
        raise SpecError(f"{bars.name} has no partitions, so no AUC can be asked for")
    return control_bar(flags["identity"], flags["control"], flags["margin"], tuple(bars.partitions))


def _cheats(named: str | None, bar: Bar) -> list[str]:
    """The method named, or the control's own feature, as it is and the other way round."""
    if named is not None:
        return [named]
    if bar.minus is None:
        return ["auxiliary-copy", "surface-model"]
    return [f"oracle:{bar.minus.feature}", f"oracle:{bar.minus.feature}:inverse"]


def _say(made: "Revision", out: Path, *, as_json: bool, entered: bool = False) -> None:
    from assay.report.json_output import as_json as written
    from assay.report.terminal import console, styled

    if as_json:
        click.echo(written({"out": str(out), "bars": plain(made.bars), "before": made.before,
                            "after": made.after}))  # fmt: skip
    else:
        shown = console()
        for card in (made.before, made.after):
            bars = ", ".join(f"{bar.id} {bar.value:.3f}" for bar in card.bars)
            point = f"{card.point.passed}/{card.point.total}"
            shown.print(styled(f"{card.method} under {card.bars_version}: {point} ({bars})"))
        shown.print()
        if entered:
            shown.print(styled(f"{out} is in force. Every result, judged again:"))
        else:
            shown.print(styled(f"{out} holds {made.bars.name}. Judge everything again:"))
            shown.print(styled(f"  assay score --all --bars {out}"))
    sys.stdout.flush()


def plain(bars: BarSet) -> dict[str, Any]:
    """Bars as JSON, partitions as they are written."""
    return {
        "task": bars.task,
        "version": bars.version,
        "supersedes": bars.supersedes,
        "because": bars.because,
        "digest": bars.digest,
        "partitions": {
            name: {"positive": one.positive.text, "negative": one.negative.text}
            for name, one in bars.partitions.items()
        },
        "bars": bars.bars,
        "regressions": bars.regressions,
        "second": bars.second,
    }
