"""CUB-200-2011 with CUB-V2 for validation: 200 species of birds, one box an image.

Paper: Wah et al., The Caltech-UCSD Birds-200-2011 Dataset, 2011
"""

from sightline.data.known import Download, KnownDataset

BIRDS = Download(
    "CUB-200-2011 is",
    "https://data.caltech.edu/records/65de6-vp158/files/CUB_200_2011.tgz",
    "",
    "images.txt, bounding_boxes.txt, ... and images/ with 11,788 photographs in 200 folders",
    "97eceeb196236b17998738112f37df78",
)
V2 = Download(
    "the photographs of CUB-V2 are",
    "https://drive.google.com/open?id=1U6cwKHS65wayT9FFvoLIA8cn1k0Ot2M1",
    "CUBV2",
    "1,000 photographs in 200 folders",
)
V2_LISTS = Download(
    "the boxes of CUB-V2 are",
    "https://github.com/clovaai/wsolevaluation, folder metadata/CUB/val,",
    "metadata/val",
    "image_ids.txt, class_labels.txt, image_sizes.txt, localization.txt of 1,000 photographs",
)
DATASET = KnownDataset(
    name="cub",
    classes=200,
    labels="boxes",
    images={"train": 5994, "val": 1000, "test": 5794},
    where="CUB_200_2011.tgz from data.caltech.edu; CUB-V2 and lists from the released evaluator",
    downloads=(BIRDS, V2, V2_LISTS),
)
