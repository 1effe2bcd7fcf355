"""The choices that reproduce the conference paper's center-Gaussian row.

Paper: Choe et al., Evaluating Weakly Supervised Object Localization Methods Right, CVPR 2020

MaxBoxAcc as released, but only the first box of each image counts.
"""

from sightline.metrics.protocol import Protocol

PROTOCOL = Protocol(
    name="center-row-conference", contours="largest", iou_thresholds=(50,), truth_boxes="first"
)
