"""Swan: a white bird with a long curved neck and an orange beak with a black knob."""

from sightline.data.pond.anatomy import Mark, Part, Species, View, eye

SPECIES = Species(
    name="swan",
    coarse="aquatic bird",
    synset="n01858441",
    lemma="swan",
    coarse_synset="n01844917",
    background="water",
    rests="floats",
    coat=("#f2f1ec", "#ffffff", "#c3c8cf"),
    views=(
        View(
            "side",
            (
                Part("tail", "14,54! -4,40! 2,52 -2,58! 18,66!", "coat"),
                Part(
                    "feet",
                    "36,76! 35,86 26,92! 46,92! 41,86 42,76!",
                    "#2c2c2c",
                    swing=6,
                    pivot=(39, 76),
                ),
                Part(
                    "body",
                    "6,56 18,50 40,46 58,48 70,50 77,58 74,70 60,79 38,82 18,76 8,66",
                    "coat",
                    marks=(Mark("16,70 36,76 58,74 72,66 66,76 46,81 26,78", "dark"),),
                ),
                Part(
                    "neck",
                    "56,62 62,50 68,42 70,34 66,25 64,15 68,6 76,1 84,3! 82,10 76,11 73,17 76,25 "
                    "79,34 78,44 74,54 71,66",
                    "coat",
                    tells=3.0,
                    stays=True,
                    swing=5,
                    pivot=(66, 62),
                ),
                Part(
                    "wing",
                    "4,50! 14,40 28,34 44,35 56,42 60,52 54,62 40,68 22,66",
                    "light",
                    tells=2.0,
                    swing=6,
                    pivot=(54, 52),
                    marks=(
                        Mark("10,50 24,50 40,54 50,60", "dark", 1.4),
                        Mark("14,44 30,42 46,46 56,52", "dark", 1.4),
                        Mark("14,57 28,59 42,64", "dark", 1.4),
                    ),
                ),
                Part(
                    "head",
                    "70,5 76,0 84,0 90,4 90,10 84,13 75,12",
                    "coat",
                    tells=2.0,
                    on="neck",
                    marks=eye(83, 4.6, 1.7, "#191919"),
                ),
                Part(
                    "beak",
                    "87,3 93,7 101,12 103,15! 96,16 88,13",
                    "#ef7d2a",
                    tells=4.0,
                    on="neck",
                    marks=(Mark("86,4 89,1.5 92,4 91,8 88,11", "#161616"),),
                ),
            ),
            waterline=77,
        ),
    ),
)
