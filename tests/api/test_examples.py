"""Every public name has an example in its docstring, and the example is true."""

import doctest

import pytest

import assay

NAMES = [name for name in assay.__all__ if name != "__version__"]


def examples(value: object, name: str) -> list[doctest.DocTest]:
    """The examples in the docstring of one thing, those of its methods aside."""
    found = doctest.DocTestFinder(recurse=False).find(value, name, globs={})
    return [test for test in found if test.examples]


def failures(tests: list[doctest.DocTest]) -> str:
    """What the examples gave that they do not say; empty where they are true."""
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for test in tests:
        runner.run(test, out=said.append)
    return "".join(said)


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_has_an_example_that_is_true(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = examples(getattr(assay, name), name)
    assert found, f"{name} has no example"
    assert failures(found) == ""


def test_a_false_example_is_caught():
    def planted():
        """Add.

        Example:
            >>> 1 + 1
            3
        """

    assert "Expected:\n    3\nGot:\n    2" in failures(examples(planted, "planted"))
    assert examples(lambda: None, "bare") == []
