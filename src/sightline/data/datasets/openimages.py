"""OpenImages30k: 100 classes with instance masks and regions to ignore.

Paper: Choe et al., Evaluating Weakly Supervised Object Localization Methods Right, CVPR 2020
"""

from sightline.data.known import Download, KnownDataset

IMAGES = Download(
    "the photographs of OpenImages30k are",
    "https://drive.google.com/open?id=1oOb4WQ-lb8SYppHEg3lWnpHk1X8WVO4e",
    "",
    "train, val and test with 29,819, 2,500 and 5,000 photographs in 100 folders",
)
MASKS = Download(
    "the masks of OpenImages30k are",
    "https://drive.google.com/open?id=1eu1YvcZlsEalhXTS_5Ni5tkImCliIPie",
    "",
    "val and test, beside the photographs",
)
LISTS = Download(
    "the lists of OpenImages30k are",
    "https://github.com/clovaai/wsolevaluation, folder metadata/OpenImages,",
    "metadata",
    "train, val and test with image_ids.txt, class_labels.txt, localization.txt",
)
DATASET = KnownDataset(
    name="openimages",
    classes=100,
    labels="masks",
    images={"train": 29819, "val": 2500, "test": 5000},
    where="photographs, masks and lists of the released evaluator; or built by "
    "'sightline data make openimages'",
    downloads=(IMAGES, MASKS, LISTS),
)
