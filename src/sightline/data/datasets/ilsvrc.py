"""ILSVRC-2012 with ImageNetV2 for validation: 1,000 classes, one or more boxes an image.

Paper: Russakovsky et al., ImageNet Large Scale Visual Recognition Challenge, IJCV 2015
"""

from sightline.data.known import Download, KnownDataset

SITE = "https://image-net.org/data/ILSVRC/2012"
TRAIN = Download(
    "the training photographs of ILSVRC-2012 are",
    f"{SITE}/ILSVRC2012_img_train.tar",
    "train",
    "1,281,167 photographs in 1,000 folders such as n01440764",
    "1d675b47d978889d74fa0da5fadfb00e",
)
VAL = Download(
    "the photographs of the test split (ILSVRC-2012 val) are",
    f"{SITE}/ILSVRC2012_img_val.tar",
    "val",
    "50,000 photographs ILSVRC2012_val_00000001.JPEG and on",
    "29b22e2961454d5413ddabcf34fc5622",
)
BOXES = Download(
    "the boxes of the test split (ILSVRC-2012 val) are",
    f"{SITE}/ILSVRC2012_bbox_val_v3.tgz",
    "Annotations/CLS-LOC",
    "val/ with 50,000 files ILSVRC2012_val_00000001.xml and on",
)
V2 = Download(
    "the photographs of ImageNetV2 are",
    "https://s3-us-west-2.amazonaws.com/imagenetv2public/imagenetv2-threshold0.7.tar.gz",
    "val2",
    "10,000 photographs in 1,000 folders 0, 1, 2, ...",
)
V2_LISTS = Download(
    "the boxes of ImageNetV2 are",
    "https://github.com/clovaai/wsolevaluation, folder metadata/ILSVRC/val,",
    "metadata/val",
    "image_ids.txt, class_labels.txt, image_sizes.txt, localization.txt of 10,000 photographs",
)
DATASET = KnownDataset(
    name="ilsvrc",
    classes=1000,
    labels="boxes",
    images={"train": 1281167, "val": 10000, "test": 50000},
    where="archives from image-net.org (needs an account); ImageNetV2; the released evaluator",
    downloads=(TRAIN, VAL, BOXES, V2, V2_LISTS),
)
