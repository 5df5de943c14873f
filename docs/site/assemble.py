"""assemble.py ROOT FOLDER: the pages of the site, from the documents of the repository.

Documents keep their places, so that links between them hold; a link to a file that is not a page leads to a page that
shows it.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

import cpp_reference
import python_reference

PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
LANGUAGES = {
    ".cpp": "cpp",
    ".hpp": "cpp",
    ".py": "python",
    ".sh": "bash",
    ".cmake": "cmake",
    ".json": "json",
    ".toml": "toml",
}


def main(root: Path, to: Path) -> None:
    shutil.rmtree(to, ignore_errors=True)
    to.mkdir(parents=True)
    docs = root / "docs"
    for page in sorted(docs.rglob("*.md")):
        put(root, page, to / page.relative_to(docs), to)
    for name in PAGES:
        put(root, root / name, to / ("index.md" if name == "README.md" else name.lower()), to)
    shutil.copytree(docs / "images", to / "images")
    records = sorted((docs / "decisions").glob("*.md"))
    listed = [f"- [{title(page)}]({page.name})" for page in records]
    (to / "decisions" / "index.md").write_text(
        "# Decisions\n\nWhy things are as they are, and what was measured.\n\n" + "\n".join(listed) + "\n"
    )
    for notebook in sorted((docs / "notebooks").glob("*.ipynb")):
        show_notebook(root, notebook, to)
    names = cpp_reference.write(root / "include", to / "reference" / "cpp")
    count = python_reference.write(root / "python" / "mno", to / "reference" / "python.md")
    print(
        f"C++: {names['names']} names and {names['members']} members in {names['headers']} headers; {names['without a comment of their own']} names are described by their header. Python: {count} names."
    )


def title(page: Path) -> str:
    return re.search(r"^# (.*)$", page.read_text(), re.MULTILINE).group(1)  # type: ignore[union-attr]


def put(root: Path, page: Path, to: Path, site: Path) -> None:
    """A document, with its links as they are on the site."""
    to.parent.mkdir(parents=True, exist_ok=True)
    text = page.read_text()
    pieces = re.split(r"(^```.*?^```[^\n]*$|`[^`\n]*`)", text, flags=re.MULTILINE | re.DOTALL)
    for i in range(0, len(pieces), 2):  # not in code
        pieces[i] = re.sub(
            r"(\]\()([^)\s]+)(\))",
            lambda m: m.group(1) + link(root, page, m.group(2), to, site) + m.group(3),
            pieces[i],
        )
    text = "".join(pieces)
    text = re.sub(r"^<!-- from .*? -->\n", "", text, flags=re.MULTILINE)
    to.write_text(text)


def link(root: Path, page: Path, target: str, to: Path, site: Path) -> str:
    if re.match(r"[a-z]+:|#", target):
        return target
    path, _, anchor = target.partition("#")
    file = (page.parent / path).resolve()
    if not file.exists():
        raise SystemExit(f"{page}: links to '{target}', which is not there.")
    place = on_site(root, file, site)
    up = Path(*[".."] * (len(to.relative_to(site).parts) - 1))
    return (up / place).as_posix() + (f"#{anchor}" if anchor else "")


def on_site(root: Path, file: Path, site: Path) -> Path:
    """Where a file of the repository is on the site; a source is shown there."""
    inside = file.relative_to(root)
    if inside.as_posix() in PAGES:
        return Path("index.md" if inside.name == "README.md" else inside.name.lower())
    if inside.parts[0] == "docs":
        below = Path(*inside.parts[1:])
        if file.is_dir():
            return below / "index.md"
        if file.suffix == ".ipynb":
            return below.with_suffix(".md")
        if file.suffix in (".md", ".svg", ".png"):
            return below
    place = Path("source") / inside / "index.md" if file.is_dir() else Path("source") / (inside.as_posix() + ".md")
    if not (site / place).exists():
        (site / place).parent.mkdir(parents=True, exist_ok=True)
        if file.is_dir():
            listed = "\n".join(f"- `{one.name}`" for one in sorted(file.iterdir()))
            (site / place).write_text(f"# {inside}\n\n{listed}\n")
        else:
            language = LANGUAGES.get(file.suffix, "text")
            (site / place).write_text(f"# {inside}\n\n````{language}\n{file.read_text()}\n````\n")
    return place


def show_notebook(root: Path, notebook: Path, site: Path) -> None:
    """Cells as they were run: text, code, what was printed, pictures."""
    import base64

    place = site / notebook.relative_to(root / "docs").with_suffix(".md")
    place.parent.mkdir(parents=True, exist_ok=True)
    out, pictures = [], 0
    for cell in json.loads(notebook.read_text())["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            out += [
                re.sub(
                    r"(\]\()([^)\s]+)(\))",
                    lambda m: m.group(1) + link(root, notebook, m.group(2), place, site) + m.group(3),
                    source,
                ),
                "",
            ]
            continue
        out += ["```python", source, "```", ""]
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "image/png" in data:
                pictures += 1
                name = f"{notebook.stem}-{pictures}.png"
                (place.parent / name).write_bytes(base64.b64decode("".join(data["image/png"])))
                out += [f"![The picture that this cell draws]({name})", ""]
            elif "text/plain" in data or "text" in output:
                out += ["```text", "".join(data.get("text/plain", output.get("text", ""))).rstrip(), "```", ""]
    place.write_text("\n".join(out))


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
