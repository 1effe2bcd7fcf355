"""PxAP: the area under the precision-recall curve of all pixels, for masks.

Paper: Choe et al., Evaluation for Weakly Supervised Object Localization, TPAMI 2022

Scores count as foreground where they reach the threshold: 0, .001, ... .999 and 1. Ignored pixels
count for nothing; the curve's steps are summed without interpolation.
"""

from sightline.metrics.protocol import Protocol

PROTOCOL = Protocol(name="pixels", ground_truth_kind="masks", comparison=">=")
