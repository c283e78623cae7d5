"""Which variables a job has: a list, and what is passed by name."""

import os
from pathlib import Path

import pytest

from assay.errors import SpecError
from assay.sandbox.environment import check_passed, empty_environment, job_environment

HOME, TEMPORARY = Path("/own/home"), Path("/own/tmp")
OURS = {"HOME": "/ours", "TMPDIR": "/ours/tmp", "PATH": "/bin", "TZ": "UTC", "SECRET": "secret"}


@pytest.fixture(autouse=True)
def ours(monkeypatch):
    for name in list(os.environ):
        monkeypatch.delenv(name)
    for name, value in OURS.items():
        monkeypatch.setenv(name, value)


def test_a_job_has_what_python_and_a_locale_need_and_nothing_else():
    kept = {"PATH": "/bin", "TZ": "UTC", "PYTHONDONTWRITEBYTECODE": "1"}
    assert job_environment(()) == kept | {"HOME": "/ours", "TMPDIR": "/ours/tmp"}
    own = {"HOME": "/own/home", "TMPDIR": "/own/tmp"}
    assert job_environment((), home=HOME, temporary=TEMPORARY) == kept | own


def test_a_variable_is_passed_on_by_name_and_never_replaces_a_folder_of_the_job():
    given = job_environment(("SECRET", "HOME"), home=HOME, temporary=TEMPORARY, more={"TZ": "CET"})
    assert (given["SECRET"], given["HOME"], given["TZ"]) == ("secret", "/own/home", "CET")


def test_a_variable_that_is_not_set_cannot_be_passed_on():
    for call in (check_passed, job_environment):
        with pytest.raises(SpecError, match="variable MISSING is not set"):
            call(("SECRET", "MISSING"))


def test_an_empty_environment_holds_nothing_of_ours():
    given = empty_environment(home=HOME, temporary=TEMPORARY)
    assert not set(given.values()) & set(OURS.values())
