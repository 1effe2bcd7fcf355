"""What a registered file says of itself, read from its text: nothing of it is imported.

An option's type is written out: a name that stands for a type, here or in the file that it is
imported from, is replaced by what it stands for.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent
PACKAGE = "sightline."
DEPTH = 5  # names that stand for names


def outline(file: Path) -> tuple[str, str, tuple[str, ...]]:
    """Read the title, the line that begins "Paper:" and the fields of `Options` from a source."""
    try:
        tree = _parsed(file)
    except (SyntaxError, ValueError) as error:
        return f"(cannot be read: {error})", "", ()
    lines = [line.strip() for line in (ast.get_docstring(tree) or "").splitlines()]
    paper = next((line.removeprefix("Paper:").strip() for line in lines if "Paper:" in line), "")
    return lines[0] if lines else "", paper, tuple(_options(file, tree))


@cache
def _parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8", errors="replace"))


def _options(file: Path, tree: ast.Module) -> Iterator[str]:
    """Give the fields of `Options`, those of another file's that it extends first."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == "Options":
            for base in node.bases:
                if isinstance(base, ast.Attribute) and base.attr == "Options":
                    other = file.with_name(f"{ast.unparse(base.value)}.py")
                    yield from _options(other, _parsed(other))
            fields = (field for field in node.body if isinstance(field, ast.AnnAssign))
            yield from (_option(field, file) for field in fields)


def _option(field: ast.AnnAssign, file: Path) -> str:
    """Write a field as `name: type = default  (what it means)`."""
    kind, meaning = _told(field.annotation, file)
    default = f" = {ast.unparse(field.value)}" if field.value else ""
    return f"{ast.unparse(field.target)}: {ast.unparse(kind)}{default}{meaning}"


def _told(annotation: ast.expr, file: Path, depth: int = DEPTH) -> tuple[ast.expr, str]:
    """Give a type, and what is said of it."""
    if isinstance(annotation, ast.Subscript) and ast.unparse(annotation.value) == "Annotated":
        parts = annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else []
        kind, _ = _told(parts[0], file, depth)
        said = [part.value for part in parts[1:2] if isinstance(part, ast.Constant)]
        return kind, "".join(f"  ({text!s})" for text in said)
    if isinstance(annotation, ast.BinOp):
        left, right = (_told(side, file, depth) for side in (annotation.left, annotation.right))
        return ast.BinOp(left[0], annotation.op, right[0]), left[1] or right[1]
    if isinstance(annotation, ast.Name) and depth:
        found = _meant(annotation.id, file)
        if found:
            return _told(*found, depth - 1)
    return annotation, ""


def _meant(name: str, file: Path) -> tuple[ast.expr, Path] | None:
    """Find what a name stands for, and the file that says so; nothing for a class."""
    for node in _parsed(file).body:
        if isinstance(node, ast.Assign) and name in map(ast.unparse, node.targets):
            return node.value, file
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PACKAGE):
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    relative = str(node.module).removeprefix(PACKAGE).replace(".", "/")
                    other = ROOT / f"{relative}.py"
                    return _meant(alias.name, other) if other.is_file() else None
    return None
