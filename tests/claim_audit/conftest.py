"""A small repository with everything that a checker reads."""

import json
import subprocess

import pytest

SHOWN = b"BT /F 12 Tf 20 200 Td (3 What was found) Tj ET"
OBJECTS = (
    b"<</Type/Catalog/Pages 2 0 R>>",
    b"<</Type/Pages/Kids[3 0 R 6 0 R]/Count 2>>",
    b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R"
    b"/Resources<</Font<</F 5 0 R>>>>>>",
    b"<</Length %d>>\nstream\n%s\nendstream" % (len(SHOWN), SHOWN),
    b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]>>",
)


def a_pdf() -> bytes:
    """Two pages, the first with a numbered heading."""
    data, places = b"%PDF-1.4\n", []
    for number, inner in enumerate(OBJECTS, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, inner)
    start = len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n" % (len(places) + 1)
    data += b"".join(b"%010d 00000 n \n" % place for place in places)
    return data + b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (
        len(places) + 1,
        start,
    )


JUNIT = """<testsuites><testsuite><testcase classname="t" name="one"/>
<testcase classname="t" name="two"><failure/></testcase>
<testcase classname="t" name="three"><skipped/></testcase></testsuite></testsuites>"""


def git(folder, *words):
    told = ("-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *told, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path):
    """A package, results, tables, a test report, a PDF, two commits and a tag."""
    files = {
        "src/pkg/__init__.py": '"""Scores 0.91."""\n__version__ = "1.2.3"\n__all__ = ["run"]\n'
        "BARS = 4\n\n\ndef run():\n    pass\n\n\ndef detect():\n    pass\n",
        "results/r.json": json.dumps(
            {"d1": {"auc": 0.8938, "low": 0.83, "high": 0.945}, "rows": [{"id": "a", "v": 3}]}
        ),
        "results/t.csv": "id,score,ok\na,0.5,1\nb,0.7,0\nc,0.9,1\n",
        "report.xml": JUNIT,
        "notes.md": "We found thirteen things.\nBaselines: 18\n",
        "more.md": "Baselines: 18\n",
        "again.txt": "Baselines: 18\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "paper.pdf").write_bytes(a_pdf())
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "first")
    git(tmp_path, "tag", "v1.2.3")
    (tmp_path / "notes.md").write_text("We found thirteen things.\nBaselines: 18\nTwo more.\n")
    git(tmp_path, "commit", "-qam", "second")
    return tmp_path
