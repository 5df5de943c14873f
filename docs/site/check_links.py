"""check_links.py FOLDER: does every link inside a site lead to a page, a file and a place that are there?"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []  # from other sites, when the page is opened
        self.places: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value is None:
                continue
            if name == "id" or (name == "name" and tag == "a"):
                self.places.add(value)
            if (name == "href" and tag in ("a", "link")) or (name == "src" and tag in ("img", "script")):
                self.links.append(value)
                if tag != "a" and "://" in value:
                    self.loaded.append(value)


def main(folder: Path) -> int:
    pages = {}
    for path in folder.rglob("*.html"):
        page = Page()
        page.feed(path.read_text())
        pages[path.resolve()] = page
    wrong, inside, outside = [], 0, 0
    for path, page in pages.items():
        if path.name == "404.html":  # its links begin at the server's root
            continue
        wrong += [f"{path.relative_to(folder)}: loads {one} from another site" for one in page.loaded]
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                outside += 1
                if parts.scheme not in ("http", "https", "mailto"):
                    wrong.append(f"{path.relative_to(folder)}: {link} has a scheme that is not followed")
                continue
            inside += 1
            target = path if not parts.path else (path.parent / unquote(parts.path)).resolve()
            if target.is_dir():
                target = target / "index.html"
            if not target.exists():
                wrong.append(f"{path.relative_to(folder)}: {link} leads nowhere")
            elif (
                parts.fragment
                and target in pages
                and unquote(parts.fragment) not in pages[target].places | {"", "__top"}
            ):
                wrong.append(f"{path.relative_to(folder)}: {link}: that page has no such place")
    for one in wrong:
        print(one)
    print(
        f"{len(pages)} pages, {inside} links inside, {len(wrong)} of them wrong; {outside} to other sites, which were not followed"
    )
    return 1 if wrong or inside == 0 else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
