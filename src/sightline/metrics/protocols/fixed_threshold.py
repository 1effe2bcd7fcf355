"""BoxAcc at the fixed threshold .2: the practice before thresholds were searched.

Paper: Zhou et al., Learning Deep Features for Discriminative Localization, CVPR 2016

The largest contour of the released evaluator at IoU .5. Older papers divide each map by its
maximum (`--normalize max`) or map it to [0, 1] (`--normalize min-max`); CutMix uses .15.
"""

from sightline.metrics.protocol import Protocol

PROTOCOL = Protocol(
    name="fixed-threshold",
    contours="largest",
    iou_thresholds=(50,),
    threshold_choice="fixed",
    thresholds=(0.2,),
)
