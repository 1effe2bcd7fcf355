"""The ducks of Figure 3: the true posterior of six patches, and what a threshold makes of it.

Paper: Choe et al., Evaluation for Weakly Supervised Object Localization, Figure 3
"""

import numpy as np

PATCHES = (  # cue, p(duck | cue), whether it is the duck's
    ("duck's head", 0.8, True),
    ("duck's body", 0.7, True),
    ("duck's body", 0.7, True),
    ("water", 0.4, False),
    ("duck's feet", 0.3, True),
    ("dirt", 0.1, False),
)
THRESHOLD = 0.35
POSTERIOR = np.array([posterior for _, posterior, _ in PATCHES])
FOREGROUND = np.array([inside for _, _, inside in PATCHES])


def outcome(posterior: float, inside: bool, threshold: float = THRESHOLD) -> str:
    """Name what a threshold makes of a patch: TP, FP, FN or TN."""
    said = posterior >= threshold
    return ("T" if said == inside else "F") + ("P" if said else "N")
