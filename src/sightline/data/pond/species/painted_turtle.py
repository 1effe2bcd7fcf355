"""Painted turtle: a flat dark shell with a red margin, and yellow stripes on the neck."""

from sightline.data.pond.anatomy import Mark, Part, Species, View, eye

SPECIES = Species(
    name="painted turtle",
    coarse="turtle",
    synset="n01669654",
    lemma="painted turtle",
    coarse_synset="n01662784",
    background="sand",
    rests="stands",
    coat=("#4b5a3c", "#8a9a63", "#2c3724"),
    views=(
        View(
            "side",
            (
                Part("tail", "12,62! -6,68! 10,70!", "#3d4a32"),
                Part(
                    "far legs",
                    "24,64! 20,76 14,80! 30,80! 32,66!|64,64! 66,76 62,80! 78,80! 74,64!",
                    "#36422c",
                ),
                Part(
                    "neck",
                    "70,60 76,50 86,44 94,46 92,56 82,66 72,68",
                    "#3d4a32",
                    tells=4.0,
                    stays=True,
                    swing=6,
                    pivot=(74, 62),
                    marks=(
                        Mark("75,60 82,53 91,50", "#f0d23c", 2.2),
                        Mark("77,65 85,59 92,54", "#f0d23c", 2.2),
                    ),
                ),
                Part(
                    "head",
                    "86,44 92,36 102,35 110,41 111,48 104,53 94,54 88,51",
                    "#3d4a32",
                    tells=3.0,
                    stays=True,
                    on="neck",
                    marks=(
                        Mark("94,50 102,48 109,47", "#f0d23c", 1.8),
                        Mark("91,42 96,39", "#f0d23c", 1.8),
                        *eye(102, 41.5, 2.5, "#e8d84a"),
                    ),
                ),
                Part("belly", "14,62! 40,66 76,62! 70,72 44,75 20,71", "#e3b94a", tells=1.0),
                Part(
                    "shell",
                    "6,62! 14,46 28,36 46,32 62,36 76,48 82,62! 60,65 30,66",
                    "coat",
                    tells=2.0,
                    marks=(
                        Mark("30,37 33,50 26,62", "light", 1.6),
                        Mark("52,33 50,49 56,62", "light", 1.6),
                        Mark("18,44 33,50 50,49 70,42", "light", 1.6),
                    ),
                ),
                Part(
                    "margin",
                    "3,64! 8,58! 26,60 58,59 80,57! 86,63! 62,68 28,69",
                    "#c6402f",
                    tells=4.0,
                    marks=(
                        Mark("16,60 15,68", "#f0c04a", 1.4),
                        Mark("28,61 27,68", "#f0c04a", 1.4),
                        Mark("40,61 40,68", "#f0c04a", 1.4),
                        Mark("52,61 53,68", "#f0c04a", 1.4),
                        Mark("64,60 66,67", "#f0c04a", 1.4),
                        Mark("74,59 77,65", "#f0c04a", 1.4),
                    ),
                ),
                Part(
                    "legs",
                    "16,66! 12,76 4,80! 22,82! 28,78 30,68!|58,68! 60,77 58,82! 76,82! 72,76 "
                    "72,66!",
                    "#3d4a32",
                    swing=5,
                    pivot=(44, 66),
                    marks=(
                        Mark("20,70 16,78", "#d8452f", 1.8),
                        Mark("66,70 68,78", "#d8452f", 1.8),
                    ),
                ),
            ),
        ),
    ),
)
