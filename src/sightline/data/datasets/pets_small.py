"""Oxford-IIIT Pet made small: 65 photographs of each breed at 224 x 224, boxes, masks, heads.

Paper: Parkhi et al., Cats and Dogs, CVPR 2012

In the reference format: `metadata/{train,val,test}`, `images/`, and `masks/` in which 255 is the
animal and 128 the border, which counts for nothing.
"""

from sightline.data.known import KnownDataset

DATASET = KnownDataset(
    name="pets-small",
    classes=37,
    labels="boxes",
    images={"train": 1110, "val": 370, "test": 925},
    where="made from Oxford-IIIT Pet: resized to 224 x 224, boxes drawn around the trimaps",
    ignore_value=128,
)
