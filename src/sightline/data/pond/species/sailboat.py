"""Sailboat: a hull with a mast, a mainsail and a jib."""

from sightline.data.pond.anatomy import Mark, Part, Species, View, circle

SPECIES = Species(
    name="sailboat",
    coarse="watercraft",
    synset="n04128499",
    lemma="sailboat",
    coarse_synset="n04530566",
    background="water",
    rests="floats",
    coat=("#f3efe6", "#ffffff", "#c23b2e"),
    views=(
        View(
            "side",
            (
                Part("mast", "48,-22! 51,-22! 52,72! 47,72!", "#7a5532", tells=3.0, stays=True),
                Part(
                    "mainsail",
                    "46,-16! 42,10 28,40 6,62! 28,65 46,64!",
                    "coat",
                    tells=4.0,
                    swing=3,
                    pivot=(48, 62),
                    marks=(
                        Mark("40,18 45.5,19", "dark", 2.2),
                        Mark("30,38 45.5,40", "dark", 2.2),
                        Mark("17,53 45.5,55", "dark", 2.2),
                    ),
                ),
                Part(
                    "jib",
                    "54,-12! 66,16 78,42 90,62! 70,63 54,60!",
                    "light",
                    tells=4.0,
                    swing=3,
                    pivot=(52, 60),
                    marks=(Mark("56,34 72,36", "dark", 1.4), Mark("56,50 80,52", "dark", 1.4)),
                ),
                Part(
                    "flag", "51,-22! 60,-24 68,-21! 60,-17 51,-15!", "#2f62c0", tells=2.0, hides=0.2
                ),
                Part("boom", "4,64! 50,65! 50,69! 4,67!", "#8f6a3d"),
                Part("keel", "40,88! 44,100! 58,100! 62,88!", "#39414c"),
                Part(
                    "hull",
                    "-4,72! 30,74 70,74 106,70! 98,82 86,90! 16,91! 4,84",
                    "coat",
                    tells=1.5,
                    marks=(
                        Mark("2,82 30,85 70,85 98,81 90,88 60,91 14,91", "dark"),
                        Mark(circle(30, 79, 2.4), "#3c6f96"),
                        Mark(circle(42, 79.6, 2.4), "#3c6f96"),
                        Mark(circle(54, 79.6, 2.4), "#3c6f96"),
                    ),
                ),
            ),
            tilt=6,
            ground=91,
            waterline=87,
        ),
    ),
)
