"""MaxBoxAcc as the released evaluator computes it, to the last digit.

Paper: Choe et al., Evaluating Weakly Supervised Object Localization Methods Right, CVPR 2020

The contour with the largest polygon area only; IoU .5 only.
"""

from sightline.metrics.protocol import Protocol

PROTOCOL = Protocol(name="reference-v1", contours="largest", iou_thresholds=(50,))
