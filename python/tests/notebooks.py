"""notebooks.py [NAME...]: run the notebooks of docs/notebooks and write them anew, with what they give.

Pictures are small, and what changes from run to run without meaning (times, numbers of cells) is left out, so that a run
changes a file only where it changes an answer.
"""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "notebooks"


def run(path):
    """The notebook with its outputs; raises what a cell raises."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=900, kernel_name="python3").execute()
    for cell in notebook.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.outputs = [one for one in cell.outputs if not (one.output_type == "stream" and one.name == "stderr")]
            cell.execution_count = None
            for output in cell.outputs:
                output.pop("execution_count", None)
                if output.output_type == "execute_result":
                    output["execution_count"] = None
                if "image/png" in output.get("data", {}):
                    output["data"] = {"image/png": output["data"]["image/png"]}
                    output["metadata"] = {}
    return notebook


if __name__ == "__main__":
    for file in sorted(FOLDER.glob("*.ipynb")):
        if not sys.argv[1:] or file.stem in sys.argv[1:]:
            nbformat.write(run(file), file)
            print(file, file.stat().st_size, "bytes")
