"""Canoe: a long slender boat, both ends turned up, with a paddle."""

from sightline.data.pond.anatomy import Mark, Part, Species, View

SPECIES = Species(
    name="canoe",
    coarse="watercraft",
    synset="n02951358",
    lemma="canoe",
    coarse_synset="n04530566",
    background="reeds",
    rests="floats",
    coat=("#2f7d5b", "#8cc5a2", "#1c4c38"),
    views=(
        View(
            "side",
            (
                Part("inside", "-2,40! 22,46 50,48 78,46 104,38! 84,54 50,57 18,55", "#6b4a2a"),
                Part(
                    "thwarts",
                    "24,46! 31,47! 32,55! 25,54!|68,47! 75,46! 75,54! 68,55!",
                    "#d9b679",
                    tells=2.0,
                ),
                Part(
                    "hull",
                    "-8,34! 4,46 26,53 50,55 76,53 98,46 110,32! 111,46 103,60 88,67! 12,67! "
                    "0,60 -9,48",
                    "coat",
                    marks=(Mark("0,57 26,62 50,63 76,62 102,56 92,64 50,67 10,65", "dark"),),
                ),
                Part(
                    "band",
                    "-3,52! 26,57 50,58.5 76,57 105,50! 104,54! 76,61 50,62.5 26,61 -1,56!",
                    "#f0d9a0",
                    tells=2.0,
                    marks=(
                        Mark("12,57 18,59", "#b03a2a", 2.4),
                        Mark("36,60 43,60.6", "#b03a2a", 2.4),
                        Mark("60,60.6 67,60", "#b03a2a", 2.4),
                        Mark("84,58.6 90,57", "#b03a2a", 2.4),
                    ),
                ),
                Part(
                    "bow", "98,46! 104,38 110,30! 114,32! 113,44 106,58! 99,52", "light", tells=4.0
                ),
                Part("stern", "4,46! -2,40 -8,31! -12,34! -10,46 -4,58! 3,52", "light", tells=4.0),
                Part(
                    "paddle",
                    "40,30! 44,28! 58,68! 62,76 62,88 57,92! 52,88 51,78 53,70!",
                    "#c98a3f",
                    tells=4.0,
                    swing=12,
                    pivot=(48, 52),
                    marks=(Mark("55,74 58,87", "#8a5a20", 1.3),),
                ),
            ),
            ground=67,
            waterline=63,
        ),
        View(
            "above",
            (
                Part(
                    "hull",
                    "-10,50! 14,41 34,37 50,36 66,37 86,41 110,50! 86,59 66,63 50,64 34,63 14,59",
                    "coat",
                ),
                Part(
                    "inside",
                    "2,50! 20,44 36,41 50,40 64,41 80,44 98,50! 80,56 64,59 50,60 36,59 20,56",
                    "#6b4a2a",
                    marks=(Mark("10,50 90,50", "#805a36", 1.4),),
                ),
                Part(
                    "thwarts",
                    "24,42! 30,41! 30,59! 24,58!|70,41! 76,42! 76,58! 70,59!",
                    "#d9b679",
                    tells=2.0,
                ),
                Part("bow", "92,43.5! 104,47 114,50! 104,53 92,56.5! 95,50", "light", tells=4.0),
                Part("stern", "8,43.5! -4,47 -14,50! -4,53 8,56.5! 5,50", "light", tells=4.0),
                Part(
                    "paddle",
                    "40,24! 43,23! 56,64! 61,72 62,84 56,89! 51,84 50,73 53,65!",
                    "#c98a3f",
                    tells=4.0,
                    swing=14,
                    pivot=(48, 50),
                    marks=(Mark("55,70 57,84", "#8a5a20", 1.3),),
                ),
            ),
            tilt=40,
        ),
    ),
)
