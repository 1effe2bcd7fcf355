"""A run of ours looks at photographs with its own input and its own checkpoint."""

import numpy as np
import pytest
import torch

from sightline.errors import UsageError
from sightline.looking import from_run, look
from sightline.methods.contract import given
from sightline.metrics.score_maps import prepare
from sightline.training.trained import load_run


@pytest.fixture
def photograph(photographs):
    return min((photographs / "images" / "test").rglob("*.*g"))


def test_a_run_sees_what_its_network_says(trained, tmp_path, photograph):
    trained(size=64, resolution=16)
    classifier = from_run(tmp_path / "run")
    assert (classifier.size, classifier.title) == (64, "run (cam, small-plain)")
    (seen,) = look(classifier, [photograph], label=1)
    known = load_run(tmp_path / "run")
    assert (classifier.mean, classifier.std) == (known.transform.mean, known.transform.std)
    from PIL import Image

    image = classifier.input_of(Image.fromarray(seen.photograph))[None]
    with torch.no_grad():
        said = known.network.localize(image, given(torch.tensor([1])))
    assert dict(seen.top)[1] == pytest.approx(float(said.logits.softmax(1)[0, 1]), rel=1e-5)
    frame = seen.photograph.shape[1::-1]
    np.testing.assert_allclose(
        prepare(said.maps[0, 0].double().numpy(), size=frame), seen.score_map, atol=1e-4
    )


def test_another_size_and_names_can_be_given(trained, tmp_path):
    trained()
    classes = load_run(tmp_path / "run").network.classes
    names = tmp_path / "names.txt"
    names.write_text("\n".join(f"kind {n}" for n in range(classes)))
    classifier = from_run(tmp_path / "run", names=names, size=96)
    assert (classifier.size, classifier.names.name(1)) == (96, "kind 1")
    names.write_text("one too few")
    with pytest.raises(UsageError, match=rf"1 names for a network of {classes} classes"):
        from_run(tmp_path / "run", names=names)


def test_a_run_that_classifies_nothing_is_refused(trained, tmp_path):
    trained("few-shot")
    with pytest.raises(UsageError, match="few-shot tells no classes apart"):
        from_run(tmp_path / "run")


def test_the_command_takes_a_run(trained, sightline, tmp_path, photograph):
    trained()
    words = ["look", photograph, "--model", tmp_path / "run", "--out", tmp_path / "look"]
    answer = sightline(*words)
    assert answer.code == 0, answer.err
    assert "run (cam, small-plain), input 64 x 64" in answer.out
    assert "holds no training run" in sightline("look", photograph, "--model", tmp_path).refusal()
