import subprocess
import sys

import assay
from assay import errors


def test_all_is_sorted_and_exact():
    assert assay.__all__ == sorted(assay.__all__)
    assert set(assay.__all__) == {*assay._HOME_OF, "__version__"}
    assert dir(assay) == sorted(assay.__all__)


def test_every_public_name_can_be_imported():
    for name in assay.__all__:
        assert getattr(assay, name) is not None


def test_an_unknown_name_is_an_attribute_error():
    assert not hasattr(assay, "utils")


def test_importing_the_package_imports_nothing_heavy():
    heavy = ("numpy", "click", "rich", "msgspec")
    code = f"import assay, sys; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_error_of_ours_stands_in_the_drawing_with_its_exit_code():
    lines = [line for line in errors.__doc__.splitlines() if "──" in line]
    drawn = {line.split("── ")[1].split()[0]: line for line in lines}
    kinds = [
        kind
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, errors.AssayError)
    ]
    assert {kind.__name__ for kind in kinds} == {*drawn, "AssayError"}
    for kind in kinds[1:]:
        assert f" {kind.exit_code}  " in drawn[kind.__name__]
