"""`sightline parts score`, `sightline parts hardness`, and their tables in `sightline report`."""

import csv
from pathlib import Path

import cv2
import numpy as np
import pytest

from sightline.data.class_names import imagenet
from sightline.parts.answers import About, Answer, Writer

DOGS = ("n02085620", "n02085782", "n02085936")
CATS = ("n02123045", "n02123159")
CONTENTS = ("intra-object", "neighborhood", "low-detail", "higher-detail")
HEAD = "image,category,part_scheme,content,step,steps,labels\n"


@pytest.fixture
def answered(tmp_path) -> Path:
    """Give the answers of two classifiers: the second one knows what it sees a step earlier."""
    for late, name in ((3, "slow"), (2, "quick")):
        with Writer(
            tmp_path / "answers" / f"{name}.parquet", About({name: imagenet().synsets})
        ) as w:
            for category, right, wrong in (("dog", DOGS[0], CATS[0]), ("cat", CATS[0], DOGS[0])):
                for number in range(4):
                    for scheme in ("e-u", "random"):
                        for content in CONTENTS:
                            told = (name, f"{category}{number}", category, scheme, content)
                            w.write(
                                Answer(*told, j, 4, (right if j >= late else wrong,))
                                for j in range(1, 5)
                            )
    return tmp_path / "answers"


def test_scores_with_chance_floor_and_row(sightline, answered, tmp_path):
    out = tmp_path / "out"
    answer = sightline("parts", "score", answered, "--out", out, "--resamples", 20)
    assert answer.code == 0, answer.err
    assert "chance" in answer.out
    assert "mapping  by-hand: cat 7, dog 118" in answer.out
    lines = list(csv.DictReader((out / "part-contents.csv").read_text().splitlines()))
    value = {x["classifier"]: float(x["value"]) for x in lines if x["content"] == "low-detail"}
    assert value["quick"] < value["slow"] < float(lines[0]["chance"])
    assert (out / "part-scores.row.json").is_file()
    page = sightline("report", out, "--out", tmp_path / "page", "--tables", "002-T2", "002-T3")
    assert "002-T2: CDS of the classifiers" in page.out
    assert (tmp_path / "page" / "002-T3.csv").is_file()
    all_of_them = sightline("report", out)
    assert "CL-ratios" in all_of_them.out


def test_classifiers_scored_one_by_one_are_compared_in_a_report(sightline, answered, tmp_path):
    for name in ("slow", "quick"):
        file = answered / f"{name}.parquet"
        call = ("parts", "score", file, "--out", tmp_path / "rows" / name, "--resamples", 0)
        assert "one classifier alone" in sightline(*call).out
    table = sightline("report", tmp_path / "rows", "--tables", "002-T3", "--json", "-").json
    lines = table["tables"]["002-T3"]["numbers"]
    assert {line["classifier"] for line in lines if line["rank"] == "lowest"} == {"quick"}
    other = ("--mapping", "hypernymy", "--out", tmp_path / "rows" / "other", "--resamples", 0)
    sightline("parts", "score", answered / "slow.parquet", *other)
    apart = sightline("report", tmp_path / "rows", "--tables", "part-errors", "--json", "-").json
    assert len(apart["tables"]) == 2  # another mapping is not mixed with it


def test_people_are_one_more_classifier(sightline, answered, tmp_path):
    lines = [
        f"{category}{number},{category},e-u,{content},{step},4,a {category}|something\n"
        for category in ("dog", "cat")
        for number in range(4)
        for content in CONTENTS
        for step in range(1, 5)
    ]
    (tmp_path / "anna.csv").write_text(HEAD + "".join(lines).replace(",a ", ","))
    call = ("parts", "score", answered, tmp_path / "anna.csv", "--resamples", 0, "--json", "-")
    table = sightline(*call).json["tables"]["part-contents"]
    found = {line["classifier"]: line for line in table if line["content"] == "low-detail"}
    assert found["anna"]["value"] == 0
    assert found["anna"]["chance"] is None  # which labels people have is not known


def test_labels_that_answers_do_not_tell(sightline, tmp_path):
    (tmp_path / "labels.txt").write_text("dog\ncat\ncar\n")
    (tmp_path / "a.csv").write_text(f"{HEAD}rex,dog,e-u,low-detail,1,1,cat\n")
    call = ("parts", "score", tmp_path / "a.csv", "--resamples", 0, "--json", "-")
    (cell,) = sightline(*call, "--labels", tmp_path / "labels.txt").json["tables"]["part-contents"]
    assert cell["floor"] == 0
    assert cell["floor"] < cell["value"] < cell["chance"]  # a cat is nearer than any of the three
    (tmp_path / "a.csv").write_text(f"{HEAD}rex,dog,e-u,low-detail,1,1,n02123045\n")
    (cell,) = sightline(*call).json["tables"]["part-contents"]
    assert cell["chance"] == pytest.approx(0.407, abs=5e-4)  # ILSVRC's id, so ILSVRC's labels


def test_hardness_from_answers_and_from_scores(sightline, answered, tmp_path):
    pictures = tmp_path / "pictures" / "context"
    pictures.mkdir(parents=True)
    for name in ("dog", "cat"):
        for number in range(4):
            cv2.imwrite(str(pictures / f"{name}{number}.png"), np.zeros((30, 40, 3), np.uint8))
    out = tmp_path / "hard"
    call = ("parts", "hardness", answered, "--images", tmp_path / "pictures", "--out", out)
    answer = sightline(*call)
    assert answer.code == 0, answer.err
    assert "CAPTCHA candidates" in answer.out
    assert cv2.imread(str(out / "hardness-by-content.png")).shape[1] > 500
    table = list(csv.DictReader((out / "hardness-by-classifier.csv").read_text().splitlines()))
    assert all(float(line["quick"]) < float(line["slow"]) for line in table)
    sightline("parts", "score", answered, "--out", tmp_path / "scores", "--resamples", 0)
    again = sightline("parts", "hardness", tmp_path / "scores", "--json", "-").json
    assert (
        again["captchas"]
        == sightline("parts", "hardness", answered, "--json", "-").json["captchas"]
    )
    (pictures / "cat0.png").unlink()
    assert "cat0: no picture of this image" in sightline(*call).refusal()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("rex,dog,e-u,low-detail,1,2,dog\n", "step 2 of 2 is not answered"),
        ("rex,blorp,e-u,low-detail,1,1,dog\n", "'blorp' is no noun of WordNet 3.0"),
        ("rex,dog,e-u,low-detail,1,1,blorp\n", "or name its synset with --synsets FILE"),
        ("rex,dog,e-u,low-detail,x,1,dog\n", "a.csv:2, rex: invalid literal"),
    ],
)
def test_what_is_wrong_is_one_line(sightline, tmp_path, line, said):
    (tmp_path / "a.csv").write_text(HEAD + line)
    assert said in sightline("parts", "score", tmp_path / "a.csv").refusal()


def test_what_is_left_out_is_listed(sightline, tmp_path):
    lines = "rex,dog,e-u,low-detail,1,1,blorp\nfido,dog,e-u,low-detail,1,2,dog\n"
    (tmp_path / "a.csv").write_text(HEAD + lines)
    answer = sightline("parts", "score", tmp_path / "a.csv", "--on-error", "skip", "--resamples", 0)
    assert answer.code == 0, answer.err
    assert "left out blorp: 'blorp' is no noun" in answer.out
    assert "fido: step 2 of 2 is not answered" in answer.out


def test_a_mapping_names_what_there_is(sightline, tmp_path, answered):
    file = tmp_path / "m.csv"
    file.write_text("category,label\ndog,n02085620\ncat,lynxx\n")
    call = ("parts", "score", answered, "--mapping", file, "--resamples", 0)
    assert "m.csv:3: no class is called 'lynxx'" in sightline(*call).refusal()
    file.write_text("category,label\ndog,Chihuahua\n")
    answer = sightline(*call)
    assert "warning  no label counts as cat" in answer.out
