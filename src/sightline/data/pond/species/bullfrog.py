"""Bullfrog: a heavy olive frog with a yellow throat and a large eardrum."""

from sightline.data.pond.anatomy import Mark, Part, Species, View, circle, eye

SPECIES = Species(
    name="bullfrog",
    coarse="frog",
    synset="n01641577",
    lemma="bullfrog",
    coarse_synset="n01639765",
    background="reeds",
    rests="stands",
    coat=("#788a35", "#c3c77a", "#4d5c22"),
    views=(
        View(
            "side",
            (
                Part(
                    "foot",
                    "10,70! 26,72 44,74 58,78! 54,82! 34,82 14,80 4,76!",
                    "dark",
                    marks=(Mark("40,76 56,80", "coat", 1.2), Mark("36,79 52,82", "coat", 1.2)),
                ),
                Part(
                    "body",
                    "4,64 8,48 20,34 36,26 52,26 62,36 66,52 60,68 42,75 18,75",
                    "coat",
                    marks=(
                        Mark(circle(22, 42, 4, 0.8), "dark"),
                        Mark(circle(35, 34, 3.4, 0.8), "dark"),
                        Mark(circle(36, 48, 3, 0.8), "dark"),
                        Mark("46,74 58,68 64,56 66,62 60,70", "light"),
                    ),
                ),
                Part(
                    "throat",
                    "50,56! 66,58 82,52 92,44! 88,56 76,66 60,68 52,64",
                    "#ecd651",
                    tells=4.0,
                ),
                Part(
                    "head",
                    "46,40 50,28 60,22 72,22 86,30 95,40 93,48 78,54 62,57 50,54",
                    "coat",
                    tells=2.0,
                    marks=(
                        Mark("94,44 80,49 64,51 54,48", "#2f3714", 1.4),
                        Mark("80,26 88,32 92,38 84,36", "light"),
                    ),
                ),
                Part(
                    "eardrum",
                    circle(56, 41, 6.2),
                    "#a77b3d",
                    tells=4.0,
                    on="head",
                    marks=(Mark(circle(56, 41, 3.2), "#7a5526"),),
                ),
                Part(
                    "eye",
                    circle(69, 22, 7),
                    "coat",
                    tells=2.0,
                    on="head",
                    marks=eye(70.5, 21.5, 4.6, "#d9a73a"),
                ),
                Part(
                    "thigh",
                    "2,68 8,52 22,46 36,50 42,60 36,71 20,76 8,76",
                    "coat",
                    swing=5,
                    pivot=(20, 62),
                    marks=(
                        Mark("14,56 24,62 34,62", "dark", 2.6),
                        Mark("10,64 20,70 30,70", "dark", 2.6),
                    ),
                ),
                Part(
                    "arm",
                    "54,56! 64,58 66,68 68,76! 80,80! 78,84! 62,84 54,80! 56,70 50,62",
                    "coat",
                    swing=4,
                    pivot=(58, 60),
                    marks=(Mark("57,66 65,68", "dark", 2.2),),
                ),
            ),
        ),
        View(
            "above",
            (
                Part(
                    "foot",
                    "0,24! 14,8 30,4 44,2! 40,8! 44,11! 28,14 12,26!|0,76! 14,92 30,96 44,98! "
                    "40,92! 44,89! 28,86 12,74!",
                    "dark",
                ),
                Part(
                    "thigh",
                    "26,34! 18,20 4,14 -4,22 2,32 16,40 28,42!|26,66! 18,80 4,86 -4,78 2,68 "
                    "16,60 28,58!",
                    "coat",
                    marks=(Mark("4,22 16,32", "dark", 2.4), Mark("4,78 16,68", "dark", 2.4)),
                ),
                Part(
                    "arm",
                    "62,36! 68,24 78,18 84,12! 86,18! 78,26 72,40!|62,64! 68,76 78,82 84,88! 86,82!"
                    " 78,74 72,60!",
                    "coat",
                    swing=3,
                    pivot=(66, 50),
                ),
                Part(
                    "body",
                    "16,50 22,36 40,29 60,30 76,36 80,50 76,64 60,70 40,71 22,64",
                    "coat",
                    marks=(
                        Mark(circle(34, 42, 3.4), "dark"),
                        Mark(circle(46, 57, 3.6), "dark"),
                        Mark(circle(36, 60, 2.6), "dark"),
                        Mark(circle(52, 40, 2.8), "dark"),
                    ),
                ),
                Part(
                    "head",
                    "66,32 78,32 92,40 98,50 92,60 78,68 66,68 70,50",
                    "coat",
                    tells=2.0,
                    marks=(Mark("88,45 92,50 88,55", "dark", 1.2),),
                ),
                Part(
                    "eardrum",
                    f"{circle(71, 35.5, 4.2)}|{circle(71, 64.5, 4.2)}",
                    "#a77b3d",
                    tells=4.0,
                    on="head",
                    marks=(
                        Mark(circle(71, 35.5, 2), "#7a5526"),
                        Mark(circle(71, 64.5, 2), "#7a5526"),
                    ),
                ),
                Part(
                    "eye",
                    f"{circle(83, 38, 5.4)}|{circle(83, 62, 5.4)}",
                    "light",
                    tells=2.0,
                    on="head",
                    marks=(*eye(84, 37, 3.4, "#d9a73a"), *eye(84, 63, 3.4, "#d9a73a")),
                ),
            ),
            tilt=40,
        ),
    ),
)
