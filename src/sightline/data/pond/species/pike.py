"""Pike: a long green fish with a duck's bill, pale spots, and its back fin far behind."""

from sightline.data.pond.anatomy import Mark, Part, Species, View, circle, eye

SPOTS = tuple(
    Mark(circle(x, y, 2.1, 0.7), "light")
    for x, y in (
        (22, 47), (31, 45), (40, 44), (49, 43), (58, 43), (67, 44), (27, 52), (36, 51), (45, 50),
        (54, 50), (63, 50), (72, 50), (32, 57), (42, 57), (52, 57), (62, 57),
    )
)  # fmt: skip
SPECIES = Species(
    name="pike",
    coarse="fish",
    synset="n02561108",
    lemma="pike",
    coarse_synset="n02512053",
    background="reeds",
    rests="hovers",
    coat=("#62773a", "#d7d79a", "#3d4d25"),
    views=(
        View(
            "side",
            (
                Part(
                    "tail",
                    "10,49! 0,38 -14,32! -8,49! -14,67! 0,60 10,54!",
                    "#b0612f",
                    tells=2.0,
                    swing=9,
                    pivot=(10, 51),
                    marks=(Mark("6,49 -8,38", "#7a3d1c", 1.2), Mark("6,53 -8,62", "#7a3d1c", 1.2)),
                ),
                Part(
                    "back fin",
                    "16,44! 16,32 26,28! 36,38! 34,43!",
                    "#b0612f",
                    tells=4.0,
                    marks=(
                        Mark("22,42 23,31", "#7a3d1c", 1.1),
                        Mark("28,42 28,32", "#7a3d1c", 1.1),
                    ),
                ),
                Part(
                    "belly fin", "18,57! 18,68! 30,66 33,59!|52,61! 50,70! 60,68 62,61!", "#b0612f"
                ),
                Part(
                    "body",
                    "6,51 16,43 34,38 56,37 78,39 84,47 82,58 62,63 38,63 18,59",
                    "coat",
                    marks=(Mark("14,57 34,60 60,60 82,56 64,64 38,64", "light"), *SPOTS),
                ),
                Part(
                    "head",
                    "76,38 88,41 92,47 91,54 86,58 76,60 79,50",
                    "dark",
                    tells=2.0,
                    marks=eye(85, 45, 2.6, "#e8c93c"),
                ),
                Part(
                    "snout",
                    "89,42! 104,45 116,49! 117,52! 113,53! 115,56! 102,57 88,58!",
                    "coat",
                    tells=4.0,
                    stays=True,
                    marks=(Mark("115,53 104,53 93,55", "#26301a", 1.3),),
                ),
                Part(
                    "side fin",
                    "74,57! 66,62 62,69! 72,68 78,60!",
                    "#b0612f",
                    swing=12,
                    pivot=(75, 58),
                ),
            ),
        ),
    ),
)
