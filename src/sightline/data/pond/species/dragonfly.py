"""Dragonfly: a stout insect that holds its four wings out flat."""

from sightline.data.pond.anatomy import Mark, Part, Species, View, circle

WING = "#cfe6ef"
VEIN = "#6f96a8"
RINGS = tuple(Mark(f"{x},46.6 {x},53.4", "dark", 1.6) for x in (4, 12, 20, 28, 36, 44))
SPECIES = Species(
    name="dragonfly",
    coarse="odonate",
    synset="n02268443",
    lemma="dragonfly",
    coarse_synset="n02268148",
    background="sky",
    rests="hovers",
    coat=("#2f8fb8", "#8fd2e2", "#17526e"),
    views=(
        View(
            "above",
            (
                Part(
                    "hind wings",
                    "60,46! 52,30 38,10 30,0 40,-3 52,12 62,28 68,45!|60,54! 52,70 38,90 "
                    "30,100 40,103 52,88 62,72 68,55!",
                    WING,
                    tells=4.0,
                    swing=0,
                    marks=(
                        Mark("63,44 50,20 37,2", VEIN, 1.0),
                        Mark("61,40 46,20", VEIN, 0.8),
                        Mark("63,56 50,80 37,98", VEIN, 1.0),
                        Mark("61,60 46,80", VEIN, 0.8),
                        Mark("35,0 40,-1 42,3 37,5", "#b5502a"),
                        Mark("35,100 40,101 42,97 37,95", "#b5502a"),
                    ),
                ),
                Part(
                    "fore wings",
                    "68,45! 66,26 66,4 70,-8 78,-8 80,6 78,28 75,45!|68,55! 66,74 66,96 70,108 "
                    "78,108 80,94 78,72 75,55!",
                    WING,
                    tells=3.0,
                    marks=(
                        Mark("71,43 71,18 74,-5", VEIN, 1.0),
                        Mark("74,40 76,10", VEIN, 0.8),
                        Mark("71,57 71,82 74,105", VEIN, 1.0),
                        Mark("74,60 76,90", VEIN, 0.8),
                        Mark("72,-4 78,-4 79,0 72,0", "#b5502a"),
                        Mark("72,104 78,104 79,100 72,100", "#b5502a"),
                    ),
                ),
                Part(
                    "tail",
                    "58,45.5! 40,46 14,46 -2,45.5 -6,50! -2,54.5 14,54 40,54 58,54.5!",
                    "coat",
                    swing=6,
                    pivot=(58, 50),
                    marks=RINGS,
                ),
                Part(
                    "legs",
                    "70,43! 80,36! 84,38! 82,35! 80,33!  68,42!|70,57! 80,64! 84,62! 82,65! "
                    "80,67! 68,58!",
                    "#20252a",
                    hides=0.3,
                ),
                Part(
                    "thorax",
                    "54,50 57,42 68,39 78,42 81,50 78,58 68,61 57,58",
                    "dark",
                    tells=1.5,
                    marks=(
                        Mark("59,46 68,44 76,46", "light", 1.8),
                        Mark("59,54 68,56 76,54", "light", 1.8),
                    ),
                ),
                Part("head", "79,50 81,44 87,42 92,46 93,50 92,54 87,58 81,56", "coat", tells=1.5),
                Part(
                    "eyes",
                    f"{circle(87, 43.5, 5.2)}|{circle(87, 56.5, 5.2)}",
                    "#3a9a4c",
                    tells=4.0,
                    marks=(
                        Mark(circle(88.4, 41.8, 1.5), "#d8f2da"),
                        Mark(circle(88.4, 55, 1.5), "#d8f2da"),
                    ),
                ),
            ),
            tilt=40,
            turn=0.85,
        ),
        View(
            "side",
            (
                Part(
                    "legs",
                    "66,56! 60,66 56,72! 58,73! 63,67 69,57!|72,57! 72,68 68,76! 70,77! 75,69 "
                    "75,57!"
                    "|78,55! 84,64 84,73! 86,73! 87,63 81,54!",
                    "#20252a",
                    hides=0.3,
                ),
                Part(
                    "tail",
                    "60,47! 40,48 12,50 -4,51 -10,54! -4,58 12,56.5 40,54.5 60,55!",
                    "coat",
                    swing=6,
                    pivot=(60, 51),
                    marks=tuple(
                        Mark(f"{x},48.6 {x},56", "dark", 1.6) for x in (4, 13, 22, 31, 40, 49)
                    ),
                ),
                Part(
                    "hind wings",
                    "66,44! 56,30 40,14 30,6 24,0 34,-2 48,8 62,24 72,42!",
                    WING,
                    tells=4.0,
                    swing=5,
                    pivot=(69, 44),
                    marks=(
                        Mark("67,40 50,18 32,2", VEIN, 1.0),
                        Mark("66,34 52,20", VEIN, 0.8),
                        Mark("30,-1 37,0 40,4 33,4", "#b5502a"),
                    ),
                ),
                Part(
                    "fore wings",
                    "71,43! 68,24 66,4 66,-8 70,-14 77,-10 80,4 80,24 78,43!",
                    WING,
                    tells=3.0,
                    swing=5,
                    pivot=(74, 43),
                    marks=(
                        Mark("74,40 73,16 72,-8", VEIN, 1.0),
                        Mark("77,36 77,12", VEIN, 0.8),
                        Mark("69,-10 76,-9 78,-4 70,-4", "#b5502a"),
                    ),
                ),
                Part(
                    "thorax",
                    "56,50 60,43 70,40 80,42 84,49 81,57 71,60 60,57",
                    "dark",
                    tells=1.5,
                    marks=(
                        Mark("64,44 68,50 66,57", "light", 2.0),
                        Mark("73,43 77,49 75,57", "light", 2.0),
                    ),
                ),
                Part("head", "80,48 84,42 92,42 96,48 95,55 89,58 83,55", "coat", tells=1.5),
                Part(
                    "eyes",
                    circle(89.5, 46.5, 6),
                    "#3a9a4c",
                    tells=4.0,
                    marks=(Mark(circle(91.4, 44.4, 1.7), "#d8f2da"),),
                ),
            ),
            tilt=20,
        ),
    ),
)
