"""`sightline explain` as a user calls it."""

import importlib.util
import json
import shutil
from pathlib import Path

import pytest
from PIL import Image

from sightline import rows

torch = pytest.importorskip("torch")

COMPARED = ("against", "cam", "p")

spec = importlib.util.spec_from_file_location(
    "scenes", Path(__file__).parents[1] / "explaining" / "conftest.py"
)
scenes = importlib.util.module_from_spec(spec)
spec.loader.exec_module(scenes)


@pytest.fixture(scope="module")
def photographs(tmp_path_factory):
    from sightline.data import example

    root = tmp_path_factory.mktemp("scenes")
    example.write(root, 8, 5)
    return root


@pytest.fixture
def flags(photographs, tmp_path):
    net = scenes.write_network(tmp_path / "net.py")
    data = ["--data", photographs / "truth", "--images", photographs / "images"]
    return [*data, "--model", f"{net}:Net", "--size", 64, "--resamples", 20]


def test_a_table_with_intervals_tests_and_costs(sightline, flags):
    answer = sightline("explain", "vb", "ig-vb", *flags, "--samples", 2, "--blur", 15)
    assert answer.code == 0, answer.err
    lines = answer.out.splitlines()
    assert lines[0].startswith("MaxBoxAccV2  8 images")
    assert lines[1].split() == ["explainer", "score", "interval", *COMPARED, "s/image"]
    assert [line.split()[0] for line in lines[2:5]] == ["cam", "vb", "ig-vb"]
    assert lines[-1].startswith("threshold: oracle on this split")


def test_json_says_everything(sightline, flags, tmp_path):
    out = tmp_path / "out"
    found = sightline("explain", "vb", *flags, "--blur", 15, "--out", out, "--json", "-").json
    assert [one["explainer"] for one in found] == ["cam", "vb"]
    assert found[1]["options"]["blur"] == 15
    assert found[1]["results"][0]["against"]["maps"] == "cam"
    assert found[1]["seconds_an_image"] > 0
    assert (out / "vb" / "maps-00000.parquet").is_file()
    assert (out / "vb-reference-v2.row.json").is_file()


def test_a_subset_is_evenly_spaced_and_nobody_need_be_compared(sightline, flags):
    found = sightline(
        "explain", "vb", *flags, "--subset", 3, "--against", "none", "--json", "-"
    ).json
    assert [one["explainer"] for one in found] == ["vb"]
    assert found[0]["results"][0]["images"] == 3


def test_a_function_of_the_user_s_own(sightline, flags, tmp_path):
    answer = sightline("explain", f"{tmp_path / 'net.py'}:constant", *flags)
    assert answer.code == 0, answer.err
    assert "net.py:constant: the same everywhere in 8 maps (class_0/0000.png, " in answer.out


def test_the_grid_is_a_table_and_a_picture(sightline, flags, tmp_path):
    asked = ["--grid-blur", 0, 15, 31, "--grid-samples", 1, 2, "--out", tmp_path / "grid"]
    answer = sightline("explain", "sg-vb", *flags, *asked)
    assert answer.code == 0, answer.err
    lines = answer.out.splitlines()
    assert lines[1].split() == ["N", "blur", "0", "blur", "15", "blur", "31", "s/image"]
    assert [line.split()[0] for line in lines[2:4]] == ["1", "2"]
    assert lines[4].startswith("best: N ")
    with Image.open(tmp_path / "grid" / "grid-sg-vb-reference-v2.png") as picture:
        assert picture.width > 3 * 72
    found = sightline("explain", "sg-vb", *flags, *asked[:-2], "--json", "-").json
    assert [(cell["samples"], cell["blur"]) for cell in found] == [
        (n, blur) for n in (1, 2) for blur in (0, 15, 31)
    ]


@pytest.fixture(scope="module")
def runs(photographs, tmp_path_factory):
    """Train two networks of one backbone and one of another."""
    from sightline.training import train

    root = tmp_path_factory.mktemp("runs")
    plan = {"epochs": 1, "batch": 4, "evaluate_every": 0, "train_split": "all"}
    plan |= {"images": photographs / "images", "show_progress": False}
    made = []
    for backbone, seed in (("small-plain", 0), ("small-plain", 1), ("small-resnet", 0)):
        made.append(root / f"run{len(made)}")
        train("cam", photographs / "truth", backbone, made[-1], seed=seed, **plan)
    return made


@pytest.fixture
def on_all(photographs):
    data = ["--data", photographs / "truth", "--images", photographs / "images"]
    return [*data, "--resamples", 20, "--blur", 15, "--split", "all", "--choose-split", "all"]


def test_a_run_is_explained(sightline, runs, on_all):
    one = sightline("explain", "vb", *on_all, "--run", runs[0])
    assert one.code == 0, one.err
    assert "network run0; protocol" in one.out


def test_of_the_runs_of_a_backbone_one_is_chosen(sightline, runs, on_all, tmp_path):
    for choice in ("cam", "own"):
        asked = ["--run", *runs[:2], "--choose", choice, "--out", tmp_path / choice, "--json", "-"]
        found = sightline("explain", "vb", *on_all, *asked).json
        networks = [said["network"] for said in found]
        assert set(networks) <= {"run0", "run1"}
        assert choice == "own" or len(set(networks)) == 1
        row = rows.load(tmp_path / choice / "vb-reference-v2.row.json")
        told = row.result["explained"]["choice"]
        assert told["by"] == ("vb" if choice == "own" else "cam")
        assert max(told["values"], key=told["values"].get) == networks[1]
        assert [e.purpose for e in row.ledger] == ["study", "model-selection"]


def test_cam_chooses_though_nobody_is_compared_with_it(sightline, runs, on_all, tmp_path):
    asked = ["--run", *runs[:2], "--against", "none", "--out", tmp_path, "--json", "-"]
    (found,) = sightline("explain", "vb", *on_all, *asked).json
    row = rows.load(tmp_path / "vb-reference-v2.row.json")
    assert found["explainer"] == "vb"
    assert row.result["explained"]["choice"]["by"] == "cam"


def test_backbones_are_columns_as_in_the_paper(sightline, runs, on_all, tmp_path):
    asked = ["--run", *runs[1:], "--out", tmp_path, "--json", tmp_path / "found.json"]
    answer = sightline("explain", "vb", *on_all, *asked)
    assert answer.code == 0, answer.err
    lines = answer.out.splitlines()
    assert lines[1].split() == ["explainer", "small-plain", "small-resnet", "mean"]
    found = json.loads((tmp_path / "found.json").read_text())
    cells = {(o["explainer"], o["column"]): o["results"][0]["value"] for o in found}
    for line in lines[2:4]:
        name, *values = line.split()
        own = [cells[name, column] for column in ("small-plain", "small-resnet")]
        assert values == [f"{value:.2f}" for value in [*own, sum(own) / 2]]
    for column in ("small-plain", "small-resnet"):
        assert (tmp_path / column / "vb-reference-v2.row.json").is_file()


def test_models_are_columns_too(sightline, flags, tmp_path):
    other = scenes.write_network(tmp_path / "other.py", seed=1)
    answer = sightline("explain", "vb", *flags, "--model", f"{other}:Net")
    assert answer.code == 0, answer.err
    assert answer.out.splitlines()[1].split()[1:] == ["net.py:Net", "other.py:Net", "mean"]


def test_the_trials_of_a_search_that_converged(sightline, runs, on_all, tmp_path):
    trials = tmp_path / "search" / "trials"
    for number, run in enumerate(runs[:2]):
        shutil.copytree(run, trials / f"{number:04d}")
    row = trials / "0000" / "train.row.json"
    row.write_text(row.read_text().replace('"converged"', '"diverged"'))
    (trials / "0002").mkdir()  # one that failed
    found = sightline("explain", "vb", *on_all, "--run", tmp_path / "search", "--json", "-").json
    assert {said["network"] for said in found} == {"0001"}
    found = sightline("explain", "vb", *on_all, "--run", tmp_path, "--json", "-").json
    assert {said["network"] for said in found} == {"0001"}
    shutil.rmtree(trials / "0001")
    refusal = sightline("explain", "vb", *on_all, "--run", tmp_path / "search").refusal()
    assert "no trial of this search has converged" in refusal


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["vb", "--against", "cma"], "unknown explainer 'cma'; did you mean cam"),
        (["vbb"], "unknown explainer 'vbb'"),
        ([], "name one of: "),
        (["vb", "--samples", 3], "--samples"),
        (["vb", "--blur", 4], "--blur: 4 is neither odd nor 0"),
        (["vb", "--subset", -1], "--subset -1"),
        (["vb", "--run", "absent"], "two networks"),
        (["attention-rollout"], "no attention between tokens"),
        (["cam", "--grid-blur", 3], "has no blur"),
        (["maps:absent"], "absent: no such folder"),
        (["baseline:center"], "unknown baseline 'center'; did you mean center-gaussian"),
        (["cam", "--mean", 0.5], "Missing value for argument '--mean'. Expected 3 values; see"),
    ],
)
def test_wrong_words_are_one_line(sightline, flags, words, said):
    assert said in sightline("explain", *words, *flags).refusal()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "net.py: name the network in it too, as net.py:NAME"),
        (":Wide", "makes no network: TypeError: Wide.__init__() missing 1 required"),
        (":Two", "takes several inputs (image, size)"),
        (":Fixed", "fails on an image of 64 x 64: RuntimeError: mat1 and mat2"),
        (":Dense", "where class scores (N, C) are needed"),
        (":Fewer", "class 2, but the network has 2 classes; explain the data"),
    ],
)
def test_networks_that_cannot_be_explained_are_one_line(sightline, flags, tmp_path, name, said):
    with (tmp_path / "net.py").open("a") as file:
        file.write(NETWORKS)
    words = [f"{tmp_path / 'net.py'}{name}" if str(w).endswith(":Net") else w for w in flags]
    refusal = sightline("explain", "vb", *words).refusal()
    assert said in refusal
    assert name != ":Fixed" or "net.py:" in refusal.partition("mat1")[2]  # and its line


NETWORKS = """

class Wide(Net):
    def __init__(self, classes):
        super().__init__()


class Two(Net):
    def forward(self, image, size):
        return super().forward(image)


class Fixed(Net):
    def forward(self, images):
        return self.head(images.flatten(1))


class Dense(Net):
    def forward(self, images):
        return self.first(images)


class Fewer(Net):
    def forward(self, images):
        return super().forward(images)[:, :2]
"""


def test_an_explainer_that_fails_is_one_line_with_its_place(sightline, flags, tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_text("def explain(images, labels):\n    raise ValueError('no\\nmore')\n")
    said = sightline("explain", f"{mine}:explain", *flags).refusal()
    assert "explain fails at class_0/0000.png and on: ValueError: no (mine.py:2)" in said


def test_how_often_the_network_names_the_class_is_said(sightline, flags):
    answer = sightline("explain", "vb", *flags, "--blur", 15)
    assert "net.py:Net names the class of 25.0 % of them" in answer.out
    found = sightline("explain", "vb", *flags, "--labels", "predicted", "--json", "-").json
    assert "names the class" not in sightline("explain", *flags, "vb", "--labels", "predicted").out
    assert "top1" not in found[0]["results"][0]["explained"]


def test_a_baseline_can_stand_beside_explainers(sightline, flags):
    found = sightline("explain", "baseline:center-gaussian", *flags, "--json", "-").json
    assert [one["explainer"] for one in found] == ["cam", "baseline:center-gaussian"]
    assert found[1]["constant"] == []


def test_without_a_network_the_remedy_is_named(sightline, photographs):
    assert "--labels predicted" in sightline("explain", "vb", "--data", photographs).refusal()
    assert "--data is missing" in sightline("explain", "vb").refusal()


def test_where_cam_is_not_defined_another_comparison_is_advised(sightline, flags, tmp_path):
    (tmp_path / "net.py").write_text(
        "from torch import nn\n"
        "def Net():\n"
        "    return nn.Sequential(nn.Flatten(), nn.Linear(3 * 64 * 64, 4))\n"
    )
    assert "--against NAME or none" in sightline("explain", "vb", *flags).refusal()
    assert sightline("explain", "vb", *flags, "--against", "none").code == 0


def test_help_shows_the_options_of_what_is_named(sightline):
    assert "--samples" in sightline("explain", "sg-vb", "--help").out
    assert "--samples" not in sightline("explain", "vb", "--help").out.partition("--blur")[2]
