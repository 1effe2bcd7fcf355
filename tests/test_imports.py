"""Imports go one way, from the foundation to the command line; see the design's layout."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import sightline

ROOT = Path(sightline.__file__).parent
FOUNDATION = {
    "allocation",
    "compiled",
    "errors",
    "hyperparameters",
    "outlines",
    "progress",
    "provenance",
    "published",
    "registry",
    "rows",
    "types",
}
LAYERS = (
    FOUNDATION,
    {"execution", "data", "metrics", "backbones"},
    {"evaluation", "drawing"},
    {"methods", "attribution"},
    {"training"},
    {"annotators", "explaining", "looking"},
    {"protocol", "parts", "illposedness"},
    {"reports"},
    {"cli"},
    {"__main__"},
)
REPORTS_MAY_USE = FOUNDATION - {"progress", "provenance"} | {"metrics", "drawing", "reports"}
RANKS = {package: rank for rank, layer in enumerate(LAYERS) for package in layer}
MODULES = sorted(ROOT.rglob("*.py"))


def package_of(file: Path) -> str:
    return file.relative_to(ROOT).parts[0].removesuffix(".py")


def imported(file: Path) -> Iterator[tuple[int, str]]:
    """Give line and package of everything of ours that a module imports, wherever it does so."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        for name in names(node, file):
            first, *rest = name.split(".")
            if first == "sightline":
                yield node.lineno, rest[0] if rest else ""


def names(node: ast.AST, file: Path) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    base = node.module or ""
    if node.level:
        parents = ["sightline", *file.relative_to(ROOT).parent.parts]
        kept = parents[: len(parents) - node.level + 1]
        base = ".".join([*kept, base] if base else kept)
    return [f"{base}.{alias.name}" for alias in node.names] if base == "sightline" else [base]


def allowed(importer: str, target: str) -> bool:
    if importer == "reports":
        return target in REPORTS_MAY_USE
    same = importer == target or {importer, target} <= FOUNDATION
    return same or RANKS[target] < RANKS[importer]


def test_every_package_has_its_place():
    known = set(RANKS) | {"__init__"}
    assert {package_of(file) for file in MODULES} <= known


@pytest.mark.parametrize("file", MODULES, ids=lambda file: str(file.relative_to(ROOT)))
def test_a_module_imports_only_what_comes_before_it(file):
    importer = package_of(file)
    if importer == "__init__":  # the facade leads everywhere
        return
    wrong = [
        f"{file.relative_to(ROOT)}:{line} imports {target or 'the facade'}"
        for line, target in imported(file)
        if target not in RANKS or not allowed(importer, target)
    ]
    assert wrong == []


@pytest.mark.parametrize("layer", [*LAYERS[1:]], ids=lambda layer: "+".join(sorted(layer)))
def test_packages_of_one_layer_do_not_know_each_other(layer):
    for file in MODULES:
        if package_of(file) in layer:
            others = layer - {package_of(file)}
            assert not {target for _, target in imported(file)} & others, file


def test_the_rule_itself():
    assert allowed("metrics", "types")
    assert allowed("types", "rows")
    assert allowed("evaluation", "data")
    assert allowed("data", "data")
    assert allowed("reports", "drawing")
    assert not allowed("data", "metrics")
    assert not allowed("metrics", "evaluation")
    assert not allowed("reports", "evaluation")
    assert not allowed("rows", "data")


def test_imports_are_found_wherever_they_stand(tmp_path):
    file = ROOT / "data" / "imaginary.py"
    code = """
import sightline.cli.main
from sightline import rows
from sightline.metrics.box import measure
def late():
    from sightline.evaluation import evaluate
    from ..drawing import overlay
    from . import masks
if TYPE_CHECKING:
    import sightline
"""
    found = [name for node in ast.walk(ast.parse(code)) for name in names(node, file)]
    assert sorted(found) == [
        "sightline",
        "sightline.cli.main",
        "sightline.data",
        "sightline.drawing",
        "sightline.evaluation",
        "sightline.metrics.box",
        "sightline.rows",
    ]


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        ("sightline", {"numpy", "scipy", "numba", "cv2", "pandas", "pyarrow", "torch", "tyro"}),
        ("sightline.registry", {"numpy", "numba", "cv2", "pandas", "pyarrow", "torch", "tyro"}),
        ("sightline.cli.main", {"numpy", "numba", "cv2", "pandas", "pyarrow", "torch", "tyro"}),
        ("sightline.rows", {"numba", "cv2", "pandas", "pyarrow", "torch"}),
        ("sightline.published", {"numba", "cv2", "pandas", "torch"}),
        ("sightline.evaluation.evaluate", {"pandas", "pyarrow", "torch", "tyro", "matplotlib"}),
    ],
)
def test_what_an_import_does_not_bring(python, module, heavy):
    answer = python("-c", f"import sys, {module}; print(*sys.modules)")
    assert (answer.code, answer.err) == (0, "")
    assert not heavy & set(answer.out.split())
