"""Build the site of the documentation from docs/*.md: plain pages that open from disk, offline.

.venv/bin/python docs/site.py [--out site]

A page that has no place in `SECTIONS` comes last; a link or an anchor that leads nowhere fails the
build. Other files that pages link to are copied beside them.
"""

import argparse
import html
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from markdown_it import MarkdownIt

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
SECTIONS: Mapping[str, tuple[str, ...]] = {
    "Begin": ("README", "CONTRIBUTING"),
    "Guides": ("guides", "reproduce"),
    "Measure": ("protocol", "protocols", "data", "building", "pond", "page", "paper", "illposed"),
    "Train and search": ("training", "backbones", "methods", "cluster"),
    "Explain and annotate": (
        *("look", "explainers", "explainer-cards", "annotators", "annotator-models"),
    ),
    "Parts": ("parts", "part-scores", "similarity"),
    "Reference": ("commands", "registry", "api"),
}
OUTSIDE = ("README", "CONTRIBUTING")  # pages of the repository's root
PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title} - Sightline</title>
<style>{style}</style>
<nav><p><b>Sightline</b></p>{nav}</nav>
<main>{body}</main></html>
"""
STYLE = """
body{margin:0;display:flex;font:16px/1.5 system-ui,sans-serif;color:#222;background:#fff}
nav{flex:0 0 14rem;padding:1rem;background:#f4f5f7;min-height:100vh;font-size:.9rem}
nav p{margin:.8rem 0 .2rem}nav a{display:block;color:#124;text-decoration:none;padding:.1rem 0}
nav a[aria-current]{font-weight:bold}
main{max-width:52rem;min-width:0;padding:1rem 2rem}
pre{background:#f4f5f7;padding:.7rem;overflow-x:auto;font-size:.85rem}code{font-size:.9em}
table{border-collapse:collapse;display:block;overflow-x:auto;font-size:.9rem}
th,td{border:1px solid #ccd;padding:.25rem .5rem;text-align:left;vertical-align:top}
img{max-width:100%}a:focus{outline:2px solid #b50}
@media(max-width:50rem){body{display:block}nav{min-height:0}}
"""
LINK = re.compile(r'(href|src)="([^"]+)"')
HEADING = re.compile(r"<h([1-6])>(.*?)</h\1>")


def source(page: str) -> Path:
    """Tell the file of a page."""
    return (ROOT if page in OUTSIDE else HERE) / f"{page}.md"


def anchor(heading: str) -> str:
    """Make a heading's anchor as GitHub does."""
    text = html.unescape(re.sub(r"<[^>]+>", "", heading)).lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def rendered(page: str) -> str:
    """Turn a page into HTML whose headings have anchors."""
    markdown = MarkdownIt("commonmark").enable("table")
    body = str(markdown.render(source(page).read_text(encoding="utf-8")))
    return HEADING.sub(lambda m: f'<h{m[1]} id="{anchor(m[2])}">{m[2]}</h{m[1]}>', body)


class Site:
    """All pages, and what is wrong with them."""

    def __init__(self, out: Path) -> None:
        self.out = out
        placed = {page for pages in SECTIONS.values() for page in pages}
        more = sorted({file.stem for file in HERE.glob("*.md")} - placed)
        self.sections = {**SECTIONS, **({"More": tuple(more)} if more else {})}
        self.pages = [page for pages in self.sections.values() for page in pages]
        self.bodies = {page: rendered(page) for page in self.pages if source(page).is_file()}
        self.problems = [f"{p}.md: is no file" for p in self.pages if p not in self.bodies]
        self.anchors = {
            page: set(re.findall(r' id="([^"]*)"', body)) for page, body in self.bodies.items()
        }

    def write(self) -> None:
        """Write every page, and what pages link to."""
        self.out.mkdir(parents=True, exist_ok=True)
        for page, body in self.bodies.items():
            linked = LINK.sub(lambda m, p=page: self._link(p, m[1], m[2]), body)
            found = re.search(r"<h1[^>]*>(.*?)</h1>", body)
            title = re.sub(r"<[^>]+>", "", found[1]) if found else page
            nav = "".join(self._nav(page))
            text = PAGE.format(title=title, style=STYLE, nav=nav, body=linked)
            (self.out / name(page)).write_text(text, encoding="utf-8")

    def _nav(self, current: str) -> Iterator[str]:
        for section, pages in self.sections.items():
            yield f"<p>{section}</p>"
            for page in pages:
                here = ' aria-current="page"' if page == current else ""
                yield f'<a href="{name(page)}"{here}>{page.lower()}</a>'

    def _link(self, page: str, kind: str, target: str) -> str:
        """Lead a link to where the site has it; note one that leads nowhere."""
        if re.match(r"[a-z]+:", target):
            return f'{kind}="{target}"'
        path, _, place = target.partition("#")
        file = (source(page).parent / path).resolve() if path else source(page)
        known = {source(one).resolve(): one for one in self.bodies}
        if file in known:
            other = known[file]
            if place and place not in self.anchors[other]:
                self.problems.append(f"{page}.md: '{target}' leads to no heading")
            return f'{kind}="{name(other)}{"#" + place if place else ""}"'
        if not file.exists():
            self.problems.append(f"{page}.md: '{target}' leads nowhere")
        elif file.is_file():
            shutil.copy(file, self.out / file.name)
        elif file == HERE:
            return f'{kind}="index.html"'
        else:
            self.problems.append(f"{page}.md: '{target}' is a folder, which a site does not show")
        return f'{kind}="{file.name}"'


def name(page: str) -> str:
    """Tell the file name of a page on the site."""
    return "index.html" if page == "README" else f"{page.lower()}.html"


def main(arguments: list[str] | None = None) -> int:
    """Build, and say what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "site")
    site = Site(parser.parse_args(arguments).out)
    site.write()
    for problem in site.problems:
        sys.stderr.write(f"{problem}\n")
    print(f"{len(site.bodies)} pages in {site.out}")
    return int(bool(site.problems))


if __name__ == "__main__":
    sys.exit(main())
