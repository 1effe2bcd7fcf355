"""Write `published/` anew from the other implementations; needs torchvision and timm.

python -m tests.backbones.record
"""

import json

import timm
import torch
from efficientnet_lite_pytorch import EfficientNet

from .known import ANSWERS, CASES, KEPT, PUBLISHED, image, shapes, weights
from .others import answer, torchvision_networks


def main() -> None:
    """Write names and shapes, then the answers."""
    networks = torchvision_networks()
    with torch.device("meta"):
        known = {
            "torchvision-vgg16": networks.vgg16(),
            "torchvision-resnet50": networks.resnet50(),
            "torchvision-inception_v3": networks.inception_v3(init_weights=False),
            "timm-lite0": timm.create_model("tf_efficientnet_lite0"),
        }
    known["packaged-lite0"] = EfficientNet.from_name("efficientnet-lite0")
    for name, network in known.items():
        lines = [f"{k},{' '.join(map(str, v.shape))}\n" for k, v in network.state_dict().items()]
        (PUBLISHED / f"{name}.csv").write_text("".join(lines), encoding="utf-8")
    found = {
        f"{naming} {side}": answer(naming, side, weights(shapes(naming)), image())[:KEPT].tolist()
        for naming, side in CASES
    }
    ANSWERS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
