"""The study scores what the evaluator scores, and names what is no map."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from sightline.backbones.contract import Normalization
from sightline.errors import DataError, SightlineError, UsageError
from sightline.evaluation.evaluate import evaluate
from sightline.explaining.choosing import chosen
from sightline.explaining.explainers import explainer, of_anything, options_of
from sightline.explaining.grids import grid
from sightline.explaining.passing import Asked
from sightline.explaining.study import Study, study
from sightline.explaining.subjects import Candidate, from_file, of_network

QUIET = {"resamples": 20, "show_progress": False, "batch": 4}


def subject(net, name="Net"):
    return from_file(f"{net}:{name}", 64, Normalization())


def asked(**more):
    return Asked(**{**QUIET, **more})


def test_the_score_is_that_of_the_maps_on_disk(net, dataset, photographs, tmp_path):
    """Maps are written as they are scored: the evaluator finds the same, but for their rounding."""
    one = subject(net)
    pairs = [(one, explainer("cam")), (one, explainer("vb", {"blur": 31}))]
    found = study(pairs, dataset, asked=asked(out=tmp_path / "out"))
    for said in found:
        for protocol, row in said.rows.items():
            again = evaluate(
                tmp_path / "out" / said.explainer.name,
                dataset.truth,
                protocol,
                purpose="study",
                resamples=20,
            )
            assert again.result["value"] == pytest.approx(row.result["value"], abs=0.6)
            assert row.result["images"] == 10
        assert said.seconds > 0
    stored = sorted((tmp_path / "out").glob("*.row.json"))
    assert [file.name for file in stored] == [
        f"{name}-{protocol}.row.json"
        for name in ("cam", "vb")
        for protocol in ("pixels", "reference-v2")
    ]


def test_each_is_tested_against_the_first_on_the_same_images(net, dataset):
    one = subject(net)
    cam, vb = explainer("cam"), explainer("vb")
    base, other = study([(one, vb)], dataset, against=(one, cam), asked=asked())
    assert base.explainer.name == "cam"
    for protocol, row in other.rows.items():
        test = row.result["against"]
        mine, theirs = row.result["value"], base.rows[protocol].result["value"]
        assert test["difference"] == pytest.approx(mine - theirs)
        assert (test["maps"], test["images"]) == ("cam", 10)
        assert "against" not in base.rows[protocol].result


def test_what_each_row_says_of_how_it_came_about(net, dataset):
    one = subject(net)
    (found,) = study([(one, explainer("sg-vb", {"samples": 2}))], dataset, asked=asked())
    row = found.rows["pixels"]
    told = row.result["explainer"]
    assert (told["name"], told["samples"], told["blur"]) == ("sg-vb", 2, 127)
    assert row.result["explained"]["labels"] == "given"
    assert row.result["explained"]["network"] == "net.py:Net"
    assert [entry.purpose for entry in row.ledger] == ["study"]
    assert row.provenance["seconds_an_image"] == pytest.approx(found.seconds)


def test_predicted_labels_are_the_network_s_own(net, dataset):
    seen = []

    def watch(images, labels):
        seen.append((labels, one.network.answers(images).argmax(1)))
        return images.mean(1)

    one = subject(net)
    study([(one, of_anything("watch", watch))], dataset, asked=asked(labels="predicted"))
    assert len(seen) == 3
    assert all(torch.equal(labels, likeliest) for labels, likeliest in seen)


def test_constant_maps_are_named(net, dataset):
    one = subject(net)
    (found,) = study([(one, explainer(f"{net}:constant"))], dataset, asked=asked())
    assert found.constant == list(dataset.split.ids)
    assert found.rows["pixels"].result["warnings"]["constant_maps"] == 10
    assert found.rows["pixels"].result["constant"] == list(dataset.split.ids)


def test_maps_of_the_wrong_shape_are_named(net, dataset):
    with pytest.raises(UsageError, match=r"gave \(2, 3\) .*class_0/0000.png"):
        study([(subject(net), explainer(f"{net}:wrong"))], dataset, asked=asked())


def test_maps_that_are_not_finite_are_named_and_can_be_left_out(net, dataset):
    pairs = [(subject(net), explainer(f"{net}:broken"))]
    with pytest.raises(DataError, match=r"class_1/0001.png: net.py:broken's map holds NaN"):
        study(pairs, dataset, asked=asked())
    (found,) = study(pairs, dataset, asked=asked(on_error="skip"))
    assert found.rows["pixels"].result["images"] == 7  # the second image of each batch is missing
    named = [problem.image for problem in found.problems]
    assert named == ["class_1/0001.png", "class_1/0005.png", "class_1/0009.png"]


def test_labels_that_the_network_does_not_have_are_named(net, dataset):
    net.write_text(net.read_text().replace("nn.Linear(16, 4)", "nn.Linear(16, 2)"))
    with pytest.raises(DataError, match=r"class_2/0002.png: class 2, but the network has 2"):
        Study(subject(net), dataset, asked())
    Study(subject(net), dataset, asked(labels="predicted"))


def test_maps_on_disk_are_an_explainer_too(net, dataset, tmp_path):
    one = subject(net)
    (cam,) = study([(one, explainer("cam"))], dataset, asked=asked(out=tmp_path))
    folder = explainer(f"maps:{tmp_path / 'cam'}")
    (found,) = study([(one, folder)], dataset, asked=asked())
    for protocol, row in found.rows.items():
        assert row.result["value"] == pytest.approx(cam.rows[protocol].result["value"], abs=0.6)
    few = dataset.chosen([0, 1])
    with pytest.raises(DataError, match=r"map|image"):
        study([(one, folder)], few, asked=asked())
    with pytest.raises(UsageError, match="no such folder"):
        explainer("maps:nowhere")


@pytest.mark.parametrize("own", [False, True])
def test_of_several_networks_the_best_one_is_chosen(net, dataset, tmp_path, own):
    """A network that answers nothing has constant maps; every explainer does better without it."""
    flat = tmp_path / "flat.py"
    flat.write_text(net.read_text().replace("return self.head", "return 0 * self.head"))
    subjects = [subject(flat), subject(net)]
    made = []

    def candidate(one):
        return Candidate(one.title, lambda: made.append(one.title) or one)

    cam = explainer("cam")
    explainers = [cam, explainer("vb")]
    pairs = chosen(
        [candidate(one) for one in subjects],
        dataset,
        explainers,
        asked=asked(),
        chooser=None if own else cam,
    )
    assert made[:2] == ["flat.py:Net", "net.py:Net"]  # each once, and the chosen ones again
    assert [one.name for _, one in pairs] == ["cam", "vb"]
    scores = {}
    for place, name in ((0, "cam"), (1, "vb")):
        found = study([(one, explainers[place]) for one in subjects], dataset, asked=asked())
        protocol = next(iter(found[0].rows))
        scores[name] = [said.rows[protocol].result["value"] for said in found]
    for (picked, one), name in zip(pairs, ["cam", "vb" if own else "cam"], strict=True):
        best = int(np.argmax(scores[name]))
        assert picked.title == subjects[best].title, one.name
        assert picked.origin["choice"]["by"] == name
        assert list(picked.origin["choice"]["values"].values()) == scores[name]
        assert [entry.purpose for entry in picked.ledger] == ["study"]  # what the choice consumed


def test_networks_of_one_name_are_told_apart(net, dataset, tmp_path):
    """Trials of two searches are both called 0000."""
    other = tmp_path / "other.py"
    other.write_text(net.read_text().replace("manual_seed(0)", "manual_seed(1)"))
    twins = [replace(subject(file), title="0000") for file in (net, other)]
    found = study([(one, explainer("vb")) for one in twins], dataset, asked=asked())
    values = [said.rows["pixels"].result["value"] for said in found]
    alone = [study([(one, explainer("vb"))], dataset, asked=asked())[0] for one in twins]
    assert values == [said.rows["pixels"].result["value"] for said in alone]
    assert values[0] != values[1]


def test_the_grid_is_what_single_studies_give_and_runs_the_network_once_for_each_n(net, dataset):
    one = subject(net)
    work = Study(one, dataset, asked())
    calls = []
    scores = one.network.scores
    one.network.scores = lambda images: calls.append(len(images)) or scores(images)
    cells = grid(work, "sg-vb", {"noise": 0.1}, blurs=(0, 31), samples=(2, 3))
    assert sum(calls) == 10 * (2 + 3)
    assert [(cell.samples, cell.blur) for cell in cells] == [(2, 0), (2, 31), (3, 0), (3, 31)]
    for cell in cells:
        known = {"noise": 0.1, "blur": cell.blur, "samples": cell.samples}
        (alone,) = study([(one, explainer("sg-vb", known))], dataset, asked=asked())
        for protocol, row in cell.rows.items():
            wanted = alone.rows[protocol].result
            assert row.result["value"] == pytest.approx(wanted["value"], abs=1e-6)
            assert row.result["explainer"] == wanted["explainer"]
        assert cell.seconds > 0


def test_a_grid_needs_a_blur(net, dataset):
    with pytest.raises(UsageError, match="'cam' has no blur"):
        grid(Study(subject(net), dataset, asked()), "cam", {}, blurs=(0,), samples=(1,))
    cells = grid(Study(subject(net), dataset, asked()), "vb", {}, blurs=(0, 5), samples=(3, 4))
    assert [(cell.samples, cell.blur) for cell in cells] == [(1, 0), (1, 5)]


def test_options_of_several_explainers_are_put_together():
    assert set(options_of(["cam"])) == set()
    both = options_of(["score-cam", "sg-vb", "FILE.py:NAME"])
    assert {"limit", "samples", "noise", "chunk"} <= set(both)


@pytest.mark.parametrize(
    ("name", "said"),
    [("NUMBER", "no torch module"), ("Nothing", "has no 'Nothing'")],
)
def test_what_is_no_network_is_refused(net, name, said):
    with pytest.raises(UsageError, match=said):
        subject(net, name)


def test_a_python_file_that_fails_is_one_line(tmp_path):
    file = tmp_path / "bad.py"
    file.write_text("1 / 0\n")
    with pytest.raises(
        SightlineError, match=r"bad.py fails: ZeroDivisionError: division by zero \(bad.py:1\)"
    ):
        subject(file)
    with pytest.raises(UsageError, match="no such Python file"):
        subject(tmp_path / "absent.py")


def test_the_packaged_way_of_feeding_is_the_network_s_own(net):
    one = subject(net)
    fed = of_network("net", one.network, 96)
    assert (fed.transform.test_resize, fed.transform.mean) == (96, one.network.normalization.mean)
