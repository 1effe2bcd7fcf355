"""The random baseline: CAM's maps of weights that nothing touches."""

import torch

from sightline.methods import cam, random
from sightline.methods.contract import given


def test_a_step_touches_nothing(seeing, images, batch):
    method = random.Method(seeing, 3, random.Options()).train()
    before = {name: value.clone() for name, value in method.state_dict().items()}
    step = method.step(batch(images, [0, 1]))
    assert step.loss.item() == 0
    assert not step.loss.requires_grad
    assert all(torch.equal(value, before[name]) for name, value in method.state_dict().items())
    assert (method.trained, method.classifies, method.needs) == (False, False, "labels")


def test_its_maps_are_those_of_cam_with_the_same_weights_and_depend_on_the_seed(seeing, images):
    maps = []
    for seed, module in ((1, random), (1, cam), (2, random)):
        torch.manual_seed(seed)
        method = module.Method(seeing, 3, module.Options())
        maps.append(method.localize(images, given(torch.tensor([2, 0]))).maps)
    assert torch.equal(maps[0], maps[1])
    assert not torch.allclose(maps[0], maps[2])
