"""MaxBoxAccV2 as the released evaluator computes it, to the last digit.

Paper: Choe et al., Evaluation for Weakly Supervised Object Localization, TPAMI 2022

All contours, the outlines of holes included; the best threshold for each of IoU .3, .5 and .7.
"""

from sightline.metrics.protocol import Protocol

PROTOCOL = Protocol(name="reference-v2")
