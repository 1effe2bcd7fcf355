"""The texts that stand for a synset: its gloss, and the glosses of all that it is related to."""

import re
from collections.abc import Iterable, Iterator

from sightline.parts.wordnet.glosses import Glosses

BETWEEN = " 00000 "  # no word of any gloss, and nothing that a compound reaches over
PUNCTUATION = str.maketrans(dict.fromkeys('.;:,?!(){}"`$%@<>', " "))
LONELY_APOSTROPHE = re.compile(r"(?<!\w)'|'(?!\w)", re.ASCII)
QUOTED = re.compile(r'"([^"]*)"')


def texts(glosses: Glosses, synset: str, function: str, *, examples: bool = False) -> list[str]:
    """Give the texts of one function of a synset; phrases do not reach from one to the next.

    `examples` belong to the glosses of related synsets only where they are asked for.
    """
    if function == "glos":
        return [definition(glosses.gloss(synset))]
    if function == "example":
        return [cleaned(quoted) for quoted in QUOTED.findall(glosses.gloss(synset))]
    if function == "glosexample":
        return [cleaned(glosses.gloss(synset))]
    if function == "syns":
        return sorted(set(glosses.words(synset)))
    shown = cleaned if examples else definition
    return [shown(glosses.gloss(one)) for one in glosses.related(synset, function)]


def definition(gloss: str) -> str:
    """Give a gloss without its examples, which begin at the first quotation mark."""
    return cleaned(gloss.partition('"')[0])


def cleaned(text: str) -> str:
    """Drop punctuation, and apostrophes and dashes that are not within a word."""
    text = LONELY_APOSTROPHE.sub(" ", text.translate(PUNCTUATION))
    return " ".join(text.replace("--", " ").lower().split())


def tokens(parts: Iterable[str]) -> Iterator[str]:
    """Give the words of texts, with something between the texts that is in no text."""
    for number, part in enumerate(parts):
        if number:
            yield ""
        yield from part.split()
