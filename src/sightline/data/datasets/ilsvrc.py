"""ILSVRC-2012 with ImageNetV2 for validation: 1,000 classes, one or more boxes an image.

Paper: Russakovsky et al., ImageNet Large Scale Visual Recognition Challenge, IJCV 2015
"""

from sightline.data.known import KnownDataset

DATASET = KnownDataset(
    name="ilsvrc",
    classes=1000,
    labels="boxes",
    images={"val": 10000, "test": 50000},
    where="the lists come with the released evaluator, folder metadata/ILSVRC",
)
