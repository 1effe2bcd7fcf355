"""MaxBoxAccV2 as the paper defines it: every score is a threshold, every box ends where it ends.

Paper: Choe et al., Evaluation for Weakly Supervised Object Localization, TPAMI 2022

Foreground is score >= threshold, at each score that occurs in any map; components are 8-connected,
holes give no boxes. With the largest component only, size is the number of pixels.
"""

from sightline.metrics.protocol import Protocol

PROTOCOL = Protocol(
    name="exact",
    levels="exact",
    comparison=">=",
    largest_by="pixels",
    holes=False,
    box_ends="true",
)
