"""Oxford-IIIT Pet: 37 breeds of cats and dogs, a trimap an image, boxes of heads in training.

Paper: Parkhi et al., Cats and Dogs, CVPR 2012
"""

from sightline.data.known import Download, KnownDataset

SITE = "https://www.robots.ox.ac.uk/~vgg/data/pets/data"
IMAGES = Download(
    "the photographs of Oxford-IIIT Pet are",
    f"{SITE}/images.tar.gz",
    "images",
    "7,390 photographs, of which 7,349 are annotated",
    "5c4f3ee8e5d25df40f4fd59a7f44e54c",
)
ANNOTATIONS = Download(
    "the annotations of Oxford-IIIT Pet are",
    f"{SITE}/annotations.tar.gz",
    "annotations",
    "list.txt, trainval.txt, test.txt, trimaps/ and xmls/",
    "95a8c909bbe2e81eed6a22bccdf3f68f",
)
DATASET = KnownDataset(
    name="pets",
    classes=37,
    labels="masks",
    images={"train": 3680, "test": 3669},
    where="images.tar.gz and annotations.tar.gz from robots.ox.ac.uk/~vgg/data/pets",
    downloads=(IMAGES, ANNOTATIONS),
)
