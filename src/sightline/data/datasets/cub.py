"""CUB-200-2011 with CUB-V2 for validation: 200 species of birds, one box an image.

Paper: Wah et al., The Caltech-UCSD Birds-200-2011 Dataset, 2011
"""

from sightline.data.known import KnownDataset

DATASET = KnownDataset(
    name="cub",
    classes=200,
    labels="boxes",
    images={"train": 5994, "val": 1000, "test": 5794},
    where="the lists come with the released evaluator, folder metadata/CUB",
)
