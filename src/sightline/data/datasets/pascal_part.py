"""PASCAL-Part: objects of VOC 2010 and the parts of which they are made, as masks.

Paper: Chen et al., Detect What You Can, CVPR 2014
"""

from sightline.data.known import Download, KnownDataset

PARTS = Download(
    "the annotations of PASCAL-Part are",
    "http://roozbehm.info/pascal-parts/trainval.tar.gz",
    "Annotations_Part",
    "10,103 files such as 2008_000008.mat",
)
PHOTOGRAPHS = Download(
    "the photographs of PASCAL VOC 2010 are",
    "http://host.robots.ox.ac.uk/pascal/VOC/voc2010/VOCtrainval_03-May-2010.tar",
    "JPEGImages",
    "photographs such as 2008_000008.jpg; ImageSets/Main beside it has the splits",
)
DATASET = KnownDataset(
    name="pascal-part",
    classes=20,
    labels="masks",
    images={"train": 4998, "val": 5105},
    where="roozbehm.info/pascal-parts, and the photographs of PASCAL VOC 2010",
    downloads=(PARTS, PHOTOGRAPHS),
)
