"""Box turtle: a high domed shell with rays of yellow, and an orange-spotted head."""

from sightline.data.pond.anatomy import Mark, Part, Species, View, circle, eye

SPECIES = Species(
    name="box turtle",
    coarse="turtle",
    synset="n01669191",
    lemma="box turtle",
    coarse_synset="n01662784",
    background="lawn",
    rests="stands",
    coat=("#6b4a2a", "#b58a4c", "#43301d"),
    views=(
        View(
            "side",
            (
                Part("tail", "12,66! -2,72! 12,73!", "#6e5a3a"),
                Part(
                    "far legs",
                    "24,66! 22,80 16,85! 32,85! 34,68!|62,66! 64,80 60,85! 76,85! 74,66!",
                    "#5d4b30",
                ),
                Part(
                    "neck",
                    "70,62 76,52 84,48 92,50 90,60 80,68 72,70",
                    "#7a6440",
                    tells=2.0,
                    swing=6,
                    pivot=(74, 64),
                ),
                Part(
                    "head",
                    "83,48 88,38 98,35 107,40 110,48! 106,51! 109,54! 98,58 88,56",
                    "#7a6440",
                    tells=4.0,
                    stays=True,
                    on="neck",
                    marks=(
                        Mark(circle(91, 47, 2.2), "#f08a2c"),
                        Mark(circle(97, 53, 2), "#f08a2c"),
                        Mark(circle(93, 54, 1.5), "#f08a2c"),
                        Mark(circle(104, 45, 1.6), "#f08a2c"),
                        *eye(98.5, 43, 2.7, "#c93a26"),
                    ),
                ),
                Part("belly", "12,68! 40,71 78,67! 70,77 44,79 18,77", "#c9a66a"),
                Part(
                    "shell",
                    "4,66! 6,48 16,28 32,15 48,13 64,21 76,38 82,64! 60,69 28,70",
                    "coat",
                    tells=2.0,
                    marks=(Mark("4,66 26,65 56,65 82,63 80,68 56,71 26,72 6,70", "dark"),),
                ),
                Part(
                    "rays",
                    "40,20! 37,34! 42,36! 44,21!|52,20! 50,34! 55,35! 57,22!|24,32! 28,44! "
                    "32,41! 28,29!"
                    "|66,34! 61,44! 65,47! 70,38!|22,50! 20,62! 25,62! 27,51!|34,48! 33,62! "
                    "38,62! 39,48!"
                    "|47,46! 47,61! 52,61! 52,46!|60,50! 62,62! 67,61! 65,50!|13,46! 10,60! "
                    "14,61! 17,48!"
                    "|73,50! 74,60! 78,59! 76,49!",
                    "#f2c53d",
                    tells=4.0,
                ),
                Part(
                    "legs",
                    "14,70! 12,80 6,86! 24,87! 28,82 30,72!|58,72! 60,82 58,87! 76,87! 72,80 "
                    "72,70!",
                    "#7a6440",
                    swing=5,
                    pivot=(44, 70),
                    marks=(
                        Mark(circle(19, 79, 1.8), "#f0a83c"),
                        Mark(circle(66, 79, 1.8), "#f0a83c"),
                    ),
                ),
            ),
        ),
    ),
)
