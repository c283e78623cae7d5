import sys
import sysconfig
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

from assay.errors import SpecError, StorageError
from assay.method import closure
from assay.method.closure import closure_of, is_installed, is_standard
from assay.method.registry import parse_method


@pytest.fixture
def plant(tmp_path, monkeypatch):
    """Write files, and read the closure of one of them."""
    monkeypatch.chdir(tmp_path)

    def write(files, method="method.py:detect"):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return closure_of(parse_method(method, registered=()))

    return write


def names(found):
    return sorted(found.files)


def test_a_method_without_imports_is_its_own_file(plant, tmp_path):
    found = plant({"method.py": "def detect(q, r): return 0", "other.py": ""})
    assert found.files == {"method.py": tmp_path / "method.py"}
    assert found.installed == set()


def test_a_method_in_a_folder_is_named_from_there(plant, tmp_path):
    found = plant(
        {"deep/er/method.py": "import a", "deep/er/a.py": "", "a.py": ""}, "deep/er/method.py:f"
    )
    assert found.files == {
        "method.py": tmp_path / "deep/er/method.py",
        "a.py": tmp_path / "deep/er/a.py",
    }


IMPORTS = {
    "import a": ["a.py"],
    "import a as b": ["a.py"],
    "import a, b": ["a.py", "b.py"],
    "from a import x": ["a.py"],
    "from a import *": ["a.py"],
    "import p": ["p/__init__.py"],
    "import p.q": ["p/__init__.py", "p/q/__init__.py"],
    "import p.q.r": ["p/__init__.py", "p/q/__init__.py", "p/q/r.py"],
    "from p import q": ["p/__init__.py", "p/q/__init__.py"],
    "from p.q import r": ["p/__init__.py", "p/q/__init__.py", "p/q/r.py"],
    "from p.q.r import x": ["p/__init__.py", "p/q/__init__.py", "p/q/r.py"],
    "import n.a": ["n/a.py"],
    "from n import a": ["n/a.py"],
    "from n.m import a": ["n/m/a.py"],
    "def f():\n    import a": ["a.py"],
    "class C:\n    from a import x": ["a.py"],
    "try:\n    import a\nexcept ImportError:\n    import b": ["a.py", "b.py"],
    "if False:\n    import a": ["a.py"],
    "async def f():\n    async with g():\n        import a": ["a.py"],
    "import importlib\nimportlib.import_module('a')": ["a.py"],
    "from importlib import import_module\nimport_module('p.q.r')": [
        "p/__init__.py",
        "p/q/__init__.py",
        "p/q/r.py",
    ],
    "import importlib\nimportlib.import_module(name='a')": ["a.py"],
    "import importlib\nimportlib.import_module('.q', 'p')": ["p/__init__.py", "p/q/__init__.py"],
    "__import__('a')": ["a.py"],
    "x = lambda: __import__('n.a')": ["n/a.py"],
    "name = 'a'\n__import__(name)": [],
    "__import__(3)\n__import__('')\n__import__()": [],
    "'import a'  # import b": [],
    "import nowhere": [],
    f"import {'a' * 300}": [],
    "__import__('/a')\n__import__('../a')\n__import__('a\\0')\n__import__('.')": [],
    "__import__('my-own')": ["my-own.py"],
    "import n": [],
    "import p.nowhere": ["p/__init__.py"],
}


@pytest.mark.parametrize(("text", "wanted"), IMPORTS.items())
def test_every_way_to_import_is_followed(plant, text, wanted):
    others = ("a.py", "b.py", "p/__init__.py", "p/q/__init__.py", "p/q/r.py", "n/a.py", "n/m/a.py")
    others += ("my-own.py",)
    found = plant({"method.py": text} | dict.fromkeys(others, ""))
    assert names(found) == sorted(["method.py", *wanted])
    assert found.installed == set()


RELATIVE = {
    "from . import a": ["p/a.py"],
    "from .a import x": ["p/a.py"],
    "from .q import a": ["p/q/__init__.py", "p/q/a.py"],
    "from .q.a import x": ["p/q/__init__.py", "p/q/a.py"],
    "from . import x": [],
    "from importlib import import_module\nimport_module('.a', __package__)": ["p/a.py"],
    "from importlib import import_module\nimport_module('.q.a', package=__package__)": [
        "p/q/__init__.py",
        "p/q/a.py",
    ],
    "from .. import a": [],
}


@pytest.mark.parametrize(("text", "wanted"), RELATIVE.items())
def test_relative_imports_are_followed_inside_their_package(plant, text, wanted):
    others = ("a.py", "p/a.py", "p/q/__init__.py", "p/q/a.py")
    files = {"method.py": "import p", "p/__init__.py": text} | dict.fromkeys(others, "")
    found = plant(files)
    found.files.pop("a.py", None)  # beyond the top there is nothing; reading too much does no harm
    assert names(found) == sorted(["method.py", "p/__init__.py", *wanted])


def test_a_relative_import_can_climb(plant):
    found = plant(
        {
            "method.py": "import p.q.r",
            "p/__init__.py": "",
            "p/q/__init__.py": "",
            "p/q/r.py": "from ... import p\nfrom .. import a\nfrom ..b import c\nfrom . import s",
            "p/q/s.py": "from importlib import import_module\nimport_module('..d', 'p.q')",
            "p/a.py": "",
            "p/b/__init__.py": "",
            "p/b/c.py": "",
            "p/d.py": "",
        }
    )
    assert {"p/a.py", "p/b/__init__.py", "p/b/c.py", "p/q/s.py", "p/d.py"} <= set(found.files)


def test_imports_are_followed_all_the_way_down(plant):
    chain = {f"m{i}.py": f"import m{i + 1}" for i in range(50)}
    found = plant({"method.py": "import m0", **chain, "m50.py": ""})
    assert len(found.files) == 52


def test_circular_imports_end(plant):
    found = plant(
        {"method.py": "import a", "a.py": "import b", "b.py": "import a\nimport method\nimport b"}
    )
    assert names(found) == ["a.py", "b.py", "method.py"]


def test_the_standard_library_is_left_out(plant):
    found = plant({"method.py": "import json, os.path, xml.etree.ElementTree\nfrom re import sub"})
    assert names(found) == ["method.py"]
    assert found.installed == set()


def test_what_is_installed_is_named_and_left_out(plant):
    found = plant(
        {
            "method.py": "import numpy.linalg\nimport a",
            "a.py": "def f():\n    from sklearn.linear_model import Ridge",
        }
    )
    assert names(found) == ["a.py", "method.py"]
    assert found.installed == {"numpy", "sklearn"}


def test_we_ourselves_are_neither(plant):
    found = plant({"method.py": "import assay\nfrom assay.gauntlet.spec import Bar"})
    assert (names(found), found.installed) == (["method.py"], set())


@pytest.mark.parametrize("name", ["numpy", "json"])
@pytest.mark.parametrize("form", ["{}.py", "{}/__init__.py"])
def test_a_local_module_shadows_an_installed_one_and_the_standard_library(plant, name, form):
    local = form.format(name)
    found = plant({"method.py": f"import {name}", local: ""})
    assert names(found) == sorted(["method.py", local])
    assert found.installed == set()


@pytest.mark.parametrize("text", ["import numpy", "import numpy.linalg", "from numpy import array"])
def test_a_folder_without_modules_shadows_nothing(plant, text):
    found = plant({"method.py": text, "numpy/data.txt": ""})
    assert names(found) == ["method.py"]
    assert found.installed == {"numpy"}


def test_a_package_goes_before_a_module_of_its_name(plant):
    found = plant({"method.py": "import a", "a.py": "", "a/__init__.py": ""})
    assert names(found) == ["a/__init__.py", "method.py"]


@pytest.mark.parametrize("suffix", EXTENSION_SUFFIXES)
def test_a_compiled_module_is_a_file_too_and_is_not_read(plant, suffix):
    files = {
        "method.py": "import fast\nfrom p import faster",
        f"fast{suffix}": "not Python",
        "p/__init__.py": "",
        f"p/faster{suffix}": "not Python",
    }
    assert names(plant(files)) == sorted(files)


def test_a_module_reference_is_followed_from_the_folder_of_its_top(plant):
    found = plant(
        {
            "pkg/__init__.py": "import b",
            "pkg/mod.py": "import a",
            "pkg/a.py": "",
            "a.py": "",
            "b.py": "",
        },
        "pkg.mod:detect",
    )
    assert names(found) == ["a.py", "b.py", "pkg/__init__.py", "pkg/mod.py"]


def test_a_package_reference_is_its_init_file(plant):
    found = plant({"pkg/__init__.py": "from .a import f", "pkg/a.py": ""}, "pkg:f")
    assert names(found) == ["pkg/__init__.py", "pkg/a.py"]


def test_a_deep_module_reference_keeps_its_packages(plant):
    files = dict.fromkeys(["p/__init__.py", "p/q/__init__.py", "p/q/r.py"], "")
    assert names(plant(files, "p.q.r:f")) == sorted(files)
    assert names(plant({"n/m.py": ""}, "n.m:f")) == ["n/m.py"]


def test_a_module_that_is_not_there_has_no_source(plant):
    with pytest.raises(SpecError, match=r"nowhere\.mod:f: no Python source found"):
        plant({}, "nowhere.mod:f")


def test_an_installed_method_is_named_and_none_of_its_files_are_taken(plant):
    found = plant({}, "numpy.linalg:norm")
    assert (found.files, found.installed) == ({}, {"numpy"})


def test_a_registered_method_has_no_files(tmp_path):
    found = closure_of(parse_method("oracle:x", registered=("oracle:x",)))
    assert (found.files, found.installed) == ({}, set())


def test_a_folder_on_the_path_is_followed_too(plant, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path / "lib"))
    found = plant(
        {
            "here/method.py": "import far.x\nimport single",
            "lib/far/__init__.py": "",
            "lib/far/x.py": "from . import y",
            "lib/far/y.py": "",
            "lib/single.py": "import far",
        },
        "here/method.py:f",
    )
    assert names(found) == ["far/__init__.py", "far/x.py", "far/y.py", "method.py", "single.py"]


def test_a_folder_on_the_path_inside_the_methods_own_keeps_its_names(plant, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path / "lib"))
    found = plant({"method.py": "import far.x", "lib/far/__init__.py": "", "lib/far/x.py": ""})
    assert names(found) == ["far/__init__.py", "far/x.py", "method.py"]


def test_a_linked_file_is_taken_under_the_name_that_imports_find(plant, tmp_path):
    (tmp_path / "here").mkdir()
    (tmp_path / "here/a.py").symlink_to(tmp_path / "elsewhere.py")
    (tmp_path / "here/p").symlink_to(tmp_path / "package", target_is_directory=True)
    found = plant(
        {
            "elsewhere.py": "import b",
            "package/__init__.py": "from . import c",
            "package/c.py": "",
            "here/b.py": "",
            "here/method.py": "import a, p",
        },
        "here/method.py:f",
    )
    assert names(found) == ["a.py", "b.py", "method.py", "p/__init__.py", "p/c.py"]
    assert found.files["a.py"].read_text() == "import b"


def test_a_linked_method_is_the_file_it_leads_to(plant, tmp_path):
    (tmp_path / "link.py").symlink_to(tmp_path / "real/method.py")
    found = plant({"real/method.py": "import a", "real/a.py": ""}, "link.py:f")
    assert names(found) == ["a.py", "method.py"]


def test_a_linked_module_and_a_linked_package_on_the_path_are_found(plant, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path / "lib"))
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/far").symlink_to(tmp_path / "store/far-1.0", target_is_directory=True)
    (tmp_path / "mod.py").symlink_to(tmp_path / "store/real.py")
    files = {"store/far-1.0/__init__.py": "from . import x", "store/far-1.0/x.py": ""}
    found = plant({**files, "store/real.py": "import far"}, "mod:f")
    assert names(found) == ["far/__init__.py", "far/x.py", "mod.py"]


def test_a_link_that_leads_nowhere_or_round_is_no_module(plant, tmp_path):
    (tmp_path / "a.py").symlink_to(tmp_path / "nowhere.py")
    (tmp_path / "b.py").symlink_to(tmp_path / "b.py")
    assert names(plant({"method.py": "import a\nimport b"})) == ["method.py"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1\ndef (:", r"a\.py, line 2: not Python: invalid syntax"),
        ("x\n\ty", r"a\.py, line 2: not Python: unexpected indent"),
        ("x = '\0'", r"a\.py.*: not Python: source code.* cannot contain null bytes"),
        ("(" * 5000, r"a\.py.*: not Python: "),
        ("x = " + "-" * 100_000 + "1", r"a\.py.*: not Python: "),
        ("# coding: nonsense", r"a\.py.*: not Python: "),
    ],
)
def test_what_is_not_python_is_named_with_its_line(plant, text, said):
    with pytest.raises(SpecError, match=said):
        plant({"method.py": "import a", "a.py": text})


def test_bytes_that_are_not_utf8_are_not_python(plant, tmp_path):
    (tmp_path / "a.py").write_bytes(b"x = '\xe9'")
    with pytest.raises(SpecError, match=r"a\.py.*: not Python: "):
        plant({"method.py": "import a"})


def test_a_declared_encoding_is_read(plant, tmp_path):
    (tmp_path / "a.py").write_bytes(b"# -*- coding: latin-1 -*-\nx = '\xe9'\nimport b\n")
    assert names(plant({"method.py": "import a", "b.py": ""})) == ["a.py", "b.py", "method.py"]


def test_a_warning_about_someones_source_is_none_of_ours(plant):
    found = plant({"method.py": "import a\nx = '\\d'\ny = 1 is 1", "a.py": ""})
    assert names(found) == ["a.py", "method.py"]


def test_a_long_chain_of_calls_can_be_read(plant):
    text = "import a\nx = y" + ".then(1)" * 300
    assert names(plant({"method.py": text, "a.py": ""})) == ["a.py", "method.py"]


def test_there_is_an_end_to_files_and_to_their_size(plant, monkeypatch):
    monkeypatch.setattr(closure, "_MAX_FILES", 2)
    files = {"method.py": "import a", "a.py": "import b", "b.py": ""}
    with pytest.raises(SpecError, match="imports more than 2 files"):
        plant(files)
    monkeypatch.setattr(closure, "_MAX_FILES", 3)
    assert len(plant(files).files) == 3
    monkeypatch.setattr(closure, "_MAX_BYTES", 8)
    with pytest.raises(SpecError, match=r"a\.py: larger than 8 bytes"):
        plant({"a.py": "x = 12345"})


def test_a_file_that_cannot_be_read_says_so(plant, monkeypatch):
    def refuse(self):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(StorageError, match=r"method\.py: Permission denied"):
        plant({"method.py": ""})


def test_nothing_is_run(plant, tmp_path):
    mark = f"open({str(tmp_path / 'ran')!r}, 'w')"
    plant({"method.py": f"{mark}\nimport a", "a.py": mark})
    assert not (tmp_path / "ran").exists()
    assert "a" not in sys.modules


def test_where_a_file_lies_tells_whose_it_is(tmp_path):
    import json

    import numpy as np

    ours, standard = Path(np.__file__), Path(json.__file__)
    assert (is_installed(ours), is_standard(ours)) == (True, False)
    assert (is_installed(standard), is_standard(standard)) == (False, True)
    assert (is_installed(tmp_path / "a.py"), is_standard(tmp_path / "a.py")) == (False, False)
    assert is_installed(Path(sysconfig.get_paths()["purelib"]) / "new/__init__.py")
