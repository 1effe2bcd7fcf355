"""Word vectors from a file, and what they lack."""

import struct

import numpy as np
import pytest

from sightline.parts.similarity import measuring, word_vectors
from sightline.parts.wordnet.installed import WordNet

WORDS = {"dog": (1, 0), "Dog": (0, 1), "cat": (1, 1), "potted": (2, 0), "plant": (0, 2)}
DOG, CAT, TENCH = "n02084071", "n02121620", "n01440764"


@pytest.fixture(params=["text", "header", "binary"])
def file(request, tmp_path):
    lines = "".join(f"{word} {x} {y}\n" for word, (x, y) in WORDS.items())
    if request.param == "binary":
        packed = (f"{word} ".encode() + struct.pack("<2f", *of) for word, of in WORDS.items())
        (tmp_path / "v.bin").write_bytes(b"5 2\n" + b"\n".join(packed))
        return tmp_path / "v.bin"
    (tmp_path / "v.txt").write_text("5 2\n" * (request.param == "header") + lines)
    return tmp_path / "v.txt"


def test_cosines_of_usual_names(file):
    measure = measuring.make("word-vectors", WordNet(), {"file": str(file)})
    scores = measure.scores([DOG, TENCH], [CAT])
    assert scores[0, 0] == pytest.approx(np.sqrt(0.5))
    assert np.isnan(scores[1, 0])  # no tench among them
    assert measure.unit(scores)[1, 0] == 0


def test_the_report_names_what_is_missing(file):
    told = word_vectors.report(["dog", "tench", "potted plant", "potted fern"], file)
    assert told["missing"] == ["tench", "potted fern"]
    assert told["several_words"] == ["potted plant", "potted fern"]
    assert told["several_words_missing"] == ["potted fern"]
    assert told["capital_cosines"] == {"dog": 0}


def test_a_file_that_is_none(tmp_path):
    (tmp_path / "v.txt").write_text("dog 1 2\ncat 1 x\n")
    with pytest.raises(Exception, match=r"v\.txt:2: is no word with numbers"):
        word_vectors.read(tmp_path / "v.txt", {"cat"})
    (tmp_path / "v.bin").write_bytes(b"2 2\ndog " + struct.pack("<2f", 1, 2))
    with pytest.raises(Exception, match="ends before its 2 words do"):
        word_vectors.read(tmp_path / "v.bin", {"dog"})
    with pytest.raises(Exception, match="no such file"):
        word_vectors.read(tmp_path / "none.txt", {"dog"})
