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
        View(
            "above",
            (
                Part(
                    "legs",
                    "80,45! 86,34! 92,32! 88,36! 83,46!|80,55! 86,66! 92,68! 88,64! 83,54!"
                    "|74,46! 68,38! 64,38! 70,47!|74,54! 68,62! 64,62! 70,53!",
                    "#20262e",
                ),
                Part(
                    "tail",
                    "72,47! 40,48 4,48! -8,48! -8,52! 4,52! 40,52 72,53!",
                    "coat",
                    swing=4,
                    pivot=(72, 50),
                    marks=tuple(
                        Mark(f"{x},47.8 {x},52.2", "#1b2430", 2.8) for x in (8, 20, 32, 44, 56)
                    ),
                ),
                Part(
                    "tip",
                    "-2,47.6! -12,47.4! -15,50 -12,52.6! -2,52.4!",
                    "#29c4dd",
                    tells=4.0,
                    on="tail",
                ),
                Part(
                    "hind wing",
                    "76,46! 58,41 34,38 16,38 8,42 16,45 38,46.5 60,48 76,49!"
                    "|76,54! 58,59 34,62 16,62 8,58 16,55 38,53.5 60,52 76,51!",
                    WING,
                    tells=3.0,
                    marks=(
                        Mark("70,46 40,42 16,41.5", VEIN, 0.9),
                        Mark("70,54 40,58 16,58.5", VEIN, 0.9),
                    ),
                ),
                Part(
                    "fore wing",
                    "79,45! 62,36 40,31 22,29 14,32 20,36 42,40 64,44 79,48!"
                    "|79,55! 62,64 40,69 22,71 14,68 20,64 42,60 64,56 79,52!",
                    WING,
                    tells=4.0,
                    swing=3,
                    pivot=(79, 50),
                    marks=(
                        Mark("74,44 46,35 20,32", VEIN, 0.9),
                        Mark("74,56 46,65 20,68", VEIN, 0.9),
                        Mark("20,30 26,30.5 26,33 20,32.5", "#22303a"),
                        Mark("20,70 26,69.5 26,67 20,67.5", "#22303a"),
                    ),
                ),
                Part(
                    "thorax",
                    "70,50 73,45 82,43 90,46 92,50 90,54 82,57 73,55",
                    "coat",
                    tells=1.5,
                    marks=(Mark("74,47 88,47", "dark", 1.6), Mark("74,53 88,53", "dark", 1.6)),
                ),
                Part("head", "90,50 92,42 96,40 99,44 100,50 99,56 96,60 92,58", "dark", tells=1.5),
                Part(
                    "eyes",
                    f"{circle(96, 40.5, 4.2)}|{circle(96, 59.5, 4.2)}",
                    "#d85a2a",
                    tells=3.0,
                    marks=(
                        Mark(circle(97, 39.4, 1.2), "#ffe1cc"),
                        Mark(circle(97, 58.4, 1.2), "#ffe1cc"),
                    ),
                ),
            ),
            tilt=40,
        ),
    ),
)
