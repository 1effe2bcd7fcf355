"""PASCAL-S: where people looked in 850 images of VOC 2010.

Paper: Li et al., The Secrets of Salient Object Segmentation, CVPR 2014
"""

from sightline.data.known import WHOLE, Download, KnownDataset

ARCHIVE = Download(
    "PASCAL-S is",
    "http://cbs.ic.gatech.edu/salobj/download/salObj.zip",
    "",
    "datasets/imgs/pascal with 850 photographs and datasets/fixations/pascalFix.mat",
    "e48b4e5deac08bddcaec55ce56e4d420",
)
DATASET = KnownDataset(
    name="pascal-s",
    classes=0,
    labels="fixations",
    images={WHOLE: 850},
    where="salObj.zip from cbs.ic.gatech.edu/salobj",
    downloads=(ARCHIVE,),
)
