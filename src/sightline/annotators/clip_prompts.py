"""What an image-text model is asked: the class in some sentences, and what else might be there."""

from collections.abc import Sequence
from pathlib import Path

from sightline.data.class_names import read_class_names
from sightline.errors import UsageError
from sightline.types import Split

TEMPLATE = "a clean origami {}."
BACKGROUND = (  # what Lin et al., CLIP is Also an Efficient Segmenter, name for photographs of VOC
    *("ground", "land", "grass", "tree", "building", "wall", "sky", "lake", "water", "river"),
    *("sea", "railway", "railroad", "keyboard", "helmet", "cloud", "house", "mountain", "ocean"),
    *("road", "rock", "street", "valley", "bridge", "sign"),
)
NONE = "none"


def refuse_templates(templates: Sequence[str]) -> None:
    """Refuse sentences that have no place for a name."""
    if not templates:
        raise UsageError("--templates: give a sentence or more, with {} where the name goes")
    for one in templates:
        if one.count("{}") != 1 or "{" in one.replace("{}", ""):
            raise UsageError(f"--templates: '{one}' needs {{}} once, where the name goes")


def backgrounds(words: Sequence[str]) -> tuple[str, ...]:
    """Give the words for what is no object; `none` alone switches them off."""
    if tuple(words) == (NONE,):
        return ()
    empty = [word for word in words if not word.strip()]
    if empty or not words:
        raise UsageError("--background: give words, or none")
    return tuple(words)


def names_of(split: Split, file: str) -> dict[int, str]:
    """Name the classes that a split's images have; each of them needs a name to be asked for.

    Args:
        split: whose classes.
        file: of names, one class a line; the split's own names if empty.
    """
    known = list(split.classes)
    if file:
        table = read_class_names(Path(file))
        known = [table.name(label) for label in range(len(table))]
    wanted = sorted({int(label) for label in split.labels if label >= 0})
    if not wanted:
        raise UsageError(f"{split.dataset}: images have no class, hence no prompt")
    for label in wanted:
        if label >= len(known) or not known[label].strip():
            where = file or split.dataset
            raise UsageError(
                f"{where}: class {label} has no name, hence no prompt; write the names, one class a"
                " line, to a file and give it with --class-names"
            )
    return {label: spoken(known[label]) for label in wanted}


def spoken(name: str) -> str:
    """Write a name as people do: a folder's name has underscores, and a number before it."""
    words = name.replace("_", " ").split()
    head, dot, rest = words[0].partition(".")
    if dot and head.isdecimal() and rest:
        words[0] = rest
    return " ".join(words)
