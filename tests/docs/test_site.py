"""The site is whole: every page has its place, every link and anchor leads somewhere."""

import importlib.util
import re
import tomllib
from pathlib import Path

import pytest

pytest.importorskip("markdown_it")
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def site():
    spec = importlib.util.spec_from_file_location("site_builder", ROOT / "docs" / "site.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_it_builds_without_dead_links_and_needs_nothing_from_elsewhere(site, tmp_path, capsys):
    assert site.main(["--out", str(tmp_path)]) == 0, capsys.readouterr().err
    pages = sorted(tmp_path.glob("*.html"))
    assert len(pages) >= len({p for pages in site.SECTIONS.values() for p in pages})
    for page in pages:
        text = page.read_text()
        loaded = re.findall(r'(?:src|<link[^>]*href)="([^"]+)"', text)
        assert not [place for place in loaded if "://" in place]
        for target in re.findall(r'href="([^"#:]+)[#"]', text):
            assert (tmp_path / target).is_file(), (page.name, target)
        assert text.count('aria-current="page"') == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[there](nowhere.md)", "'nowhere.md' leads nowhere"),
        ("[there](data.md#not-a-heading)", "leads to no heading"),
        ("[there](#not-here)", "leads to no heading"),
    ],
)
def test_a_dead_link_fails_the_build(site, tmp_path, monkeypatch, capsys, text, said):
    pages = tmp_path / "docs"
    pages.mkdir()
    for name, content in (("guide.md", f"# A\n\n{text}\n"), ("data.md", "# Data\n\n## Boxes\n")):
        (pages / name).write_text(content)
    monkeypatch.setattr(site, "HERE", pages)
    monkeypatch.setattr(site, "SECTIONS", {"All": ("guide", "data")})
    assert site.main(["--out", str(tmp_path / "site")]) == 1
    told = capsys.readouterr().err
    assert told.startswith("guide.md: '")
    assert said in told


def test_a_page_without_a_place_comes_last(site, tmp_path, monkeypatch):
    (tmp_path / "stray.md").write_text("# Stray\n")
    monkeypatch.setattr(site, "HERE", tmp_path)
    monkeypatch.setattr(site, "SECTIONS", {})
    assert site.main(["--out", str(tmp_path / "site")]) == 0
    assert "<p>More</p>" in (tmp_path / "site" / "stray.html").read_text()


def test_every_recipe_is_told_with_its_cost() -> None:
    page = (ROOT / "docs" / "reproduce.md").read_text()
    for file in (ROOT / "recipes").glob("*.toml"):
        recipe = tomllib.loads(file.read_text())
        assert f"## {file.stem}\n" in page
        assert recipe["cost"] in page


def test_the_guides_commands_have_the_flags_they_show(sightline) -> None:
    text = (ROOT / "docs" / "guides.md").read_text()
    lines = re.findall(r"^sightline (.+)$", text, re.MULTILINE)
    assert len(lines) > 5
    for line in lines:
        words = line.split()
        name = words[:2] if words[0] == "annotate" else words[:1]
        shown = sightline(*name, "--help").out
        for flag in re.findall(r"--[\w-]+", line):
            assert flag in shown, (line, flag)
