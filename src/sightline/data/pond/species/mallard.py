"""Mallard: a duck with a green head and a white ring around the neck."""

from sightline.data.pond.anatomy import Mark, Part, Species, View, eye

SPECIES = Species(
    name="mallard",
    coarse="aquatic bird",
    synset="n01847806",
    lemma="mallard",
    coarse_synset="n01844917",
    background="lawn",
    rests="floats",
    coat=("#b3aa9c", "#dfd8c8", "#7d6f60"),
    views=(
        View(
            "side",
            (
                Part(
                    "tail",
                    "18,48! 2,38! 7,47 -2,50! 6,55 0,62! 20,62!",
                    "#efe9da",
                ),
                Part("curl", "8,48! 3,43 3,36 9,33 14,37 12,42! 9,40 7,41 8,44 13,47!", "#1d1d1d"),
                Part(
                    "feet",
                    "38,72! 37,86 28,92! 46,92! 42,86 43,72!|52,72! 52,85 44,91! 61,91! 56,85 "
                    "57,72!",
                    "#e8762b",
                    swing=6,
                    pivot=(46, 72),
                ),
                Part(
                    "body",
                    "10,52 22,46 40,43 58,44 70,42 78,50 77,62 66,73 44,77 24,73 12,63",
                    "coat",
                    marks=(
                        Mark("62,44 71,42 78,50 77,62 69,70 62,64 59,53", "#6a3d28"),
                        Mark("16,66 30,70 48,72 62,70 52,76 36,76 22,72", "light"),
                    ),
                ),
                Part(
                    "wing",
                    "20,50 36,45 52,46 61,53 58,62 44,67 28,65 8,58!",
                    "dark",
                    tells=2.0,
                    swing=5,
                    pivot=(58, 50),
                    marks=(
                        Mark("22,59 38,57 48,60 44,65 30,64", "#2f57b8"),
                        Mark("22,57 38,55 49,59", "#f4f1e6", 1.6),
                        Mark("30,51 44,50 54,54", "coat", 1.6),
                    ),
                ),
                Part(
                    "head",
                    "64,46! 65,36 66,26 72,18 81,16 89,20 91,28 86,34 80,39 78,47!",
                    "#1d7a4a",
                    tells=4.0,
                    stays=True,
                    swing=7,
                    pivot=(71, 46),
                    marks=(
                        Mark("70,24 76,19 83,19 80,23 73,28", "#3fae78"),
                        *eye(83, 24, 2.7, "#2a2018"),
                    ),
                ),
                Part(
                    "beak",
                    "88,21 96,25 104,27 107,30! 100,33 90,32 86,29",
                    "#e8bf2a",
                    tells=3.0,
                    on="head",
                    marks=(Mark("90,29 98,30 105,30", "#8a6a12", 1.0),),
                ),
                Part(
                    "collar", "64,41 71,44 79,41 79,46 71,49 63,46", "#f7f5ee", tells=3.0, on="head"
                ),
            ),
            waterline=73,
        ),
    ),
)
