"""The wheel alone, in an empty environment, does what the repository does."""

import subprocess
import sys
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_built_wheel_installed_alone_runs_the_demo(tmp_path):
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("assay_eval-*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "assay/benchmark/bundled/minimal-pairs.jsonl" in names
    assert "assay/gauntlet/bundled/detection-v3.toml" in names
    assert "assay/py.typed" in names
    assert not [name for name in names if name.startswith(("tests", "benchmarks", "docs"))]

    venv.create(tmp_path / "empty", with_pip=True)
    python = tmp_path / "empty/bin/python"
    subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(wheel)],
        check=True,
        capture_output=True,
    )
    done = subprocess.run(
        [tmp_path / "empty/bin/assay", "demo"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin"},
    )
    assert "oracle:word_length" in done.stdout
    assert "PASS 2/2" in done.stdout
    assert done.stderr == ""
