"""OpenImages30k: 100 classes with instance masks and regions to ignore.

Paper: Choe et al., Evaluating Weakly Supervised Object Localization Methods Right, CVPR 2020
"""

from sightline.data.known import KnownDataset

DATASET = KnownDataset(
    name="openimages",
    classes=100,
    labels="masks",
    images={"train": 29819, "val": 2500, "test": 5000},
    where="the lists come with the released evaluator, folder metadata/"
    "OpenImages; pass the masks' folder with --masks",
)
