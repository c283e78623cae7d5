"""The wheel with nothing but what it declares to need does what the repository does."""

import re
import subprocess
import sys
import venv
import zipfile
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).parent.parent


def needs(requirements):
    """The names of distributions that these requirements bring, but for those of extras."""
    names = set()
    for requirement in requirements:
        name, _, condition = requirement.partition(";")
        name = re.split(r"[\s<>=!~\[(]", name.strip(), maxsplit=1)[0]
        if "extra" in condition or name in names:
            continue
        try:
            names |= {name, *needs(metadata.requires(name) or ())}
        except metadata.PackageNotFoundError:  # for another system
            continue
    return names


def link(name, place):
    """Show what a distribution of this environment has installed in another folder."""
    distribution = metadata.distribution(name)
    for top in {file.parts[0] for file in distribution.files} - {"..", "__pycache__"}:
        if not (place / top).exists():
            (place / top).symlink_to(distribution.locate_file(top))


def test_the_built_wheel_with_its_declared_needs_runs_the_demo(tmp_path):
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("assay_eval-*.whl")
    venv.create(tmp_path / "empty")
    (place,) = (tmp_path / "empty").glob("lib/python*/site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(place)
        names = archive.namelist()
    assert "assay/benchmark/bundled/minimal-pairs.jsonl" in names
    assert "assay/gauntlet/bundled/detection-v3.toml" in names
    assert "assay/py.typed" in names
    assert not [name for name in names if name.startswith(("tests", "benchmarks", "docs"))]

    (declared,) = metadata.distributions(name="assay-eval", path=[str(place)])
    assert {(point.group, point.name, point.value) for point in declared.entry_points} == {
        ("console_scripts", "assay", "assay.cli:main"),
        ("inspect_ai", "assay", "assay.cli.inspect_hook"),
    }
    for name in needs(declared.requires):
        link(name, place)
    done = subprocess.run(
        [tmp_path / "empty/bin/python", "-m", "assay", "demo"],
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin"},
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "oracle:word_length" in done.stdout
    assert "PASS 2/2" in done.stdout
