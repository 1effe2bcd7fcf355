"""Which noun a data set means: PASCAL's and COCO's names, and Pond's, where WordNet has several.

A name that is not in `categories.csv` is looked up as it is.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("categories.csv")
PASCAL = (  # of the part benchmark
    *("aeroplane", "bicycle", "bird", "bus", "car", "cat"),
    *("cow", "dog", "horse", "person", "sheep", "train"),
)


@cache
def fixed() -> Mapping[str, str]:
    """Give the synset of each listed name."""
    lines = FILE.read_text(encoding="utf-8").splitlines()[1:]
    return dict(line.split(",") for line in lines)
