"""Damselfly: a thin insect that folds its wings along its back."""

from sightline.data.pond.anatomy import Mark, Part, Species, View, circle

WING = "#d3e8ec"
VEIN = "#7ba0ab"
BANDS = tuple(Mark(f"{x},{y - 2.4} {x + 0.6},{y + 2.6}", "#1b2430", 2.6) for x, y in (
    (8, 62.5), (20, 60), (32, 57.5), (44, 55.5), (56, 53.5)
))  # fmt: skip
SPECIES = Species(
    name="damselfly",
    coarse="odonate",
    synset="n02268853",
    lemma="damselfly",
    coarse_synset="n02268148",
    background="reeds",
    rests="hovers",
    coat=("#3a7fd6", "#a5d0f2", "#1b3f7c"),
    views=(
        View(
            "side",
            (
                Part(
                    "legs",
                    "76,54! 74,66 68,74! 70,75! 77,67 79,55!|81,54! 84,66 82,76! 84,76! 87,66 "
                    "84,54!"
                    "|86,52! 93,62 96,72! 98,71! 95,61 89,51!",
                    "#20262e",
                    tells=1.0,
                ),
                Part(
                    "tail",
                    "72,48! 50,51 26,56 4,60 -10,61! -11,65! 4,66 28,61 52,56 74,54!",
                    "coat",
                    swing=5,
                    pivot=(74, 51),
                    marks=BANDS,
                ),
                Part(
                    "tip",
                    "-4,60! -14,60! -17,63 -14,66.5! -4,66.5!",
                    "#29c4dd",
                    tells=4.0,
                    on="tail",
                ),
                Part(
                    "hind wing",
                    "76,44! 58,44 34,48 14,52 6,49 14,43 36,38 60,37 77,41!",
                    WING,
                    tells=3.0,
                    swing=4,
                    pivot=(76, 43),
                    marks=(Mark("72,43 44,43 14,49", VEIN, 0.9),),
                ),
                Part(
                    "fore wing",
                    "78,42! 62,37 40,34 18,33 9,29 18,24 42,24 64,29 80,39!",
                    WING,
                    tells=4.0,
                    swing=4,
                    pivot=(78, 41),
                    marks=(
                        Mark("74,39 46,31 16,28", VEIN, 0.9),
                        Mark("70,36 46,28", VEIN, 0.8),
                        Mark("17,26 23,25.6 24,28.6 18,29", "#22303a"),
                    ),
                ),
                Part(
                    "thorax",
                    "70,50 74,42 82,38 90,41 91,48 86,54 77,56",
                    "coat",
                    tells=1.5,
                    marks=(
                        Mark("75,50 82,45 88,44", "dark", 2.0),
                        Mark("77,54 84,50 89,48", "light", 1.8),
                    ),
                ),
                Part("head", "88,46 90,40 96,38 101,42 101,48 96,51 91,50", "dark", tells=1.5),
                Part(
                    "eyes",
                    circle(97.5, 43, 5.0),
                    "#d85a2a",
                    tells=3.0,
                    marks=(Mark(circle(99, 41.4, 1.5), "#ffe1cc"),),
                ),
            ),
            tilt=20,
        ),
    ),
)
