"""From answers to scores: sequences, meanings, chance and floor."""

import re

import numpy as np
import pytest

from sightline.data.class_names import imagenet
from sightline.errors import DataError, UsageError
from sightline.parts import answers
from sightline.parts.answers import About
from sightline.parts.scores import meaning, recording
from sightline.parts.scores.collecting import collect
from sightline.parts.scores.scoring import Options, score
from sightline.parts.similarity import measuring
from sightline.parts.wordnet.categories import PASCAL
from sightline.parts.wordnet.installed import WordNet

from .made import CAR, CAT, DOG, ENTRY, LABELS, sequence, write

WUP = {DOG: 1.0, CAT: 26 / 30}


def understood(categories, labels, mapping="hypernymy", **options):
    measure = measuring.make("wup", WordNet())
    return meaning.understand(categories, labels, measure, mapping, **options)


def test_a_sequence_is_scored_by_similarity_and_by_hits(tmp_path):
    file = write(tmp_path / "a.parquet", sequence([CAT, DOG, DOG]), sequence([DOG], image="fido"))
    collected = collect([file])
    scores = score(collected, understood(["dog"], [*LABELS, *collected.labels]), Options())
    lines = scores.frame.set_index("image")
    assert lines.loc["rex", "cds"] == pytest.approx(1 - (3 * WUP[CAT] + 2 + 1) / 6)
    assert lines.loc["rex", "b_cds"] == pytest.approx(0.5)
    assert lines.loc["rex", "hits"] == "011"
    assert lines.loc["rex", "error"] == pytest.approx(1 / 3)
    assert lines.loc["fido", "cds"] == 0


def test_chance_and_floor_of_ilsvrc_are_the_known_ones():
    labels = imagenet().synsets
    expected = understood(PASCAL, labels, "by-hand").expected(labels)
    by_name = dict(zip(PASCAL, expected["cds"]["chance"], strict=True))
    assert np.mean(expected["cds"]["chance"]) == pytest.approx(0.481, abs=5e-4)
    assert np.mean(expected["cds"]["floor"]) == pytest.approx(0.057, abs=5e-4)
    assert by_name["dog"] == pytest.approx(0.407, abs=5e-4)
    assert by_name["cow"] == pytest.approx(0.556, abs=5e-4)
    floor = dict(zip(PASCAL, expected["cds"]["floor"], strict=True))
    assert floor["person"] == pytest.approx(0.176, abs=5e-4)
    assert expected["b_cds"]["floor"].tolist() == [0] * 12


def test_files_come_together_and_order_does_not_matter(tmp_path):
    first = write(tmp_path / "a.parquet", sequence([CAT, DOG])[::-1])
    second = write(tmp_path / "b.csv", sequence([DOG, DOG], classifier="anna"))
    collected = collect(answers.find([tmp_path]))
    assert collected.frame["classifier"].tolist() == ["lite0", "anna"]
    told = [[collected.labels[n] for n in best] for best in collected]
    assert told == [[CAT, DOG], [DOG, DOG]]
    again = collect([second, first])
    assert sorted(again.frame["classifier"]) == ["anna", "lite0"]


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda lines: lines[:1], "step 2 of 3 is not answered"),
        (lambda lines: [*lines, lines[0]], "step 1 is answered 2 times"),
        (lambda lines: lines[1:], "step 1 of 3 is not answered"),
    ],
)
def test_a_sequence_that_is_not_whole_stops_or_is_left_out(tmp_path, spoil, said):
    whole = sequence([DOG, DOG, DOG], image="fido")
    file = write(tmp_path / "a.parquet", spoil(sequence([CAT, DOG, DOG])), whole)
    with pytest.raises(DataError, match=re.escape(said)) as refused:
        collect([file])
    assert "lite0, e-u, intra-object, rex" in str(refused.value)
    left = collect([file], skip=True)
    assert left.frame["image"].tolist() == ["fido"]
    assert len(left.problems) == 1


def test_no_answers_at_all(tmp_path):
    with pytest.raises(DataError, match="there are no answers"):
        collect([write(tmp_path / "a.parquet")])


def test_labels_that_mean_nothing_stop_or_count_as_unlike_everything():
    with pytest.raises(DataError, match="'blorp' is no noun of WordNet"):
        understood(["dog"], ["dog", "blorp"])
    skipped = understood(["dog"], ["dog", "blorp"], skip=True)
    assert skipped.similar[:, 0].tolist() == [1, 0]
    assert [problem.image for problem in skipped.problems] == ["blorp"]
    told = understood(["dog"], ["dog", "blorp"], told={"blorp": DOG})
    assert told.similar[:, 0].tolist() == [1, 1]
    assert told.hits[:, 0].tolist() == [True, True]


def test_a_category_that_means_nothing_always_stops():
    with pytest.raises(DataError, match="'blorp' is no noun"):
        understood(["blorp"], ["dog"], skip=True)


def test_senses_that_are_not_clear_are_told():
    noted = understood(["dog"], ["crane"]).notes
    assert "'crane' has 5 senses" in noted[0]
    with pytest.raises(DataError, match="name one"):
        understood(["dog"], ["crane"], senses="stop")


def test_fine_labels_are_judged_on_coarse_categories():
    made = understood(["aquatic bird"], ["mallard", "swan", "bullfrog"])
    assert made.hits[:, 0].tolist() == [True, True, False]


def test_synsets_from_a_file(tmp_path):
    file = tmp_path / "s.csv"
    file.write_text(f"name,synset\nblorp,{DOG}\ncoach,bus#1\n")
    assert meaning.read_synsets(file) == {"blorp": DOG, "coach": "n02924116"}
    file.write_text("name,synset\nblorp,n1\n")
    with pytest.raises(DataError, match=r"s\.csv:2: 'n1' is no noun"):
        meaning.read_synsets(file)
    file.write_text("a,b\n")
    with pytest.raises(UsageError, match=r"s\.csv:1: has not the columns"):
        meaning.read_synsets(file)


def test_a_row_holds_all_that_was_scored(tmp_path):
    about = About({"lite0": LABELS}, {"ledger": [ENTRY], "seed": 7})
    collected = collect([write(tmp_path / "a.parquet", sequence([CAT, DOG]), about=about)])
    meanings = understood(["dog"], LABELS)
    scores = score(collected, meanings, Options(mapping="hypernymy"))
    row = recording.record(scores, collected, meanings, {}, tmp_path / "out")
    assert row.ledger[0].labels == 6
    assert row.result["inputs"].keys() == {"a.parquet"}
    assert row.result["sequences_made"] == [{"seed": 7}]
    back = recording.load(tmp_path / "out" / recording.ROW)
    assert back.frame.equals(scores.frame)
    assert back.options == scores.options
    assert back.expected == scores.expected
    again = recording.record(scores, collected, meanings, {}, tmp_path / "out")
    assert again.result == row.result
    (tmp_path / "out" / recording.FILE).unlink()
    with pytest.raises(DataError, match="make its row again"):
        recording.load(tmp_path / "out" / recording.ROW)


def test_an_unlabelled_classifier_has_no_chance_level(tmp_path):
    collected = collect([write(tmp_path / "a.parquet", sequence([CAR, DOG]), about=About())])
    assert score(collected, understood(["dog"], collected.labels), Options()).expected == {}
