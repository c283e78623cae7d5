"""A wording is a file with a digest; what is put into it cannot change it."""

import pytest

from assay.critic.wordings import BUNDLED, wordings
from assay.digests import digest
from assay.errors import SpecError

MINE = (
    'about = "mine"\nmode = "knowledge"\nwrong = "no"\ntext = "{question} | {response}: right?"\n'
)


@pytest.mark.parametrize("mode", list(BUNDLED))
def test_every_mode_asks_in_several_wordings_and_one_of_them_the_other_way_round(mode):
    bundled = wordings(mode=mode)
    assert len({each.digest for each in bundled}) == len(bundled) >= 3
    assert {each.wrong for each in bundled} == {"yes", "no"}


def test_the_published_wording_is_the_published_one_to_the_letter():
    (published,) = wordings(["published"])
    assert published.prompt(question="Q?", response="R.") == (
        "Question: Q?\n\nProposed answer: R.\n\nIs the proposed answer factually correct?"
        " Respond with only the single word YES or NO."
    )


def test_what_is_put_in_is_not_searched_for_fields():
    (published,) = wordings(["published"])
    prompt = published.prompt(question="{response} {passage}", response="{question}")
    assert "Question: {response} {passage}\n" in prompt
    assert "answer: {question}\n" in prompt


def test_a_wording_of_ones_own_is_a_file_named_by_its_bytes(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(MINE)
    (mine,) = wordings([str(path)])
    assert (mine.name, mine.digest) == ("mine", digest(MINE.encode()))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (MINE.replace("{response}", "it"), "has no {response}"),
        (MINE.replace("knowledge", "faithfulness"), "its mode is faithfulness"),
        (MINE.replace('"no"', '"maybe"'), "maybe"),
        (MINE + 'extra = "x"\n', "extra"),
        ("not toml", "not TOML"),
    ],
)
def test_a_wording_that_cannot_be_asked_is_refused(tmp_path, text, said):
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(SpecError, match=said.replace("{", r"\{")):
        wordings([str(path)])


def test_an_unknown_wording_and_a_repeated_one_are_refused():
    with pytest.raises(SpecError) as refused:
        wordings(["publishd"])
    assert "published" in refused.value.hint
    with pytest.raises(SpecError, match="twice"):
        wordings(["published", "published"])
