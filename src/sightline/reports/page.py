"""The page: sections in their order, and the files that they load."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from sightline.errors import SightlineError
from sightline.reports.charts import Chart
from sightline.reports.explorer import take
from sightline.reports.tables import Table
from sightline.rows import write_whole

SNIPPET = "window.vegaEmbed = vegaEmbed;"
OWN = files("sightline.reports") / "page"


@dataclass(frozen=True, slots=True)
class Section:
    """One heading and what stands under it; each part only if it is there."""

    name: str  # of its anchor
    title: str
    texts: Sequence[str] = ()
    table: Table | None = None
    charts: Sequence[Chart] = ()
    pictures: Sequence[str] = ()  # files beside the page
    explorer: Mapping[str, str] | None = None  # key and file of its data
    notes: Sequence[str] = ()
    open: bool = False  # show the notes at once
    commands: Sequence[str] = ()
    files: Sequence[str] = ()  # beside the page, linked


def write(
    sections: Sequence[Section],
    brief: Sequence[tuple[str, Sequence[str]]],
    out: Path,
    *,
    title: str,
    version: str,
) -> Path:
    """Write the page with its style, scripts and charts; give its place."""
    out.mkdir(parents=True, exist_ok=True)
    placed = [_placed(section, out) for section in sections]
    if any(section["charts"] for section in placed):
        _write_library(out / "vega.js")
    explores = any(section["explorer"] for section in placed)
    for name in ("page.css", "page.js", *(("explorer.js",) if explores else ())):
        write_whole(out / name, (OWN / name).read_text(encoding="utf-8"))
    text = (
        _templates()
        .get_template("page.html")
        .render(title=title, sections=placed, brief=brief, version=version, explores=explores)
    )
    write_whole(out / "index.html", text)
    return out / "index.html"


def _templates() -> Any:
    try:
        from jinja2 import Environment, FunctionLoader, StrictUndefined
    except ImportError as error:  # pragma: no cover - part of every installation
        raise SightlineError("the page needs Jinja2: pip install jinja2") from error
    return Environment(
        loader=FunctionLoader(lambda name: (OWN / name).read_text(encoding="utf-8")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _placed(section: Section, out: Path) -> dict[str, Any]:
    """Write a section's charts and say where they are."""
    told = {name: getattr(section, name) for name in Section.__dataclass_fields__}
    told["charts"] = []
    for number, chart in enumerate(section.charts):
        key = f"charts/{section.name}-{number}"
        take(out / f"{key}.js", key, {**chart.spec, "description": chart.caption})
        told["charts"].append(
            {"key": key, "file": f"{key}.js", "caption": chart.caption, "height": chart.height}
        )
    return told


def _write_library(file: Path) -> None:
    """Put the library that draws the charts beside the page, once."""
    from importlib.metadata import version

    mark = f"/* vl-convert {version('vl-convert-python')} */\n"
    if file.is_file() and file.read_text(encoding="utf-8").startswith(mark):
        return
    write_whole(file, mark + _library())


@cache
def _library() -> str:
    import vl_convert

    return str(vl_convert.javascript_bundle(snippet=SNIPPET))
