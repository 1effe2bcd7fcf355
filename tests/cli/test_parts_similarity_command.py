"""`sightline parts similarity`."""

import csv


def table(file):
    return list(csv.DictReader(file.read_text().splitlines()))


def test_pairs_as_the_interface_says(sightline, tmp_path):
    pairs, out = tmp_path / "pairs.csv", tmp_path / "out.csv"
    pairs.write_text("synset_a,synset_b\nn02084071,n02121620\nn02121620,n02084071\n")
    measures = "path,lch,wup,res,lin,jcn,lesk"
    answer = sightline(
        "parts", "similarity", "--pairs", pairs, "--measures", measures, "--out", out
    )
    assert answer.code == 0, answer.err
    first, second = table(out)
    assert list(first) == ["synset_a", "synset_b", *measures.split(",")]
    assert (first["path"], first["lesk"]) == ("0.2", "83")
    assert first["synset_a"] == second["synset_b"] == "n02084071"


def test_names_are_looked_up_and_doubts_told(sightline, tmp_path):
    (tmp_path / "p.csv").write_text("synset_a,synset_b\ndog,crane\n")
    answer = sightline("parts", "similarity", "--pairs", tmp_path / "p.csv", "--measures", "wup")
    assert "n02084071" in answer.out
    assert "'crane' has 5 senses; taken:" in answer.out
    strict = sightline("parts", "similarity", "--pairs", tmp_path / "p.csv", "--senses", "stop")
    assert "'crane' has 5 senses, name one" in strict.refusal()


def test_labels_against_categories(sightline):
    answer = sightline(
        "parts", "similarity", "--categories", "dog", "--measures", "wup", "--json", "-"
    )
    lines = answer.json["lines"]
    assert len(lines) == 1000
    best = max(lines, key=lambda line: line["wup"])
    assert best["wup"] > 0.9
    assert best["category"] == "dog"


def test_the_published_row_of_criterion_2(sightline):
    answer = sightline(
        *("parts", "similarity", "--criteria", "--leave-empty", "person", "--json", "-"),
        *("--measures", "wup,res,path,lch"),
    )
    found = {line["measure"]: round(line["criterion_2"], 3) for line in answer.json["lines"]}
    assert found == {"wup": 0.833, "res": 0.833, "path": 0.75, "lch": 0.75}
    assert any("none for cow, person" in note for note in answer.json["notes"])


def test_what_is_wrong_is_one_line(sightline, tmp_path):
    (tmp_path / "p.csv").write_text("synset_a,synset_b\ndogg,cat\ncat,\n")
    call = ("parts", "similarity", "--pairs", tmp_path / "p.csv")
    assert "p.csv:3: one of the pair is missing" in sightline(*call).refusal()
    (tmp_path / "p.csv").write_text("synset_a,synset_b\ndogg,cat\n")
    assert "'dogg' is no noun of WordNet 3.0; did you mean" in sightline(*call).refusal()
    (tmp_path / "p.csv").write_text("a,b\n")
    assert "has no column 'synset_a'" in sightline(*call).refusal()
    assert "unknown similarity 'wupp'" in sightline(*call, "--measures", "wupp").refusal()
    assert "belong to --criteria" in sightline(*call, "--ties", "any").refusal()
