"""check.py ROOT FOLDER: the pages of the site can be made, and the references have every name. With MNO_ALL_TESTS the whole
site is built, and its links are checked."""

import os
import re
import subprocess
import sys
from pathlib import Path

root, folder = Path(sys.argv[1]), Path(sys.argv[2])
sys.dont_write_bytecode = True
sys.path.insert(0, str(root / "docs" / "site"))
import assemble
import cpp_reference
import python_reference

SAMPLE = """#pragma once
// The idea of it: many things.
#include <vector>
namespace mno {
namespace detail { inline void hidden() {} }
/// A class.
template <class T, int D = (1 < 2)> class One : public Base<T> {
 public:
  explicit One(int x) : a_{x}, b_(x) { f("} // no comment"); }
  /// What it gives.
  int value() const requires(D > 0) { return a_; }
  int plain{};  // with a comment
                // of two lines
 private:
  int a_;
};
template <class T> One(T) -> One<T>;
// Not about what follows.

struct Two { static constexpr int n = 1'000; };
/// A concept.
template <class T> concept Three = requires(const T& t) { { t.x() } -> std::same_as<int>; };
enum class Four { a, b };
using Five = std::vector<int>;
inline constexpr double six = 6;
template <> inline constexpr double seven<int> = 7;
double eight(const std::vector<int>& of, int with = int{3});
bool operator==(const Two&, const Two&);
namespace metric {
/// Nine.
inline int nine() { return '{'; }
}
}
"""


def check_parser() -> None:
    names = cpp_reference.Reader(SAMPLE).read()
    found = [(one.name, one.kind) for one in names]
    assert found == [
        ("One", "class"),
        ("Two", "struct"),
        ("Three", "concept"),
        ("Four", "enum"),
        ("Five", "using"),
        ("six", "constant"),
        ("eight", "function"),
        ("operator==", "function"),
        ("metric::nine", "function"),
    ], found
    one, two = names[0], names[1]
    assert one.comment == "A class." and two.comment == "", (one.comment, two.comment)
    assert [member.name for member in one.members] == ["One", "value", "plain"], one.members
    assert [member.comment for member in one.members] == ["", "What it gives.", "with a comment of two lines"]
    assert one.members[0].declaration == "explicit One(int x)", one.members[0].declaration
    assert names[6].declaration == "double eight(const std::vector<int>& of, int with = int{3})", names[6].declaration


def check_names() -> None:
    """Every name of ours that examples and documentation use is in the reference. (mno::report is the program's.)"""
    headers = [
        cpp_reference.read_header(path, root / "include") for path in sorted((root / "include/mno").rglob("*.hpp"))
    ]
    known = {one.name for header in headers for one in header.names}
    members = {(one.name, member.name) for header in headers for one in header.names for member in one.members}
    used = set()
    for path in [root / "README.md", *(root / "docs").rglob("*.md"), *(root / "examples").rglob("*.cpp")]:
        used |= set(re.findall(r"\bmno::((?:\w+::)*\w+)", path.read_text()))
    components = {"mno", *re.findall(r"mno_component\((\w+)", (root / "CMakeLists.txt").read_text())}
    missing = []
    for name in sorted(used):
        head, _, last = name.rpartition("::")
        space = name in components or any(
            one.startswith(name + "::") for one in known
        )
        if (
            "detail" in name
            or name.startswith("report::")
            or space
            or name in known
            or head in known
            or (head, last) in members
        ):
            continue
        missing.append(name)
    assert not missing, f"the C++ reference lacks {missing}"
    assert len(used) > 150, len(used)
    assert all(header.idea for header in headers), [header.path for header in headers if not header.idea]


def main() -> None:
    check_parser()
    check_names()
    assemble.main(root, folder / "pages")
    page = (folder / "pages/reference/python.md").read_text()
    for module in python_reference.MODULES:
        for name, home, _ in python_reference.public(root / "python/mno", module):
            assert home == "_core" or name.split(".")[-1] in page, name
    assert "## mno.Law {: #mno-law }" in page and "### condition" in page
    if os.environ.get("MNO_ALL_TESTS"):
        build = subprocess.run(
            [root / "docs/site/build", folder / "site"], capture_output=True, text=True, check=False
        )
        print(build.stdout, build.stderr)
        if build.returncode and not (folder / "site/venv/bin/mkdocs").exists():
            print("Skipped: mkdocs-material could not be installed from PyPI.")
            sys.exit(77)
        assert build.returncode == 0 and " 0 of them wrong" in build.stdout


main()
