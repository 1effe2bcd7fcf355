"""The choices that reproduce the journal paper's center-Gaussian row.

Paper: Choe et al., Evaluation for Weakly Supervised Object Localization, TPAMI 2022

MaxBoxAccV2 as released, but only the first box of each image counts, and one threshold serves all
three IoU levels.
"""

from sightline.metrics.protocol import Protocol

PROTOCOL = Protocol(name="center-row-journal", threshold_choice="joint", truth_boxes="first")
