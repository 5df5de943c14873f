"""The C++ reference: every public name of the headers with the comment that stands above it, one page per folder.

A name is public if it stands in a namespace of mno that is not called detail, or is a public member of such a class. A name
without a comment of its own is described by the first sentence of its header, which is about one idea.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path


MEANS = re.compile(r"[\"'/(){};\[\]]")


@dataclass
class Name:
    name: str
    kind: str
    declaration: str
    comment: str
    own: bool = True  # is the comment its own, or the header's?
    members: list[Name] = field(default_factory=list)


@dataclass
class Header:
    path: str
    idea: str
    names: list[Name]


class Reader:
    """Declarations of one header. It knows as much of C++ as our headers need: it is not a compiler."""

    def __init__(self, text: str) -> None:
        self.text = re.sub(r"^#(?:[^\n\\]|\\\n|\\.)*$", "", text, flags=re.MULTILINE)
        self.at = 0

    def read(self) -> list[Name]:
        names: list[Name] = []
        while self.at < len(self.text):
            names += self._scope(public=True)
        return names

    # What is skipped.

    def _literal(self, i: int) -> int:
        """The place behind the literal or comment that begins at i, or i."""
        text = self.text
        if text.startswith("//", i):
            end = text.find("\n", i)
            return len(text) if end < 0 else end
        if text.startswith("/*", i):
            return text.index("*/", i) + 2
        if text[i] == '"':
            raw = re.match(r'"([^(\s]*)\(', text[i:]) if i and text[i - 1] == "R" else None
            if raw:
                closing = ")" + raw.group(1) + '"'
                return text.index(closing, i) + len(closing)
            j = i + 1
            while text[j] != '"':
                j += 2 if text[j] == "\\" else 1
            return j + 1
        if text[i] == "'" and not (i and text[i - 1].isalnum()):
            j = i + 1
            while text[j] != "'":
                j += 2 if text[j] == "\\" else 1
            return j + 1
        return i

    def _next(self, i: int) -> int:
        """The next character that means something."""
        found = MEANS.search(self.text, i)
        assert found, "a header ends inside a declaration"
        return found.start()

    def _braces(self, i: int) -> int:
        """The place behind the } that closes the { at i."""
        depth = 0
        while True:
            i = self._next(i)
            after = self._literal(i)
            if after != i:
                i = after
                continue
            depth += {"{": 1, "}": -1}.get(self.text[i], 0)
            i += 1
            if depth == 0:
                return i

    # What is read.

    def _comment(self) -> str:
        """Comment lines directly above what comes next."""
        lines: list[str] = []
        while True:
            line = re.compile(r"\s*//[/!]?<? ?(.*)").match(self.text, self.at)
            if not line:
                break
            if (
                self.text[self.at : line.start(1)].count("\n") > 1
            ):  # a blank line before it: that one was about something else
                lines = []
            lines.append(line.group(1))
            self.at = line.end()
        rest = re.compile(r"\s*").match(self.text, self.at)
        assert rest
        if rest.group(0).count("\n") > 1:
            lines = []
        self.at = rest.end()
        return "\n".join(lines).strip()

    def _trailing(self) -> str:
        """A comment that begins on the line that was just read, and its further lines."""
        found = re.compile(r"[ \t]*//[/!]?<? ?(.*)").match(self.text, self.at)
        if not found:
            return ""
        column = len(self.text[self.text.rfind("\n", 0, found.start()) + 1 : found.start()]) + found.group(0).index(
            "//"
        )
        lines = [found.group(1)]
        self.at = found.end()
        while True:
            more = re.compile(r"\n([ \t]*)// ?(.*)").match(self.text, self.at)
            if not more or len(more.group(1)) != column:
                return " ".join(lines)
            lines.append(more.group(2))
            self.at = more.end()

    def _scope(self, public: bool) -> list[Name]:
        """Declarations up to the } of this scope."""
        names: list[Name] = []
        while True:
            comment = self._comment()
            if self.at >= len(self.text):
                return names
            if self.text[self.at] == "}":
                self.at += 1
                return names
            access = re.compile(r"(public|private|protected)\s*:(?!:)").match(self.text, self.at)
            if access:
                public = access.group(1) == "public"
                self.at = access.end()
                continue
            names += self._declaration(comment, public)

    def _declaration(self, comment: str, public: bool) -> list[Name]:
        text, begin, i, depth = self.text, self.at, self.at, 0
        while True:
            i = self._next(i)
            after = self._literal(i)
            if after != i:
                i = after
                continue
            c = text[i]
            head = text[begin:i]
            if c in "([":
                depth += 1
            elif c in ")]":
                depth -= 1
            elif c == ";" and depth == 0:
                self.at = i + 1
                return self._named(head, comment or self._trailing(), public, [])
            elif c == "{":
                scope = re.match(r"\s*(inline\s+)?namespace\s*([\w:]*)\s*$", head)
                if scope:
                    self.at = i + 1
                    inner = self._scope(public=True)
                    hidden = re.search(r"(^|::)(detail|testing)", scope.group(2)) or not scope.group(2)
                    prefix = re.sub(r"^mno(::)?", "", scope.group(2))
                    for one in inner:
                        one.name = f"{prefix}::{one.name}" if prefix else one.name
                    return [] if hidden else inner
                if depth == 0 and self._is_class(head):
                    self.at = i + 1
                    members = self._scope(public=not re.search(r"\bclass\b", self._plain(head)))
                    end = text.index(";", self.at)
                    self.at = end + 1
                    return self._named(head, comment, public, members)
                if depth == 0 and not self._is_value(head, i):
                    self.at = self._braces(i)
                    if text[self.at : self.at + 1] == ";":
                        self.at += 1
                    return self._named(head, comment or self._trailing(), public, [])
                i = self._braces(i)
                continue
            i += 1

    @staticmethod
    def _plain(head: str) -> str:
        """Without template<…>, comments and what stands in parentheses."""
        head = re.sub(r"//[^\n]*", "", head)
        while True:
            begin = re.search(r"\btemplate\s*<", head)
            if not begin:
                return head
            depth, inside, i = 1, 0, begin.end()
            while depth and i < len(head):
                inside += {"(": 1, ")": -1}.get(head[i], 0)
                if inside == 0:  # in parentheses it may be a comparison
                    depth += {"<": 1, ">": -1}.get(head[i], 0)
                i += 1
            head = head[: begin.start()] + " " + head[i:]

    def _is_class(self, head: str) -> bool:
        plain = re.sub(r"\brequires\b.*?(?=\b(class|struct|union)\b)", " ", self._plain(head), flags=re.DOTALL)
        return re.match(r"\s*(class|struct|union)\b[^()=]*$", plain, re.DOTALL) is not None

    def _is_value(self, head: str, i: int) -> bool:
        """Is the { at i part of an expression: an initialiser or a requirement?"""
        if re.search(r"(=|\breturn|,|\(|&&|\|\|)\s*$", head, re.DOTALL):
            return True
        if re.search(r"(=|&&|\|\||\(|\brequires)\s*requires\s*(\([^{}]*\))?\s*$", head, re.DOTALL):
            return True  # requires(…) {…} is an expression; behind a function it is a condition
        if re.search(r"\benum\b", head):
            return True
        after = self.text[self._braces(i) :].lstrip()
        if ")" not in self._plain(head):
            return True  # a variable with an initialiser
        # In a constructor's list a {…} is followed by another member or by the body.
        return re.search(r"\)\s*:[^:]", head) is not None and after[:1] in (",", "{")

    def _named(self, head: str, comment: str, public: bool, members: list[Name]) -> list[Name]:
        declaration = self._shown(head)
        plain = re.sub(r"\b__\w+__(\s*\([^()]*\))?", "", self._plain(declaration)).strip()
        plain = (
            re.sub(r"^(requires\b.*?\)\s+)(?=[\w:])", "", plain, flags=re.DOTALL)
            if plain.startswith("requires")
            else plain
        )
        if not public or not plain or re.match(r"(friend|static_assert|extern|template|namespace)\b", plain):
            return []
        if re.match(r"(explicit )?\w+ ?\([^)]*\) ->", plain):  # a guide for the compiler
            return []
        if re.search(r"=\s*(delete|default)\s*$", plain) or re.match(
            r"using\s+(namespace\b|[\w:]+::\w+$|enum\b)", plain
        ):
            return []
        found = re.match(r"(class|struct|enum class|enum|concept|using)\s+([\w:]+)", plain)
        if found:
            if "::" in found.group(2) or (
                found.group(1) in ("class", "struct")
                and not members
                and "{" not in head
                and self.text[self.at - 1] == ";"
                and not comment
            ):
                return []  # a forward declaration or a specialisation
            return [Name(found.group(2), found.group(1).split()[0], declaration, comment, bool(comment), members)]
        symbol = re.search(r"\boperator\s*(\(\s*\)|[^\w\s(]+)", plain)
        if symbol:
            return [Name(f"operator{symbol.group(1)}", "function", declaration, comment, bool(comment), [])]
        if "(" in plain.split("=")[0]:
            name = re.search(r"(~?\w+)\s*$", plain[: plain.index("(")])
            if not name or name.group(1).startswith("~"):
                return []
            return [Name(name.group(1), "function", declaration, comment, bool(comment), [])]
        variables = re.sub(r"\{[^{}]*\}|=[^,;]*|<[^<>]*>", " ", re.sub(r"\([^()]*\)", " ", plain))
        if re.search(r"\w<[^=]*>\s*$", plain.split("=")[0]):
            return []  # a specialisation
        name = re.search(r"(\w+)\s*(,.*)?(\[.*\])?\s*$", variables.strip(), re.DOTALL)
        return [Name(name.group(1), "constant", declaration, comment, bool(comment), [])] if name else []

    @staticmethod
    def _shown(head: str) -> str:
        """A declaration as people read it: without the list of a constructor, and on one line."""
        head = re.sub(r"//[^\n]*", "", head)
        head = re.sub(r"\bMNO_[A-Z_]+\b", "", head)
        head = re.sub(r"\s+", " ", head).strip()
        head = re.sub(r"\) : (?!:).*$", ")", head)
        return re.sub(r"\{ *[^{}]*;[^{}]*\}", "{…}", head)


def read_header(path: Path, include: Path) -> Header:
    text = path.read_text()
    lines = []
    for line in text.splitlines()[1:]:
        if not line.startswith("//"):
            break
        lines.append(line[2:].removeprefix(" "))
    names = Reader(text).read()
    return Header(path.relative_to(include).as_posix(), "\n".join(lines), names)


def first_sentence(text: str) -> str:
    """Up to the first full stop; what is set in below a colon is left out."""
    joined = re.sub(r"\s+", " ", re.split(r"\n\s*\n|\n {2,}", text)[0]).strip()
    found = re.match(r"(.+?\.)(\s|$)", joined)
    return found.group(1) if found else joined.rstrip(":")


def escaped(text: str) -> str:
    return re.sub(r"([*_|\[\]])", r"\\\1", text.replace("<", "&lt;"))


def markdown(comment: str) -> str:
    """A comment as a paragraph; lines that are set in stay as they are."""
    out: list[str] = []
    for line in comment.splitlines():
        code = line.startswith("  ") and line.strip() != ""
        if code and (not out or not out[-1].startswith("    ")):
            out.append("")
        if not code and out and out[-1].startswith("    "):
            out.append("")
        out.append(
            "    " + line
            if code
            else re.sub(
                r"`([^`]*)`|([<*_|\[\]])",
                lambda m: f"`{m.group(1)}`" if m.group(1) is not None else "\\" + m.group(2),
                line,
            )
        )
    return "\n".join(out)


def anchor(header: Header, name: str) -> str:
    return re.sub(r"[^\w-]+", "-", f"{Path(header.path).stem}-{name}").strip("-").lower()


def page(folder: str, headers: list[Header]) -> str:
    out = [f"# {folder or 'mno'}", ""]
    for header in headers:
        out += [
            f"## {header.path} {{: #{anchor(header, 'hpp')} }}",
            "",
            "```cpp",
            f"#include <{header.path}>",
            "```",
            "",
            markdown(header.idea),
            "",
        ]
        grouped: dict[tuple[str, str], list[Name]] = {}
        for one in header.names:
            grouped.setdefault((one.name, one.kind), []).append(one)
        for (name, kind), all_of in grouped.items():
            out += [f'### {escaped(name)} {{: #{anchor(header, name)} data-kind="{kind}" }}', ""]
            comments = [one.comment for one in all_of if one.comment]
            if not comments:
                out += [markdown(first_sentence(header.idea)), ""]
            for one in all_of:
                if one.comment:
                    out += [markdown(one.comment), ""]
                out += ["```cpp", one.declaration, "```", ""]
                if one.members:
                    out += ["| member | |", "|---|---|"]
                    for member in one.members:
                        said = re.sub(r"\s+", " ", member.comment)
                        shown = re.sub(r"[|<>\[\]*_`]", lambda m: f"&#{ord(m.group(0))};", member.declaration)
                        out += [f"| <code>{shown}</code> | {escaped(said)} |"]
                    out += [""]
    return "\n".join(out) + "\n"


def write(include: Path, to: Path) -> dict[str, int]:
    """Pages into a folder; how many names there are, and how many have no comment of their own."""
    headers = [read_header(path, include) for path in sorted((include / "mno").rglob("*.hpp"))]
    folders: dict[str, list[Header]] = {}
    for header in headers:
        parts = Path(header.path).parts
        folders.setdefault(parts[1] if len(parts) > 2 else "", []).append(header)
    to.mkdir(parents=True, exist_ok=True)
    index = [
        "# C++ reference",
        "",
        "Every public name, from the comments in the headers. The [tour](../../tour.md) is the better beginning.",
        "",
    ]
    index += ["| name | what it is |", "|---|---|"]
    rows = []
    for folder, some in folders.items():
        file = f"{folder or 'umbrella'}.md"
        (to / file).write_text(page(folder, some))
        for header in some:
            seen = set()
            for one in header.names:
                if (one.name, one.kind) in seen:
                    continue
                seen.add((one.name, one.kind))
                said = first_sentence(one.comment) or first_sentence(header.idea)
                place = f"[{escaped(one.name)}]({file}#{anchor(header, one.name)})"
                rows.append(
                    (
                        one.name.lower(),
                        f"| {place}<br><small>{one.kind}, {escaped(header.path)}</small> | {escaped(said)} |",
                    )
                )
    (to / "index.md").write_text("\n".join(index + [row for _, row in sorted(rows)]) + "\n")
    every = [one for header in headers for one in header.names]
    members = [member for one in every for member in one.members]
    return {
        "headers": len(headers),
        "names": len(every),
        "without a comment of their own": sum(not one.own for one in every),
        "members": len(members),
    }


if __name__ == "__main__":
    import sys

    print(write(Path(sys.argv[1]), Path(sys.argv[2])))
