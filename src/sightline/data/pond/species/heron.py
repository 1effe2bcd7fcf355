"""Heron: a tall grey wader with a dagger of a beak and a black crest."""

from sightline.data.pond.anatomy import Mark, Part, Species, View, eye

SPECIES = Species(
    name="heron",
    coarse="aquatic bird",
    synset="n02008041",
    lemma="heron",
    coarse_synset="n01844917",
    background="reeds",
    rests="stands",
    coat=("#93a2b5", "#dfe4ea", "#54647a"),
    views=(
        View(
            "side",
            (
                Part("tail", "14,58! -4,74! 4,76 22,70!", "dark"),
                Part(
                    "legs",
                    "34,66! 32,88 33,112 22,117! 44,117! 38,111 37,88 40,66!|44,66! 47,88 45,110 "
                    "38,116! 58,115! 50,110 52,88 50,66!",
                    "#a08a3f",
                    swing=4,
                    pivot=(42, 66),
                ),
                Part(
                    "body",
                    "10,60 18,46 32,39 48,38 58,44 60,54 52,64 38,70 22,70 12,66",
                    "coat",
                    marks=(Mark("24,68 40,66 54,58 58,52 58,58 48,67 36,71", "light"),),
                ),
                Part(
                    "neck",
                    "48,56 50,46 60,38 65,31 62,22 57,14 58,5 65,0! 72,4! 67,10 67,16 73,24 75,33 "
                    "70,42 63,50 58,60",
                    "light",
                    tells=2.0,
                    swing=4,
                    pivot=(55, 52),
                    marks=(Mark("62,14 67,22 70,30 67,38 60,46", "#3a4250", 1.3),),
                ),
                Part(
                    "wing",
                    "2,68! 14,50 28,42 44,41 52,48 50,57 36,64 20,68",
                    "dark",
                    tells=2.0,
                    swing=4,
                    pivot=(46, 48),
                    marks=(
                        Mark("14,62 28,56 44,52", "coat", 1.6),
                        Mark("12,66 28,61 42,58", "coat", 1.6),
                        Mark("18,56 32,49 44,46", "coat", 1.6),
                    ),
                ),
                Part(
                    "head",
                    "57,5 62,-3 71,-5 80,-1 83,4! 76,8 66,10 59,9",
                    "light",
                    tells=2.0,
                    on="neck",
                    marks=eye(75, 1.6, 2.0, "#f2d13a"),
                ),
                Part(
                    "crest",
                    "78,-3! 68,-6 58,-3 46,4! 34,12! 50,8 62,1 72,-1",
                    "#1d222c",
                    tells=3.0,
                    on="neck",
                ),
                Part(
                    "beak",
                    "80,-1! 96,3 112,8! 96,9 81,7!",
                    "#e59a2e",
                    tells=4.0,
                    on="neck",
                    marks=(Mark("82,3.6 98,6 110,8", "#7a4a10", 0.8),),
                ),
            ),
            tilt=5,
        ),
    ),
)
