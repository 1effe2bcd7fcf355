"""Tree frog: a slender green frog with red eyes, a stripe along its side and pads on its toes."""

from sightline.data.pond.anatomy import Mark, Part, Species, View, circle

SPECIES = Species(
    name="tree frog",
    coarse="frog",
    synset="n01644373",
    lemma="tree frog",
    coarse_synset="n01639765",
    background="lawn",
    rests="stands",
    coat=("#57b83a", "#dff0b4", "#2f8a35"),
    views=(
        View(
            "side",
            (
                Part("foot", "8,70! 24,70 42,72 56,76! 54,79! 32,80 12,80 2,75!", "dark"),
                Part(
                    "body",
                    "2,62 8,48 20,38 36,31 52,30 62,38 65,52 58,66 40,72 16,73",
                    "coat",
                    marks=(Mark("44,71 58,64 64,54 66,60 60,68", "light"),),
                ),
                Part(
                    "stripe",
                    "14,58! 26,48 42,44 58,46! 56,56 40,62 24,66!",
                    "#2d52c4",
                    tells=4.0,
                    marks=(
                        Mark("24,50 28,62", "#f3dc4a", 2.2),
                        Mark("36,46 40,60", "#f3dc4a", 2.2),
                        Mark("48,46 51,57", "#f3dc4a", 2.2),
                    ),
                ),
                Part(
                    "head",
                    "48,44 50,32 60,25 72,24 84,30 91,38 88,45 76,51 62,53 52,51",
                    "coat",
                    tells=2.0,
                    marks=(
                        Mark("90,41 78,45 64,46", "#1d5a22", 1.2),
                        Mark("62,50 76,48 88,43 86,46 76,51 64,53", "light"),
                    ),
                ),
                Part(
                    "eye",
                    circle(70, 23, 7.6),
                    "coat",
                    tells=3.0,
                    on="head",
                    marks=(
                        Mark(circle(71.4, 22.4, 5.8), "#d7262b"),
                        Mark("71.4,17.4 73,22.4 71.4,27.4 69.8,22.4", "#141010"),
                        Mark(circle(73.4, 19.6, 1.2), "#ffffff"),
                    ),
                ),
                Part(
                    "thigh",
                    "0,68 6,54 20,50 34,54 40,62 32,71 16,74 4,74",
                    "coat",
                    swing=5,
                    pivot=(20, 62),
                ),
                Part(
                    "arm",
                    "54,52! 62,55 66,66 72,74! 66,78! 60,70 52,60",
                    "dark",
                    swing=4,
                    pivot=(57, 56),
                ),
                Part(
                    "toes",
                    f"{circle(70, 79, 3.6)}|{circle(78, 77, 3.6)}|{circle(85, 79, 3.6)}|"
                    f"{circle(50, 80, 3.4)}|{circle(58, 79, 3.4)}",
                    "#f08a24",
                    tells=4.0,
                ),
            ),
        ),
    ),
)
