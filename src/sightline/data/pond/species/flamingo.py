"""Flamingo: a pink wader on long legs, its beak bent down with a black tip."""

from sightline.data.pond.anatomy import Mark, Part, Species, View, eye

SPECIES = Species(
    name="flamingo",
    coarse="aquatic bird",
    synset="n02007558",
    lemma="flamingo",
    coarse_synset="n01844917",
    background="sand",
    rests="stands",
    coat=("#f29bb0", "#fbcdd6", "#d9607e"),
    views=(
        View(
            "side",
            (
                Part(
                    "legs",
                    "38,60! 37,84 38,110 30,116! 50,116! 42,110 41,84 43,60!|46,60! 56,78 44,90! "
                    "46,94! 61,79 50,60!",
                    "#e0738c",
                    swing=4,
                    pivot=(43, 60),
                ),
                Part("tail", "16,50! 2,60! 8,64 20,62!", "dark"),
                Part(
                    "body",
                    "10,52 18,40 34,33 50,34 60,42 60,53 50,62 34,66 18,62",
                    "coat",
                    marks=(Mark("22,62 38,63 52,58 58,50 57,58 46,65 32,67", "light"),),
                ),
                Part(
                    "neck",
                    "52,56 54,48 64,44 74,38 77,29 72,20 62,13 58,3 62,-8 71,-12! 77,-6! 70,-2 "
                    "68,3 "
                    "71,9 80,16 85,27 83,38 76,47 66,53 60,58",
                    "coat",
                    tells=2.0,
                    swing=5,
                    pivot=(58, 52),
                ),
                Part(
                    "wing",
                    "4,58! 14,44 28,37 44,37 53,44 48,53 32,58 18,60",
                    "dark",
                    tells=2.0,
                    swing=4,
                    pivot=(48, 44),
                    marks=(
                        Mark("12,56 26,51 42,47", "light", 1.6),
                        Mark("18,49 32,43 44,41", "light", 1.6),
                    ),
                ),
                Part(
                    "head",
                    "62,-6 66,-14 75,-17 84,-14 87,-7 82,-1 73,0 66,-1",
                    "coat",
                    tells=2.0,
                    on="neck",
                    marks=eye(78, -9, 1.9, "#f6e58a"),
                ),
                Part(
                    "beak",
                    "84,-13! 92,-10 96,-3 93,6 87,12! 87,5 84,0 79,-2!",
                    "#f8e3dc",
                    tells=4.0,
                    on="neck",
                    marks=(Mark("95,-2 93,6 87,12 87,5 88,1", "#1b1718"),),
                ),
            ),
            tilt=5,
        ),
    ),
)
