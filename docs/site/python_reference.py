"""The Python reference: every public name of the package with its docstring. It reads the sources and imports nothing."""

from __future__ import annotations

import ast
import re
import textwrap
from pathlib import Path

# The modules that people import, in the order of the page.
MODULES = ("__init__", "torch", "jax")


def definitions(package: Path) -> dict[tuple[str, str], ast.AST]:
    """(module, name): its definition."""
    found = {}
    for path in sorted(package.glob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                found[path.stem, node.name] = node
    return found


def public(package: Path, module: str) -> list[tuple[str, str, str]]:
    """(name as people say it, module that defines it, name there) of everything in __all__."""
    tree = ast.parse((package / f"{module}.py").read_text())
    where = {}
    names: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module:
            for alias in node.names:
                where[alias.asname or alias.name] = (node.module, alias.name)
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            names = ast.literal_eval(node.value)
        elif isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            where[node.name] = (module, node.name)
    prefix = "mno" if module == "__init__" else f"mno.{module}"
    return [(f"{prefix}.{name}", *where[name]) for name in names]


def signature(name: str, node: ast.FunctionDef) -> str:
    arguments = ast.unparse(node.args)
    arguments = re.sub(r"^(self|cls)(, )?", "", arguments)
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    line = f"{name}({arguments}){returns}"
    if len(line) <= 90:
        return line
    parts, depth, begin = [], 0, 0
    for i, c in enumerate(arguments):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(c, 0)
        if c == "," and depth == 0:
            parts.append(arguments[begin : i + 1].strip())
            begin = i + 1
    parts.append(arguments[begin:].strip())
    return name + "(\n" + "\n".join("    " + part for part in parts) + f"\n){returns}"


def prose(text: str) -> str:
    """Markdown of a line of a docstring: ``code`` is `code`, and an underscore is one."""
    return re.sub(r"``([^`]+)``|([_*<])", lambda m: f"`{m.group(1)}`" if m.group(1) else "\\" + m.group(2), text)


def docstring(node: ast.AST) -> str:
    """Markdown of a docstring in NumPy's form."""
    text = ast.get_docstring(node) or ""
    sections = re.split(r"^(Parameters|Returns|Examples)\n-+\n", text, flags=re.MULTILINE)
    out = [prose(sections[0].strip()), ""]
    for title, body in zip(sections[1::2], sections[2::2]):
        if title == "Examples":
            out += ["```pycon", body.strip(), "```", ""]
            continue
        out += [f"**{title}**", ""]
        # Items stand at the left, what is said about them is set in; a paragraph behind a blank line is a note.
        blocks = re.split(r"\n\s*\n(?=\S)", body.strip())
        for line in blocks[0].splitlines():
            if line and not line.startswith(" "):
                name, _, kind = line.partition(" : ")
                out.append(f"- **{prose(name)}**" + (f": *{prose(kind)}*" if kind else ""))
            elif line.strip():
                out.append("    " + prose(line.strip()))
        out += [""]
        for note in blocks[1:]:
            out += [prose(textwrap.dedent(note)), ""]
    return "\n".join(out)


def is_property(node: ast.FunctionDef) -> bool:
    return any(ast.unparse(one) == "property" for one in node.decorator_list)


def entry(name: str, node: ast.AST) -> list[str]:
    anchor = name.replace(".", "-").lower()
    out = [f"## {name.replace('_', chr(92) + '_')} {{: #{anchor} }}", ""]
    if isinstance(node, ast.FunctionDef):
        return out + ["```python", signature(name, node), "```", "", docstring(node)]
    assert isinstance(node, ast.ClassDef)
    made = [one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"]
    if made:
        out += ["```python", re.sub(r" -> None$", "", signature(name, made[0])), "```", ""]
    out += [docstring(node)]
    fields = []
    for one, after in zip(node.body, [*node.body[1:], None]):
        if isinstance(one, ast.AnnAssign) and not ast.unparse(one.target).startswith("_"):
            said = (
                ast.literal_eval(after.value)
                if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
                else ""
            )
            fields.append(f"| `{ast.unparse(one.target)}` | {prose(said)} |")
    for one in node.body:
        if isinstance(one, ast.FunctionDef) and is_property(one) and not one.name.startswith("_"):
            said = re.sub(r"\s+", " ", ast.get_docstring(one) or "")
            fields.append(f"| `{one.name}` | {prose(said)} |")
    if fields:
        out += ["| attribute | |", "|---|---|", *fields, ""]
    for one in node.body:
        if isinstance(one, ast.FunctionDef) and not is_property(one) and not one.name.startswith("_"):
            out += [f"### {one.name.replace('_', chr(92) + '_')} {{: #{anchor}-{one.name.lower()} }}", ""]
            out += ["```python", signature(one.name, one), "```", "", docstring(one)]
    return out


def write(package: Path, to: Path) -> int:
    """The page; how many names are on it."""
    every, out, count = definitions(package), ["# Python reference", ""], 0
    out += ["Every public name, from the docstrings. [Python](../python.md) is the better beginning.", ""]
    seen = set()
    for module in MODULES:
        for name, home, there in public(package, module):
            if (home, there) in every and (home, there) not in seen:
                seen.add((home, there))
                out += entry(name, every[home, there])
                count += 1
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_text("\n".join(out) + "\n")
    return count


if __name__ == "__main__":
    import sys

    print(write(Path(sys.argv[1]), Path(sys.argv[2])))
