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
        View(
            "above",
            (
                Part(
                    "foot",
                    "-2,24! 12,10 26,4 38,0! 38,4! 26,9 12,20 6,28!|-2,76! 12,90 26,96 38,100! "
                    "38,96! 26,91 12,80 6,72!",
                    "dark",
                ),
                Part(
                    "thigh",
                    "26,34! 18,20 4,14 -4,22 2,32 16,40 28,42!|26,66! 18,80 4,86 -4,78 2,68 "
                    "16,60 28,58!",
                    "coat",
                    marks=(Mark("4,24 16,34", "dark", 1.6), Mark("4,76 16,66", "dark", 1.6)),
                ),
                Part(
                    "arm",
                    "62,36! 68,24 78,18 84,12! 86,18! 78,26 72,40!|62,64! 68,76 78,82 84,88! 86,82!"
                    " 78,74 72,60!",
                    "dark",
                    swing=3,
                    pivot=(66, 50),
                ),
                Part(
                    "body",
                    "14,50 20,40 38,35 58,35 74,38 78,50 74,62 58,65 38,65 20,60",
                    "coat",
                    marks=(Mark("26,50 66,50", "light", 1.4),),
                ),
                Part(
                    "stripe",
                    "22,40! 38,34.5 58,34 70,37! 58,40 38,40!|22,60! 38,65.5 58,66 70,63! 58,60 "
                    "38,60!",
                    "#2d52c4",
                    tells=4.0,
                    marks=tuple(
                        Mark(line, "#f3dc4a", 1.8)
                        for line in (
                            "34,36 36,40",
                            "45,35 47,39",
                            "56,35 58,39",
                            "34,64 36,60",
                            "45,65 47,61",
                            "56,65 58,61",
                        )
                    ),
                ),
                Part(
                    "head",
                    "66,35 78,34 90,41 96,50 90,59 78,66 66,65 70,50",
                    "coat",
                    tells=2.0,
                    marks=(Mark("87,46 90,50 87,54", "dark", 1.2),),
                ),
                Part(
                    "eye",
                    f"{circle(82, 37, 5.6)}|{circle(82, 63, 5.6)}",
                    "#d7262b",
                    tells=3.0,
                    on="head",
                    marks=(
                        Mark("82,33.5 83.4,37 82,40.5 80.6,37", "#141010"),
                        Mark("82,59.5 83.4,63 82,66.5 80.6,63", "#141010"),
                    ),
                ),
                Part(
                    "toes",
                    f"{circle(39, 1, 3.2)}|{circle(39, 99, 3.2)}|{circle(33, 8, 2.8)}"
                    f"|{circle(33, 92, 2.8)}"
                    f"|{circle(85, 13, 3.2)}|{circle(85, 87, 3.2)}|{circle(89, 19, 2.8)}"
                    f"|{circle(89, 81, 2.8)}",
                    "#f08a24",
                    tells=4.0,
                ),
            ),
            tilt=40,
        ),
    ),
)
