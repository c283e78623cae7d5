"""A proposed bar, and the cheats that a revision tries in order to show the need for it."""

from dataclasses import dataclass

from assay.benchmark.benchmark import Benchmark
from assay.errors import ProtocolError, SpecError
from assay.gauntlet.bar import Bar
from assay.gauntlet.load import bundled_versions
from assay.gauntlet.revision import Revision, control_bar, next_version, revise
from assay.gauntlet.spec import BarSet
from assay.runs.collect import run
from assay.runs.result import Run
from assay.surface.features import ORACLES


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """A new bar's id, control, margin and reason, and optionally its cheat.

    `drops` names old bars that the next version leaves out.
    """

    id: str
    control: str
    margin: float
    because: str
    cheat: str | None = None
    drops: tuple[str, ...] = ()

    def bar(self, bars: BarSet) -> Bar:
        """The bar, on every partition of these bars."""
        kind, _, name = self.control.partition(":")
        if kind == "feature" and name not in ORACLES:
            raise SpecError(f"no feature {name!r}", hint=f"The features are {', '.join(ORACLES)}.")
        if not bars.partitions:
            raise SpecError(f"{bars.name} has no partitions, which a bar on the AUC needs")
        return control_bar(self.id, self.control, self.margin, tuple(bars.partitions))


def propose(
    base: BarSet,
    proposal: Proposal,
    benchmark: Benchmark,
    *,
    version: str,
    stored: Run | None = None,
) -> Revision:
    """The revision with the first cheat that shows the need for the bar; else the first refusal.

    The cheats are run, unless a `stored` run is given.
    """
    if version in bundled_versions(base.task):
        raise SpecError(
            f"{version} is the name of bundled bars", hint="Choose another: `version=NAME`."
        )
    bar = proposal.bar(base)
    refusals = []
    because = proposal.because
    names = _cheats(bar) if proposal.cheat is None else (proposal.cheat,)
    runs = (run(name, benchmark, task=base.task) for name in names)
    for cheat in runs if stored is None else (stored,):
        try:
            return revise(
                base,
                bar,
                version=version,
                because=because,
                cheat=cheat,
                benchmark=benchmark,
                drops=proposal.drops,
            )
        except ProtocolError as refused:
            refusals.append(refused)
    raise refusals[0]


def version_after(bars: BarSet) -> str:
    """A name for the next version that no bundled version has, nor a future one (v5)."""
    taken = bundled_versions(bars.task)
    version = f"{bars.version}-2" if bars.version in taken else next_version(bars.version)
    while version in taken:
        version = next_version(version)
    return version


def _cheats(bar: Bar) -> tuple[str, ...]:
    """The control's own feature and its inverse; for a surface model, surface methods."""
    if bar.minus is None:
        return "auxiliary-copy", "surface-model"
    return f"oracle:{bar.minus.feature}", f"oracle:{bar.minus.feature}:inverse"
