"""The notebooks of the documentation: small, with outputs, without errors. Where MNO_ALL_TESTS is set they are run."""

import ast
import json
import os
from pathlib import Path

import pytest

import mno

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "notebooks"
NAMES = ["first-law", "your-data", "risk"]


@pytest.mark.parametrize("name", NAMES)
def test_what_is_kept_is_small_and_whole(name):
    file = FOLDER / f"{name}.ipynb"
    assert file.stat().st_size < 200_000
    cells = json.loads(file.read_text())["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert len(code) >= 4 and len(cells) > len(code)
    outputs = [output for cell in code for output in cell["outputs"]]
    assert outputs and not [one for one in outputs if one["output_type"] == "error" or one.get("name") == "stderr"]
    assert any("image/png" in one.get("data", {}) for one in outputs)
    for cell in code:  # what they ask of the package is there
        lines = [line for line in "".join(cell["source"]).splitlines() if not line.startswith("%")]
        for node in ast.walk(ast.parse("\n".join(lines))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "mno":
                assert hasattr(mno, node.attr), node.attr


@pytest.mark.skipif("MNO_ALL_TESTS" not in os.environ, reason="MNO_ALL_TESTS is not set")
@pytest.mark.parametrize("name", NAMES)
def test_it_runs(name):
    pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    pytest.importorskip("matplotlib")
    from notebooks import run

    run(FOLDER / f"{name}.ipynb")
