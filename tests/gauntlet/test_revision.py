import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import assay
from assay.benchmark.benchmark import TASKS
from assay.errors import SpecError
from assay.gauntlet.bar import Bar, Control
from assay.gauntlet.load import bundled_versions
from assay.gauntlet.metrics.table import metric_of
from assay.gauntlet.revision import control_bar, next_version, revised_text
from assay.gauntlet.spec import Regression, parse_bars

V1 = assay.load_bars("v1")
BAR = control_bar("D9", "feature:word_length", 0.1, ("misconception",))
CHEAT = Regression(method="oracle:word_length", passes=("D1",), fails=("D9",))


def revised(base=V1, bar=BAR, *, version="mine", because="so", regression=CHEAT):
    text = revised_text(base, bar, version=version, because=because, regression=regression)
    return parse_bars(text.encode(), where="mine")


@pytest.mark.parametrize(
    ("version", "next_one"),
    [
        ("v1", "v2"),
        ("v9", "v10"),
        ("v099", "v100"),
        ("mine-1", "mine-2"),
        ("2024", "2025"),
        ("mine", "mine-2"),
        ("v1.2", "v1.3"),
        ("v1-final", "v1-final-2"),
    ],
)
def test_the_next_version_counts_on(version, next_one):
    assert next_version(version) == next_one


def test_a_control_is_a_feature_the_surface_the_words_or_the_source():
    feature, surface, lexical, source = (
        control_bar("D9", control, 0.6, ("p",))
        for control in ("feature:word_length", "surface", "lexical", "source")
    )
    assert feature.minus == Control(feature="word_length", direction="better")
    assert (surface.beyond, lexical.beyond, source.within) == ("surface", "lexical", "source")
    for bar in (feature, surface, lexical, source):
        assert (bar.id, bar.metric, bar.at_least, bar.partitions) == ("D9", "auc", 0.6, ("p",))
    assert len({metric_of(bar).measured(bar) for bar in (feature, surface, lexical, source)}) == 4


@pytest.mark.parametrize("control", ["", "feature", "feature:", "surfaces", "surface:x", "Source"])
def test_no_other_control_is_known(control):
    with pytest.raises(SpecError, match="expected feature:NAME, surface, lexical or source"):
        control_bar("D9", control, 0.1, ("p",))


@pytest.mark.parametrize("task", TASKS)
def test_every_bundled_version_is_written_back_as_it_was_with_one_bar_more(task):
    for version in bundled_versions(task):
        base = assay.load_bars(version, task=task)
        bar = Bar(id="X9", metric="accuracy", at_least=0.5)
        if task == "detection":
            bar = replace(BAR, id="X9", partitions=tuple(base.partitions))
        cheat = Regression(method="m", passes=tuple(one.id for one in base.bars), fails=("X9",))
        made = revised(base, bar, regression=cheat)
        assert made.bars == (*base.bars, bar)
        assert made.partitions == base.partitions
        assert made.regressions == (*base.regressions, cheat)
        assert (made.task, made.second) == (base.task, base.second)
        assert (made.version, made.supersedes, made.because) == ("mine", version, "so")


def test_a_revision_can_be_revised():
    once = revised()
    twice = revised(
        once,
        control_bar("D10", "surface", 0.65, ("folklore",)),
        version=next_version(once.version),
        regression=Regression(method="m", passes=("D9",), fails=("D10",)),
    )
    assert [bar.id for bar in twice.bars] == ["D1", "D2", "D9", "D10"]
    assert (twice.version, twice.supersedes) == ("mine-2", "mine")
    assert [one.method for one in twice.regressions] == ["oracle:word_length", "m"]


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip))
def test_any_text_survives_as_a_reason(because):
    text = revised_text(V1, BAR, version="mine", because=because, regression=CHEAT)
    assert tomllib.loads(text)["because"] == because.strip()
    assert all(char.isprintable() for char in text.replace("\n", ""))


@given(st.floats(-1.0, 1.0))
def test_any_margin_survives(margin):
    assert revised(bar=replace(BAR, at_least=margin)).bars[-1].at_least == margin


@pytest.mark.parametrize("because", ["", " ", "\n\t"])
def test_a_reason_is_needed(because):
    with pytest.raises(SpecError, match="needs a reason"):
        revised(because=because)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"bar": replace(BAR, id="D1")}, "bar D1 occurs twice"),
        ({"bar": replace(BAR, at_least=float("nan"))}, "at_least = nan"),
        ({"bar": replace(BAR, at_least=float("inf"))}, "at_least = inf"),
        ({"bar": replace(BAR, partitions=("elsewhere",))}, "no partition 'elsewhere'"),
        ({"bar": replace(BAR, partitions=())}, "AUC needs the key `partitions`"),
        ({"version": "My Bars"}, "is not a name"),
        ({"version": "../v2"}, "is not a name"),
        ({"regression": replace(CHEAT, fails=("D7",))}, "no bar D7"),
        ({"because": "half \ud83d of a pair"}, "not TOML"),
    ],
)
def test_what_would_not_load_is_not_written(changes, words):
    with pytest.raises(SpecError) as caught:
        revised(**changes)
    assert words in caught.value.message
