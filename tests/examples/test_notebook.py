"""The notebook of the examples runs, and comes to what it says."""

import json
import os
import sys
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "examples/notebook/from-a-frame-to-a-verdict.ipynb"
SHOWN = {
    "audit": "CONFOUNDED",
    "balanced": "records are kept",
    "comparison": "RATIFY",
    "plan": "pairs show an effect of +0.100",
}
"""What the view of each result must say, by the last line of its cell."""


@pytest.fixture(scope="module")
def cells(tmp_path_factory):
    """The cells as a kernel ran them, in a folder of their own."""
    home = tmp_path_factory.mktemp("notebook")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # theirs: of event loops and of missing debuggers
        import nbclient
        import nbformat

        book = nbformat.read(NOTEBOOK, as_version=4)
        client = nbclient.NotebookClient(
            book,
            timeout=300,
            startup_timeout=300,
            kernel_name="python3",
            resources={"metadata": {"path": str(home)}},
        )
        client.km = client.create_kernel_manager()
        client.km.kernel_spec.argv[0] = sys.executable
        client.execute(env={**os.environ, "IPYTHONDIR": str(home), "HOME": str(home)})
    return [cell for cell in book.cells if cell.cell_type == "code"]


def test_every_result_has_a_view_and_says_what_is_expected(cells):
    views = {}
    for cell in cells:
        last = cell.source.splitlines()[-1]
        for output in cell.outputs:
            if output.output_type == "execute_result" and last in SHOWN:
                views[last] = output.data["text/html"]
                assert len(output.data["text/plain"]) < 400
    assert set(views) == set(SHOWN)
    for name, said in SHOWN.items():
        assert said in views[name]
        assert "<table>" in views[name]


def test_the_printed_comparison_is_a_few_lines(cells):
    printed = "".join(
        output.text for cell in cells for output in cell.outputs if output.output_type == "stream"
    )
    assert printed.startswith("RATIFY: ")
    assert len(printed.splitlines()) < 10


def test_the_stored_notebook_has_no_outputs():
    stored = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    code = [cell for cell in stored["cells"] if cell["cell_type"] == "code"]
    assert code and all(not cell["outputs"] and not cell["execution_count"] for cell in code)
