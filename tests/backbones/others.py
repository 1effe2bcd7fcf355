"""Other implementations of published networks, for comparison where they are installed."""

import torch
from torch import Tensor, nn

OPERATORS = (
    "nms",
    "qnms",
    "roi_align",
    "roi_pool",
    "ps_roi_align",
    "ps_roi_pool",
    "deform_conv2d",
    "_roi_align_backward",
    "_roi_pool_backward",
    "_ps_roi_align_backward",
    "_ps_roi_pool_backward",
    "_deform_conv2d_backward",
)
LIBRARY = []  # kept alive: operators are forgotten with it


def torchvision_networks():
    """Import torchvision's networks, also where its compiled operators do not fit to torch.

    Operators only have to be known by name for that; none is used.
    """
    try:
        import torchvision.models
    except RuntimeError:
        LIBRARY.append(torch.library.Library("torchvision", "DEF"))
        for name in OPERATORS:
            LIBRARY[0].define(f"{name}(Tensor x) -> Tensor")
        import torchvision.models
    return torchvision.models


def with_weights(network: nn.Module, tensors: dict[str, Tensor]) -> nn.Module:
    """Fill a network and freeze it; large layers that are not used stay as they are."""
    small = {k: v for k, v in tensors.items() if v.stride() != (0,) * v.dim() or v.dim() == 0}
    left = network.load_state_dict(small, strict=False)
    assert left.unexpected_keys == []
    assert all(name.startswith("classifier.") for name in left.missing_keys)
    return network.eval()


@torch.no_grad()
def answer(naming: str, side: int, tensors: dict[str, Tensor], image: Tensor) -> Tensor:
    """Give mean features, and for ResNet the logits, of torchvision's network with our strides."""
    networks = torchvision_networks()
    if naming == "torchvision-vgg16":
        return _vgg16(networks, side, tensors, image).mean((2, 3))[0]
    if naming == "torchvision-resnet50":
        return _resnet50(networks, side, tensors, image)[0]
    return _inception_v3(networks, side, tensors, image).mean((2, 3))[0]


def _vgg16(networks, side, tensors, image):
    with torch.device("meta"):
        features = networks.vgg16().features
    features = features.to_empty(device="cpu")
    own = {k.removeprefix("features."): v for k, v in tensors.items() if k.startswith("features.")}
    pools = [n for n, layer in enumerate(features) if isinstance(layer, nn.MaxPool2d)]
    left_out = pools[4:] if side == 14 else pools[3:]
    network = with_weights(features, own)
    kept = [layer for n, layer in enumerate(network) if n not in left_out]
    return nn.Sequential(*kept)(image)


def _resnet50(networks, side, tensors, image):
    network = with_weights(networks.resnet50(), tensors)
    for layer in {7: [], 14: [network.layer4], 28: [network.layer3, network.layer4]}[side]:
        layer[0].conv2.stride = layer[0].downsample[0].stride = (1, 1)
    return network(image)


def _inception_v3(networks, side, tensors, image):
    net = with_weights(networks.inception_v3(init_weights=False), tensors)
    net.Conv2d_1a_3x3.conv.padding = (1, 1)
    for pool in (net.maxpool1, net.maxpool2):
        pool.padding, pool.ceil_mode = 1, True
    mixed = net.Mixed_6a
    for unit in (mixed.branch3x3, mixed.branch3x3dbl_3):
        unit.conv.stride, unit.conv.padding = (1, 1), (1, 1)
    x = net.maxpool1(net.Conv2d_2b_3x3(net.Conv2d_2a_3x3(net.Conv2d_1a_3x3(image))))
    x = net.maxpool2(net.Conv2d_4a_3x3(net.Conv2d_3b_1x1(x)))
    x = net.Mixed_5d(net.Mixed_5c(net.Mixed_5b(x)))
    if side == 14:
        x = nn.functional.max_pool2d(x, 3, 2, ceil_mode=True)
    deep = mixed.branch3x3dbl_3(mixed.branch3x3dbl_2(mixed.branch3x3dbl_1(x)))
    pooled = nn.functional.max_pool2d(x, 3, 1, 1)
    x = torch.cat([mixed.branch3x3(x), deep, pooled], 1)
    return net.Mixed_6e(net.Mixed_6d(net.Mixed_6c(net.Mixed_6b(x))))
