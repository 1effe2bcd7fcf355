"""GLaS: glands in 165 histology images of the colon, benign or malignant, a mask an image.

Paper: Sirinukunwattana et al., Gland Segmentation in Colon Histology Images, MedIA 2017
"""

from sightline.data.known import Download, KnownDataset

IMAGES = Download(
    "GLaS is",
    "https://warwick.ac.uk/fac/sci/dcs/research/tia/glascontest",
    "",
    "Grade.csv, and 165 images *.bmp with their masks *_anno.bmp",
)
DATASET = KnownDataset(
    name="glas",
    classes=2,
    labels="masks",
    images={"train": 67, "val": 18, "test": 80},
    where="warwick.ac.uk/fac/sci/dcs/research/tia/glascontest",
    downloads=(IMAGES,),
)
