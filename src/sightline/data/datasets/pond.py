"""Pond: the embedded world, generated on this machine, with masks, parts and fixations.

Paper: none
"""

from sightline.data.known import KnownDataset

DATASET = KnownDataset(
    name="pond",
    classes=16,
    labels="masks",
    images={},  # as many as one likes
    where="generated at the first use: pond, pond:ill-posed or pond:ill-posed,size=96",
)
